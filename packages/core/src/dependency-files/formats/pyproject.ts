// pyproject.toml: https://packaging.python.org/en/latest/specifications/pyproject-toml/, dependency groups (PEP 735), and what
// Poetry, uv and pixi add.
import { markerHolds, normalName } from "../../lib/pep508.ts";
import type { Place } from "../../model/finding.ts";
import type { Alternative, Declaration, DeclaredPackage, DeclaredStep, Install } from "../../model/dependency-file.ts";
import { channelName, readCondaSpec } from "../conda-spec.ts";
import { fields, finderOf, list, word } from "../finding-lines.ts";
import { addressIn, fromElsewhere } from "../from-elsewhere.ts";
import { placeAt } from "../lines.ts";
import { linux } from "../locked.ts";
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

type Table = { [name: string]: unknown };

/** A pyproject.toml while it is read. */
interface Project {
  readonly root: Table;
  readonly tool: Table;
  readonly finder: ReturnType<typeof finderOf>;
  readonly declaration: Declaration;
  readonly sources: Sources;
  /** Where its packages come from and go to, if nothing else is said. */
  readonly usual: Install;
  /** The Python that it asks for. */
  readonly python: DeclaredStep[];
  /** What all alternatives have. */
  readonly base: DeclaredPackage[];
  readonly alternatives: Alternative[];
}

/** What uv's and Poetry's settings say about where packages come from. */
interface Sources {
  /** Addresses of indexes by their names. */
  readonly indexes: Map<string, string>;
  /** By package: `[tool.uv.sources]`, and what Poetry adds to `[project]`; several go by marker. */
  readonly packages: Map<string, Source[]>;
}

interface Source {
  /** Absent for what comes from no index. */
  readonly index?: string | undefined;
  /** Where it is, if not on an index: a repository, an archive, a folder. */
  readonly address?: string | undefined;
  readonly marker?: string | undefined;
  /** It counts for what this extra, or this group, asks for itself. */
  readonly extra?: string | undefined;
  readonly group?: string | undefined;
}

/** Which part of a project asks for a package, and which extra is chosen. */
interface Asking {
  extra?: string;
  group?: string;
  chosen?: string;
}

function readPyproject(text: string, file: string): Declaration {
  const root = fields(readToml(text)) ?? {};
  const tool = fields(root["tool"]) ?? {};
  const uv = fields(tool["uv"]) ?? {};
  const project: Project = {
    root,
    tool,
    finder: finderOf(text, file),
    declaration: { format: "pyproject", file, steps: [], alternatives: [], unknown: [] },
    sources: sourcesOf(uv, fields(tool["poetry"]) ?? {}),
    usual: usualInstall(tool, placeAt(file, 1)),
    python: [],
    base: [],
    alternatives: [],
  };
  readProject(project);
  readGroups(project);
  readPoetry(project);
  readPixi(project);
  const { alternatives, declaration } = project;
  const counted = alternatives.filter(({ steps }) => steps.some(({ kind }) => kind === "install"));
  return { ...declaration, steps: counted[0]?.steps ?? alternatives[0]?.steps ?? [], alternatives: counted };
}

function sourcesOf(uv: Table, poetry: Table): Sources {
  const named = [...list(uv["index"]), ...list(poetry["source"])].flatMap((each) => {
    const [name, url] = [word(fields(each)?.["name"]), word(fields(each)?.["url"])];
    return name !== undefined && url !== undefined ? [[name, url] as [string, string]] : [];
  });
  const several = (given: unknown) => (Array.isArray(given) ? given : [given]).map((each) => fields(each) ?? {});
  const ofUv = Object.entries(fields(uv["sources"]) ?? {}).map(([name, given]): [string, Source[]] => [
    normalName(name),
    several(given).map((each) => ({
      index: word(each["index"]),
      address: each["workspace"] === true ? `file:${memberNamed(normalName(name), uv)}` : addressIn(each),
      marker: word(each["marker"]),
      extra: word(each["extra"]),
      group: word(each["group"]),
    })),
  ]);
  // An entry without a version only adds to what `[project]` asks for.
  const ofPoetry = Object.entries(fields(poetry["dependencies"]) ?? {}).flatMap(([name, given]): [string, Source[]][] => {
    const added = several(given).filter((each) => each["version"] === undefined && each["source"] !== undefined);
    const sources = added.map((each) => ({ index: word(each["source"]), marker: word(each["markers"]) }));
    return sources.length === 0 ? [] : [[normalName(name), sources]];
  });
  return { indexes: new Map([["pypi", pypi], ...named]), packages: new Map([...ofPoetry, ...ofUv]) };
}

const pypi = "https://pypi.org/simple";

/** Which of several sources is meant, the label of the version may tell. Where none counts, the usual indexes do. */
function withSource(
  declared: DeclaredPackage,
  { indexes, packages }: Sources,
  { extra, group, chosen = "" }: Asking = {},
): DeclaredPackage {
  const here = (packages.get(normalName(declared.name)) ?? []).filter(
    (source) =>
      (source.extra === undefined || source.extra === extra) &&
      (source.group === undefined || source.group === group) &&
      (source.marker === undefined || markerHolds(source.marker, { ...linux, extra: chosen }) !== false),
  );
  if (here.length === 0) return declared;
  const urls = [...new Set(here.map(({ index }) => indexes.get(index?.toLowerCase() === "pypi" ? "pypi" : (index ?? ""))))];
  const label = /\+(\w+)$/.exec(declared.specifier)?.[1];
  const index = urls.length === 1 ? urls[0] : urls.find((url) => label !== undefined && url?.replace(/\/$/, "").endsWith(`/${label}`));
  if (index === pypi) return declared;
  if (index !== undefined) return { ...declared, index };
  const address = here.find((source) => source.address !== undefined)?.address;
  const found = address === undefined ? undefined : fromElsewhere(declared.name, address, declared.place, declared.extras);
  return found ? { ...declared, ...found, text: declared.text } : { ...declared, url: "another source", specifier: "" };
}

/** The folder of a workspace's member: as the patterns of its members say, with the name of the package in the place of the star. */
function memberNamed(name: string, uv: Table): string {
  const members = list(fields(uv["workspace"])?.["members"]).flatMap((each) => word(each) ?? []);
  const own = members.find((each) => normalName(each.slice(each.lastIndexOf("/") + 1)) === name);
  return own ?? `${members.find((each) => each.endsWith("/*"))?.slice(0, -2) ?? "."}/${name}`;
}

const usualInstall = (tool: Table, place: Place): Install => ({
  kind: "install",
  manager: "pip",
  ...(fields(tool["uv"]) ? { by: "uv" as const } : fields(tool["poetry"]) ? { by: "poetry" as const } : {}),
  packages: [],
  constraints: [],
  includes: [],
  ...(word(fields(tool["uv"])?.["index-strategy"])?.startsWith("unsafe-") ? { comparesIndexes: true as const } : {}),
  indexes: uvIndexes(fields(tool["uv"]) ?? {}),
  links: list(fields(tool["uv"])?.["find-links"]).flatMap((each) => word(each) ?? []),
  place,
});

/** Those that are asked for every package. */
function uvIndexes(uv: Table): Install["indexes"] {
  const named = list(uv["index"]).flatMap((each) => {
    const [url, explicit] = [word(fields(each)?.["url"]), fields(each)?.["explicit"]];
    return url === undefined || explicit === true ? [] : [{ url, only: fields(each)?.["default"] === true }];
  });
  // Older names of the same: https://docs.astral.sh/uv/reference/settings/#extra-index-url
  const only = word(uv["index-url"]);
  const extra = list(uv["extra-index-url"]).flatMap((each) => (word(each) === undefined ? [] : [{ url: word(each)!, only: false }]));
  return [...named, ...(only === undefined ? [] : [{ url: only, only: true }]), ...extra];
}

const installOf = ({ usual }: Project, packages: DeclaredPackage[]): Install => ({
  ...usual,
  packages,
  constraints: [],
  includes: [],
  indexes: [...usual.indexes],
  links: [...usual.links],
  place: packages[0]?.place ?? usual.place,
});

function addAlternative(project: Project, name: string, packages: DeclaredPackage[], extra: DeclaredStep[] = []): void {
  const install = packages.length === 0 ? [] : [installOf(project, packages)];
  project.alternatives.push({ name, steps: [...project.python, ...extra, ...install] });
}

/** One requirement as PEP 508 writes it; for a part of the project, with where it comes from. */
function readRequirement({ declaration, finder, sources }: Project, value: unknown, asking?: Asking): DeclaredPackage[] {
  const requirement = word(value);
  if (requirement === undefined) return [];
  const place = finder.find(requirement);
  const found = readPackage(requirement, place);
  if (found && "problem" in found)
    declaration.unknown.push({ subject: `${declaration.file}:${place.line}`, reason: `the requirement cannot be read: ${found.fault}` });
  return found && !("problem" in found) ? [asking ? withSource(found, sources, asking) : found] : [];
}

/** `[project]`: what it needs, and its extras. */
function readProject(project: Project): void {
  const { base, finder, python, root } = project;
  const own = fields(root["project"]) ?? {};
  const requires = word(own["requires-python"]);
  const environments = list(fields(project.tool["uv"])?.["environments"]).flatMap((each) => word(each) ?? []);
  if (requires !== undefined)
    python.push({
      kind: "python",
      specifier: requires,
      ...(environments.length === 0 ? {} : { environments }),
      place: finder.find(requires),
    });
  finder.seek(/^\s*dependencies\s*=/);
  tellOfShape(project, own["dependencies"], "dependencies");
  const plain = list(own["dependencies"]).flatMap((each) => readRequirement(project, each));
  base.push(...plain.map((each) => withSource(each, project.sources)));
  addAlternative(project, "dependencies", base);
  finder.seek(/^\s*\[project\.optional-dependencies\]|^\s*optional-dependencies/);
  for (const [name, extra] of Object.entries(fields(own["optional-dependencies"]) ?? {})) {
    tellOfShape(project, extra, name);
    addAlternative(project, `extra ${name}`, [
      ...plain.map((each) => withSource(each, project.sources, { chosen: name })),
      ...list(extra).flatMap((each) => readRequirement(project, each, { extra: name, chosen: name })),
    ]);
  }
}

/** What is no list of texts is refused by pip and uv, and nothing of it is known. */
function tellOfShape({ declaration, finder }: Project, value: unknown, name: string): void {
  if (value === undefined || (Array.isArray(value) && value.every((each) => typeof each === "string"))) return;
  const { line } = finder.find(name);
  declaration.unknown.push({ subject: `${declaration.file}:${line}`, reason: `\`${name}\` is no list of requirements: it cannot be read` });
}

function readGroups(project: Project): void {
  const groups = fields(project.root["dependency-groups"]) ?? {};
  for (const name of Object.keys(groups)) {
    project.finder.seek(/^\s*\[dependency-groups\]/);
    addAlternative(project, `group ${name}`, [...project.base, ...groupPackages(project, groups, name, [])]);
  }
}

/** A group may include others; `above` are those that led here. */
function groupPackages(project: Project, groups: Table, name: string, above: string[]): DeclaredPackage[] {
  if (above.includes(name)) return [];
  return list(groups[name]).flatMap((each) => {
    const include = word(fields(each)?.["include-group"]);
    return include === undefined
      ? readRequirement(project, each, { group: name })
      : groupPackages(project, groups, include, [...above, name]);
  });
}

function readPoetry(project: Project): void {
  const poetry = fields(project.tool["poetry"]) ?? {};
  if (Object.keys(poetry).length === 0) return;
  const urls = new Map(
    list(poetry["source"]).flatMap((each) => [[word(fields(each)?.["name"]) ?? "", word(fields(each)?.["url"]) ?? ""] as [string, string]]),
  );
  const main = poetryTable(project, poetry["dependencies"], /^\s*\[tool\.poetry\.dependencies\]/, urls);
  const usual = [...project.base, ...main.packages];
  addAlternative(project, "tool.poetry.dependencies", usual, main.steps);
  // What is optional comes with the extras that name it: https://python-poetry.org/docs/pyproject/#extras
  for (const [name, asked] of Object.entries(fields(poetry["extras"]) ?? {})) {
    const wanted = new Set(list(asked).flatMap((each) => /^[\w.-]+/.exec(word(each) ?? "")?.map(normalName) ?? []));
    const own = main.optional.filter((each) => wanted.has(each.name));
    if (0 < own.length) addAlternative(project, `extra ${name}`, [...usual, ...own], main.steps);
  }
  for (const [name, group] of Object.entries(fields(poetry["group"]) ?? {})) {
    const head = new RegExp(`^\\s*\\[tool\\.poetry\\.group\\.${name.replace(/[^\w-]/g, ".")}\\.dependencies\\]`);
    const own = poetryTable(project, fields(group)?.["dependencies"], head, urls);
    addAlternative(project, `group ${name}`, [...usual, ...own.packages], main.steps);
  }
  const old = poetryTable(project, poetry["dev-dependencies"], /^\s*\[tool\.poetry\.dev-dependencies\]/, urls);
  if (0 < old.packages.length) addAlternative(project, "dev-dependencies", [...usual, ...old.packages], main.steps);
}

/** A table of Poetry's, below the line that `head` fits. */
function poetryTable(
  { finder }: Project,
  value: unknown,
  head: RegExp,
  urls: Map<string, string>,
): { packages: DeclaredPackage[]; optional: DeclaredPackage[]; steps: DeclaredStep[] } {
  finder.seek(head);
  const packages: DeclaredPackage[] = [];
  const optional: DeclaredPackage[] = [];
  const steps: DeclaredStep[] = [];
  for (const [name, given] of Object.entries(fields(value) ?? {})) {
    const place = finder.find(name);
    if (name.toLowerCase() === "python") {
      const specifier = poetrySpecifier(word(given) ?? "");
      if (specifier !== undefined) steps.push({ kind: "python", specifier, place });
      continue;
    }
    // Several go by marker.
    for (const each of Array.isArray(given) ? given : [given]) {
      const found = poetryPackage(name, each, place, urls);
      if (found) (fields(each)?.["optional"] === true ? optional : packages).push(found);
    }
  }
  return { packages, optional, steps };
}

interface PixiPackages {
  conda: DeclaredPackage[];
  pypi: DeclaredPackage[];
}

// What an environment takes beside the default is a feature: https://pixi.sh/latest/reference/pixi_manifest/
function readPixi(project: Project): void {
  const { root, tool } = project;
  const pixi = fields(tool["pixi"]) ?? (fields(root["workspace"]) || fields(root["project"])?.["channels"] ? root : undefined);
  if (!pixi) return;
  const workspace = fields(pixi["workspace"]) ?? fields(pixi["project"]);
  const usual = pixiPackages(project, pixi, "");
  addPixi(project, "pixi", usual, channelsOf(workspace), pixi["pypi-options"]);
  for (const [name, value] of Object.entries(fields(pixi["feature"]) ?? {})) {
    const feature = fields(value);
    if (!feature) continue;
    const own = pixiPackages(project, feature, `feature\\.["']?${name.replace(/[^\w-]/g, ".")}["']?\\.`);
    if (own.conda.length + own.pypi.length === 0) continue;
    const both = { conda: [...usual.conda, ...own.conda], pypi: [...usual.pypi, ...own.pypi] };
    const channels = [...channelsOf(feature), ...channelsOf(workspace)];
    addPixi(project, `feature ${name}`, both, channels, feature["pypi-options"] ?? pixi["pypi-options"]);
  }
}

function addPixi(project: Project, name: string, { conda, pypi }: PixiPackages, channels: string[], options: unknown): void {
  if (conda.length === 0) return;
  const own = conda.find((each) => each.name === "python");
  const urls = ["index-url", "extra-index-urls"].flatMap((key) => {
    const value = fields(options)?.[key];
    return [...list(value), value].flatMap((each) => (word(each) === undefined ? [] : { url: word(each)!, only: key === "index-url" }));
  });
  const packages = [...project.base, ...pypi];
  const others = conda.filter((each) => each !== own);
  project.alternatives.push({
    name,
    steps: [
      ...project.python,
      ...(own ? [{ kind: "python", specifier: own.specifier, place: own.place } as const] : []),
      { ...installOf(project, others), manager: "conda", ...(0 < channels.length ? { channels } : {}) },
      ...(packages.length === 0 ? [] : [{ ...installOf(project, packages), ...(0 < urls.length ? { indexes: urls } : {}) }]),
    ],
  });
}

/** The packages of the workspace or of a feature, whose tables begin with `prefix`. */
function pixiPackages({ finder }: Project, part: Table, prefix: string): PixiPackages {
  finder.seek(new RegExp(`^\\s*\\[(?:tool\\.pixi\\.)?${prefix}dependencies\\]`));
  const conda = Object.entries(fields(part["dependencies"]) ?? {}).flatMap(([name, version]) =>
    pixiConda(name, version, finder.find(name)),
  );
  finder.seek(new RegExp(`^\\s*\\[(?:tool\\.pixi\\.)?${prefix}pypi-dependencies\\]`));
  const pypi = Object.entries(fields(part["pypi-dependencies"]) ?? {}).flatMap(([name, version]) =>
    pixiPypi(name, version, finder.find(name)),
  );
  return { conda, pypi };
}

function pixiConda(name: string, version: unknown, place: Place): DeclaredPackage[] {
  const table = fields(version);
  const found = readCondaSpec(`${name} ${word(version) ?? word(table?.["version"]) ?? ""}`, place);
  const [build, channel] = [word(table?.["build"]), channelName(word(table?.["channel"]) ?? "")];
  return found ? [{ ...found, ...(build === undefined ? {} : { build }), ...(channel === undefined ? {} : { channel }) }] : [];
}

function pixiPypi(name: string, version: unknown, place: Place): DeclaredPackage[] {
  const table = fields(version);
  const extras = list(table?.["extras"]).flatMap((each) => word(each) ?? []);
  const address = addressIn(table);
  if (address !== undefined) return [fromElsewhere(name, address, place, extras) ?? []].flat();
  const specifier = word(version) ?? word(table?.["version"]) ?? "";
  const text = `${name}${extras.length === 0 ? "" : `[${extras.join(",")}]`}${specifier === "*" ? "" : specifier}`;
  const found = readPackage(text, place);
  const index = word(table?.["index"]);
  return found && !("problem" in found) ? [{ ...found, ...(index === undefined ? {} : { index }) }] : [];
}

const channelsOf = (part: Table | undefined): string[] =>
  list(part?.["channels"]).flatMap((each) => channelName(word(each) ?? word(fields(each)?.["channel"]) ?? "") ?? []);

function poetryPackage(name: string, given: unknown, place: Place, urls: Map<string, string>): DeclaredPackage | undefined {
  const entry = fields(given);
  const address = addressIn(entry);
  const marker = poetryMarker(entry ?? {});
  const marked = marker === undefined ? {} : { marker };
  if (address !== undefined) {
    const found = fromElsewhere(
      name,
      address,
      place,
      list(entry?.["extras"]).flatMap((each) => word(each) ?? []),
    );
    return found ? { ...found, ...marked } : undefined;
  }
  const version = word(given) ?? word(entry?.["version"]);
  const specifier = version === undefined ? undefined : poetrySpecifier(version);
  if (specifier === undefined) return undefined;
  const index = urls.get(word(entry?.["source"]) ?? "");
  return {
    name: normalName(name),
    extras: list(entry?.["extras"]).flatMap((each) => (word(each) === undefined ? [] : normalName(word(each)!))),
    specifier,
    ...marked,
    ...(index === undefined ? {} : { index }),
    text: `${name} = "${version}"`,
    place,
  };
}

/** All conditions of an entry as one marker: `{ python = "^3.9", platform = "linux", markers = "…" }`. */
function poetryMarker(entry: Table): string | undefined {
  const [markers, platform] = [word(entry["markers"]), word(entry["platform"])];
  const parts = [
    ...(markers === undefined ? [] : [`(${markers})`]),
    ...(platform === undefined ? [] : [`sys_platform == "${platform}"`]),
    ...(entry["python"] === undefined ? [] : [pythonMarker(poetrySpecifier(word(entry["python"]) ?? "|"))]),
  ].filter((part) => part !== "");
  return parts.length === 0 ? undefined : parts.join(" and ");
}

/** What cannot be said as a marker leaves the package open. */
function pythonMarker(specifier: string | undefined): string {
  if (specifier === undefined) return 'python_full_version == "?"';
  const clauses = specifier.split(",").filter((clause) => clause !== "");
  return clauses
    .map((clause) => {
      const [, operator, version = ""] = /^([~=!<>]+)(.*)$/.exec(clause) ?? [];
      // `3.9.*`, and `3.9` alone, mean every patch of it.
      const isMinor = /^\d+\.\d+(?:\.\*)?$/.test(version);
      return `${isMinor ? "python_version" : "python_full_version"} ${operator} "${isMinor ? version.replace(".*", "") : version}"`;
    })
    .join(" and ");
}
