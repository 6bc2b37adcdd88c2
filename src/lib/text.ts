/** The text up to the first NUL, as UTF-8; undefined when there is no NUL within the bytes. */
export function textUntilNul(bytes: Uint8Array, start: number): string | undefined {
  const end = bytes.indexOf(0, start);
  return end < 0 || start < 0 || bytes.length <= start ? undefined : decode(bytes, start, end);
}

export function decode(bytes: Uint8Array, start = 0, end = bytes.length): string {
  let text = "";
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at]!;
    if (0x7f < byte) return text + decodeUtf8(bytes, at, end);
    text += String.fromCharCode(byte);
  }
  return text;
}

// Bytes that are not UTF-8 become U+FFFD, as Node does for file names.
function decodeUtf8(bytes: Uint8Array, start: number, end: number): string {
  let text = "";
  let at = start;
  while (at < end) {
    const first = bytes[at]!;
    const length = first < 0x80 ? 1 : first >> 5 === 6 ? 2 : first >> 4 === 14 ? 3 : first >> 3 === 30 ? 4 : 0;
    let point = length === 1 ? first : first & (0xff >> (length + 1));
    let used = 1;
    for (; used < length && at + used < end && (bytes[at + used]! & 0xc0) === 0x80; used += 1) {
      point = (point << 6) | (bytes[at + used]! & 0x3f);
    }
    const smallest = [0, 0, 0x80, 0x800, 0x10000][length]!;
    const good = 0 < length && used === length && smallest <= point && point <= 0x10ffff && (point < 0xd800 || 0xdfff < point);
    text += good ? String.fromCodePoint(point) : "\ufffd";
    at += good ? length : 1;
  }
  return text;
}
