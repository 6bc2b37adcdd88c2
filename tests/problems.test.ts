// A server, a page or an agent decides by the code of a problem what to do about it; its sentence is for people.
import { expect, expectTypeOf, test } from "vitest";
import * as library from "../packages/core/src/index.ts";
import type { Problem, ProblemCode, Snapshot } from "../packages/core/src/index.ts";
import type * as targets from "../packages/machine/src/target/index.ts";

const {
  checkDependencyFile,
  checkTarget,
  cpuNamed,
  diffDependencyFiles,
  findObjects,
  fixTarget,
  loadsOfFrameworks,
  openTarget,
  readProject,
  readSnapshot,
  solveRequest,
  whyOfFrameworks,
} = library;

type Returned<F> = F extends (...given: never[]) => infer Answer ? Awaited<Answer> : never;
type WithoutCode<Answer> = Answer extends { problem: string } ? (Answer extends Problem ? never : Answer) : never;
type Uncoded<Exports> = { [Name in keyof Exports]: WithoutCode<Returned<Exports[Name]>> extends never ? never : Name }[keyof Exports];

test("every problem that a public function returns has a code", () => {
  expectTypeOf<Uncoded<typeof library>>().toBeNever();
  expectTypeOf<Uncoded<typeof targets>>().toBeNever();
  // The question can be answered with yes.
  expectTypeOf<Uncoded<{ bare(): Promise<{ problem: string } | string>; coded(): Problem }>>().toEqualTypeOf<"bare">();
});

const document: Snapshot = {
  schema: "culprit/snapshot@1",
  culprit: "0",
  target: { kind: "machine" },
  environment: {},
  cwd: "/",
  user: { uid: 0, gid: 0 },
  cpu: {},
  files: { "/": { kind: "folder", names: [] } },
  unknown: [],
};
const examination = () => openTarget(document);
const run = (...frameworks: string[]) => ({ frameworks, activities: [], python: [] });
const question = { programs: [], activities: [], python: [] };
const file = (name: string, text: string) => ({ file: name, text, read: async () => ({ problem: "is not there" }) });

// An environment with nothing in it; and one whose packages nobody may list.
const site = "/opt/env/lib/python3.12/site-packages";
const folders = (names: { [folder: string]: string[] }): Snapshot["files"] =>
  Object.fromEntries(Object.entries(names).map(([folder, list]) => [folder, { kind: "folder", names: list }]));
const environment = (packages: Snapshot["files"]): Snapshot => ({
  ...document,
  environment: { VIRTUAL_ENV: "/opt/env" },
  files: {
    ...folders({
      "/": ["opt"],
      "/opt": ["env"],
      "/opt/env": ["bin", "lib", "pyvenv.cfg"],
      "/opt/env/bin": ["python"],
      "/opt/env/lib": ["python3.12"],
      "/opt/env/lib/python3.12": ["site-packages"],
    }),
    "/opt/env/pyvenv.cfg": { kind: "file", size: 14, text: "version = 3.12" },
    "/opt/env/bin/python": { kind: "file", size: 1 },
    ...packages,
  },
});
const inEnvironment = async (packages: Snapshot["files"]) => loadsOfFrameworks(await openTarget(environment(packages)), run("torch"));

const situations: [situation: string, code: ProblemCode, ask: () => unknown][] = [
  ["a snapshot that is empty", "damaged", () => readSnapshot("")],
  ["a snapshot that is cut off", "damaged", () => readSnapshot('{ "schema": ')],
  ["a snapshot that breaks its schema", "damaged", () => readSnapshot(JSON.stringify({ ...document, files: 7 }))],
  ["a snapshot of a newer release", "unsupported", () => readSnapshot('{ "schema": "culprit/snapshot@99" }')],
  ["another document", "unsupported", () => readSnapshot('{ "schema": "culprit/check@1" }')],
  ["a text that would unfold without end", "too-large", () => readSnapshot("[".repeat(10_000))],
  ["a project file that is no JSON", "damaged", () => readProject("accept: all")],
  ["a project file that would unfold without end", "too-large", () => readProject("[".repeat(10_000))],
  ["a processor of nobody", "bad-question", () => cpuNamed("abacus:v3")],
  ["a framework that nobody knows", "not-known", async () => loadsOfFrameworks(await examination(), run("abacus"))],
  ["no Python anywhere", "not-found", async () => whyOfFrameworks(await examination(), "libcudnn.so.9", run("torch"))],
  ["a folder without Python", "not-found", async () => loadsOfFrameworks(await examination(), { ...run("torch"), python: ["/opt"] })],
  ["a framework that is not in the environment", "not-installed", () => inEnvironment(folders({ [site]: [] }))],
  ["an environment that may not be listed", "unreadable", () => inEnvironment({ [site]: { kind: "folder", unlistable: "EACCES" } })],
  ["a folder that is not there", "not-found", async () => findObjects(await examination(), ["/nowhere"])],
  [
    "programs that share no process",
    "bad-question",
    async () => checkTarget(await examination(), { ...question, programs: [["torch", "/bin/a"]] }),
  ],
  ["a finding that is not there", "not-found", async () => fixTarget(await examination(), question, "driver-too-old")],
  ["a requirement that is none", "bad-question", () => solveRequest({ requirements: ["torch=>2"] })],
  ["a GPU that nobody knows", "not-known", () => solveRequest({ requirements: ["torch"], gpus: ["Abacus 9"] })],
  ["a package that nobody knows", "not-known", () => solveRequest({ requirements: ["abacus"] })],
  ["a build for other GPUs", "unsupported", () => solveRequest({ requirements: ["torch[rocm]"] })],
  ["nothing to solve for", "bad-question", () => solveRequest({ requirements: ["python==3.12"] })],
  ["a file that says nothing of installing", "unsupported", () => checkDependencyFile(file("poem.odt", "Roses are red"))],
  ["a lock file that is cut off", "damaged", () => checkDependencyFile(file("poetry.lock", "[[package"))],
  ["a Python that nobody knows", "not-known", () => checkDependencyFile({ ...file("requirements.txt", "torch"), python: "2.7" })],
  [
    "a day that is none",
    "bad-question",
    () => diffDependencyFiles({ file: "colab:x", colab: "x", read: file("", "").read }, file("requirements.txt", "")),
  ],
];

test.each(situations)("%s: %s", async (_, code, ask) => {
  expect(await ask()).toEqual({ code, problem: expect.stringMatching(/\w/) });
});

test("every code is of use", () => {
  const all: { [Code in ProblemCode]: true } = {
    "bad-question": true,
    "not-known": true,
    "not-found": true,
    "not-installed": true,
    unreadable: true,
    damaged: true,
    unsupported: true,
    "too-large": true,
  };
  expect(new Set(situations.map(([, code]) => code))).toEqual(new Set(Object.keys(all)));
});
