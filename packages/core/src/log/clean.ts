// Colours, titles and cursor movements of a terminal; also as they stand in JSON or in a paste that lost the escape character.
// oxlint-disable-next-line no-control-regex
const escapes = /[\u001b\u009b](?:\][^\u0007\u001b]{0,500}(?:\u0007|\u001b\\)?|[[(]?[0-9;:?]{0,40}[ -/]{0,4}[@-~])/g;
const entities: { [name: string]: string } = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };
const entity = /&(?:(amp|lt|gt|quot|apos|nbsp)|#(\d{1,7})|#x([0-9a-f]{1,6}));/gi;

// Quotation marks and spaces that word processors and web pages make of plain ones.
const marks = ["\uff08", "\uff09", "\uff1a", "\uff0c", "\uff1f", "\u00a0", "\u2018", "\u2019", "\u201c", "\u201d", "\u0000", "\u200b"];

/** What others put before a line: timestamps, ranks, names of services, quoting. Each is tried until none fits. */
const prefixes: RegExp[] = [
  /^(?:>|#>|\/\/|##\[error\]|##\[warning\]|\*) {1,4}/,
  /^E {2,24}(?=\S)/,
  /^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?\]?:? {1,4}/,
  /^(?:\[? {0,8}\d{1,8}\.\d{6}\] )/,
  /^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d [\w.-]{1,64} [\w.@/:-]{1,64}(?:\[\d{1,8}\])?: /,
  /^\[\d\d:\d\d:\d\d(?:[.,]\d{1,6})?\] ?/,
  /^(?:#\d{1,4} )\d{1,6}\.\d{1,4} /,
  // The end of a failed step of a docker build, shown again: seconds in four digits, without the number of the step.
  /^(?:0\.\d{3}|[1-9]\.\d{3}|[1-9]\d\.\d{2}|[1-9]\d{2}\.\d) (?=\S)/,
  /^(?:\[(?:rank|default|pod\/|worker|node)[^\]]{0,200}\]:? ?)/i,
  /^\[\d{1,5}\]: ?/,
  /^\(?[\w.-]{1,64} pid=\d{1,8}(?:, ip=[\d.]{7,15})?\)? /,
  /^ {0,8}[\w.-]{1,64} {1,20}\| (?=\S)/,
  /^\d{1,4}: {1,2}(?=[A-Z/"'[])/,
  /^(?:stderr|stdout|ERROR|err|out): {1,4}(?=\S)/,
];

/** A line without what a terminal made of it. */
export const withoutColours = (line: string): string =>
  line.includes("\u001b") || line.includes("\u009b") ? line.replace(escapes, "") : line;

/** A line as its program wrote it, as far as can be told. */
export function cleanLine(line: string): string {
  let text = withoutColours(line);
  if (text.includes('"') && text.includes("\\")) text = unquoted(text).replace(escapes, "");
  if (text.includes("&"))
    text = text.replace(entity, (whole, name?: string, decimal?: string, hex?: string) => {
      if (name !== undefined) return entities[name.toLowerCase()] ?? whole;
      const code = decimal === undefined ? parseInt(hex!, 16) : Number(decimal);
      return code <= 0x10_ffff ? String.fromCodePoint(code) : whole;
    });
  // As it stands in the address of a search, or of an issue that a program opens.
  if (text.includes("%20")) text = text.replace(/%(?!7f)([2-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
  if (marks.some((mark) => text.includes(mark)))
    text = text
      .replaceAll("\u00a0", " ")
      .replace(/[\u2018\u2019]/g, "'")
      .replace(/[\u201c\u201d]/g, '"')
      .replaceAll("\uff08", "(")
      .replaceAll("\uff09", ")")
      .replaceAll("\uff1a", ": ")
      .replaceAll("\uff0c", ", ")
      .replaceAll("\uff1f", "? ")
      .replaceAll("\u0000", "")
      .replaceAll("\u200b", "");
  text = text.trimEnd();
  for (let rounds = 0; rounds < 6; rounds += 1) {
    const before = text;
    for (const prefix of prefixes) text = text.replace(prefix, "");
    if (text === before) break;
  }
  return text;
}

// A line of a notebook's file, or of a log in JSON, is a text within quotes.
function unquoted(text: string): string {
  const inner = /^\s{0,40}(?:"(?:text|log|message|msg|line)": {0,4})?("(?:[^"\\]|\\.){0,65536}"),?\s{0,8}$/.exec(text)?.[1];
  if (inner === undefined) return text;
  try {
    return (JSON.parse(inner) as string).trimEnd();
  } catch {
    return text;
  }
}
