// What loaders of other glibc versions and machines said, written down so that any machine can check the replay against it.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { openTarget, type CpuFact, type ElfFact, type LoaderFact, type Snapshot } from "../../packages/core/src/index.ts";
import { root as rootTarget } from "../../packages/machine/src/target/index.ts";
import { liveAnswer, type Answer, type Start } from "./answers.ts";
import { fixtures, makeFor, nobody, type Fixture, type Scene } from "./fixtures.ts";
import { makePlayer, plans, play, processorFixtures } from "./processors.ts";
import { build, temporary } from "./tree.ts";

/** Where fixtures lie in the root of a recording. */
export const place = "/f";

/** The loader that was asked, and its libc. */
export interface RecordedLoader {
  /** Of which file, for people. */
  source: string;
  machine: number;
  kernel: string;
  /** `file` is what `path` is a link to: older loaders have their version in that name alone. */
  loader: { path: string; file: string; size: number; fact: LoaderFact; elf: ElfFact };
  libc: { path: string; size: number; elf: ElfFact };
}

export interface Recording extends RecordedLoader {
  cpu: CpuFact;
  /** Folders of `searches`, in the order in which they came up. */
  folders: string[];
  answers: { [fact: string]: RecordedAnswer };
}

/** An answer with its searches as ranges of `folders`: each path tried is a folder and the name. */
export type RecordedAnswer = Omit<Answer, "searches"> & { searches: [name: string, ranges: string][] };

export function pack(answer: Answer, folders: string[]): RecordedAnswer {
  const searches = answer.searches.map(({ name, tried }): [string, string] => {
    const ranges: [number, number][] = [];
    for (const file of tried) {
      const folder = file.slice(0, -name.length);
      let at = folders.indexOf(folder);
      if (at < 0) at = folders.push(folder) - 1;
      if (ranges.at(-1)?.[1] === at - 1) ranges.at(-1)![1] = at;
      else ranges.push([at, at]);
    }
    return [name, ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(" ")];
  });
  return { ...answer, searches };
}

export function unpack(answer: RecordedAnswer, folders: string[]): Answer {
  const searches = answer.searches.map(([name, ranges]) => ({
    name,
    tried: ranges.split(" ").flatMap((range) => {
      if (range === "") return [];
      const [first, last = first] = range.split("-").map(Number);
      return folders.slice(first, last! + 1).map((folder) => folder + name);
    }),
  }));
  return { ...answer, searches };
}

export function startIn(at: string, scene: Scene): Start {
  const { program = "prog", cwd = "", environment = {}, unprivileged } = scene;
  return {
    // A program below the fixture's folder is started by its absolute path, one with leading dots as it is.
    program: program.startsWith(".") || program.startsWith("/") ? program : path.join(at, program),
    cwd: path.join(at, cwd),
    environment,
    ...(unprivileged ? { user: nobody } : {}),
  };
}

/** Runs every fixture with a loader of another system; needs root, and an emulator for another machine. */
export async function record(options: Source & { emulator?: string; cpu: CpuFact }): Promise<Recording> {
  const { emulator, cpu } = options;
  return inRoot(options, (root, facts, answer) => {
    if (emulator !== undefined) build(root, { emulator: fs.readFileSync(emulator) });
    const recording: Recording = { ...facts, cpu, folders: [], answers: {} };
    for (const fixture of fixtures) {
      const through = (program: string) => (emulator === undefined ? [] : ["/emulator", "-0", program]);
      recording.answers[fixture.fact] = pack(answer(fixture, through), recording.folders);
    }
    return recording;
  });
}

/** What one loader says on several processors, of the fixtures that are about them. */
export interface ProcessorRecording extends RecordedLoader {
  folders: string[];
  /** What /proc/cpuinfo would say, by the processor's name. */
  processors: { [name: string]: string };
  /** Processors that say the same share it. */
  answers: { [fact: string]: { on: string[]; answer: RecordedAnswer }[] };
}

/** Needs root, a static qemu-x86_64, gcc and objdump. */
export async function recordProcessors(options: Source & { qemu: string }): Promise<ProcessorRecording> {
  return inRoot(options, (root, facts, answer) => {
    const player = makePlayer(root, path.join(root, facts.loader.file));
    if (typeof player === "string") throw new Error(player);
    build(root, { emulator: fs.readFileSync(options.qemu) });
    const recording: ProcessorRecording = { ...facts, folders: [], processors: {}, answers: {} };
    for (const plan of plans) {
      const played = play(plan, { qemu: [options.qemu], player });
      if (typeof played === "string") throw new Error(played);
      recording.processors[plan.name] = played.cpuinfo;
      const through = (program: string) =>
        played.through ? ["/play-processor", ...played.through.slice(1)] : ["/emulator", ...played.emulator!.slice(1), "-0", program];
      for (const fixture of processorFixtures) {
        const said = pack(answer(fixture, through), recording.folders);
        const known = (recording.answers[fixture.fact] ??= []);
        const same = known.find((other) => JSON.stringify(other.answer) === JSON.stringify(said));
        if (same) same.on.push(plan.name);
        else known.push({ on: [plan.name], answer: said });
      }
    }
    return recording;
  });
}

interface Source {
  source: string;
  loader: string;
  libc: string;
  machine: number;
  kernel: string;
}

/** A root with nothing but a loader and its libc, and how to get its answers. */
async function inRoot<T>(
  options: Source,
  work: (root: string, facts: RecordedLoader, answer: (fixture: Fixture, through: (program: string) => string[]) => Answer) => T,
): Promise<T> {
  const { machine, kernel, source } = options;
  const { folder: root, remove } = temporary();
  const { interpreter, lib } = makeFor(place, machine);
  const libcPath = `/${lib}/libc.so.6`;
  const name = path.basename(options.loader);
  const loaderFile = name === path.basename(interpreter) ? interpreter : `/${lib}/${name}`;
  build(root, { [loaderFile]: fs.readFileSync(options.loader), [libcPath]: fs.readFileSync(options.libc), dev: { folder: true } });
  if (loaderFile !== interpreter) build(root, { [interpreter]: { link: loaderFile } });
  fs.mkdirSync(path.join(root, "proc"));
  // Without /proc a loader does not know where its program lies.
  spawnSync("mount", ["--bind", "/proc", path.join(root, "proc")]);
  spawnSync("mknod", ["-m", "666", path.join(root, "dev/null"), "c", "1", "3"]);
  try {
    const { collector, view } = await openTarget(rootTarget(root));
    await collector!.fetch([
      { path: interpreter, as: "object" },
      { path: interpreter, as: "loader" },
      { path: libcPath, as: "object" },
    ]);
    const fileAt = (name: string) => {
      const fact = view.snapshot.files[name];
      if (fact?.kind !== "file" || fact.object?.kind !== "elf") throw new Error(`${name} cannot be read as ELF`);
      return { path: name, size: fact.size, elf: fact.object, loader: fact.loader };
    };
    const { loader: fact, ...loader } = fileAt(loaderFile);
    const { loader: _none, ...libc } = fileAt(libcPath);
    const facts = { source, machine, kernel, loader: { file: loaderFile, ...loader, path: interpreter, fact: fact! }, libc };
    return work(root, facts, (fixture, through) => {
      const scene = fixture.scene(makeFor(place, machine));
      const at = path.join(root, place);
      fs.rmSync(at, { recursive: true, force: true });
      fs.mkdirSync(at);
      build(at, scene.files);
      const start = startIn(place, scene);
      return liveAnswer({ ...start, root, through: through(start.program) });
    });
  } finally {
    spawnSync("umount", [path.join(root, "proc")]);
    remove();
  }
}

/** Lays the loader and libc of a recording into a snapshot's files. */
export function addRecorded({ loader, libc }: RecordedLoader, files: Snapshot["files"]): void {
  for (const name of [loader.path, loader.file, libc.path, "/dev/null"])
    for (let above = path.dirname(name); above !== "/"; above = path.dirname(above)) files[above] = { kind: "folder" };
  if (loader.path !== loader.file) files[loader.path] = { kind: "link", to: loader.file };
  files[loader.file] = { kind: "file", size: loader.size, object: loader.elf, loader: loader.fact };
  files[libc.path] = { kind: "file", size: libc.size, object: libc.elf };
  files["/dev/null"] = { kind: "special" };
}

// Paths that are too long on purpose would be most of the file.
const long = ["long/".repeat(900), "x".repeat(300)];

export function parse<T>(text: string): T {
  return JSON.parse(text.replaceAll(/<long (\d)>/g, (_, index: string) => long[Number(index)]!)) as T;
}

/** One fixture a line. */
export function serialize({ answers, ...rest }: Recording | ProcessorRecording): string {
  const lines = Object.entries(answers).map(([fact, answer]) => `  ${JSON.stringify(fact)}: ${JSON.stringify(answer)}`);
  const head = Object.entries(rest).map(([key, value]) => ` ${JSON.stringify(key)}: ${JSON.stringify(value)},`);
  const text = `{\n${head.join("\n")}\n "answers": {\n${lines.join(",\n")}\n }\n}\n`;
  return long.reduce((shorter, part, index) => shorter.replaceAll(part, `<long ${index}>`), text);
}
