// The matrix of a GitHub workflow: one job for each choice of its values.
// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#jobsjob_idstrategymatrix
import { fields, list } from "./finding-lines.ts";

/** Values by name, as one job of the matrix has them; of an object with its names behind a dot. */
export type Choice = ReadonlyMap<string, string>;

type Fields = { [name: string]: unknown };

/** GitHub starts no more jobs of one matrix. */
const most = 256;

const tablesIn = (value: unknown): Fields[] =>
  list(value).flatMap((each): Fields[] => {
    const table = fields(each);
    return table ? [table] : [];
  });

/** One choice for each job that differs in a value that is used; one that is empty where there is no matrix, or GitHub works it out. */
export function choicesOf(strategy: unknown, isUsed: (name: string) => boolean): Choice[] {
  const matrix = fields(fields(strategy)?.["matrix"]);
  if (!matrix) return [new Map()];
  const axes = Object.entries(matrix).filter(([name, values]) => name !== "include" && name !== "exclude" && Array.isArray(values));
  const excluded = tablesIn(matrix["exclude"]);
  const named = new Set(axes.map(([name]) => name));
  const made = combined(axes).filter((each) => !excluded.some((other) => isWithin(other, each, () => true)));
  const all = withIncluded(made, tablesIn(matrix["include"]), (name) => named.has(name));
  const used = all.map((values) => [...flat(values)].filter(([name]) => isUsed(name)));
  return all.length === 0 ? [new Map()] : [...new Map(used.map((each) => [JSON.stringify(each), new Map(each)])).values()];
}

function combined(axes: [string, unknown][]): Fields[] {
  if (axes.length === 0) return [];
  let made: Fields[] = [{}];
  for (const [name, values] of axes)
    made = made.flatMap((each) => list(values).map((value) => ({ ...each, [name]: value }))).slice(0, most);
  return made;
}

/** What `include` names goes to every job whose own values it leaves as they are; else it is a job of its own. */
function withIncluded(made: Fields[], included: Fields[], isOwn: (name: string) => boolean): Fields[] {
  const own = made.map((values) => ({ values, more: {} }));
  const others: Fields[] = [];
  for (const each of included) {
    const fitting = own.filter(({ values }) => isWithin(each, values, isOwn));
    if (fitting.length === 0) others.push(each);
    for (const one of fitting) one.more = { ...one.more, ...each };
  }
  return [...own.map(({ values, more }) => ({ ...more, ...values })), ...others].slice(0, most);
}

const isWithin = (some: Fields, all: Fields, counts: (name: string) => boolean): boolean =>
  Object.entries(some).every(([name, value]) => !counts(name) || JSON.stringify(all[name]) === JSON.stringify(value));

function flat(values: Fields): Choice {
  const found = new Map<string, string>();
  for (const [name, value] of Object.entries(values)) {
    for (const [inner, each] of flat(fields(value) ?? {})) found.set(`${name}.${inner}`, each);
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") found.set(name, String(value));
  }
  return found;
}

/** A text with the values of one job put in. */
export const filledIn = (text: string, choice: Choice): string =>
  text.replace(/\$\{\{\s{0,9}matrix\.([\w.-]{1,200})\s{0,9}\}\}/g, (whole, name: string) => choice.get(name) ?? whole);
