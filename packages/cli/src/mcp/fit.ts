// A context window is small: summary first, details by reference.

/** Characters of an answer, about a quarter of them tokens. */
export const mostCharacters = 20_000;

/** What was left out: where, and how many. */
export interface Omitted {
  where: string;
  count: number;
}

interface Measure {
  items: number;
  characters: number;
}

const measures: Measure[] = [
  { items: 40, characters: 1000 },
  { items: 20, characters: 600 },
  { items: 10, characters: 300 },
  { items: 6, characters: 200 },
  { items: 3, characters: 120 },
  { items: 1, characters: 60 },
];

/** Lists cut at their ends and texts in their middles, until all of it fits. */
export function fitted<T>(value: T, most = mostCharacters): { value: T; omitted: Omitted[] } {
  let last: { value: T; omitted: Omitted[] } = { value, omitted: [] };
  for (const measure of measures) {
    const omitted: Omitted[] = [];
    last = { value: cut(value, "", measure, omitted) as T, omitted };
    if (JSON.stringify(last.value).length <= most) return last;
  }
  return last;
}

function cut(value: unknown, where: string, measure: Measure, omitted: Omitted[]): unknown {
  if (typeof value === "string") return shortened(value, measure.characters);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    if (measure.items < value.length) omitted.push({ where, count: value.length - measure.items });
    return value.slice(0, measure.items).map((each, index) => cut(each, `${where}/${index}`, measure, omitted));
  }
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, cut(each, `${where}/${key}`, measure, omitted)]));
}

/** Paths differ at their ends, sentences begin with what matters: both ends stay. */
function shortened(text: string, most: number): string {
  // A digest or an address is of no use without its middle.
  if (text.length <= most || /^(?:sha256:[0-9a-f]{64}|culprit:\/\/\S{1,200})$/.test(text)) return text;
  const half = Math.floor((most - 3) / 2);
  return `${text.slice(0, half)}...${text.slice(-half)}`.replaceAll(/\p{Surrogate}/gu, "");
}
