// uv.lock and poetry.lock: tables [[package]] with exact versions.
import { normalName } from "../../lib/pep508.ts";
import { bareInstall } from "../packages.ts";
import type { Declaration, DeclarationFormat, DeclaredPackage, DeclaredStep, Install } from "../../model/declaration.ts";
import { fields, finderOf, list, word } from "../finding-lines.ts";
import { placeAt } from "../lines.ts";
import { readToml } from "../toml.ts";

const readLock =
  (format: DeclarationFormat) =>
  (text: string, file: string): Declaration => {
    const root = fields(readToml(text)) ?? {};
    const finder = finderOf(text, file);
    const place = placeAt(file, 1);
    const steps: DeclaredStep[] = [];
    const python = word(root["requires-python"]) ?? word(fields(root["metadata"])?.["python-versions"]);
    if (python !== undefined) steps.push({ kind: "python", specifier: python, place: finder.find(python) });
    finder.seek(/^\[\[package\]\]/);
    const reached = format === "uv-lock" ? reachedOf(root["package"]) : undefined;
    const packages = list(root["package"]).flatMap((value): DeclaredPackage[] => {
      const entry = fields(value);
      const [name, version] = [word(entry?.["name"]), word(entry?.["version"])];
      if (name === undefined || version === undefined) return [];
      const at = finder.findLine(`name = "${name}"`);
      const source = fields(entry!["source"]);
      const index = word(source?.["registry"]) ?? (word(source?.["type"]) === "legacy" ? word(source?.["url"]) : undefined);
      // A project itself, and what lies on a disk, is not installed from anywhere.
      if (source && ["virtual", "editable", "directory", "path"].some((kind) => source[kind] !== undefined)) return [];
      const markers = list(entry!["resolution-markers"]);
      const isOpen = 0 < markers.length || entry!["optional"] === true || (reached !== undefined && !reached.has(normalName(name)));
      const marker = isOpen ? 'python_full_version == "?"' : undefined;
      return [
        {
          name: normalName(name),
          extras: [],
          specifier: `==${version}`,
          ...(marker === undefined ? {} : { marker }),
          ...(index === undefined ? {} : { index }),
          text: `${name} ${version}`,
          place: at,
        },
      ];
    });
    const install: Install = {
      kind: "install",
      manager: "pip",
      packages,
      ...bareInstall(),
      isLocked: true,
      place,
    };
    return { format, file, steps: [...steps, install], unknown: [] };
  };

export const readUvLock = readLock("uv-lock");
export const readPoetryLock = readLock("poetry-lock");

/** What a project of uv needs without any extra: its lock holds everything that any extra may bring. */
function reachedOf(packages: unknown): Set<string> | undefined {
  const entries = list(packages).flatMap((each) => {
    const entry = fields(each);
    return entry ? [entry] : [];
  });
  const byName = new Map(entries.map((entry) => [normalName(word(entry["name"]) ?? ""), entry]));
  const roots = entries.filter((entry) => ["virtual", "editable"].some((kind) => fields(entry["source"])?.[kind] !== undefined));
  if (roots.length === 0) return undefined;
  const reached = new Set<string>();
  const waiting: unknown[] = roots.flatMap((entry) => list(entry["dependencies"]));
  while (0 < waiting.length) {
    const dependency = fields(waiting.pop());
    const name = normalName(word(dependency?.["name"]) ?? "");
    // What a marker asks for may not be there.
    if (name === "" || (word(dependency?.["marker"]) ?? "").includes("extra ==")) continue;
    const entry = byName.get(name);
    for (const extra of list(dependency?.["extra"])) waiting.push(...list(fields(entry?.["optional-dependencies"])?.[word(extra) ?? ""]));
    if (reached.has(name)) continue;
    reached.add(name);
    waiting.push(...list(entry?.["dependencies"]));
  }
  return reached;
}
