import { describe, expect, test } from "vitest";
import { firstToolkitFor, firstToolkitForStudio, gccNamed, newestGcc } from "../../packages/core/src/knowledge/host-compilers.ts";
import { declared, short } from "../declare/declared.ts";
import { glibcLoader } from "../loader/answers.ts";
import type { Files } from "../loader/tree.ts";
import { needs } from "../needs.ts";
import { findings, healthy, named, packaged, toolkit } from "./python-stack.ts";

const rule = "host-compiler-too-new";
/** gcc as Debian has it. */
const gcc = (major: number): Files => ({
  "/usr/bin/gcc": { link: `gcc-${major}` },
  [`/usr/bin/gcc-${major}`]: { link: `x86_64-linux-gnu-gcc-${major}` },
  [`/usr/bin/x86_64-linux-gnu-gcc-${major}`]: { text: "" },
});
const path = { PATH: "/usr/local/cuda-12.1/bin:/usr/bin" };
const home = { ...path, CUDA_HOME: "/usr/local/cuda-12.1" };
const found = async (files: Files, environment: { [name: string]: string }) =>
  (await findings(files, { environment })).filter((each) => each.rule === rule);

describe("a gcc that nvcc does not take", needs({ glibc: glibcLoader }), () => {
  const machine = { ...healthy(), ...toolkit("12.1"), ...gcc(13) };

  test("it is a warning where a variable chooses the toolkit, and a note where it only lies there", async () => {
    const [finding, ...others] = await found(machine, home);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ severity: "warning", cause: "toolkit-too-old", breaks: [] });
    expect(finding!.message).toBe("nvcc of CUDA 12.1 takes gcc up to 12, and would find gcc 13: whatever compiles CUDA code here fails");
    expect(finding!.advice[0]!.command).toEqual(["export", "CC=gcc-12", "CXX=g++-12", "NVCC_CCBIN=g++-12"]);
    expect(finding!.advice[1]!.words).toContain("CUDA 12.4 or newer");
    expect(named(await found(machine, path))).toEqual([`info ${rule}`]);
  });

  test("a gcc without a number in its name is known by the folder of its files", async () => {
    const redHat = {
      ...healthy(),
      ...toolkit("12.1"),
      "/usr/bin/gcc": { text: "" },
      "/usr/lib/gcc/x86_64-redhat-linux/13/crtbegin.o": { text: "" },
    };
    expect(named(await found(redHat, home))).toEqual([`warning ${rule}`]);
  });

  test.each([
    ["pycuda", "2024.1.2"],
    ["deepspeed", "0.16.4"],
  ])("%s compiles when it runs", async (name, version) => {
    expect(named(await found({ ...machine, ...packaged(name, version) }, path))).toEqual([`warning ${rule}`]);
  });

  test.each([
    ["a gcc that it takes", { ...healthy(), ...toolkit("12.1"), ...gcc(12) }, home],
    ["a variable that names an older one", machine, { ...home, CC: "gcc-12" }],
    ["a variable that nobody can read", machine, { ...home, NVCC_PREPEND_FLAGS: "-ccbin /opt/gcc/bin/g++" }],
    ["no gcc at all", { ...healthy(), ...toolkit("12.1") }, home],
    ["no nvcc", { ...healthy(), ...gcc(13) }, { PATH: "/usr/bin" }],
    [
      "a toolkit of which it is not known",
      { ...healthy(), ...toolkit("13.4"), ...gcc(16) },
      { PATH: "/usr/bin", CUDA_HOME: "/usr/local/cuda-13.4" },
    ],
  ])("%s is fine", async (_what, files, environment) => {
    expect(await found(files, environment)).toEqual([]);
  });
});

test("in a Dockerfile: an image with nvcc, and a variable that names a newer gcc", async () => {
  const file = (image: string, name: string) =>
    declared("Dockerfile", `FROM nvidia/cuda:${image}\nRUN apt-get install -y gcc-12 g++-12\nENV ${name}\nRUN pip install torch==2.1.2\n`);
  const of = async (...given: Parameters<typeof file>) => short(await file(...given)).filter((each) => each.includes(rule));
  expect(await of("11.8.0-devel-ubuntu22.04", "CC=gcc-12 CXX=g++-12")).toEqual(["warning host-compiler-too-new 3"]);
  expect(await of("11.8.0-devel-ubuntu22.04", "CC=gcc-11")).toEqual([]);
  expect(await of("11.8.0-runtime-ubuntu22.04", "CC=gcc-12")).toEqual([]);
  expect(await of("12.4.1-devel-ubuntu22.04", "CC=gcc-12")).toEqual([]);
});

test("the table, as headers and guides have it", () => {
  expect(newestGcc("11.8.0")).toMatchObject({ gcc: 11, certain: true });
  expect(newestGcc("12.9")?.gcc).toBe(14);
  expect(newestGcc("14.0")).toBeUndefined();
  expect(firstToolkitFor(12)).toBe("12.0");
  expect(firstToolkitFor(16)).toBe("13.4");
  expect(firstToolkitFor(99)).toBeUndefined();
  expect([1939, 1940, 1950, 1960].map(firstToolkitForStudio)).toEqual(["12.0", "12.4", "13.2", undefined]);
  expect(["gcc-12", "/usr/bin/x86_64-linux-gnu-gcc-12", "g++-12"].map(gccNamed)).toEqual([12, 12, 12]);
  expect(["gcc", "clang-15", "ccache gcc"].map(gccNamed)).toEqual([undefined, undefined, undefined]);
});
