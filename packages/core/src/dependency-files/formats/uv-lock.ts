// uv.lock: https://docs.astral.sh/uv/concepts/projects/layout/#the-lockfile. It holds what any extra, group, system and Python may
// bring; what counts is what the project reaches.
import { normalName } from "../../lib/pep508.ts";
import type { Declaration, DeclaredPackage } from "../../model/dependency-file.ts";
import type { Place } from "../../model/finding.ts";
import { fields, list, word } from "../finding-lines.ts";
import { lockReader, markerOf, pythonsWithin, type Choice, type LockReader } from "../locked.ts";
import { readToml } from "../toml.ts";
import { defineFormat } from "../format.ts";

export default defineFormat({
  id: "uv-lock",
  words: "uv.lock",
  place: 3,
  signs: [
    { by: "name", is: ({ name }) => name === "uv.lock" },
    {
      by: "text and ending",
      is: ({ name, text, head }) => name.endsWith(".lock") && /^\[\[package\]\]/m.test(text) && /^requires-python\s*=/m.test(head),
    },
  ],
  read: readUvLock,
  example: {
    file: "uv.lock",
    text: 'version = 1\nrequires-python = ">=3.10"\n\n[[package]]\nname = "x"\nversion = "0.1.0"\nsource = { virtual = "." }\ndependencies = [{ name = "torch" }]\n\n[[package]]\nname = "torch"\nversion = "2.4.1"\nsource = { registry = "https://pypi.org/simple" }\n',
  },
});

type Entry = { [name: string]: unknown };

function readUvLock(text: string, file: string): Declaration {
  const root = fields(readToml(text)) ?? {};
  const reader = lockReader("uv-lock", text, file);
  reader.finder.seek(/^\[\[package\]\]/);
  const entries = tables(root["package"]);
  const places = new Map(entries.map((entry) => [entry, reader.finder.findLine(`name = "${word(entry["name"])}"`)]));
  const requires = word(root["requires-python"]);
  const pythons = pythonsWithin(requires);
  const walk = walkOf(entries, reader.holds);
  const packagesOf = (edges: Entry[], choice: Choice): DeclaredPackage[] => {
    const reached = new Map(
      pythons.map((python) => [python, { surely: walk(edges, python, choice, true), maybe: walk(edges, python, choice, false) }]),
    );
    return entries.flatMap((entry) => {
      const [name, version] = [word(entry["name"]), word(entry["version"])];
      const source = fields(entry["source"]) ?? {};
      if (name === undefined || version === undefined || isOwn(entry) || source["directory"] !== undefined) return [];
      const when = markerOf(pythons, (python) => {
        const { surely, maybe } = reached.get(python)!;
        return surely.has(entry) ? true : maybe.has(entry) ? undefined : false;
      });
      if (!when) return [];
      const index = word(source["registry"]);
      const url = word(source["url"]) ?? word(source["git"]) ?? word(source["path"]);
      const more = { ...when, ...(index === undefined ? {} : { index }), ...(url === undefined ? {} : { url }) };
      return [reader.package(name, version, places.get(entry)!, more)];
    });
  };
  // The project that the lock was made for; of a workspace without one, all its members. A script has its requirements in the head.
  const manifest = fields(root["manifest"]) ?? {};
  const own = entries.filter(isOwn);
  const main = own.filter(({ source }) => ["virtual", "editable"].some((kind) => fields(source)?.[kind] === "."));
  const projects = 0 < main.length ? main : own;
  const none: Choice = { extras: [], groups: [] };
  const base = [...projects.flatMap((entry) => tables(entry["dependencies"])), ...tables(manifest["requirements"])];
  const unknown = unreadIn(root, entries, places, file);
  if (projects.length === 0 && base.length === 0)
    return { ...reader.declaration(requires, [{ name: "packages", packages: everything(entries, places, reader) }]), unknown };
  const alternatives = [{ name: "dependencies", packages: packagesOf(base, none) }];
  for (const entry of projects) {
    for (const [extra, edges] of Object.entries(fields(entry["optional-dependencies"]) ?? {})) {
      // Extras that exclude each other are told apart by names such as `extra-5-myapp-gpu`.
      const name = normalName(word(entry["name"]) ?? "");
      const extras = [extra, `extra-${name.length}-${name}-${extra}`];
      alternatives.push({ name: `extra ${extra}`, packages: packagesOf([...base, ...tables(edges)], { ...none, extras }) });
    }
    for (const [group, edges] of Object.entries(fields(entry["dev-dependencies"]) ?? {})) {
      const name = normalName(word(entry["name"]) ?? "");
      const extras = [`group-${name.length}-${name}-${group}`];
      alternatives.push({ name: `group ${group}`, packages: packagesOf([...base, ...tables(edges)], { extras, groups: [group] }) });
    }
  }
  return { ...reader.declaration(requires, alternatives), unknown };
}

/** The version of the format that is read here; uv refuses a lock of a later one, too. */
const readVersion = 1;

/** What of a lock is not understood. */
function unreadIn(root: Entry, entries: Entry[], places: Map<Entry, Place>, file: string): Declaration["unknown"] {
  const version = root["version"];
  const later =
    typeof version === "number" && readVersion < version
      ? [{ subject: `${file}:1`, reason: `it is a lock of version ${version}: version ${readVersion} is what is known here` }]
      : [];
  const bare = entries.filter(
    (entry) =>
      fields(entry["source"])?.["registry"] !== undefined && (word(entry["name"]) === undefined || word(entry["version"]) === undefined),
  );
  return [
    ...later,
    ...bare.map((entry) => ({ subject: `${file}:${places.get(entry)!.line}`, reason: "this package has no version that could be read" })),
  ];
}

const tables = (value: unknown): Entry[] =>
  list(value).flatMap((each): Entry[] => {
    const entry = fields(each);
    return entry ? [entry] : [];
  });

const isOwn = ({ source }: Entry) => ["virtual", "editable"].some((kind) => fields(source)?.[kind] !== undefined);

/** Entries that are reached from some requirements on one Python; what is not known counts only if not `surely`. */
function walkOf(
  entries: Entry[],
  holds: LockReader["holds"],
): (edges: Entry[], python: string, choice: Choice, surely: boolean) => Set<Entry> {
  const byName = new Map<string, Entry[]>();
  for (const entry of entries) {
    const name = normalName(word(entry["name"]) ?? "");
    byName.set(name, [...(byName.get(name) ?? []), entry]);
  }
  return (edges, python, choice, surely) => {
    const reached = new Set<Entry>();
    const seen = new Set<Entry>();
    const waiting = [...edges];
    for (let edge = waiting.pop(); edge; edge = waiting.pop()) {
      if (seen.has(edge)) continue;
      seen.add(edge);
      const answer = holds(word(edge["marker"]), python, choice);
      if (answer === false || (answer === undefined && surely)) continue;
      const [version, source] = [word(edge["version"]), fields(edge["source"])];
      for (const entry of byName.get(normalName(word(edge["name"]) ?? "")) ?? []) {
        if (version !== undefined && entry["version"] !== version) continue;
        if (source && fields(entry["source"])?.["registry"] !== source["registry"]) continue;
        for (const extra of list(edge["extra"])) waiting.push(...tables(fields(entry["optional-dependencies"])?.[word(extra) ?? ""]));
        if (reached.has(entry)) continue;
        reached.add(entry);
        waiting.push(...tables(entry["dependencies"]));
      }
    }
    return reached;
  };
}

// Without a project nothing says what is needed: releases that are there once are.
function everything(entries: Entry[], places: Map<Entry, DeclaredPackage["place"]>, reader: LockReader): DeclaredPackage[] {
  return entries.flatMap((entry) => {
    const [name, version] = [word(entry["name"]), word(entry["version"])];
    return name === undefined || version === undefined ? [] : [reader.package(name, version, places.get(entry)!, {})];
  });
}
