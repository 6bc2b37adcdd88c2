// pylock.toml (PEP 751): https://packaging.python.org/en/latest/specifications/pylock-toml/
import type { Declaration, DeclaredPackage } from "../../model/dependency-file.ts";
import { fields, list, word } from "../finding-lines.ts";
import { lockReader, markerOf, pythonsWithin, type Choice } from "../locked.ts";
import { readToml } from "../toml.ts";
import { defineFormat } from "../format.ts";

export default defineFormat({
  id: "pylock",
  words: "pylock.toml",
  place: 6,
  signs: [{ by: "name", is: ({ name }) => /^pylock(\.[^.]+)?\.toml$/.test(name) }],
  read: readPylock,
  example: { file: "pylock.toml", text: 'lock-version = "1.0"\n\n[[packages]]\nname = "torch"\nversion = "2.4.1"\n' },
});

function readPylock(text: string, file: string): Declaration {
  const root = fields(readToml(text)) ?? {};
  const reader = lockReader("pylock", text, file);
  reader.finder.seek(/^\[\[packages\]\]/);
  const entries = list(root["packages"]).flatMap((value) => {
    const entry = fields(value) ?? {};
    const [name, version] = [word(entry["name"]), word(entry["version"])];
    return name === undefined ? [] : [{ entry, name, version, place: reader.finder.findLine(`name = "${name}"`) }];
  });
  const requires = word(root["requires-python"]);
  const pythons = pythonsWithin(requires);
  const packagesOf = (choice: Choice): DeclaredPackage[] =>
    entries.flatMap(({ entry, name, version, place }) => {
      const marker = word(entry["marker"]);
      const when = markerOf(pythons, (python) => reader.holds(marker, python, choice));
      if (!when || version === undefined || entry["directory"] !== undefined) return [];
      const index = word(entry["index"]);
      const url = word(fields(entry["vcs"])?.["url"]) ?? word(fields(entry["archive"])?.["url"]);
      const more = { ...when, ...(index === undefined ? {} : { index }), ...(url === undefined ? {} : { url }) };
      return [reader.package(name, version, place, more)];
    });
  const [extras, groups, usual] = ["extras", "dependency-groups", "default-groups"].map((key) =>
    list(root[key]).flatMap((each) => word(each) ?? []),
  ) as [string[], string[], string[]];
  return reader.declaration(requires, [
    { name: "packages", packages: packagesOf({ extras: [], groups: usual }) },
    ...extras.map((extra) => ({ name: `extra ${extra}`, packages: packagesOf({ extras: [extra], groups: usual }) })),
    ...groups
      .filter((group) => !usual.includes(group))
      .map((group) => ({ name: `group ${group}`, packages: packagesOf({ extras: [], groups: [...usual, group] }) })),
  ]);
}
