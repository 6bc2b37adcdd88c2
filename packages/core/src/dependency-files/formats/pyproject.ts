// pyproject.toml: https://packaging.python.org/en/latest/specifications/pyproject-toml/, dependency groups (PEP 735), and what
// Poetry, uv and pixi add.
import { normalName } from "../../lib/pep508.ts";
import type { Place } from "../../model/finding.ts";
import type { Alternative, Declaration, DeclaredPackage, DeclaredStep, Install } from "../../model/dependency-file.ts";
import { channelName, readCondaSpec } from "../conda-spec.ts";
import { fields, finderOf, list, word } from "../finding-lines.ts";
import { placeAt } from "../lines.ts";
import { readPackage } from "../packages.ts";
import { poetrySpecifier } from "../poetry-spec.ts";
import { readToml } from "../toml.ts";
import { defineFormat } from "../format.ts";

export default defineFormat({
  id: "pyproject",
  words: "pyproject.toml",
  place: 2,
  signs: [
    { by: "part of the name", is: ({ name }) => /^(pyproject|pixi).*\.toml$/.test(name) },
    {
      by: "text and ending",
      is: ({ name, head }) => name.endsWith(".toml") && /^\[(project|tool|dependency-groups|build-system)\b/m.test(head),
    },
  ],
  read: readPyproject,
  example: { file: "pyproject.toml", text: '[project]\nname = "x"\ndependencies = ["torch==2.4.1"]\n' },
});

function readPyproject(text: string, file: string): Declaration {
  const root = fields(readToml(text)) ?? {};
  const declaration: Declaration = { format: "pyproject", file, steps: [], alternatives: [], unknown: [] };
  const finder = finderOf(text, file);
  const project = fields(root["project"]) ?? {};
  const tool = fields(root["tool"]) ?? {};
  const uv = fields(tool["uv"]) ?? {};
  const poetry = fields(tool["poetry"]) ?? {};
  const read = (value: unknown): DeclaredPackage[] => {
    const requirement = word(value);
    if (requirement === undefined) return [];
    const place = finder.find(requirement);
    const found = readPackage(requirement, place);
    if (found && "problem" in found)
      declaration.unknown.push({
        subject: `${file}:${place.line}`,
        reason: `the requirement cannot be read: ${found.fault}`,
      });
    return found && !("problem" in found) ? [withSource(found)] : [];
  };
  // `[tool.uv.sources]` says which index a package comes from; several, by marker, leave it open.
  const indexes = new Map(
    list(uv["index"]).flatMap((each) => {
      const [name, url] = [word(fields(each)?.["name"]), word(fields(each)?.["url"])];
      return name !== undefined && url !== undefined ? [[name, url] as [string, string]] : [];
    }),
  );
  const sources = new Map(Object.entries(fields(uv["sources"]) ?? {}).map(([name, value]) => [normalName(name), value]));
  const withSource = (declared: DeclaredPackage): DeclaredPackage => {
    const source = sources.get(normalName(declared.name));
    if (source === undefined) return declared;
    const index = indexes.get(word(fields(source)?.["index"]) ?? "");
    if (index !== undefined) return { ...declared, index };
    return { ...declared, url: "another source", specifier: "" };
  };
  const place = placeAt(file, 1);
  const install = (packages: DeclaredPackage[]): Install => ({
    kind: "install",
    manager: "pip",
    packages,
    constraints: [],
    includes: [],
    indexes: list(uv["index"]).flatMap((each) => {
      const [url, explicit] = [word(fields(each)?.["url"]), fields(each)?.["explicit"]];
      return url === undefined || explicit === true ? [] : [{ url, only: fields(each)?.["default"] === true }];
    }),
    links: list(uv["find-links"]).flatMap((each) => word(each) ?? []),
    place: packages[0]?.place ?? place,
  });
  const python: DeclaredStep[] = [];
  const requires = word(project["requires-python"]);
  if (requires !== undefined) python.push({ kind: "python", specifier: requires, place: finder.find(requires) });
  const alternatives: Alternative[] = [];
  const add = (name: string, packages: DeclaredPackage[], extra: DeclaredStep[] = []) =>
    alternatives.push({ name, steps: [...python, ...extra, ...(packages.length === 0 ? [] : [install(packages)])] });

  finder.seek(/^\s*dependencies\s*=/);
  const base = list(project["dependencies"]).flatMap(read);
  add("dependencies", base);
  finder.seek(/^\s*\[project\.optional-dependencies\]|^\s*optional-dependencies/);
  for (const [name, extra] of Object.entries(fields(project["optional-dependencies"]) ?? {}))
    add(`extra ${name}`, [...base, ...list(extra).flatMap(read)]);
  const groups = fields(root["dependency-groups"]) ?? {};
  const packagesOf = (name: string, above: string[]): DeclaredPackage[] =>
    above.includes(name)
      ? []
      : list(groups[name]).flatMap((each) => {
          const include = word(fields(each)?.["include-group"]);
          return include === undefined ? read(each) : packagesOf(include, [...above, name]);
        });
  for (const name of Object.keys(groups)) {
    finder.seek(/^\s*\[dependency-groups\]/);
    add(`group ${name}`, [...base, ...packagesOf(name, [])]);
  }
  if (Object.keys(poetry).length !== 0) readPoetry();
  readPixi();
  const counted = alternatives.filter(({ steps }) => steps.some(({ kind }) => kind === "install"));
  return { ...declaration, steps: counted[0]?.steps ?? alternatives[0]?.steps ?? [], alternatives: counted };

  function readPoetry(): void {
    const urls = new Map(
      list(poetry["source"]).flatMap((each) => [
        [word(fields(each)?.["name"]) ?? "", word(fields(each)?.["url"]) ?? ""] as [string, string],
      ]),
    );
    const table = (value: unknown, pattern: RegExp): { packages: DeclaredPackage[]; steps: DeclaredStep[] } => {
      finder.seek(pattern);
      const packages: DeclaredPackage[] = [];
      const steps: DeclaredStep[] = [];
      for (const [name, given] of Object.entries(fields(value) ?? {})) {
        const where = finder.find(name);
        if (name.toLowerCase() === "python") {
          const specifier = poetrySpecifier(word(given) ?? "");
          if (specifier !== undefined) steps.push({ kind: "python", specifier, place: where });
          continue;
        }
        // Several, by marker: which one counts is left open.
        const found = Array.isArray(given) ? undefined : poetryPackage(name, given, where, urls);
        if (found) packages.push(found);
      }
      return { packages, steps };
    };
    const main = table(poetry["dependencies"], /^\s*\[tool\.poetry\.dependencies\]/);
    add("tool.poetry.dependencies", [...base, ...main.packages], main.steps);
    for (const [name, group] of Object.entries(fields(poetry["group"]) ?? {})) {
      const own = table(
        fields(group)?.["dependencies"],
        new RegExp(`^\\s*\\[tool\\.poetry\\.group\\.${name.replace(/[^\w-]/g, ".")}\\.dependencies\\]`),
      );
      add(`group ${name}`, [...base, ...main.packages, ...own.packages], main.steps);
    }
    const old = table(poetry["dev-dependencies"], /^\s*\[tool\.poetry\.dev-dependencies\]/);
    if (0 < old.packages.length) add("dev-dependencies", [...base, ...main.packages, ...old.packages], main.steps);
  }

  // What an environment takes beside the default is a feature: https://pixi.sh/latest/reference/pixi_manifest/
  function readPixi(): void {
    const pixi = fields(tool["pixi"]) ?? (fields(root["workspace"]) || fields(root["project"])?.["channels"] ? root : undefined);
    if (!pixi) return;
    const workspace = fields(pixi["workspace"]) ?? fields(pixi["project"]);
    const usual = pixiPart(pixi, "");
    addPixi("pixi", usual, channelsOf(workspace), pixi["pypi-options"]);
    for (const [name, value] of Object.entries(fields(pixi["feature"]) ?? {})) {
      const feature = fields(value);
      if (!feature) continue;
      const own = pixiPart(feature, `feature\\.["']?${name.replace(/[^\w-]/g, ".")}["']?\\.`);
      if (own.conda.length + own.pypi.length === 0) continue;
      const both = { conda: [...usual.conda, ...own.conda], pypi: [...usual.pypi, ...own.pypi] };
      addPixi(`feature ${name}`, both, [...channelsOf(feature), ...channelsOf(workspace)], feature["pypi-options"] ?? pixi["pypi-options"]);
    }
  }

  function addPixi(name: string, { conda, pypi }: ReturnType<typeof pixiPart>, channels: string[], options: unknown): void {
    if (conda.length === 0) return;
    const own = conda.find((each) => each.name === "python");
    const urls = ["index-url", "extra-index-urls"].flatMap((key) => {
      const value = fields(options)?.[key];
      return [...list(value), value].flatMap((each) => (word(each) === undefined ? [] : { url: word(each)!, only: key === "index-url" }));
    });
    const packages = [...base, ...pypi];
    alternatives.push({
      name,
      steps: [
        ...python,
        ...(own ? [{ kind: "python", specifier: own.specifier, place: own.place } as const] : []),
        { ...install(conda.filter((each) => each !== own)), manager: "conda", ...(0 < channels.length ? { channels } : {}) },
        ...(packages.length === 0 ? [] : [{ ...install(packages), ...(0 < urls.length ? { indexes: urls } : {}) }]),
      ],
    });
  }

  function pixiPart(part: { [name: string]: unknown }, prefix: string): { conda: DeclaredPackage[]; pypi: DeclaredPackage[] } {
    finder.seek(new RegExp(`^\\s*\\[(?:tool\\.pixi\\.)?${prefix}dependencies\\]`));
    const conda = Object.entries(fields(part["dependencies"]) ?? {}).flatMap(([name, version]) => {
      const table = fields(version);
      const found = readCondaSpec(`${name} ${word(version) ?? word(table?.["version"]) ?? ""}`, finder.find(name));
      const [build, channel] = [word(table?.["build"]), channelName(word(table?.["channel"]) ?? "")];
      return found ? [{ ...found, ...(build === undefined ? {} : { build }), ...(channel === undefined ? {} : { channel }) }] : [];
    });
    finder.seek(new RegExp(`^\\s*\\[(?:tool\\.pixi\\.)?${prefix}pypi-dependencies\\]`));
    const pypi = Object.entries(fields(part["pypi-dependencies"]) ?? {}).flatMap(([name, version]) => {
      const table = fields(version);
      // What lies on a disk or comes from a repository has no version to judge.
      if (table && ["path", "git", "url"].some((key) => table[key] !== undefined)) return [];
      const extras = list(table?.["extras"]).flatMap((each) => word(each) ?? []);
      const specifier = word(version) ?? word(table?.["version"]) ?? "";
      const text = `${name}${extras.length === 0 ? "" : `[${extras.join(",")}]`}${specifier === "*" ? "" : specifier}`;
      const found = readPackage(text, finder.find(name));
      const index = word(table?.["index"]);
      return found && !("problem" in found) ? [{ ...found, ...(index === undefined ? {} : { index }) }] : [];
    });
    return { conda, pypi };
  }
}

const channelsOf = (part: { [name: string]: unknown } | undefined): string[] =>
  list(part?.["channels"]).flatMap((each) => channelName(word(each) ?? word(fields(each)?.["channel"]) ?? "") ?? []);

function poetryPackage(name: string, given: unknown, place: Place, urls: Map<string, string>): DeclaredPackage | undefined {
  const entry = fields(given);
  if (entry && (entry["optional"] === true || entry["git"] !== undefined || entry["path"] !== undefined)) return undefined;
  const version = word(given) ?? word(entry?.["version"]);
  const url = word(entry?.["url"]);
  if (url !== undefined) {
    const found = readPackage(`${name} @ ${url}`, place);
    return found && !("problem" in found) ? found : undefined;
  }
  const specifier = version === undefined ? undefined : poetrySpecifier(version);
  if (specifier === undefined) return undefined;
  const marker =
    word(entry?.["markers"]) ?? (word(entry?.["platform"]) === undefined ? undefined : `sys_platform == "${word(entry?.["platform"])}"`);
  const index = urls.get(word(entry?.["source"]) ?? "");
  return {
    name: normalName(name),
    extras: list(entry?.["extras"]).flatMap((each) => (word(each) === undefined ? [] : normalName(word(each)!))),
    specifier,
    ...(marker === undefined ? {} : { marker }),
    // Poetry's own condition on Python is not evaluated: it leaves the package open.
    ...(entry?.["python"] === undefined ? {} : { marker: 'python_full_version == "?"' }),
    ...(index === undefined ? {} : { index }),
    text: `${name} = "${version}"`,
    place,
  };
}
