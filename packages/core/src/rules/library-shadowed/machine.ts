import { compareDotted } from "../../knowledge/dotted.ts";
import { nameOf } from "../../lib/path.ts";
import type { Load } from "../../model/loads.ts";
import type { Facts } from "../../model/finding.ts";
import { fileFact, loadFact, variableFact } from "../../diagnose/facts.ts";
import { machineSide } from "../rule.ts";
import page from "./page.ts";
import type { Run, Stack } from "../../diagnose/stack.ts";
import { fileWords, guiltyElement, ruleWords, stopName, unsetAdvice, variableWords, pythonPathElement } from "../../diagnose/words.ts";

export default machineSide(page, {
  blames(stack, stop, run) {
    const strangers = strangersOf(run);
    const { undisturbed } = run;
    if (!undisturbed || strangers.length === 0) return undefined;
    // Which modules there are in Python no library decides.
    if (["no-module", "no-name", "refused"].includes(stop.failure.reason)) return undefined;
    if (undisturbed.stops.some(({ program, activity }) => program === stop.program && activity === stop.activity)) return undefined;
    const failed = stop.failure.underlying ?? stop.failure;
    const guilty = strangers.find(({ file }) => file === failed.file || file === stop.failure.file) ?? strangers.at(-1)!;
    return {
      specificity: 3,
      subject: guilty.file,
      short: `${nameOf(guilty.name)} comes from another place, and does not fit`,
      message: `${nameOf(guilty.name)} would come from ${fileWords(stack, guilty.file, guilty)}, which does not fit ${stopName(run, stop)}`,
      because: [ruleWords(guilty), ...variablesOf([guilty], stack).map((name) => variableWords(stack, name))],
      facts: {
        ...shadowing(stack, run, guilty),
        said: `${stop.failure.message}${failed.message === stop.failure.message ? "" : ` (${failed.message})`}`,
      },
      evidence: [`without it: ${right(run, guilty)}`],
      advice: unsetAdvice(stack, strangers),
    };
  },
  finds: (stack) =>
    stack.runs
      .filter(({ stops }) => stops.length === 0)
      .flatMap((run) =>
        strangersOf(run)
          // Parts of cuDNN, and CUPTI, have rules of their own; and what the variable alone brings in shadows nothing.
          .filter((load) => !["cudnn", "cupti"].includes(load.library!) && !load.unmapped && rightful(run, load) !== undefined)
          .map((load) => {
            const program = run.programs.find(({ compiledFor }) => compiledFor[load.library!] !== undefined);
            const compiled = program?.compiledFor[load.library!]?.version;
            const isOlder = compiled !== undefined && load.version !== undefined && isBefore(load.version, compiled);
            return {
              subject: load.file,
              severity: isOlder ? ("warning" as const) : ("info" as const),
              short: `${nameOf(load.name)} comes from another place${isOlder ? ", and is older" : ""}`,
              message: `${nameOf(load.name)} would come from ${fileWords(stack, load.file, load)}${isOlder ? `, older than what ${program!.id} was built for (${compiled})` : ""}`,
              because: [ruleWords(load), ...variablesOf([load], stack).map((name) => variableWords(stack, name))],
              facts: shadowing(stack, run, load),
              evidence: [`without it: ${right(run, load)}`],
              advice: unsetAdvice(stack, [load]),
              endangers: isOlder ? [{ framework: program!.id, activity: load.activity }] : [],
            };
          }),
      ),
});

/** Copies that are loaded only because of the variables. */
function strangersOf({ undisturbed, loads: { loads } }: Run): Load[] {
  if (!undisturbed) return [];
  const usual = new Set(undisturbed.loads.map(({ file }) => file));
  return loads.filter(({ library, file }) => library !== undefined && !usual.has(file));
}

function rightful({ undisturbed }: Run, { name, library }: Load): Load | undefined {
  const stem = nameOf(name).split(".so")[0]!;
  return undisturbed!.loads.find((load) => load.library === library && nameOf(load.name).split(".so")[0] === stem);
}

function right(run: Run, load: Load): string {
  const found = rightful(run, load);
  return found ? `${found.file}${found.version === undefined ? "" : ` (${found.version})`}` : "it is not loaded";
}

/** The copy that is taken, the one that would be, and the variables that decide. */
function shadowing(stack: Stack, run: Run, load: Load): Facts {
  const found = rightful(run, load);
  return {
    loads: [loadFact(load)],
    ...(found ? { copies: [fileFact(stack, found.file, "right")] } : {}),
    variables: variablesOf([load], stack).map((name) => variableFact(stack, name, elementsFor(stack, name, load))),
  };
}

/** Which elements of a variable brought a load. */
function elementsFor(stack: Stack, name: string, load: Load): string[] {
  if (name === "LD_LIBRARY_PATH") return [guiltyElement(stack, load)].filter((element) => element !== undefined);
  if (name === "LD_PRELOAD") return [load.name];
  return [pythonPathElement(stack, load.file)].filter((element) => element !== undefined);
}

function variablesOf(loads: Load[], { variables }: Stack): string[] {
  const names = { "ld-library-path": "LD_LIBRARY_PATH", preload: "LD_PRELOAD", path: "PYTHONPATH" } as const;
  const found = new Set(loads.map(({ via }) => names[via as keyof typeof names]).filter((name) => name !== undefined));
  return [...found].filter((name) => variables[name]);
}

// A pinned 13.1.0.3 and a found 13.0.2 are compared in what both say.
function isBefore(found: string, wanted: string): boolean {
  if (!/^\d/.test(found) || !/^\d/.test(wanted)) return false;
  const parts = Math.min(found.split(".").length, wanted.split(".").length);
  const cut = (version: string) => version.split(".").slice(0, parts).join(".");
  return compareDotted(cut(found), cut(wanted)) < 0;
}
