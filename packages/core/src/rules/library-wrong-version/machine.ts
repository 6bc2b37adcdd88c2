import { libraryOf } from "../../knowledge/libraries.ts";
import { wheelsProviding } from "../../knowledge/packages.ts";
import { pipAdvice } from "../../diagnose/pip.ts";
import { folderOf, nameOf } from "../../lib/path.ts";
import { copyFact, fileFact, loadFact } from "../../diagnose/facts.ts";
import { machineSide, type Blame } from "../rule.ts";
import page from "./page.ts";
import type { Advice } from "../../model/finding.ts";
import type { Copy } from "../../model/inventory.ts";
import type { Load } from "../../model/loads.ts";
import type { Failure } from "../../model/loads.ts";
import type { Run, Stack, Stop } from "../../diagnose/stack.ts";
import { cudaMajorOf, fileWords, ruleWords, steeredBy, stopName, triedWords, unsetAdvice, variableWords } from "../../diagnose/words.ts";

export default machineSide(page, {
  blames(stack, stop, run) {
    const { failure } = stop;
    const { refusal } = failure;
    const failed = failure.underlying ?? failure;
    if (refusal?.kind === "version") {
      const load = run.loads.loads.find(({ file }) => file === failure.file);
      const library = libraryOf(failure.name)?.name ?? refusal.library;
      const compiled = run.programs.find(({ id }) => id === stop.program)?.compiledFor[refusal.library];
      return {
        specificity: 2,
        subject: failure.file ?? failure.name,
        short: `${library} ${refusal.found} is loaded, ${refusal.required} is needed`,
        message: `${stopName(run, stop)} needs ${library} ${refusal.required}, and would load ${refusal.found} from ${fileWords(stack, failure.file ?? failure.name, load)}`,
        because: load ? cameBy(run, load) : [],
        facts: load ? { loads: [loadFact(load)] } : { copies: [fileFact(stack, failure.file ?? failure.name, "other")] },
        evidence: compiled ? [`compiled for ${library} ${compiled.version} (${compiled.evidence})`] : [],
        advice: steeredAdvice(stack, run, load) ?? [
          pinAdvice(run, compiled) ??
            `install ${library} ${refusal.required} or a newer release of the same major for ${stopName(run, stop)}${wheelFor(failure.name, run, stop)}`,
        ],
      };
    }
    if (failed.reason === "undefined-symbol" || failed.reason === "version-not-found") {
      const file = failed.file ?? failed.name;
      const load = run.loads.loads.find((each) => each.file === file);
      return {
        specificity: 2,
        subject: file,
        short: `${nameOf(file)} lacks symbols that ${nameOf(failed.requestedBy)} needs`,
        message: `${fileWords(stack, file, load)} does not have what ${nameOf(failed.requestedBy)} was linked against`,
        because: [
          ...(load ? cameBy(run, load) : []),
          ...(load && isOfSystem(load) ? [variableWords(stack, "LD_LIBRARY_PATH")] : []),
          failed.message,
        ],
        facts: load ? { loads: [loadFact(load)] } : { copies: [fileFact(stack, file, "other")] },
        advice: steeredAdvice(stack, run, load) ?? [
          `let ${nameOf(file)} and ${nameOf(failed.requestedBy)} come from one release${wheelFor(nameOf(file), run, stop)}`,
        ],
      };
    }
    return failed.reason === "not-found" ? onlyOthers(stack, stop, run, failed) : undefined;
  },
});

/** The name carries the version, and only other ones are there. */
function onlyOthers(stack: Stack, stop: Stop, run: Run, failed: Failure): Blame | undefined {
  const name = nameOf(failed.name);
  const stem = name.split(".so")[0]!;
  const others = stack.inventory.copies.filter(({ file, stub }) => !stub && nameOf(file).split(".so")[0] === stem && nameOf(file) !== name);
  if (others.length === 0 || libraryOf(name) === undefined) return undefined;
  const bare = name.endsWith(".so") ? withoutVersion(stack, stop, run, failed, others) : undefined;
  if (bare) return bare;
  const { linked } = run.loads.program.builtAgainst?.[libraryOf(name)!.id] ?? {};
  const relinked = linked?.replaced ? linked : undefined;
  return {
    specificity: 2,
    subject: name,
    short: `${name} is not installed, only other versions are`,
    message: `${stopName(run, stop)} needs ${name}, and only other versions are installed: ${others
      .slice(0, 3)
      .map(({ file }) => fileWords(stack, file))
      .join("; ")}`,
    because: [
      `${failed.requestedBy} asks for this very name, which carries the version`,
      ...(relinked ? [`it was linked against ${relinked.file}, which has another name by now`] : []),
    ],
    facts: { copies: others.map((copy) => copyFact(copy, "other")) },
    evidence: [failed.message, ...triedWords(failed)],
    advice: [
      ...(relinked ? buildAgain(run) : []),
      `${relinked ? "or " : ""}install the package that brings ${name}${wheelFor(name, run, stop)}; do not link another version under that name`,
    ],
  };
}

/** The name that compilers take: no wheel has it, and what lies there under the full name is what is meant, if it is of the right major. */
function withoutVersion(stack: Stack, stop: Stop, run: Run, failed: Failure, others: Copy[]): Blame | undefined {
  const name = nameOf(failed.name);
  const compiled = run.programs.find(({ id }) => id === stop.program)?.compiledFor ?? {};
  const wanted = (compiled[libraryOf(name)!.id] ?? compiled["cuda"])?.version.split(".")[0];
  const fitting = others.find(({ file }) => wanted !== undefined && new RegExp(`\\.so\\.${wanted}(\\.|$)`).test(file));
  if (!fitting) return undefined;
  return {
    specificity: 2,
    subject: name,
    short: `${name} is there only with a version in its name`,
    message: `${stopName(run, stop)} needs ${name}, the name without a version, and only ${fileWords(stack, fitting.file)} is there`,
    because: [`${failed.requestedBy} asks for this very name, which packages for development bring, and wheels do not`],
    facts: { copies: [copyFact(fitting, "other")] },
    evidence: [failed.message, ...triedWords(failed)],
    advice: [
      `make a link ${name} to ${fitting.file} in a folder of your own, and put that folder and ${folderOf(fitting.file)} on LD_LIBRARY_PATH`,
    ],
  };
}

/** What a program of one's own was linked against is another release by now: then it is built again. */
function buildAgain({ loads: { program } }: Run): Advice[] {
  const folder = program.build?.cmake ? program.build.folder : undefined;
  return [
    folder === undefined
      ? { words: "build the program again with what is there now" }
      : { words: "build it again with what is there now", command: ["cmake", "--build", folder, "--clean-first"], scope: "file" },
  ];
}

/** How the loader came to a file, from what brought the one that asks for it. */
function cameBy({ loads: { loads } }: Run, load: Load): string[] {
  const origin = steeredBy(loads, load);
  return [ruleWords(load), ...(origin && origin !== load ? [`and of ${origin.file}: ${ruleWords(origin)}`] : [])];
}

/** A library that every program shares, such as libstdc++: the system has one that fits, and LD_LIBRARY_PATH puts another before it. */
const isOfSystem = ({ name, via }: Load) => via === "ld-library-path" && libraryOf(name) === undefined;

/** What was brought by what goes before everything else does not need another release of anything: that has to go. */
function steeredAdvice(stack: Stack, { loads: { loads } }: Run, load: Load | undefined): Advice[] | undefined {
  const origin = load && steeredBy(loads, load);
  const advice = origin && (origin !== load || isOfSystem(load)) ? unsetAdvice(stack, [origin]) : [];
  return advice.length === 0 ? undefined : advice;
}

/** The wheel in the version that the program itself asks for, whatever its files are by now. */
const pinAdvice = ({ environment }: Run, compiled: { pin?: { package: string; version: string } } | undefined): Advice | undefined =>
  compiled?.pin &&
  pipAdvice(
    environment,
    "install the wheel that it asks for, with all of its files",
    "install",
    "--force-reinstall",
    "--no-deps",
    `${compiled.pin.package}==${compiled.pin.version}`,
  );

function wheelFor(name: string, run: Run, { program }: Stop): string {
  const [wheel] = wheelsProviding(nameOf(name), cudaMajorOf(run, program));
  return wheel ? ` (wheel ${wheel.name})` : "";
}
