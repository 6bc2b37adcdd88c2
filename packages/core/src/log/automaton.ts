/**
 * Finds many words in one pass (Aho and Corasick), whatever their case. Most lines of a long log hold none of them and are
 * left before they are even decoded.
 */
export interface Automaton {
  /** Whether one of the words lies in these bytes. */
  hits(bytes: Uint8Array, start: number, end: number): boolean;
  /** The words in a text, by their index. */
  words(text: string): number[];
}

export function automatonOf(words: string[]): Automaton {
  // Bytes that occur in no word are one class; capital letters are small ones.
  const classes = new Uint8Array(256);
  let width = 1;
  for (const word of words) {
    for (let at = 0; at < word.length; at += 1) {
      const code = word.charCodeAt(at);
      if (classes[code] === 0) classes[code] = width++;
    }
  }
  for (let code = 65; code <= 90; code += 1) classes[code] = classes[code + 32]!;
  const most = words.reduce((sum, word) => sum + word.length, 1);
  const next = new Int32Array(most * width);
  const ends: number[][] = [[]];
  let states = 1;
  words.forEach((word, index) => {
    let state = 0;
    for (let at = 0; at < word.length; at += 1) {
      const edge = state * width + classes[word.charCodeAt(at)]!;
      if (next[edge] === 0) {
        next[edge] = states++;
        ends.push([]);
      }
      state = next[edge]!;
    }
    ends[state]!.push(index);
  });
  // Where a state has no edge, the longest ending of what was read that begins a word has it.
  const fallback = new Int32Array(states);
  const queue: number[] = [];
  for (let letter = 1; letter < width; letter += 1) if (next[letter] !== 0) queue.push(next[letter]!);
  for (let head = 0; head < queue.length; head += 1) {
    const state = queue[head]!;
    const back = fallback[state]!;
    ends[state]!.push(...ends[back]!);
    for (let letter = 0; letter < width; letter += 1) {
      const edge = state * width + letter;
      const below = next[back * width + letter]!;
      if (next[edge] === 0) next[edge] = below;
      else {
        fallback[next[edge]!] = below;
        queue.push(next[edge]!);
      }
    }
  }
  const isEnd = new Uint8Array(states);
  for (let state = 0; state < states; state += 1) isEnd[state] = ends[state]!.length === 0 ? 0 : 1;

  return {
    hits(bytes, start, end) {
      let state = 0;
      for (let at = start; at < end; at += 1) {
        state = next[state * width + classes[bytes[at]!]!]!;
        if (isEnd[state] !== 0) return true;
      }
      return false;
    },
    words(text) {
      const found = new Set<number>();
      let state = 0;
      for (let at = 0; at < text.length; at += 1) {
        const code = text.charCodeAt(at);
        state = next[state * width + (code < 256 ? classes[code]! : 0)]!;
        if (isEnd[state] !== 0) for (const index of ends[state]!) found.add(index);
      }
      return [...found];
    },
  };
}
