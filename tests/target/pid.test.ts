import { execFileSync, spawn, spawnSync, type ChildProcess } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { openTarget, loadsOfFrameworks, loadsOfProgram, checkTarget } from "../../packages/core/src/index.ts";
import { parseMaps, pid, processesMapping } from "../../packages/machine/src/target/pid.ts";
import { hasTool } from "../elf/readelf.ts";
import { asExpected } from "../rules/expected.ts";
import { needs } from "../needs.ts";

const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "culprit-pid-")));
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));
const running: ChildProcess[] = [];
afterEach(() => running.splice(0).forEach((child) => child.kill("SIGKILL")));

test("maps are read as the kernel writes them: names with blanks and newlines, deleted files, devices left out", () => {
  const text = [
    "7f00-7f01 r-xp 00000000 fe:00 123                       /opt/a b/libcudnn.so.9",
    "7f01-7f02 r--p 00001000 fe:00 123                       /opt/a b/libcudnn.so.9",
    "7f02-7f03 r--p 00000000 fe:00 124                       /opt/old/libcudnn_graph.so.9 (deleted)",
    "7f03-7f04 rw-s 00000000 00:05 12                        /dev/nvidia0",
    "7f04-7f05 rw-p 00000000 00:00 0                         [heap]",
    "7f05-7f06 rw-p 00000000 00:00 0 ",
    "7f06-7f07 r--p 00000000 fe:00 125                       /opt/new\\012line.so",
    "7f07-7f08 rw-s 00000000 00:01 9                         /memfd:x (deleted)",
  ].join("\n");
  expect(parseMaps(text)).toEqual([
    { file: "/opt/a b/libcudnn.so.9" },
    { file: "/opt/old/libcudnn_graph.so.9", deleted: true },
    { file: "/opt/new\nline.so" },
  ]);
});

/** A program that opens some libraries and waits. */
async function start(environment: { [name: string]: string }, ...libraries: string[]): Promise<ChildProcess> {
  const code = `import ctypes,sys,time\nfor f in sys.argv[1:]: ctypes.CDLL(f)\nprint("ready",flush=True)\ntime.sleep(600)`;
  const child = spawn("python3", ["-c", code, ...libraries], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  running.push(child);
  await new Promise((resolve) => child.stdout!.once("data", resolve));
  return child;
}

function library(folder: string, name: string): string {
  const file = path.join(scratch, folder, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(path.join(scratch, "empty.c"), "int nothing;\n");
  execFileSync("gcc", ["-shared", "-fPIC", "-o", file, path.join(scratch, "empty.c"), `-Wl,-soname,${name}`]);
  return file;
}

describe("a running process", needs({ gcc: hasTool("gcc"), python3: hasTool("python3") }), () => {
  const judge = async (child: ChildProcess) => {
    const judged = await checkTarget(await openTarget(pid(child.pid!)), { programs: [], activities: [], python: [] });
    if ("problem" in judged) throw new Error(judged.problem);
    asExpected(judged.check.findings);
    return judged;
  };

  test("is seen with its own variables, folder and maps, without attaching to it", async () => {
    const file = library("one", "libcudnn.so.9");
    const child = await start({ LD_LIBRARY_PATH: "/nowhere", CUDA_HOME: "/opt/cuda" }, file);
    const { stack } = await judge(child);
    expect(stack.variables).toMatchObject({ LD_LIBRARY_PATH: "/nowhere", CUDA_HOME: "/opt/cuda" });
    expect(stack.runs.find((run) => run.running)!.loads.loads.map((load) => load.file)).toContain(file);
    expect(processesMapping((mapped) => mapped === file).pids).toEqual([child.pid]);
  });

  test("with a library that was replaced since is told to be restarted; one whose library is as it was is not", async () => {
    const file = library("two", "libcudnn.so.9");
    const child = await start({}, file);
    expect((await judge(child)).check.findings.map(({ rule }) => rule)).toEqual([]);
    fs.rmSync(file);
    library("two", "libcudnn.so.9");
    const { check } = await judge(child);
    expect(check.findings).toMatchObject([{ rule: "library-replaced-while-running", subject: file, severity: "warning" }]);
  });

  test("whose libraries were removed together is told so once", async () => {
    const files = ["libcudart.so.12", "libcudnn.so.9", "libnccl.so.2"].map((name) => library("three/all", name));
    const child = await start({}, ...files);
    fs.rmSync(path.join(scratch, "three"), { recursive: true });
    const { check } = await judge(child);
    expect(check.findings).toMatchObject([
      {
        rule: "library-replaced-while-running",
        message: expect.stringMatching(/ and 2 other libraries that were removed on the disk$/),
      },
    ]);
    expect([check.findings[0]!.subject, ...check.findings[0]!.evidence].sort()).toEqual(files.sort());
  });

  test("runs in the environment that it has modules of, wherever that is", async () => {
    const home = path.join(scratch, "hidden", "env");
    execFileSync("python3", ["-m", "venv", "--without-pip", home]);
    const packages = path.join(home, "lib", fs.readdirSync(`${home}/lib`)[0]!, "site-packages");
    fs.mkdirSync(`${packages}/torch-2.4.0.dist-info`);
    fs.writeFileSync(`${packages}/torch-2.4.0.dist-info/METADATA`, "Name: torch\nVersion: 2.4.0\n");
    const file = path.join(packages, "torch/lib/libc10.so");
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.renameSync(library("hidden", "libc10.so"), file);
    const child = await start({}, file);
    const { stack } = await judge(child);
    expect(stack.environments.map(({ prefix }) => prefix)).toEqual([home]);
    const answer = await loadsOfFrameworks(await openTarget(pid(child.pid!)), { frameworks: ["torch"], activities: [], python: [] });
    expect(answer).not.toHaveProperty("problem");
  });

  test("that is Python and has imported nothing is judged with all that its environment has", async () => {
    const home = path.join(scratch, "idle", "env");
    execFileSync("python3", ["-m", "venv", "--without-pip", home]);
    const packages = path.join(home, "lib", fs.readdirSync(`${home}/lib`)[0]!, "site-packages");
    fs.mkdirSync(`${packages}/torch-2.4.0.dist-info`);
    fs.writeFileSync(`${packages}/torch-2.4.0.dist-info/METADATA`, "Name: torch\nVersion: 2.4.0\n");
    const child = spawn(`${home}/bin/python`, ["-c", "print(1, flush=True); import time; time.sleep(60)"]);
    running.push(child);
    await new Promise((resolve) => child.stdout.once("data", resolve));
    const { stack } = await judge(child);
    expect(stack.environments.map(({ prefix }) => prefix)).toEqual([home]);
    expect(stack.runs.flatMap(({ programs }) => programs.map(({ id }) => id))).toContain("torch");
  });

  test("that would be given another copy at its next start is said to be unusual; one that would not, is not", async () => {
    const first = library("next/first", "libcudart.so.12");
    const second = library("next/second", "libcudart.so.12");
    fs.writeFileSync(
      `${scratch}/waits.c`,
      '#include <unistd.h>\nextern int nothing;\nint main() { nothing = 1; write(1, "ready", 5); sleep(600); }\n',
    );
    execFileSync("gcc", ["-o", `${scratch}/next/waits`, `${scratch}/waits.c`, first]);
    fs.symlinkSync("first", `${scratch}/next/link`);
    const child = spawn(`${scratch}/next/waits`, {
      env: { LD_LIBRARY_PATH: `${scratch}/next/link` },
      stdio: ["ignore", "pipe", "inherit"],
    });
    running.push(child);
    await new Promise((resolve) => child.stdout!.once("data", resolve));
    const findings = async () => (await judge(child)).check.findings.filter(({ rule }) => rule === "process-differs-from-foreseen");
    expect(await findings()).toEqual([]);
    fs.rmSync(`${scratch}/next/link`);
    fs.symlinkSync("second", `${scratch}/next/link`);
    const [finding] = await findings();
    expect(finding).toMatchObject({ severity: "info", subject: first, message: expect.stringContaining(second) });
  });

  test("has something of a GPU by what it loads, or by what it opened since", async () => {
    expect((await judge(await start({}))).check.judged).toMatchObject([{ cpuOnly: true, activities: ["import"] }]);
    const { judged } = (await judge(await start({}, library("six", "libcupti.so.12")))).check;
    expect(judged.filter(({ cpuOnly }) => cpuOnly)).toEqual([]);
  });

  test("with two copies of one library has a finding that names both", async () => {
    const [first, second] = [library("three", "libnccl.so.2"), library("four", "libnccl.so.2")];
    const { check } = await judge(await start({}, first, second));
    expect(check.findings).toMatchObject([{ rule: "two-copies" }]);
    expect(check.findings[0]!.message).toContain(first);
    expect(check.findings[0]!.message).toContain(second);
  });
});

test("all processes with a GPU library are found and examined", needs({ gcc: hasTool("gcc"), python3: hasTool("python3") }), async () => {
  const child = await start({}, library("five", "libcupti.so.12"));
  const { stdout } = spawnSync(process.execPath, ["dist/cli.js", "check", "--all-processes", "--json"], { encoding: "utf8" });
  const answer = JSON.parse(stdout) as { schema: string; processes: { pid: number; check: { target: { kind: string } } }[] };
  expect(answer.schema).toBe("culprit/processes@1");
  expect(answer.processes.find((each) => each.pid === child.pid)).toMatchObject({ check: { target: { kind: "process" } } });
});

test("what does not go with all processes is refused, and what is no process is said to be none", () => {
  const refused = (...given: string[]) => {
    const { status, stderr } = spawnSync(process.execPath, ["dist/cli.js", "check", ...given], { encoding: "utf8" });
    expect([given, status, stderr.trim().split("\n").length]).toEqual([given, 2, 1]);
    return stderr;
  };
  for (const other of [["ssh:a"], ["--root", "/"], ["--sarif"], ["--for", "torch"]]) refused("--all-processes", ...other);
  expect(refused("pid:4194305")).toContain("there is no process 4194305");
});

// A C program in a root of its own, linked with a library that calls itself cudart.
describe(
  "a process elsewhere",
  needs({ root: process.getuid?.() === 0, gcc: hasTool("gcc"), namespaces: spawnSync("unshare", ["-mn", "true"]).status === 0 }),
  () => {
    const top = path.join(scratch, "elsewhere");
    const build = () => {
      fs.mkdirSync(`${top}/opt/cuda/lib64`, { recursive: true });
      fs.writeFileSync(`${scratch}/cudart.c`, "int cudaFree(void *p) { return 0; }\n");
      fs.writeFileSync(
        `${scratch}/waits.c`,
        '#include <unistd.h>\nint cudaFree(void *);\nint main() { cudaFree(0); write(1, "ready", 5); sleep(600); }\n',
      );
      const gcc = (...given: string[]) => execFileSync("gcc", given, { cwd: scratch });
      gcc("-shared", "-fPIC", "-o", `${top}/opt/cuda/lib64/libcudart.so.12`, "cudart.c", "-Wl,-soname,libcudart.so.12");
      gcc(
        "-o",
        `${top}/waits`,
        "waits.c",
        `${top}/opt/cuda/lib64/libcudart.so.12`,
        "-Wl,-rpath,/opt/cuda/lib64",
        "-Wl,--disable-new-dtags",
      );
      for (const line of execFileSync("ldd", [`${top}/waits`], { encoding: "utf8" }).split("\n")) {
        const file = /(\/\S+) \(0x/.exec(line)?.[1];
        if (file === undefined || file.startsWith("/opt/")) continue;
        fs.mkdirSync(path.dirname(top + file), { recursive: true });
        fs.copyFileSync(fs.realpathSync(file), top + file);
      }
    };
    test.each([
      ["a chroot", ["chroot", top, "/waits"]],
      ["a chroot in mount and network namespaces of its own", ["unshare", "-mn", "chroot", top, "/waits"]],
      [
        "a container, with its root turned",
        ["unshare", "-mn", "sh", "-c", `mount --bind ${top} ${top} && cd ${top} && mkdir -p old && pivot_root . old && exec /waits`],
      ],
    ])("in %s is seen with its own paths, and has mapped what we would predict for it", async (_where, [program, ...given]) => {
      if (!fs.existsSync(`${top}/waits`)) build();
      const child = spawn(program!, given, {
        env: { PATH: `${process.env["PATH"]}:/usr/sbin:/sbin` },
        stdio: ["ignore", "pipe", "inherit"],
      });
      running.push(child);
      await new Promise((resolve) => child.stdout!.once("data", resolve));
      const target = pid(child.pid!);
      const { running: seen } = await target.process();
      expect(seen!.executable).toBe("/waits");
      const { loads, failures } = await loadsOfProgram(await openTarget(target), "/waits");
      expect(failures).toEqual([]);
      expect(loads.map(({ file }) => file).sort()).toEqual(
        seen!.maps
          .map(({ file }) => file)
          .filter((file) => file !== "/waits")
          .sort(),
      );
      expect(loads.map(({ file }) => file)).toContain("/opt/cuda/lib64/libcudart.so.12");
    });
  },
);

test("a process that is not there is said in one sentence", () => {
  expect(() => pid(2 ** 22 + 1)).toThrow(/there is no process/);
});
