import { folderOf, nameOf } from "../../lib/path.ts";
import type { Facts } from "../../model/finding.ts";
import type { VariableSource } from "../../model/inventory.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { Stack } from "../../diagnose/stack.ts";
import { ldconfigFile } from "../../diagnose/words.ts";
import { defineFix, type Candidate } from "../fix.ts";
import { withText } from "../simulate.ts";
import { changeLines, textAt } from "../startup.ts";
import { quoted } from "../../lib/shell.ts";

const configuration = "/etc/ld.so.conf";
const cache = "/etc/ld.so.cache";

/**
 * Tells ldconfig of a folder outside of Python environments: a toolkit that was unpacked and never announced, or announced and forgotten;
 * or takes a folder out that brings the wrong copy.
 */
export default defineFix({
  id: "ldconfig-entry",
  title: "Let ldconfig know a folder",
  proposes(stack, finding, snapshot) {
    const { rule, cause, facts } = finding;
    const unwanted = guiltyLines(stack, facts).flatMap((setters) => removal(setters, snapshot));
    const isNotFound = cause === "library-not-on-path" || rule === "driver-not-exposed" || rule === "library-missing";
    if (!isNotFound) return unwanted;
    const hasCache = snapshot.files[cache]?.kind !== "absent";
    const folder = facts.wanted && folderWith(stack, facts.wanted.name);
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
    ...(folder === undefined ? {} : { of: folder }),
    title:
      folder === undefined ? "make the loader's cache, which is missing" : `make the loader's cache anew: it does not know ${folder} yet`,
    commands: ["sudo ldconfig"],
    simulate: (given, { ldconfig }) => ldconfig(given, folder === undefined ? undefined : [folder]),
  };
}

function entry(folder: string, snapshot: Snapshot): Candidate {
  const isIncluded = /^[ \t]*include[ \t]+(?:\/etc\/)?ld\.so\.conf\.d\/\*\.conf/m.test(textAt(snapshot, configuration) ?? "");
  const file = isIncluded ? ldconfigFile : configuration;
  const text = textAt(snapshot, file) ?? "";
  const whole = `${text}${/[^\n]$/.test(text) ? "\n" : ""}${folder}\n`;
  return {
    ...byRoot,
    steps: [],
    changes: [],
    title: `let every program find ${folder}`,
    commands: [`echo ${quoted(folder)} | sudo tee -a ${file}`, "sudo ldconfig"],
    warning: "all libraries of that folder are found by all programs",
    wider: true,
    simulate: (given, { ldconfig }) => ldconfig(withText(given, file, whole), [folder]),
  };
}

/** Lines of ld.so.conf that lead the loader to what a finding speaks of, folder by folder. */
function guiltyLines({ inventory: { variables } }: Stack, { loads = [] }: Facts): VariableSource[][] {
  const folders = loads.filter(({ via, library }) => via === "cache" && library !== undefined).map(({ path }) => folderOf(path));
  const linesOf = (folder: string) => variables.filter(({ name, text }) => name === "ld.so.conf" && folderIn(text) === folder);
  return [...new Set(folders)].map(linesOf).filter((lines) => 0 < lines.length);
}

function removal(setters: VariableSource[], snapshot: Snapshot): Candidate[] {
  const change = changeLines(snapshot, setters, () => "");
  if (!change) return [];
  return [
    {
      reach: "machine",
      safety: "safe",
      // Without links: those that it makes in folders of libraries, nobody would take back.
      steps: [...change.steps, { do: "run", command: ["/sbin/ldconfig", "-X"], changes: [cache] }],
      changes: [...change.files, cache],
      title: `take ${folderIn(setters[0]!.text)} out of ${change.places.join(" and ")}`,
      commands: [...change.commands.map((command) => `sudo ${command}`), "sudo ldconfig"],
      warning: "no program finds the libraries of that folder by itself any more",
      // The other folders are as they were.
      simulate: (given, { ldconfig }) => ldconfig(change.simulate(given), []),
    },
  ];
}

const folderIn = (text: string) =>
  text
    .replace(/#.*/, "")
    .trim()
    .replace(/(?<=[^/]|^\/)(?<!\/\/)\/+$/, "");

function folderWith({ inventory, environments }: Stack, name: string): string | undefined {
  const paths = inventory.copies.filter(({ stub }) => !stub).flatMap(({ file, names }) => [...names, file]);
  const at = paths.find((path) => nameOf(path) === name);
  // What belongs to one environment must not be found by all programs.
  if (at === undefined || environments.some(({ prefix, kind }) => kind !== "system" && at.startsWith(`${prefix}/`))) return undefined;
  return /\/(site|dist)-packages\//.test(at) ? undefined : folderOf(at);
}

const isConfigured = ({ inventory: { variables } }: Stack, folder: string) =>
  variables.some(({ name, text }) => name === "ld.so.conf" && folderIn(text) === folder);
