// Every place that runs this code has one; the core is compiled without the types of any of them.
declare const TextDecoder: new (label: string, options?: { ignoreBOM: boolean }) => { decode(bytes: Uint8Array): string };

declare const TextEncoder: new () => { encode(text: string): Uint8Array };

// Bytes that are not UTF-8 become U+FFFD, as in Node's file names.
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** The text up to the first NUL; undefined when there is no NUL within the bytes, or within `most` of them. */
export function textUntilNul(bytes: Uint8Array, start: number, most = Infinity): string | undefined {
  if (start < 0 || bytes.length <= start) return undefined;
  const end = most < bytes.length - start ? bytes.subarray(0, start + most).indexOf(0, start) : bytes.indexOf(0, start);
  return end < 0 ? undefined : decode(bytes, start, end);
}

export function decode(bytes: Uint8Array, start = 0, end = bytes.length): string {
  return utf8.decode(bytes.subarray(start, end));
}

export const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** One character a byte; what is not ASCII becomes some character that is not ASCII either. */
export function characters(bytes: Uint8Array, start = 0, end = bytes.length): string {
  return new TextDecoder("latin1").decode(bytes.subarray(start, end));
}

/** Whether bytes hold a word of ASCII that no letter, number or underscore goes on: without making a text of them, which takes long. */
export function holdsWord(bytes: Uint8Array, word: string): boolean {
  const wanted = encode(word);
  for (let at = bytes.indexOf(wanted[0]!); 0 <= at; at = bytes.indexOf(wanted[0]!, at + 1)) {
    let same = 1;
    while (same < wanted.length && bytes[at + same] === wanted[same]) same += 1;
    if (same === wanted.length && !isOfWord(bytes[at - 1]) && !isOfWord(bytes[at + same])) return true;
  }
  return false;
}

const isOfWord = (byte: number | undefined) => byte !== undefined && /\w/.test(String.fromCharCode(byte));
