/*
 * What a text is compared by, where no line of it is a known message: its words, and pairs of neighbours, once each. Releases are all one
 * word, since what matters is that there is one; names of files lose their folders and their numbers.
 */

// A line of a log is longer than what is said with it.
const mostOfLine = 600;
const mostWords = 4000;

const address = /https?:\/\/\S{1,300}/g;
const folders = /(?:[a-z]:)?(?:[\w.+@~-]{0,80}[/\\]){1,30}(?=[\w.+@~-])/g;
const word = /[\p{L}_][\p{L}\p{M}\w+-]{0,60}(?:\.[\p{L}_][\w+-]{0,60}){0,6}|\d{1,12}(?:\.\d{1,12}){1,4}|\d{1,12}/gu;
// Writing without spaces: each two signs are a word.
const unspaced = /[\u3040-\u30ff\u4e00-\u9fff]/;

function wordsOf(line: string): string[] {
  const plain = line.slice(0, mostOfLine).toLowerCase().replaceAll(address, " ").replaceAll(folders, " ");
  return [...plain.matchAll(word)].flatMap(([found]) => {
    if (/^\d/.test(found)) return found.includes(".") ? "#.#" : found.length <= 4 ? found : [];
    if (unspaced.test(found)) return pairsOf(found);
    return found.replace(/\.so(?:\.\d.*)?$/, ".so");
  });
}

function pairsOf(text: string): string[] {
  const signs = [...text];
  return signs.length < 2 ? signs : signs.slice(1).map((sign, at) => signs[at]! + sign);
}

// A name that is made of several words says what they say: CUDA_ERROR_NO_DEVICE, cudaErrorNoDevice is one word to its reader.
const partsOf = (name: string): string[] =>
  /[_.-]/.test(name) ? name.split(/[_.-]+/).filter((part) => 2 < part.length && !/^\d/.test(part)) : [];

/** The features of a text; `marks` are what is known of it besides its words. */
export function featuresOf(lines: string[], marks: string[] = []): string[] {
  const found = new Set(marks.map((mark) => `=${mark}`));
  let count = 0;
  for (const line of lines) {
    const words = wordsOf(line);
    words.forEach((each, at) => {
      found.add(each);
      for (const part of partsOf(each)) found.add(part);
      if (0 < at) found.add(`${words[at - 1]} ${each}`);
    });
    if (mostWords < (count += words.length)) break;
  }
  return [...found];
}
