import type { Declaration, DependencyFileFormat, ImageBuild } from "../model/dependency-file.ts";
import { nothingHolds, type Conditions } from "./conditions.ts";
import { strengths, type Format, type NamedFile, type Sign } from "./format.ts";
import { formats } from "./formats/index.generated.ts";

/** Every sign of every format, in the order in which they are asked. */
const ladder = strengths.flatMap((strength) => {
  const rungs = formats.flatMap((format) => format.signs.filter(({ by }) => by === strength).map((sign) => ({ format, sign })));
  const sorted: { format: Format; sign: Sign }[] = [];
  while (0 < rungs.length) {
    const next = rungs.findIndex(({ sign }) => !rungs.some(({ format }) => sign.after?.includes(format.id)));
    if (next < 0) throw new Error(`formats wait for each other: ${rungs.map(({ format }) => format.id).join(", ")}`);
    sorted.push(...rungs.splice(next, 1));
  }
  return sorted;
});

/** Which of the formats a file is, by its name and, where that leaves a choice, by what stands in it. */
export function recognise(file: string, text: string): DependencyFileFormat | undefined {
  if (text.includes("\0")) return undefined;
  const named: NamedFile = { name: file.slice(file.lastIndexOf("/") + 1).toLowerCase(), text, head: text.slice(0, 20_000) };
  return ladder.find(({ sign }) => sign.is(named))?.format.id;
}

export function readFormat(
  id: DependencyFileFormat,
  text: string,
  file: string,
  conditions: Conditions = nothingHolds,
  build?: ImageBuild,
  beside?: ReadonlyMap<string, string>,
): Declaration {
  return formats.find((format) => format.id === id)!.read(text, file, conditions, build, beside);
}

/** Files that a file of this format takes more from. */
export const namedIn = (id: DependencyFileFormat, text: string, file: string): string[] =>
  formats.find((format) => format.id === id)!.names?.(text, file) ?? [];
