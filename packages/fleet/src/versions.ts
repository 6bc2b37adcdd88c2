/** `9.1.0.70-1` as numbers that databases compare; undefined where a version begins with none. */
export function numbersOf(version: string | undefined): number[] | null {
  const digits = /^v?(\d+(?:\.\d+)*)/.exec(version ?? "")?.[1];
  if (digits === undefined) return null;
  const numbers = digits.split(".").map(Number);
  return numbers.every((each) => each < 2 ** 31) ? numbers : null;
}

export type Comparison = "<" | "<=" | ">" | ">=" | "==" | "!=";

export interface Bound {
  name: string;
  comparison: Comparison;
  version: string;
  numbers: number[];
}

/** `cudnn<9.1` */
export function boundOf(text: string): Bound | undefined {
  const match = /^\s*([\w.-]{1,100})\s*(<=|>=|==|!=|<|>)\s*([\d.]{1,40})\s*$/.exec(text);
  const numbers = match ? numbersOf(match[3]) : null;
  return match && numbers ? { name: match[1]!, comparison: match[2] as Comparison, version: match[3]!, numbers } : undefined;
}
