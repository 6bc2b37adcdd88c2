import { folderOf, nameOf } from "../../lib/path.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { Stack } from "../../diagnose/stack.ts";
import { defineFix, type Candidate } from "../fix.ts";
import { withText } from "../simulate.ts";
import { quoted, textAt } from "../startup.ts";

const configuration = "/etc/ld.so.conf";
const included = "/etc/ld.so.conf.d/culprit.conf";

/** Tells ldconfig of a folder outside of Python environments: a toolkit that was unpacked and never announced, or announced and forgotten. */
export default defineFix({
  id: "ldconfig-entry",
  title: "Let ldconfig know a folder",
  proposes(stack, { rule, cause, subject }, snapshot) {
    const isNotFound = cause === "library-not-on-path" || rule === "driver-not-exposed" || rule === "library-missing";
    if (!isNotFound) return [];
    const hasCache = snapshot.files["/etc/ld.so.cache"]?.kind !== "absent";
    const folder = folderWith(stack, subject);
    return [
      ...(!hasCache || (folder !== undefined && isConfigured(stack, folder)) ? [run(hasCache ? folder : undefined)] : []),
      ...(folder === undefined ? [] : [entry(folder, snapshot)]),
    ];
  },
});

const byRoot = { reach: "machine", safety: "display-only" } as const;

function run(folder: string | undefined): Candidate {
  return {
    ...byRoot,
    steps: [],
    changes: [],
    title:
      folder === undefined ? "make the loader's cache, which is missing" : `make the loader's cache anew: it does not know ${folder} yet`,
    commands: ["sudo ldconfig"],
    simulate: (given, { ldconfig }) => ldconfig(given, folder === undefined ? undefined : [folder]),
  };
}

function entry(folder: string, snapshot: Snapshot): Candidate {
  const text = textAt(snapshot, configuration) ?? "";
  const hasFolder = /^\s*include\s+(?:\/etc\/)?ld\.so\.conf\.d\/\*\.conf/m.test(text);
  const [file, whole] = hasFolder ? [included, `${folder}\n`] : [configuration, `${text}${/[^\n]$/.test(text) ? "\n" : ""}${folder}\n`];
  return {
    ...byRoot,
    steps: [],
    changes: [],
    title: `let every program find ${folder}`,
    commands: [`echo ${quoted(folder)} | sudo tee ${hasFolder ? "" : "-a "}${file}`, "sudo ldconfig"],
    warning: "all libraries of that folder are found by all programs",
    wider: true,
    simulate: (given, { ldconfig }) => ldconfig(withText(given, file, whole), [folder]),
  };
}

function folderWith({ inventory, environments }: Stack, name: string): string | undefined {
  const paths = inventory.copies.filter(({ stub }) => !stub).flatMap(({ file, names }) => [...names, file]);
  const at = paths.find((path) => nameOf(path) === name);
  // What belongs to one environment must not be found by all programs.
  if (at === undefined || environments.some(({ prefix, kind }) => kind !== "system" && at.startsWith(`${prefix}/`))) return undefined;
  return /\/(site|dist)-packages\//.test(at) ? undefined : folderOf(at);
}

const isConfigured = ({ inventory: { variables } }: Stack, folder: string) =>
  variables.some(({ name, text }) => name === "ld.so.conf" && text.replace(/\s*#.*/, "").replace(/\/+$/, "") === folder);
