// Requirements that stand one to a line in a file of another kind: tox.ini, setup.cfg, setup.py.
import type { Declaration, Install } from "../model/dependency-file.ts";
import { readRequirements } from "./formats/requirements.ts";
import type { IniLine } from "./ini.ts";
import { placeAt } from "./lines.ts";

/** They are read as pip reads its lists, each at its own place. What cannot be read goes to the declaration. */
export function listedInstall(lines: IniLine[], declaration: Declaration): Install | undefined {
  const [first] = lines;
  if (!first) return undefined;
  const { file } = declaration;
  const whole: Install[] = [];
  for (const { text, line, column } of lines) {
    const { steps, unknown } = readRequirements(text, file);
    for (const { reason } of unknown) declaration.unknown.push({ subject: `${file}:${line}:${column}`, reason });
    for (const step of steps) {
      if (step.kind !== "install") continue;
      const place = placeAt(file, line, column, text.length);
      whole.push({
        ...step,
        packages: step.packages.map((each) => ({ ...each, place })),
        includes: step.includes.map((each) => ({ ...each, place })),
        ...(step.built ? { built: step.built.map((each) => ({ ...each, place })) } : {}),
        place,
      });
    }
  }
  const joined: Install = {
    kind: "install",
    manager: "pip",
    packages: [],
    constraints: [],
    includes: [],
    indexes: [],
    links: [],
    place: placeAt(file, first.line, first.column),
  };
  for (const each of whole) {
    joined.packages.push(...each.packages);
    joined.includes.push(...each.includes);
    joined.indexes.push(...each.indexes);
    joined.links.push(...each.links);
    if (each.built) joined.built = [...(joined.built ?? []), ...each.built];
    if (each.allowsPreReleases) joined.allowsPreReleases = true;
  }
  return joined;
}
