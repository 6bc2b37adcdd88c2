// Which libcupti would record a program's profile, and of which toolkit it is: what all rules about profiling ask.
import { cuptiToolkit } from "../knowledge/cupti.ts";
import type { ToolkitRange } from "../knowledge/toolkits.ts";
import { nameOf } from "../lib/path.ts";
import type { Advice, Affected, Facts } from "../model/finding.ts";
import type { Load } from "../model/loads.ts";
import { loadFact, programFacts } from "./facts.ts";
import type { Program, Run, Stack } from "./stack.ts";
import { copyAt, ruleWords, unsetAdvice, variableWords } from "./words.ts";
import { namesOf } from "../model/frameworks.ts";

/** A program that would take a profile, and the libcupti that would record it. */
export interface Recording {
  run: Run;
  program: Program;
  load: Load;
  toolkit: ToolkitRange | undefined;
}

/** Every program that would take a profile, whether or not it gets that far. */
export function profilers({ runs }: Stack): { run: Run; program: Program }[] {
  return runs
    .filter(({ activities }) => activities.includes("profile"))
    .flatMap((run) =>
      run.programs
        .filter(({ id, cpuOnly }) => namesOf(id)?.profilesWithCupti && cpuOnly === undefined)
        .map((program) => ({ run, program })),
    );
}

/** Those that would get to record, each with its libcupti. */
export function recordings(stack: Stack): Recording[] {
  return profilers(stack).flatMap(({ run, program }) => {
    const load = stopsProfile(run, program.id) ? undefined : libcuptiOf(run, program);
    return load ? [{ run, program, load, toolkit: toolkitOfCupti(stack, load) }] : [];
  });
}

const stopsProfile = ({ stops }: Run, id: string) => stops.some(({ program, activity }) => program === id && activity === "profile");

// Where one process holds two, each program has the one that its own objects asked for.
function libcuptiOf({ loads: { loads }, programs }: Run, { id }: Program): Load | undefined {
  const all = loads.filter(({ file, name, unmapped }) => !unmapped && [file, name].some((path) => nameOf(path).startsWith("libcupti.so")));
  const own = programs.length < 2 ? undefined : all.find(({ requestedBy }) => requestedBy.includes(`/${id}`));
  return own ?? all[0];
}

export function toolkitOfCupti(stack: Stack, { file, version }: Pick<Load, "file" | "version">): ToolkitRange | undefined {
  const copy = copyAt(stack, file);
  const api = [version, ...(copy?.evidence.map((each) => each.version) ?? [])].find((text) => text?.startsWith("API "));
  return cuptiToolkit({
    file: nameOf(file),
    ...(copy?.soname === undefined ? {} : { soname: copy.soname }),
    ...(api === undefined ? {} : { api: Number(api.slice(4)) }),
    ...(copy?.owner?.version === undefined ? {} : { packaged: copy.owner.version }),
  });
}

/** `CUDA 11.2`, or `CUDA 11.2 to 11.4` where the file does not say more. */
export function toolkitWords({ oldest, newest }: ToolkitRange): string {
  return oldest.cuda === newest.cuda ? `CUDA ${newest.cuda}` : `CUDA ${oldest.cuda} to ${newest.cuda}`;
}

/** `/usr/…/libcupti.so.2022.2.1 (CUPTI of CUDA 11.7, of the package cuda-cupti-11-7)`. */
export function cuptiWords(stack: Stack, { load, toolkit }: Pick<Recording, "load" | "toolkit">): string {
  const owner = copyAt(stack, load.file)?.owner;
  const of = toolkit ? `CUPTI of ${toolkitWords(toolkit)}` : "CUPTI of a release that the file does not tell";
  return `${load.file} (${of}${owner ? `, ${owner.kind === "pip" ? "wheel" : owner.kind === "conda" ? "conda package" : "package"} ${owner.name}` : ""})`;
}

/** The libcupti, and the program that it records. */
export function recordingFacts({ run, program, load }: Pick<Recording, "run" | "program" | "load">): Facts {
  return { loads: [loadFact(load)], packages: programFacts(run, program) };
}

export const profileOf = ({ id }: Program): Affected => ({ framework: id, activity: "profile" });

/** How the loader came to it, from the name that was asked for first; which variable led there, and who set that. */
export function cuptiSearchWords(stack: Stack, { run, program, load }: Recording): string[] {
  const missed = run.loads.missed.filter(({ name }) => name !== load.name && nameOf(name).startsWith("libcupti.so"));
  const variable = load.via === "ld-library-path" ? "LD_LIBRARY_PATH" : load.via === "preload" ? "LD_PRELOAD" : undefined;
  return [
    ...missed
      .slice(0, 1)
      .map(({ name }) => `${nameOf(name)}, which ${program.id} asks for first, is not found; ${nameOf(load.name)} is what it takes then`),
    ruleWords(load),
    ...(variable === undefined ? [] : [variableWords(stack, variable)]),
  ];
}

/** What to do about a variable that led to it, where another libcupti would serve without that. */
export function steeringAdvice(stack: Stack, { run, load }: Recording): Advice[] {
  const usual = run.undisturbed?.loads.find(({ file }) => nameOf(file).startsWith("libcupti.so"));
  return usual !== undefined && usual.file !== load.file ? unsetAdvice(stack, [load]) : [];
}
