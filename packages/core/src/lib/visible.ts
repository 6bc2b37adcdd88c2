// Names of files, lines of logs and texts of packages are anybody's. Whatever of them is shown passes here.

/** The text with characters spelled out that would steer a terminal, turn a line around, begin another line, or show nothing at all. */
export const visible = (text: string): string => (/[^ -~]/.test(text) ? text.replace(steering, spelled) : text);

/** The same for a whole report: it may have lines and columns, which its own words made. */
export const visibleLines = (text: string): string =>
  extraordinary.test(text)
    ? text.replace(steering, (character) => (character === "\n" || character === "\t" ? character : spelled(character)))
    : text;

/** A value as JSON that shows no such character either: escaped, it is the same value. */
export const jsonText = (value: unknown, indent?: number): string => escapedJson(JSON.stringify(value, null, indent));

/** JSON in which no such character stands. */
export const escapedJson = (text: string): string =>
  extraordinary.test(text) ? text.replace(steering, (characters) => (characters === "\n" ? characters : escaped(characters))) : text;

/** The same value with other texts; what is no plain object, list or text stays as it is. */
export function mapTexts<T>(value: T, change: (text: string) => string): T {
  const changed = (each: unknown): unknown => {
    if (typeof each === "string") return change(each);
    if (typeof each !== "object" || each === null) return each;
    if (Array.isArray(each)) return each.map(changed);
    if (Object.getPrototypeOf(each) !== Object.prototype && Object.getPrototypeOf(each) !== null) return each;
    return Object.fromEntries(Object.entries(each).map(([key, item]) => [change(key), changed(item)]));
  };
  return changed(value) as T;
}

function spelled(character: string): string {
  const code = character.codePointAt(0)!;
  const digits = code.toString(16);
  return code < 0x100 ? `\\x${digits.padStart(2, "0")}` : code < 0x10000 ? `\\u${digits.padStart(4, "0")}` : `\\u{${digits}}`;
}

const escaped = (characters: string) =>
  Array.from({ length: characters.length }, (_, index) => `\\u${characters.charCodeAt(index).toString(16).padStart(4, "0")}`).join("");

// Nearly every text does without.
const extraordinary = /[^\n -~]/;

// Controls (Cc), what turns the direction of writing, joins or annotates (Cf), separators of lines (Zl, Zp), half of a surrogate pair (Cs),
// and whatever Unicode says shows nothing (fillers, variation selectors, tags); the blank of Braille is none of them and shows nothing, too.
// A selector behind an emoji only says how that is drawn.
const steering = /(?!(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/gu;
