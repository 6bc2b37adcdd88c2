// pdm.lock: since 4.4 every package says its groups, and with `inherit_metadata` its markers.
import { normalName, parseRequirement } from "../../lib/pep508.ts";
import type { Declaration, DeclaredPackage } from "../../model/dependency-file.ts";
import { fields, list, word } from "../finding-lines.ts";
import { lockedEntries, lockReader, markerOf, pythonsWithin } from "../locked.ts";
import { readToml } from "../toml.ts";
import { defineFormat } from "../format.ts";

export default defineFormat({
  id: "pdm-lock",
  words: "pdm.lock",
  place: 5,
  signs: [
    { by: "name", is: ({ name }) => name === "pdm.lock" },
    {
      by: "text and ending",
      after: ["uv-lock"],
      is: ({ name, text }) => name.endsWith(".lock") && /^\[\[package\]\]/m.test(text) && /^lock_version\s*=/m.test(text),
    },
  ],
  read: readPdmLock,
  example: {
    file: "pdm.lock",
    text: '[metadata]\ngroups = ["default"]\nstrategy = ["inherit_metadata"]\nlock_version = "4.5.0"\n\n[[package]]\nname = "torch"\nversion = "2.4.1"\ngroups = ["default"]\n',
  },
});

function readPdmLock(text: string, file: string): Declaration {
  const root = fields(readToml(text)) ?? {};
  const metadata = fields(root["metadata"]) ?? {};
  const reader = lockReader("pdm-lock", text, file);
  const entries = lockedEntries(reader, root["package"]);
  const targets = list(metadata["targets"]).flatMap((each) => word(fields(each)?.["requires_python"]) ?? []);
  const requires = targets.length === 1 ? targets[0] : undefined;
  const pythons = pythonsWithin(requires);
  const hasGroups = entries.some(({ groups }) => 0 < groups.length);
  const hasMarkers = list(metadata["strategy"]).includes("inherit_metadata");
  const reasons = hasMarkers ? new Map<string, string[]>() : reasonsOf(entries.map(({ entry }) => entry));
  const packagesOf = (chosen: string[]): DeclaredPackage[] =>
    entries.flatMap(({ entry, name, version, place, groups }) => {
      // What lies on a disk is not installed from anywhere.
      if (entry["path"] !== undefined || (hasGroups && !groups.some((group) => chosen.includes(group)))) return [];
      const choice = { extras: [], groups: chosen };
      const when = markerOf(pythons, (python) => {
        const marker = reader.holds(word(entry["marker"]), python, choice);
        if (marker !== true) return marker;
        const asked = reasons.get(normalName(name));
        return !asked || asked.some((each) => reader.holds(each, python, choice) === true) ? true : undefined;
      });
      const url = word(entry["git"]) ?? word(entry["url"]);
      return when ? [reader.package(name, version, place, { ...when, ...(url === undefined ? {} : { url }) })] : [];
    });
  const others = [...new Set(entries.flatMap(({ groups }) => groups))].filter((group) => group !== "default").sort();
  return reader.declaration(requires, [
    { name: "default", packages: packagesOf(["default"]) },
    ...others.map((group) => ({ name: `group ${group}`, packages: packagesOf(["default", group]) })),
  ]);
}

/** By name: the markers of all that ask for it; an empty one always holds. */
function reasonsOf(entries: { [name: string]: unknown }[]): Map<string, string[]> {
  const reasons = new Map<string, string[]>();
  for (const entry of entries)
    for (const text of list(entry["dependencies"])) {
      const read = parseRequirement(word(text) ?? "");
      if ("problem" in read) continue;
      reasons.set(read.name, [...(reasons.get(read.name) ?? []), read.marker ?? ""]);
    }
  return reasons;
}
