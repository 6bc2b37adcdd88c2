// poetry.lock: since 2.0 (Poetry 2) every package says its groups and its markers; before, only what asks for it does.
import { normalName } from "../../lib/pep508.ts";
import type { Declaration, DeclaredPackage } from "../../model/dependency-file.ts";
import { fields, list, word } from "../finding-lines.ts";
import { lockedEntries, lockReader, markerOf, pythonsWithin, type Choice } from "../locked.ts";
import { poetrySpecifier } from "../poetry-spec.ts";
import { readToml } from "../toml.ts";
import { defineFormat } from "../format.ts";

export default defineFormat({
  id: "poetry-lock",
  words: "poetry.lock",
  place: 4,
  signs: [
    { by: "name", is: ({ name }) => name === "poetry.lock" },
    {
      by: "text and ending",
      after: ["uv-lock", "pdm-lock"],
      is: ({ name, text }) => name.endsWith(".lock") && /^\[\[package\]\]/m.test(text),
    },
  ],
  read: readPoetryLock,
  example: {
    file: "poetry.lock",
    text: '[[package]]\nname = "torch"\nversion = "2.4.1"\noptional = false\npython-versions = ">=3.8"\n\n[metadata]\nlock-version = "2.0"\npython-versions = "^3.10"\n',
  },
});

function readPoetryLock(text: string, file: string): Declaration {
  const root = fields(readToml(text)) ?? {};
  const reader = lockReader("poetry-lock", text, file);
  const entries = lockedEntries(reader, root["package"]);
  const requires = word(fields(root["metadata"])?.["python-versions"]);
  const specifier = requires === undefined ? undefined : poetrySpecifier(requires);
  const pythons = pythonsWithin(specifier);
  const isOld = entries.every(({ groups }) => groups.length === 0);
  const reasons = reasonsOf(entries.map(({ entry }) => entry));
  const packagesOf = (choice: Choice): DeclaredPackage[] =>
    entries.flatMap(({ entry, name, version, place, groups }) => {
      const source = fields(entry["source"]) ?? {};
      const kind = word(source["type"]);
      // A project itself, and what lies on a disk, is not installed from anywhere.
      if (kind === "directory" || kind === "file" || !hasFileForLinux(entry["files"])) return [];
      const mine = groups.filter((group) => choice.groups.includes(group));
      if (!isOld && mine.length === 0) return [];
      const when = markerOf(pythons, (python) => {
        if (!isOld) return mine.map((group) => reader.holds(markerFor(entry["markers"], group), python, choice)).reduce(either, false);
        if (entry["optional"] === true || entry["category"] === "dev") return undefined;
        // What is asked for only where it does not count may still be asked for by the project.
        const asked = reasons.get(normalName(name));
        if (!asked) return true;
        return asked.some((marker) => reader.holds(marker, python, choice) === true) ? true : undefined;
      });
      if (!when) return [];
      const index = kind === "legacy" ? word(source["url"]) : undefined;
      const url = kind === "git" || kind === "url" ? word(source["url"]) : undefined;
      const more = { ...when, ...(index === undefined ? {} : { index }), ...(url === undefined ? {} : { url }) };
      return [reader.package(name, version, place, more)];
    });
  const groups = [...new Set(entries.flatMap((each) => each.groups))].filter((group) => group !== "main").sort();
  const extras = isOld ? [] : Object.keys(fields(root["extras"]) ?? {});
  return reader.declaration(specifier, [
    { name: "main", packages: packagesOf({ extras: [], groups: ["main"] }) },
    ...groups.map((group) => ({ name: `group ${group}`, packages: packagesOf({ extras: [], groups: ["main", group] }) })),
    ...extras.map((extra) => ({ name: `extra ${extra}`, packages: packagesOf({ extras: [extra], groups: ["main"] }) })),
  ]);
}

/** One of several entries by platform has wheels for others alone: nothing is installed of it here. */
function hasFileForLinux(files: unknown): boolean {
  const names = list(files).flatMap((each) => word(fields(each)?.["file"]) ?? []);
  return names.length === 0 || names.some((name) => !name.endsWith(".whl") || /linux\w*_x86_64\.whl$|-any\.whl$/.test(name));
}

/** One marker for all groups, or one for each. */
const markerFor = (markers: unknown, group: string): string | undefined => word(markers) ?? word(fields(markers)?.[group]);

const either = (one: boolean | undefined, other: boolean | undefined): boolean | undefined =>
  one === true || other === true ? true : one === undefined || other === undefined ? undefined : false;

/** By name: the markers of all that ask for it; an empty one always holds. */
function reasonsOf(entries: { [name: string]: unknown }[]): Map<string, string[]> {
  const reasons = new Map<string, string[]>();
  for (const entry of entries)
    for (const [name, value] of Object.entries(fields(entry["dependencies"]) ?? {}))
      for (const each of Array.isArray(value) ? (value as unknown[]) : [value]) {
        const known = reasons.get(normalName(name)) ?? [];
        known.push(fields(each)?.["optional"] === true ? 'extra == "?"' : (word(fields(each)?.["markers"]) ?? ""));
        reasons.set(normalName(name), known);
      }
  return reasons;
}
