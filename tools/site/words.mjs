// How a text becomes words that can be searched for: the same in the index and in the box where somebody types.

/** Words that stand nearly everywhere tell nothing. */
const common = new Set(
  "a an and are as at be but by can do does for from has have if in into is it its no not of on one or so than that the their them there they this to was what when where which who with you your".split(
    " ",
  ),
);

/**
 * Names such as libcudnn_ops_infer.so.8 as a whole, and their parts.
 * @param {string} text
 */
export function wordsOf(text) {
  const words = [];
  for (const [whole] of text.toLowerCase().matchAll(/[a-z0-9][a-z0-9._+-]{0,60}/g)) {
    const word = whole.replace(/[._+-]+$/, "");
    if (isWord(word)) words.push(word);
    const parts = word.split(/[._+-]/);
    if (1 < parts.length) words.push(...parts.filter(isWord));
  }
  return words;
}

const isWord = (word) => 1 < word.length && !common.has(word);
