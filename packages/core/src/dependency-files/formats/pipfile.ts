// Pipenv: https://pipenv.pypa.io/en/latest/pipfile.html
import { normalName } from "../../lib/pep508.ts";
import type { Alternative, Declaration, DeclaredPackage, DeclaredStep, Install } from "../../model/dependency-file.ts";
import { fields, finderOf, list, word, type Finder } from "../finding-lines.ts";
import { addressIn, fromElsewhere } from "../from-elsewhere.ts";
import { placeAt } from "../lines.ts";
import { readPackage } from "../packages.ts";
import { readJson } from "../json.ts";
import { readToml } from "../toml.ts";
import { defineFormat } from "../format.ts";

export default defineFormat({
  id: "pipfile",
  words: "Pipfile",
  place: 7,
  signs: [{ by: "name", is: ({ name }) => name === "pipfile" }],
  read: readPipfile,
  example: { file: "Pipfile", text: '[packages]\ntorch = "==2.4.1"\n' },
});

function readPipfile(text: string, file: string): Declaration {
  return readTables(fields(readToml(text)) ?? {}, text, file, false);
}

export const readPipfileLock = (text: string, file: string): Declaration => {
  const root = fields(readJson(text)) ?? {};
  const meta = fields(root["_meta"]) ?? {};
  return readTables(
    { packages: root["default"], "dev-packages": root["develop"], requires: meta["requires"], source: meta["sources"] },
    text,
    file,
    true,
  );
};

function readTables(root: { [name: string]: unknown }, text: string, file: string, isLocked: boolean): Declaration {
  const finder = finderOf(text, file);
  const sources = list(root["source"]).flatMap((each) => {
    const [name, url] = [word(fields(each)?.["name"]), word(fields(each)?.["url"])];
    return url === undefined ? [] : [{ name: name ?? "", url }];
  });
  const requires = fields(root["requires"]);
  const version = word(requires?.["python_version"]) ?? word(requires?.["python_full_version"]);
  const python: DeclaredStep[] = version === undefined ? [] : [{ kind: "python", specifier: `==${version}`, place: finder.find(version) }];
  // The first index is asked for everything, others only for what names them.
  const indexes = sources.slice(0, 1).map(({ url }) => ({ url, only: true }));
  const urls = new Map(sources.map(({ name, url }) => [name, url]));
  const own = packagesOf(root["packages"], isLocked ? /^\s*"default"/ : /^\[packages\]/, finder, urls, isLocked);
  const dev = packagesOf(root["dev-packages"], isLocked ? /^\s*"develop"/ : /^\[dev-packages\]/, finder, urls, isLocked);
  const install = (packages: DeclaredPackage[]): Install => ({
    kind: "install",
    manager: "pip",
    packages,
    constraints: [],
    includes: [],
    indexes,
    links: [],
    ...(isLocked ? { isLocked } : {}),
    place: placeAt(file, 1),
  });
  const alternatives: Alternative[] = [{ name: "packages", steps: [...python, install(own)] }];
  if (0 < dev.length) alternatives.push({ name: "dev-packages", steps: [...python, install([...own, ...dev])] });
  return { format: isLocked ? "pipfile-lock" : "pipfile", file, steps: alternatives[0]!.steps, alternatives, unknown: [] };
}

function packagesOf(table: unknown, start: RegExp, finder: Finder, urls: Map<string, string>, isLocked: boolean): DeclaredPackage[] {
  finder.seek(start);
  return Object.entries(fields(table) ?? {}).flatMap(([name, given]): DeclaredPackage[] => {
    const place = finder.find(isLocked ? `"${name}"` : name);
    const entry = fields(given);
    const address = addressIn(entry);
    // A folder of the project has what it asks for in the lock.
    if (isLocked && address?.startsWith("file:")) return [];
    const named = list(entry?.["extras"]).flatMap((each) => word(each) ?? []);
    const outside = address === undefined ? undefined : fromElsewhere(name, address, place, named);
    if (outside) return [outside];
    const version = (word(given) ?? word(entry?.["version"]) ?? "").trim();
    const extras = list(entry?.["extras"]).flatMap((each) => word(each) ?? []);
    const marker = word(entry?.["markers"]);
    const text = `${name}${extras.length === 0 ? "" : `[${extras.join(",")}]`}${version === "*" ? "" : version}`;
    const found = readPackage(`${text}${marker === undefined ? "" : `; ${marker}`}`, place);
    if (!found || "problem" in found) return [];
    const index = urls.get(word(entry?.["index"]) ?? "");
    return [{ ...found, name: normalName(name), text, ...(index === undefined ? {} : { index }) }];
  });
}
