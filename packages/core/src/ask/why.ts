// Why a library is found where it is, and who loses against it.
import { libraryIds, libraryOf, objectNamed } from "../knowledge/libraries.ts";
import { nearNames } from "../lib/near.ts";
import { nameOf } from "../lib/path.ts";
import { activities, type Activity } from "../model/activity.ts";
import type { Framework } from "../frameworks/framework.ts";
import { runFrameworks } from "../frameworks/run.ts";
import { countedApart, type Copy } from "../model/inventory.ts";
import { problemOf, type Problem } from "../model/problem.ts";
import type { Why, WhyLoser, WhyPart } from "../model/why.ts";
import { whyOf, type Sought } from "../resolve/why.ts";
import { unusableProgram } from "./unusable-program.ts";
import { chooseFrameworks, notInstalled } from "./choose.ts";
import type { Examination } from "./examination.ts";
import { loadsOfFrameworks, type FrameworkRun } from "./frameworks.ts";
import { withDriverIfNone } from "./provided-driver.ts";
import { settle } from "./settle.ts";
import { surveyStack } from "./survey.ts";
import { nameCopies, threeOf } from "./versions.ts";

/** Why a library is found where it is, for a program or for one without search paths of its own. */
export async function whyOfProgram(examination: Examination, word: string, program?: string): Promise<Why | Problem> {
  const unusable = program === undefined ? undefined : await unusableProgram(examination, program);
  if (unusable) return unusable;
  const library = objectNamed(word) ?? word;
  const copies = libraryOf(`${library}.so`) || libraryOf(library) ? (await surveyStack(examination, [])).inventory.copies : [];
  const sought = { library, ...likelyName(library, copies), ...(program === undefined ? {} : { program }) };
  const why = await settle(examination, (view) => whyOf(view, sought));
  return unmeant(why, word) ?? nameCopies(withLosers(why, copies), examination.view.snapshot, copies);
}

/** Why a library is found where it is, in a process of frameworks. */
export async function whyOfFrameworks(given: Examination, word: string, run: FrameworkRun): Promise<Why | Problem> {
  const chosen = await chooseFrameworks(given, run);
  if ("problem" in chosen) return chosen;
  const { environment } = chosen;
  const { inventory } = await surveyStack(given, run.python);
  const library = objectNamed(word) ?? word;
  // Who asks for the driver itself is not answered with one that is only assumed.
  const isOfDriver = ["libcuda", "nvml"].includes((libraryOf(`${library}.so`) ?? libraryOf(library))?.id ?? "");
  const { examination, isAssumed } = isOfDriver ? { examination: given, isAssumed: false } : await withDriverIfNone(given, inventory);
  let missing: Framework | undefined;
  const askDoing = async (wanted: Activity[]) => {
    const sought: Sought = {
      library,
      ...likelyName(library, inventory.copies),
      program: environment.python,
      run: (seen, heard) => {
        const ran = runFrameworks(seen, environment, chosen.frameworks, wanted, { first: chosen.first, heard });
        if ("missing" in ran) missing = ran.missing;
        return "missing" in ran ? undefined : ran.started;
      },
    };
    return settle(examination, (view) => whyOf(view, sought));
  };
  const { why, activity } = await firstThatAsks(run.activities, askDoing);
  if (missing) return notInstalled(given, missing, environment);
  const isBeyond = activity !== undefined && activity !== "import";
  const answer: Why = {
    ...withLosers(why, inventory.copies),
    frameworks: chosen.frameworks.map(({ id }) => id),
    ...(isBeyond ? { activity } : {}),
    ...(isAssumed && (isBeyond || 0 < run.activities.length) ? { driverAssumed: true } : {}),
  };
  const apart = await partsApart(given, answer.requests[0]?.file, inventory.copies, run);
  return unmeant(why, word) ?? nameCopies(0 < apart.length ? { ...answer, apart } : answer, examination.view.snapshot, inventory.copies);
}

/** A library in parts may be found whole and mixed all the same: what the process has of it from another release than the winner's. */
async function partsApart(given: Examination, winner: string | undefined, copies: Copy[], run: FrameworkRun): Promise<WhyPart[]> {
  const own = copies.find(({ file }) => file === winner);
  const isMixed =
    own?.version !== undefined && copies.some(({ library, version }) => library === own.library && isOther(version, own.version));
  if (!own || !isMixed || countedApart.has(own.library)) return [];
  const answer = await loadsOfFrameworks(given, { ...run, activities: 0 < run.activities.length ? run.activities : [...activities] });
  const loads = "problem" in answer ? [] : answer.loads.filter(({ library, unmapped }) => library === own.library && !unmapped);
  const title = libraryOf(nameOf(own.file))?.name ?? own.library;
  // libcudnn has parts; libcudnn_graph is one.
  const isPart = (name: string) => stemOf(name) !== stemOf(own.file) && stemOf(name).startsWith(stemOf(own.file));
  return loads.flatMap(({ name, file, version }) =>
    version !== undefined && isOther(version, own.version) && isPart(name)
      ? [{ name: nameOf(name), file, version: `${title} ${version}` }]
      : [],
  );
}

/** NVRTC says 13.0 of itself where its parts say 13.0.88: what goes on as the other begins is no other release. */
function isOther(one: string | undefined, other: string | undefined): boolean {
  const [a, b] = [`${threeOf(one)}.`, `${threeOf(other)}.`];
  return one !== undefined && other !== undefined && !a.startsWith(b) && !b.startsWith(a);
}

/** Where nobody says what is done, the first activity that asks for the library is meant; where none does, the import answers. */
async function firstThatAsks(wanted: Activity[], ask: (wanted: Activity[]) => Promise<Why>): Promise<{ why: Why; activity?: Activity }> {
  if (0 < wanted.length) return { why: await ask(wanted) };
  const isAsked = ({ requests }: Why) => requests.some(({ hypothetical }) => !hypothetical);
  const atImport = await ask([]);
  if (isAsked(atImport)) return { why: atImport };
  for (const activity of activities.slice(1)) {
    const why = await ask([activity]);
    if (isAsked(why)) return { why, activity };
  }
  return { why: atImport };
}

/** The whole name of a library of which only the beginning is known: the newest that is there. */
function likelyName(library: string, copies: Copy[]): { likely?: string } {
  const names = copies.flatMap(({ soname }) => (soname?.startsWith(`${library}.so`) ? [soname] : []));
  const [likely] = [...new Set(names)].sort((a, b) => majorOf(b) - majorOf(a));
  return likely === undefined ? {} : { likely };
}

const majorOf = (soname: string) => Number(/\.so\.(\d+)/.exec(soname)?.[1] ?? 0);

const stemOf = (file: string) => nameOf(file).split(".so")[0]!;

/** With the copies that no rule leads to. */
function withLosers(why: Why, copies: Copy[]): Why {
  const [first] = why.requests;
  if (!first) return why;
  const known = new Set([first.file, ...why.losers.map(({ file }) => file)]);
  const stem = stemOf(first.name);
  const others = copies.filter(({ file, soname, stub }) => !known.has(file) && !stub && stemOf(soname ?? file) === stem);
  const losers = others.map(({ file, soname, names }): WhyLoser => {
    const isCalledSo = [file, ...names].some((each) => nameOf(each) === nameOf(first.name));
    const because =
      soname !== undefined && soname !== nameOf(first.name) && !isCalledSo
        ? `it is called ${soname}, and ${nameOf(first.name)} is asked for`
        : first.name.includes("/")
          ? "the program opens the other file by its full path"
          : "its folder is not among those that are searched for this request";
    return { file, because };
  });
  return { ...why, losers: [...why.losers, ...losers] };
}

/** A word that is no library at all: an answer about it would mislead. */
function unmeant({ requests }: Why, word: string): Problem | undefined {
  const isName = word.includes(".so") || word.includes("/") || word.startsWith("lib") || objectNamed(word) !== undefined;
  if (isName || requests.some(({ file, hypothetical }) => file !== undefined || !hypothetical)) return undefined;
  const [near] = nearNames(word, libraryIds);
  return problemOf(
    "not-known",
    `\`${word}\` is no library that culprit knows: ${near === undefined ? "" : `did you mean \`${near}\`? Else `}give its name as the loader knows it, such as libcudnn.so.9, or for short: ${libraryIds.join(", ")}`,
  );
}
