/** A word without the brackets, quotation marks and stops around it, and those: `("/opt/lib").` is `/opt/lib`. */
export function bareWord(word: string): { before: string; inner: string; after: string } {
  const begin = /^[(“"]*/.exec(word)![0].length;
  let end = word.length;
  while (begin < end && ')”",;:.'.includes(word[end - 1]!)) end -= 1;
  return { before: word.slice(0, begin), inner: word.slice(begin, end), after: word.slice(end) };
}
