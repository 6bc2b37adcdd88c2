import { cuptiKnows } from "../knowledge/cupti.ts";
import { compareDotted } from "../knowledge/dotted.ts";
import { supplyOf } from "../knowledge/suppliers.ts";
import { nameOf } from "../lib/path.ts";
import type { Advice, Draft } from "../model/finding.ts";
import {
  cuptiSearchWords,
  cuptiWords,
  profileOf,
  recordingFacts,
  recordings,
  steeringAdvice,
  toolkitWords,
  type Recording,
} from "../diagnose/cupti.ts";
import { defineMachineRule } from "./rule.ts";
import type { Stack } from "../diagnose/stack.ts";
import { pipAdvice } from "../diagnose/pip.ts";
import { programName, reinstallAdvice } from "../diagnose/words.ts";

export default defineMachineRule({
  id: "cupti-of-another-toolkit",
  title: "The profile is recorded with the CUPTI of another toolkit",
  cause: "library-wrong-version",
  severity: "error",
  notOn: { "dependency-file": "which copy of a library is loaded is decided by the search paths of files that are not there yet" },
  page: {
    what: "The libcupti that would be loaded belongs to another release of CUDA than the one that the framework was built for.",
    why: "TensorFlow asks for the name of its own release (`libcupti.so.11.2`) and, where that is not found, for `libcupti.so`, whatever toolkit it belongs to. A folder on LD_LIBRARY_PATH, or a link under the right name, does the same to any framework.",
    how: "The search is replayed name by name and path by path; the toolkit of the file that answers is compared with the CUDA that the framework was built for. A CUPTI of the same major release or a newer one serves: then this is a remark only. One of an older major release lacks functions that the profiler calls: a warning; where the framework itself refuses it, an error. One that does not know the GPU at all has the rule cupti-too-old.",
    fix: "Let the CUPTI of the framework's own CUDA be found first: its wheel, its conda package, or extras/CUPTI/lib64 of that toolkit.",
    observed:
      "On an H200: jax 0.11 for CUDA 13 records with the CUPTI of 12.9 in the place of its own, and with that of 11.8 starts and records nothing of the GPU. That TensorFlow falls back to libcupti.so was watched with LD_DEBUG on its wheels 2.5 to 2.21.",
  },
  blames(stack, stop, run) {
    const { refusal, file, name } = stop.failure;
    if (stop.activity !== "profile" || refusal?.kind !== "version" || refusal.library !== "cupti") return undefined;
    const load = run.loads.loads.find((each) => each.file === file);
    const program = run.programs.find(({ id }) => id === stop.program);
    if (!load || !program) return undefined;
    const recording = { run, program, load, toolkit: undefined };
    const steered = steeringAdvice(stack, recording);
    return {
      specificity: 4,
      subject: load.file,
      short: `CUPTI of CUDA ${refusal.found}, built for ${refusal.required}`,
      message: `${nameOf(name)} would be CUPTI of CUDA ${refusal.found}, and ${programName(run, program.id)} was built for CUDA ${refusal.required}: the profile would hold nothing of the GPU`,
      because: cuptiSearchWords(stack, recording),
      evidence: [load.file],
      advice: 0 < steered.length ? steered : mending(stack, recording, program.compiledFor["cuda"]?.version ?? refusal.required),
      facts: recordingFacts(recording),
    };
  },
  finds: (stack) => recordings(stack).flatMap((recording) => draftsOf(stack, recording)),
});

function draftsOf(stack: Stack, recording: Recording): Draft[] {
  const { run, program, load, toolkit } = recording;
  const compiled = program.compiledFor["cuda"];
  if (!compiled || !toolkit) return [];
  const built = compiled.version.split(".").slice(0, 2).join(".");
  // A major alone, as `12`, is met by every release of it.
  const isOwn = built.includes(".")
    ? compareDotted(toolkit.oldest.cuda, built) <= 0 && compareDotted(built, toolkit.newest.cuda) <= 0
    : toolkit.newest.cuda.split(".")[0] === built;
  if (isOwn) return [];
  // Which GPU it does not know is the worse news, and has its own rule.
  const isBlind = stack.inventory.gpus.some(
    ({ architecture }) => architecture !== undefined && (cuptiKnows(toolkit, architecture)?.knows ?? "itself") !== "itself",
  );
  if (isBlind) return [];
  const isOlder = Number(toolkit.newest.cuda.split(".")[0]) < Number(built.split(".")[0]);
  // A wheel that pins a range of releases gets another than it was built with, and nothing is unusual about that.
  const isFallback = run.loads.missed.some(({ name }) => name !== load.name && nameOf(name).startsWith("libcupti.so"));
  if (!isOlder && !isFallback && load.via !== "ld-library-path" && load.via !== "preload") return [];
  const severity = isOlder ? ("warning" as const) : ("info" as const);
  const steered = steeringAdvice(stack, recording);
  return [
    {
      subject: load.file,
      severity,
      certainty: isOlder ? "likely" : run.watched ? "certain" : "likely",
      short: `CUPTI of ${toolkitWords(toolkit)}, built for CUDA ${built}`,
      message: `${programName(run, program.id)} was built for CUDA ${built}, and its profile would be recorded with CUPTI of ${toolkitWords(toolkit)}, ${load.file}${isOlder ? ": it may lack what the profiler calls, and the GPU be missing from the profile" : "; it can serve"}`,
      because: cuptiSearchWords(stack, recording),
      evidence: [cuptiWords(stack, recording), `built for: ${compiled.evidence}`],
      advice: !isOlder ? ["nothing needs to be done"] : 0 < steered.length ? steered : mending(stack, recording, built),
      facts: recordingFacts(recording),
      ...(isOlder ? { endangers: [profileOf(program)] } : {}),
    },
  ];
}

/** A file that took the place of a wheel's own goes when that is installed again; else the right one has to be found first. */
function mending(stack: Stack, { run, load }: Pick<Recording, "run" | "load">, cuda: string): Advice[] {
  const again = reinstallAdvice(stack, load.file);
  if (again) return [again];
  const [major, minor] = cuda.split(".");
  const name = `libcupti.so.${Number(major) < 12 ? `${major}.${minor}` : major}`;
  const { wheel, apt } = supplyOf(name, { cuda });
  const version = wheel && (minor === undefined ? "" : `==${major}.${minor}.*`);
  return [
    ...(wheel && run.environment
      ? [pipAdvice(run.environment, `install the CUPTI of CUDA ${cuda}`, "install", `${wheel.name}${version}`)]
      : []),
    ...(apt === undefined
      ? []
      : [{ words: "or, for the whole system", command: ["sudo", "apt", "install", apt], scope: "install" as const }]),
    { words: `and let it be found before ${load.file}` },
  ];
}
