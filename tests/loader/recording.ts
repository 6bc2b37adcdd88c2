// What loaders of other glibc versions and machines said, written down so that any machine can check the replay against it.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { beginExamination, type CpuFact, type ElfFact, type LoaderFact } from "../../src/index.ts";
import { root as rootTarget } from "../../src/target/index.ts";
import { liveAnswer, type Answer, type Start } from "./answers.ts";
import { fixtures, makeFor, nobody, type Scene } from "./fixtures.ts";
import { build, temporary } from "./tree.ts";

/** Where fixtures lie in the root of a recording. */
export const place = "/f";

export interface Recording {
  /** Of which file, for people. */
  source: string;
  machine: number;
  cpu: CpuFact;
  kernel: string;
  /** `file` is what `path` is a link to: older loaders have their version in that name alone. */
  loader: { path: string; file: string; size: number; fact: LoaderFact; elf: ElfFact };
  libc: { path: string; size: number; elf: ElfFact };
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
export async function record(options: {
  source: string;
  loader: string;
  libc: string;
  machine: number;
  emulator?: string;
  cpu: CpuFact;
  kernel: string;
}): Promise<Recording> {
  const { machine, emulator, cpu, kernel, source } = options;
  const { folder: root, remove } = temporary();
  const { interpreter, lib } = makeFor(place, machine);
  const libcPath = `/${lib}/libc.so.6`;
  const name = path.basename(options.loader);
  const loaderFile = name === path.basename(interpreter) ? interpreter : `/${lib}/${name}`;
  build(root, { [loaderFile]: fs.readFileSync(options.loader), [libcPath]: fs.readFileSync(options.libc), dev: { folder: true } });
  if (loaderFile !== interpreter) build(root, { [interpreter]: { link: loaderFile } });
  if (emulator !== undefined) build(root, { emulator: fs.readFileSync(emulator) });
  fs.mkdirSync(path.join(root, "proc"));
  // Without /proc a loader does not know where its program lies.
  spawnSync("mount", ["--bind", "/proc", path.join(root, "proc")]);
  spawnSync("mknod", ["-m", "666", path.join(root, "dev/null"), "c", "1", "3"]);
  try {
    const { collector, view } = await beginExamination(rootTarget(root));
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
    const recording: Recording = {
      source,
      machine,
      cpu,
      kernel,
      loader: { file: loaderFile, ...loader, path: interpreter, fact: fact! },
      libc,
      folders: [],
      answers: {},
    };
    for (const fixture of fixtures) {
      const scene = fixture.scene(makeFor(place, machine));
      const at = path.join(root, place);
      fs.rmSync(at, { recursive: true, force: true });
      fs.mkdirSync(at);
      build(at, scene.files);
      const start = startIn(place, scene);
      const through = emulator === undefined ? [] : ["/emulator", "-0", start.program];
      recording.answers[fixture.fact] = pack(liveAnswer({ ...start, root, through }), recording.folders);
    }
    return recording;
  } finally {
    spawnSync("umount", [path.join(root, "proc")]);
    remove();
  }
}

// Paths that are too long on purpose would be most of the file.
const long = ["long/".repeat(900), "x".repeat(300)];

export function parse(text: string): Recording {
  return JSON.parse(text.replaceAll(/<long (\d)>/g, (_, index: string) => long[Number(index)]!)) as Recording;
}

/** One fixture a line. */
export function serialize({ answers, ...rest }: Recording): string {
  const lines = Object.entries(answers).map(([fact, answer]) => `  ${JSON.stringify(fact)}: ${JSON.stringify(answer)}`);
  const head = Object.entries(rest).map(([key, value]) => ` ${JSON.stringify(key)}: ${JSON.stringify(value)},`);
  const text = `{\n${head.join("\n")}\n "answers": {\n${lines.join(",\n")}\n }\n}\n`;
  return long.reduce((shorter, part, index) => shorter.replaceAll(part, `<long ${index}>`), text);
}
