import { factsIn, overlay } from "../model/overlay.ts";
import { nameOf } from "../lib/path.ts";
import type { ElfFact, FileFact, Snapshot } from "../model/snapshot.ts";
import type { Why, WhyChange, WhyLoser, WhyRequest } from "../model/why.ts";
import { dlopen } from "./dlopen.ts";
import { nameOfObject, type LoadedObject, type Process } from "./process.ts";
import { systemInterpreter } from "./interpreter.ts";
import { startProgram, type Started } from "./start.ts";
import { unread } from "./loads.ts";
import { viewOf, type View } from "./view.ts";

/** The path under which a program without search paths of its own is asked about. */
const plainProgram = "/(a plain program)";

/** How the program gets to run: started as it is, or driven by a framework's model. Every request is told to `heard`. */
export type Run = (view: View, heard: NonNullable<Process["heard"]>) => Started;

export interface Sought {
  /** The name as it is asked for (`libcudnn.so.9`), or the beginning of it (`libcudnn`). */
  library: string;
  /** The name to try where nothing asks for one and the beginning alone is known. */
  likely?: string;
  /** Absent: one without search paths of its own. */
  program?: string;
  run?: Run;
}

/** Why a library is found where it is. While `view.needs` is not empty the answer is not whole. */
export function whyOf(view: View, { library, likely, program = plainProgram, run }: Sought): Why {
  view.needs.clear();
  const asked = program === plainProgram ? withPlainProgram(view) : view;
  if (asked !== view && 0 < view.needs.size)
    return { schema: "culprit/why@1", library, requests: [], losers: [], changes: [], unknown: [...view.needs.values()].map(unread) };
  const question = { library, likely, program, run: run ?? ((seen, heard) => startProgram(seen, program, heard)) } satisfies Question;
  const answer = search(asked, question);
  const why: Why = {
    schema: "culprit/why@1",
    library,
    ...(answer.program && program !== plainProgram ? { program: answer.program } : {}),
    requests: answer.requests,
    losers: [],
    changes: [],
    unknown: [],
  };
  if (asked !== view) {
    for (const need of asked.needs.values()) view.need(need.path, need.as, need.names);
    for (const wish of asked.wishes.values()) view.wishing.need(wish.path, wish.as, wish.names);
  }
  if (view.needs.size === 0) {
    const [first] = answer.requests;
    const needs = (other: View) => {
      for (const need of other.needs.values()) view.need(need.path, need.as, need.names);
    };
    if (first) why.changes = whatIfs(asked, question, first, needs);
    if (first) why.losers = runnersUp(asked, question, first, needs);
  }
  why.unknown = [...view.needs.values()].map(unread);
  return why;
}

interface Answer {
  program?: { file: string; path: string };
  requests: WhyRequest[];
}

interface Question {
  library: string;
  likely: string | undefined;
  program: string;
  run: Run;
}

function search(view: View, { library: query, likely, program, run }: Question): Answer {
  const requests: WhyRequest[] = [];
  const started = run(view, (requester, name, mapped) => {
    if ("pending" in mapped || !matches(query, name, "object" in mapped ? mapped.object : undefined)) return;
    requests.push(requestOf(requester, name, mapped));
  });
  if (started === undefined) return { requests };
  if ("refused" in started) {
    return {
      program: started.refused.program,
      requests: started.refused.failures.map((failure) => ({ name: query, requestedBy: program, notes: [], steps: [], failure })),
    };
  }
  const { process } = started;
  if (requests.length === 0 && !process.pending) {
    const name = query.includes(".so") || query.includes("/") ? query : (likely ?? guessName(view, query));
    process.heard = (requester, asked, mapped) => {
      if (!("pending" in mapped) && asked === name) requests.push({ ...requestOf(requester, asked, mapped), hypothetical: true });
    };
    dlopen(process, process.executable, name);
  }
  addNotes(process, requests);
  // Of a ladder of names the first that leads somewhere is the answer; the misses before it follow.
  requests.sort((a, b) => Number(a.file === undefined) - Number(b.file === undefined));
  return { program: { file: process.executable.file, path: program }, requests };
}

// A query without a suffix means any name that begins like it: `libcudnn` is `libcudnn.so.9`.
function matches(query: string, name: string, object: LoadedObject | undefined): boolean {
  const names = [nameOf(name), object?.fact.soname, object ? nameOf(object.path) : undefined];
  return names.some((candidate) => candidate !== undefined && (candidate === nameOf(query) || candidate.startsWith(`${nameOf(query)}.so`)));
}

// Without a version, take the one that the cache would give for that beginning.
function guessName(view: View, query: string): string {
  for (const [, fact] of factsIn(view.snapshot)) {
    const entry = fact.kind === "file" ? fact.cache?.entries.find(({ name }) => name.startsWith(`${query}.so`)) : undefined;
    if (entry) return entry.name;
  }
  return `${query}.so`;
}

function requestOf(
  requester: LoadedObject,
  name: string,
  mapped: Exclude<Parameters<NonNullable<Process["heard"]>>[2], { pending: true }>,
): WhyRequest {
  const base = { name, requestedBy: requester.path, notes: [], steps: mapped.steps };
  if ("failure" in mapped) return { ...base, failure: mapped.failure };
  const { object, fresh, by } = mapped;
  return {
    ...base,
    file: object.file,
    path: object.path,
    ...(object.load ? { via: object.load.via } : {}),
    ...(fresh ? {} : { reused: by ?? "name" }),
  };
}

function addNotes(process: Process, requests: WhyRequest[]): void {
  const libraryPath = process.environment["LD_LIBRARY_PATH"];
  for (const request of requests) {
    const requester = process.objects.find(({ path }) => path === request.requestedBy) ?? process.executable;
    if (process.hangOnProcessor.includes(request.name))
      request.notes.push(
        "another processor may get another file, and which one this is is not wholly known: `--cpu VENDOR:LEVEL` names one",
      );
    if (request.name.includes("/") || request.reused) continue;
    if (process.loader.fact.flavour === "glibc") {
      const chain: LoadedObject[] = [];
      for (let object: LoadedObject | undefined = requester; object; object = object.loader) chain.push(object);
      const silenced = requester.fact.runpath !== undefined && [...chain, process.executable].find(({ fact }) => fact.rpath !== undefined);
      if (silenced)
        request.notes.push(
          `the RPATH of ${nameOfObject(process, silenced)} is not searched, because ${nameOfObject(process, requester)} has a RUNPATH`,
        );
      if (requester.fact.flags?.includes("nodeflib"))
        request.notes.push(
          `the system folders are not searched, because ${nameOfObject(process, requester)} was linked with -z nodefaultlib`,
        );
    }
    if (libraryPath && process.secure)
      request.notes.push("LD_LIBRARY_PATH is ignored, because the program runs with another user's rights");
  }
}

/** Single changes that give another winner: each is tried on a copy of the snapshot. */
function whatIfs(view: View, question: Question, now: WhyRequest, needs: (view: View) => void): WhyChange[] {
  const changes: WhyChange[] = [];
  const { snapshot } = view;
  const attempt = (what: string, changed: Snapshot, because: string) => {
    const other = viewOf(changed);
    const [request] = search(other, question).requests;
    needs(other);
    if (0 < other.needs.size) return;
    if (request && (request.file !== now.file || (request.failure === undefined) !== (now.failure === undefined))) {
      changes.push({
        what,
        outcome: request.file ?? "nothing would be found",
        ...(request.file === undefined ? {} : { file: request.file }),
        because: request.file === undefined ? "no other place that is searched has it" : because,
      });
    }
  };
  const without = (name: string) => ({
    ...snapshot,
    environment: Object.fromEntries(Object.entries(snapshot.environment).filter(([key]) => key !== name)),
  });

  const libraryPath = snapshot.environment["LD_LIBRARY_PATH"];
  if (libraryPath) {
    attempt("without LD_LIBRARY_PATH", without("LD_LIBRARY_PATH"), "the rules after it decide");
    const elements = libraryPath.split(/[:;]/);
    if (1 < elements.length && now.via === "ld-library-path") {
      const guilty = elements.find(
        (element) => now.path === `${element.replace(/(?<!\/)\/+$/, "")}/${now.name}` || (element === "" && now.path === now.name),
      );
      if (guilty !== undefined) {
        const rest = elements.filter((element) => element !== guilty).join(":");
        attempt(
          `without \`${guilty || "(the empty element: the current folder)"}\` in LD_LIBRARY_PATH`,
          { ...snapshot, environment: { ...snapshot.environment, LD_LIBRARY_PATH: rest } },
          "the next element decides",
        );
      }
    }
  }
  if (snapshot.environment["LD_PRELOAD"])
    attempt("without LD_PRELOAD", without("LD_PRELOAD"), "nothing is loaded before the program's own libraries");
  if (now.file !== undefined)
    attempt(`if \`${now.file}\` were not there`, withFact(snapshot, now.file, { kind: "absent" }), "the search goes on");
  const steered = steering(now);
  if (steered) changes.push(steered);
  return changes;
}

/** So many are told one by one. */
const mostRunnersUp = 8;

/** Who would win next, and next after that: each is found by taking away the winner before it. */
function runnersUp(view: View, question: Question, now: WhyRequest, needs: (view: View) => void): WhyLoser[] {
  const losers: WhyLoser[] = [];
  const seen = new Set<string>();
  let { snapshot } = view;
  for (let winner: WhyRequest | undefined = now; winner?.file !== undefined && losers.length < mostRunnersUp;) {
    if (seen.has(winner.file)) break;
    seen.add(winner.file);
    if (winner !== now) losers.push({ file: winner.file, because: beatenBy(now, winner) });
    snapshot = withFact(snapshot, winner.file, { kind: "absent" });
    const other = viewOf(snapshot);
    // The same request: one ladder of names may lead on to another.
    winner = search(other, question).requests.find(({ name }) => name === now.name);
    needs(other);
    if (0 < other.needs.size) break;
  }
  return losers;
}

/** Why the one that would be found next is not found now. */
function beatenBy(now: WhyRequest, next: WhyRequest): string {
  const [first, second] = [ruleOf(now), ruleOf(next)];
  if (now.reused || now.via === "already-loaded") return "a library of that name is loaded by then, and the loader does not search again";
  if (now.via === "path" && now.name.includes("/")) return "the winner is opened by its path, without a search";
  if (now.via === "preload") return "the winner is preloaded, before anything is searched";
  return first === second ? `its folder comes later in ${first}` : `${first} is searched before ${second}`;
}

function ruleOf({ via, steps, requestedBy }: WhyRequest): string {
  const of = nameOf(steps.find(({ result }) => result === "taken")?.of ?? requestedBy);
  switch (via) {
    case "rpath":
      return `the RPATH of ${of}`;
    case "runpath":
      return `the RUNPATH of ${of}`;
    case "ld-library-path":
      return "LD_LIBRARY_PATH";
    case "cache":
      return "the loader's cache";
    case "default":
      return "the list of system folders";
    default:
      return "its path";
  }
}

// Whether LD_LIBRARY_PATH, the lever that people reach for first, can move this request at all.
function steering(now: WhyRequest): WhyChange | undefined {
  const what = "another copy in a folder of LD_LIBRARY_PATH";
  if (now.name.includes("/") || now.reused) return undefined;
  if (now.via === "rpath") return { what, outcome: "would not win", because: "the RPATH is searched before LD_LIBRARY_PATH" };
  if (now.via === "cache" || now.via === "default" || now.via === "runpath" || now.via === undefined) {
    const rule =
      now.via === "runpath"
        ? "the RUNPATH"
        : now.via === undefined
          ? "the cache and the system folders"
          : now.via === "cache"
            ? "the cache"
            : "the system folders";
    return { what, outcome: "would win", because: `LD_LIBRARY_PATH is searched before ${rule}` };
  }
  return undefined;
}

function withFact(snapshot: Snapshot, path: string, fact: FileFact): Snapshot {
  const changed = overlay(snapshot);
  changed.files[path] = fact;
  return changed;
}

// A program that needs nothing and brings no search path: what LD_LIBRARY_PATH, the cache and the system folders say by themselves.
function withPlainProgram(view: View): View {
  const interpreter = systemInterpreter(view);
  const fact: ElfFact = {
    kind: "elf",
    class: 64,
    order: "little",
    machine: 62,
    type: 3,
    needed: [],
    ...(interpreter === undefined ? {} : { interpreter }),
  };
  const file: FileFact = { kind: "file", size: 64, object: fact };
  return viewOf(withFact(view.snapshot, plainProgram, file));
}
