// Environment modules as a question. What each of these files makes of the variables was taken down from Environment Modules 5.2 and Lmod
// 8.6 themselves (`modulecmd bash load`, `lmod bash load`).
import { describe, expect, test } from "vitest";
import { checkTarget, fixTarget, openTarget, withModules, type ModuleRequest, type Snapshot } from "../../packages/core/src/index.ts";
import { adviceLine } from "../../packages/core/src/lib/shell.ts";
import { root } from "../../packages/machine/src/target/index.ts";
import { pythonRoot } from "../frameworks/python-root.ts";
import type { Files } from "../loader/tree.ts";
import { h200 } from "../report/judged.ts";

const text = (...lines: string[]) => ({ text: `${lines.join("\n")}\n` });

const tcl: Files = {
  "/mf/cuda/12.4": text("#%Module", "set base /usr/local/cuda-12.4", "setenv CUDA_HOME $base", "prepend-path LD_LIBRARY_PATH $base/lib64"),
  "/mf/cudnn/9.1": text(
    "#%Module1.0",
    'proc ModulesHelp { } { puts stderr "prepend-path LD_LIBRARY_PATH /wrong" }',
    'module-whatis "cuDNN {9.1}"',
    "set version 9.1",
    "set root /opt/cudnn-$version",
    "conflict cudnn",
    "if { ![ is-loaded cuda/12.4 ] } {",
    "    module load cuda/12.4",
    "}",
    "if { [module-info mode load] } {",
    "    setenv CUDNN_MODE yes",
    "}",
    "prepend-path LD_LIBRARY_PATH [file join $root lib]",
    "prepend-path -d : LD_LIBRARY_PATH /opt/a /opt/b",
    'append-path LD_LIBRARY_PATH "$root/extra"',
  ),
};
const lua: Files = {
  "/mf/CUDA/12.4.0.lua": text(
    'local root = "/apps/CUDA/12.4.0"',
    'prepend_path("LD_LIBRARY_PATH", pathJoin(root, "lib"))',
    'setenv("EBROOTCUDA", root)',
    'setenv("CUDA_HOME", root)',
  ),
  "/mf/cudnn/9.1.lua": text(
    "help([==[",
    'prepend_path("LD_LIBRARY_PATH", "/wrong")',
    "]==])",
    'local root = "/apps/cudnn/" .. myModuleVersion()',
    'if not ( isloaded("CUDA/12.4.0") ) then',
    '    load("CUDA/12.4.0")',
    "end",
    "-- a comment",
    'prepend_path("LD_LIBRARY_PATH", pathJoin(root, "lib"))',
    'prepend_path("LD_LIBRARY_PATH", "/opt/a:/opt/b")',
    'append_path("LD_LIBRARY_PATH", root .. "/extra")',
    'setenv("CUDNN_HOME", os.getenv("EBROOTCUDA") .. "/x")',
    'if (mode() == "load") then setenv("CUDNN_MODE", "yes") end',
  ),
};

async function loaded(files: Files, requests: (string | ModuleRequest)[], environment: { [name: string]: string } = {}) {
  const examination = await openTarget(root(pythonRoot(files).folder), { cwd: "/run" });
  // As a shell has them, and not as the question does.
  Object.assign(examination.view.snapshot.environment, { MODULEPATH: "/mf", ...environment });
  return withModules(
    examination,
    requests.map((each) => (typeof each === "string" ? { name: each } : each)),
  );
}

async function variables(...given: Parameters<typeof loaded>) {
  const answer = await loaded(...given);
  if ("problem" in answer) throw new Error(answer.problem);
  const { environment, unknown } = answer.view.snapshot;
  return { environment, unknown: unknown.map(({ subject, reason }) => `${subject} ${reason}`) };
}

const before = { LD_LIBRARY_PATH: "/opt/z:/opt/a" };

describe("what loading modules makes of variables", () => {
  test("Tcl: what is there stays where it is", async () => {
    expect(await variables(tcl, ["cudnn/9.1"], before)).toMatchObject({
      environment: {
        LD_LIBRARY_PATH: "/opt/b:/opt/cudnn-9.1/lib:/usr/local/cuda-12.4/lib64:/opt/z:/opt/a:/opt/cudnn-9.1/extra",
        CUDA_HOME: "/usr/local/cuda-12.4",
        CUDNN_MODE: "yes",
      },
      unknown: [],
    });
  });

  test("Lua: what is there is moved", async () => {
    expect(await variables(lua, ["cudnn/9.1"], before)).toMatchObject({
      environment: {
        LD_LIBRARY_PATH: "/opt/a:/opt/b:/apps/cudnn/9.1/lib:/apps/CUDA/12.4.0/lib:/opt/z:/apps/cudnn/9.1/extra",
        CUDA_HOME: "/apps/CUDA/12.4.0",
        CUDNN_HOME: "/apps/CUDA/12.4.0/x",
        CUDNN_MODE: "yes",
      },
      unknown: [],
    });
  });

  test("several values, lists and removals", async () => {
    const file = text(
      "#%Module",
      "prepend-path LD_LIBRARY_PATH /a /b",
      "append-path LD_LIBRARY_PATH /c /d",
      "prepend-path LD_LIBRARY_PATH /e:/f",
      "remove-path LD_LIBRARY_PATH /z",
    );
    expect(await variables({ "/mf/t": file }, ["t"], { LD_LIBRARY_PATH: "/z" })).toMatchObject({
      environment: { LD_LIBRARY_PATH: "/e:/f:/a:/b:/c:/d" },
    });
  });

  test("what is loaded already is not loaded again; what the question sets stays", async () => {
    const shell = { LOADEDMODULES: "cuda/12.4", LD_LIBRARY_PATH: "/own" };
    expect((await variables(tcl, ["cudnn/9.1"], shell)).environment["LD_LIBRARY_PATH"]).not.toContain("cuda-12.4");
    const examination = await openTarget(root(pythonRoot(tcl).folder), { environment: { MODULEPATH: "/mf", LD_LIBRARY_PATH: "/own" } });
    const answer = await withModules(examination, [{ name: "cudnn/9.1" }]);
    expect("problem" in answer ? answer : answer.view.snapshot.environment).toMatchObject({
      LD_LIBRARY_PATH: "/own",
      CUDA_HOME: "/usr/local/cuda-12.4",
    });
  });

  test("what `module show` prints, of both", async () => {
    const dashes = "-".repeat(67);
    const shown = [
      `${dashes}\n/mf/cuda/12.4:\n\nmodule-whatis\t{CUDA}\nsetenv\t\tCUDA_HOME /usr/local/cuda-12.4\nprepend-path\tLD_LIBRARY_PATH /usr/local/cuda-12.4/lib64\n${dashes}\n`,
      `${dashes}\n   /apps/cudnn/9.1.lua:\n${dashes}\nwhatis("cuDNN")\nprepend_path("LD_LIBRARY_PATH","/apps/cudnn/9.1/lib")\nhelp([[cuDNN]])\n`,
    ].join("\n");
    const answer = await loaded({}, [{ file: "-", text: shown }]);
    if ("problem" in answer) throw new Error(answer.problem);
    expect(answer.view.snapshot.environment).toMatchObject({ LD_LIBRARY_PATH: "/apps/cudnn/9.1/lib:/usr/local/cuda-12.4/lib64" });
    expect(answer.modules?.map(({ module, file, name }) => `${module} ${file} ${name}`)).toEqual([
      "cuda/12.4 /mf/cuda/12.4 CUDA_HOME",
      "cuda/12.4 /mf/cuda/12.4 LD_LIBRARY_PATH",
      "cudnn/9.1 /apps/cudnn/9.1.lua LD_LIBRARY_PATH",
    ]);
  });

  test("what is not understood is unknown, by its line; what decides nothing is passed over", async () => {
    const files: Files = {
      "/mf/a": text(
        "#%Module",
        "if { [info exists env(SLURM_JOB_ID)] } {",
        "  prepend-path LD_LIBRARY_PATH /slurm",
        "  prepend-path MANPATH /man",
        "}",
        "prepend-path LD_LIBRARY_PATH [exec pwd]/lib",
        "foreach x {a b} { prepend-path LD_LIBRARY_PATH /$x }",
        "set y [exec date]",
        "setenv NOTE $y",
        "prepend-path LD_LIBRARY_PATH /sure",
        "module load gone/1",
      ),
      "/mf/b.lua": text(
        'local host = capture("hostname")',
        'if (host == "a") then',
        '  prepend_path("LD_LIBRARY_PATH", "/one")',
        "else",
        '  prepend_path("LD_LIBRARY_PATH", "/two")',
        "end",
        'for _, x in ipairs({"a"}) do prepend_path("LD_LIBRARY_PATH", x) end',
        'prepend_path("LD_LIBRARY_PATH", "/sure2")',
      ),
    };
    const { environment, unknown } = await variables(files, ["a", "b"]);
    expect(environment["LD_LIBRARY_PATH"]).toBe("/sure2:/sure");
    expect(unknown.map((each) => each.split(" ")[0])).toEqual([
      "/mf/a:11",
      "/mf/a:3",
      "/mf/a:6",
      "/mf/a:7",
      "/mf/b.lua:3",
      "/mf/b.lua:5",
      "/mf/b.lua:7",
    ]);
  });
});

describe("where a name leads", () => {
  const release = (name: string) => text("#%Module", `setenv CUDNN_HOME /${name}`);
  const homeOf = async (files: Files, name: string) => (await variables(files, [name])).environment["CUDNN_HOME"];

  test("to the highest release, unless one is marked", async () => {
    const releases: Files = { "/mf/cudnn/8.9": release("8.9"), "/mf/cudnn/9.1": release("9.1"), "/mf/cudnn/10.0": release("10.0") };
    expect(await homeOf(releases, "cudnn")).toBe("/10.0");
    expect(await homeOf({ ...releases, "/mf/cudnn/.version": text("#%Module", 'set ModulesVersion "8.9"') }, "cudnn")).toBe("/8.9");
    expect(await homeOf({ ...releases, "/mf/cudnn/.modulerc": text("#%Module", "module-version ./9.1 default") }, "cudnn")).toBe("/9.1");
    expect(await homeOf({ ...releases, "/mf/cudnn/default": { link: "9.1" } }, "cudnn")).toBe("/9.1");
  });

  test("nowhere: the folders and the releases that are there are named", async () => {
    expect(await loaded(tcl, ["cudnn/7"])).toEqual({
      code: "not-found",
      problem: "there is no module `cudnn/7` in /mf; there is cudnn/9.1",
    });
    expect(await loaded({}, ["cudnn"], { MODULEPATH: "" })).toMatchObject({
      code: "not-found",
      problem: expect.stringContaining("--env MODULEPATH=DIR"),
    });
  });
});

describe("findings name the module", () => {
  // The machine of the README, whose LD_LIBRARY_PATH a module sets.
  const folder = "/usr/lib/x86_64-linux-gnu";
  const own = `#%Module\nset root /usr\nprepend-path LD_LIBRARY_PATH $root/lib/x86_64-linux-gnu\n`;
  const machine: Snapshot = {
    ...h200,
    files: {
      ...h200.files,
      "/mf": { kind: "folder", names: ["cudnn"] },
      "/mf/cudnn": { kind: "folder", names: ["9.14"] },
      "/mf/cudnn/9.14": { kind: "file", size: own.length, text: own },
    },
  };
  const question = { programs: [["torch"]], activities: [], python: [] };
  const mixed = "cudnn-parts-from-two-releases";

  test("of the question", async () => {
    const answer = await withModules(await openTarget(machine, { environment: { MODULEPATH: "/mf" } }), [{ name: "cudnn/9.14" }]);
    if ("problem" in answer) throw new Error(answer.problem);
    const judged = await checkTarget(answer, question);
    if ("problem" in judged) throw new Error(judged.problem);
    const found = judged.check.findings.find(({ rule }) => rule === mixed)!;
    expect(found.because.at(-1)).toBe(
      `LD_LIBRARY_PATH=${folder}:/usr/local/nvidia/lib64:/usr/local/nvidia/lib, set in the module cudnn/9.14 (/mf/cudnn/9.14:3)`,
    );
    expect(found.facts.variables).toEqual([{ name: "LD_LIBRARY_PATH", elements: [folder], setAt: [{ file: "/mf/cudnn/9.14", line: 3 }] }]);
    expect(found.advice.map(adviceLine).slice(0, 2)).toEqual([
      "the module cudnn/9.14 set it: unload it: module unload cudnn/9.14",
      `take ${folder} out of LD_LIBRARY_PATH, in the module cudnn/9.14`,
    ]);
  });

  const now = { LOADEDMODULES: "cudnn/9.14", _LMFILES_: "/mf/cudnn/9.14", LD_LIBRARY_PATH: folder };

  test("that is loaded now; unloading it is proven, and its file is nobody's to change", async () => {
    const planned = await fixTarget(await openTarget(machine, { environment: now }), question);
    if ("problem" in planned) throw new Error(planned.problem);
    const { fixes } = planned.plan.findings.find(({ rule }) => rule === mixed)!;
    const unload = fixes.find(({ fix }) => fix === "unload-module");
    expect(unload).toMatchObject({ safety: "display-only", reach: "shell", commands: ["module unload cudnn/9.14"] });
    expect(unload!.proof).toEqual({ removes: expect.arrayContaining([expect.stringContaining(mixed)]), adds: [] });
    expect(fixes.flatMap(({ steps }) => steps)).toEqual([]);
    expect(fixes.find(({ fix, reach }) => fix === "drop-from-path" && reach === "shell")?.warning).toBe(
      "the module cudnn/9.14 sets it again where it is loaded",
    );
  });

  test("a module that gave another element is blamed for nothing", async () => {
    const other = own.replace("$root/lib", "$root/other");
    const files = { ...machine.files, "/mf/cudnn/9.14": { kind: "file" as const, size: other.length, text: other } };
    const judged = await checkTarget(await openTarget({ ...machine, files }, { environment: now }), question);
    if ("problem" in judged) throw new Error(judged.problem);
    expect(judged.check.findings.some(({ rule }) => rule === mixed)).toBe(true);
    expect(JSON.stringify(judged.check.findings)).not.toContain("module cudnn");
  });
});
