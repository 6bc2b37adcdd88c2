// Programs of one's own in the folder of their build. The texts are those that CMake 3.25 wrote for such programs, shortened.
import { describe, expect, test } from "vitest";
import { checkTarget, fixTarget, loadsOfProgram, openTarget } from "../../packages/core/src/index.ts";
import { adviceLine } from "../../packages/core/src/lib/shell.ts";
import { root } from "../../packages/machine/src/target/index.ts";
import { library, pythonRoot } from "../frameworks/python-root.ts";
import { glibcLoader } from "../loader/answers.ts";
import { makeElf, type Plan } from "../loader/make-elf.ts";
import type { Files } from "../loader/tree.ts";
import { needs } from "../needs.ts";
import { judge, machineWith, verdicts, withKernels } from "./gpu-root.ts";

const build = "/src/build";
const machine = machineWith("570.86.10", ["NVIDIA H100 PCIe"]);

const header = (version: string) => {
  const [major, minor, patch] = version.split(".");
  return {
    text: `#ifndef CUDNN_VERSION_H_\n#define CUDNN_MAJOR ${major}\n#define CUDNN_MINOR ${minor}\n#define CUDNN_PATCHLEVEL ${patch}\n`,
  };
};

/** cuDNN as NVIDIA's packages lay it out, in a folder of its own. */
function cudnn(version: string): Files {
  const home = `/opt/cudnn-${version}`;
  const soname = `libcudnn.so.${version.split(".")[0]}`;
  return {
    [`${home}/include/cudnn_version.h`]: header(version),
    [`${home}/lib/libcudnn.so.${version}`]: library(soname, { runpath: "$ORIGIN" }),
    [`${home}/lib/${soname}`]: { link: `libcudnn.so.${version}` },
    [`${home}/lib/libcudnn.so`]: { link: soname },
    ...(soname.endsWith("9") ? { [`${home}/lib/libcudnn_graph.so.9`]: library("libcudnn_graph.so.9") } : {}),
  };
}

interface Made {
  headers: string;
  linked: string;
  plan?: Plan;
}

/** What CMake's Makefiles leave behind. */
function made({ headers, linked, plan }: Made): Files {
  const target = `${build}/CMakeFiles/prog.dir`;
  const soname = `libcudnn.so.${linked.split(".")[0]}`;
  return {
    ...machine,
    [`${build}/CMakeCache.txt`]: { text: "CMAKE_HOME_DIRECTORY:INTERNAL=/src\nCMAKE_CACHEFILE_DIR:INTERNAL=/src/build\n" },
    [`${build}/CMakeFiles/TargetDirectories.txt`]: { text: `${target}\n${build}/CMakeFiles/edit_cache.dir\n` },
    [`${target}/flags.make`]: {
      text: `CXX_DEFINES = -DTOKEN=x\n\nCXX_INCLUDES = -isystem /opt/cudnn-${headers}/include\n\nCXX_FLAGS = -O2\n`,
    },
    [`${target}/link.txt`]: {
      text: `/usr/bin/c++ -O2 CMakeFiles/prog.dir/main.cpp.o -o prog  -Wl,-rpath,/opt/cudnn-${linked}/lib /opt/cudnn-${linked}/lib/libcudnn.so \n`,
    },
    [`${build}/prog`]: makeElf({ program: true, needed: [soname], runpath: `/opt/cudnn-${linked}/lib`, ...plan }),
    [`${build}/notes.txt`]: { text: "not a program" },
    ...cudnn(headers),
    ...cudnn(linked),
  };
}

const asked = { programs: [[build]] };

describe("headers and libraries of a program's build", needs({ glibc: glibcLoader }), () => {
  test("the same release, a newer library and another patch are silent", async () => {
    expect(await judge(made({ headers: "9.1.0", linked: "9.1.0" }), asked, true)).toEqual([]);
    expect(verdicts(await judge(made({ headers: "9.1.0", linked: "9.27.0" }), asked))).toEqual([]);
    expect(verdicts(await judge(made({ headers: "9.1.1", linked: "9.1.0" }), asked))).toEqual([]);
  });

  test("headers of a newer minor are a risk, with the header and the file that say so", async () => {
    const [found, ...others] = await judge(made({ headers: "9.27.0", linked: "9.1.0" }), asked);
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      rule: "headers-of-another-release",
      severity: "warning",
      subject: "/src/build/prog with libcudnn.so.9",
      endangers: [{ framework: "/src/build/prog", activity: "device" }],
      evidence: [
        "/opt/cudnn-9.27.0/include/cudnn_version.h says 9.27.0",
        "linked against /opt/cudnn-9.1.0/lib/libcudnn.so, which is 9.1.0",
      ],
    });
    expect(found!.advice.map(adviceLine).at(-1)).toBe(
      "or compile /src/build/prog with the headers of cuDNN 9.1.0, not with those in /opt/cudnn-9.27.0/include",
    );
  });

  test("headers of another major are a risk either way", async () => {
    expect(verdicts(await judge(made({ headers: "8.9.7", linked: "9.1.0" }), asked))).toEqual(["headers-of-another-release warning"]);
    expect(verdicts(await judge(made({ headers: "9.1.0", linked: "8.9.7" }), asked))).toEqual(["headers-of-another-release warning"]);
  });

  test("headers of another major do not decide which wheel brings a library that is missing", async () => {
    const files = Object.fromEntries(
      Object.entries(made({ headers: "8.9.7", linked: "9.1.0" })).filter(([file]) => !file.startsWith("/opt/cudnn-9.1.0/lib/")),
    );
    const found = (await judge(files, asked)).find(({ rule }) => rule === "library-missing");
    const lines = found!.advice.map(adviceLine).join("\n");
    expect(lines).toContain("nvidia-cudnn-cu");
    expect(lines).not.toContain("<9");
  });

  test("what a variable puts before the right copy is taken out of it", async () => {
    const files = { ...made({ headers: "9.27.0", linked: "9.27.0" }), ...cudnn("9.1.0") };
    const environment = { LD_LIBRARY_PATH: "/opt/cudnn-9.1.0/lib" };
    const [found, ...others] = await judge(files, { ...asked, environment });
    expect(others).toEqual([]);
    expect(found!.advice.map(adviceLine)).toContain("take /opt/cudnn-9.1.0/lib out of LD_LIBRARY_PATH");
    expect(await judge(files, asked)).toEqual([]);
  });

  test.each([
    ["RUNPATH", { runpath: "/opt/cudnn-9.1.0/lib" }, "patchelf --set-rpath", true],
    // An RPATH goes before LD_LIBRARY_PATH: that would change nothing.
    ["RPATH", { runpath: undefined, rpath: "/opt/cudnn-9.1.0/lib" }, "patchelf --force-rpath --set-rpath", false],
  ])("where its own %s leads to another copy, the right folder goes before it", async (_tag, plan, command, helpsVariable) => {
    const files = { ...made({ headers: "9.27.0", linked: "9.27.0", plan: plan as Plan }), ...cudnn("9.1.0") };
    const [found] = await judge(files, asked);
    const lines = found!.advice.map(adviceLine);
    expect(lines).toContain(`or change prog as it is: ${command} /opt/cudnn-9.27.0/lib:/opt/cudnn-9.1.0/lib /src/build/prog`);
    expect(lines.some((line) => line.includes("LD_LIBRARY_PATH"))).toBe(helpsVariable);
  });

  test("a RUNPATH that leads to a folder that was moved since is told", async () => {
    const files = made({ headers: "9.1.0", linked: "9.1.0", plan: { runpath: "/opt/cudnn-9.2.0/lib:$ORIGIN" } });
    const moved = Object.fromEntries(Object.entries(files).filter(([name]) => !name.startsWith("/opt/cudnn-")));
    const [found] = await judge(moved, asked);
    expect(found).toMatchObject({ rule: "library-missing", severity: "error" });
    expect(found!.because).toContain("the RUNPATH of prog leads to /opt/cudnn-9.2.0/lib, which is not there");
  });

  // Seen with nvidia-cudnn-cu12 9.10.2.21, gcc 12 and CMake 3.25: the command of the advice makes the program start.
  test.each(["-L/opt/cudnn-9.1.0/lib -l:libcudnn.so.9", "-L/opt/cudnn-9.1.0/lib -lcudnn", "/opt/cudnn-9.1.0/lib/libcudnn.so.9"])(
    "linked by %s and without an RPATH: where the linker found it is told",
    async (words) => {
      const files = made({ headers: "9.1.0", linked: "9.1.0", plan: { runpath: "/opt/elsewhere" } });
      const link = { text: `/usr/bin/c++ CMakeFiles/prog.dir/main.cpp.o -o prog ${words}\n` };
      const [found, ...others] = await judge({ ...files, [`${build}/CMakeFiles/prog.dir/link.txt`]: link }, asked);
      expect(others).toEqual([]);
      expect(found).toMatchObject({ rule: "library-not-on-path", severity: "error", subject: "libcudnn.so.9" });
      expect(adviceLine(found!.advice[0]!)).toContain("env LD_LIBRARY_PATH=/opt/cudnn-9.1.0/lib COMMAND");
    },
  );

  test("an installed program, and its library in the folder beside, that nothing leads to", async () => {
    const files: Files = {
      ...machine,
      ...cudnn("9.1.0"),
      "/opt/app/bin/prog": makeElf({ program: true, needed: ["libown.so", "libcudnn.so.9"] }),
      "/opt/app/lib/libown.so": library("libown.so"),
    };
    const found = await judge(files, { programs: [["/opt/app/bin/prog"]] });
    expect(found.map(({ rule, subject }) => `${rule} ${subject}`).sort()).toEqual([
      "library-missing libcudnn.so.9",
      "library-not-on-path libown.so",
    ]);
    expect(found.flatMap(({ advice }) => advice.map(adviceLine))).toContain(
      "or change prog as it is: patchelf --set-rpath /opt/app/lib /opt/app/bin/prog",
    );
  });

  test("what the compiler wrote down to have read counts before the folders that it was given", async () => {
    const files = made({ headers: "9.27.0", linked: "9.1.0" });
    const depfile = { text: "CMakeFiles/prog.dir/main.cpp.o: /src/main.cpp \\\n /opt/cudnn-9.1.0/include/cudnn_version.h\n" };
    expect(await judge({ ...files, [`${build}/CMakeFiles/prog.dir/main.cpp.o.d`]: depfile }, asked)).toEqual([]);
  });

  test("Ninja and compile_commands.json tell the same", async () => {
    const {
      [`${build}/CMakeFiles/prog.dir/link.txt`]: _link,
      [`${build}/CMakeFiles/prog.dir/flags.make`]: _flags,
      ...rest
    } = made({
      headers: "9.27.0",
      linked: "9.1.0",
    });
    const ninja = [
      "build CMakeFiles/prog.dir/main.cpp.o: CXX_COMPILER__prog_ /src/main.cpp || cmake_object_order_depends_target_prog",
      "  INCLUDES = -isystem /opt/cudnn-9.27.0/include",
      "build prog: CXX_EXECUTABLE_LINKER__prog_ CMakeFiles/prog.dir/main.cpp.o | /opt/cudnn-9.1.0/lib/libcudnn.so",
      "  LINK_LIBRARIES = -Wl,-rpath,/opt/cudnn-9.1.0/lib  /opt/cudnn-9.1.0/lib/libcudnn.so",
    ];
    const commands = [
      {
        directory: build,
        command: "/usr/bin/c++ -I/opt/cudnn-9.27.0/include -o CMakeFiles/prog.dir/main.cpp.o -c /src/main.cpp",
        file: "/src/main.cpp",
      },
    ];
    for (const files of [
      { [`${build}/build.ninja`]: { text: `${ninja.join("\n")}\n` } },
      // "Ninja Multi-Config" of CMake 3.25: a file for each configuration.
      {
        [`${build}/build.ninja`]: { text: "include CMakeFiles/impl-Debug.ninja\n" },
        [`${build}/CMakeFiles/impl-Debug.ninja`]: { text: "" },
        [`${build}/CMakeFiles/impl-Release.ninja`]: { text: `${ninja.join("\n").replaceAll("__prog_", "__prog_Release")}\n` },
      },
      { [`${build}/compile_commands.json`]: { text: JSON.stringify(commands) } },
    ])
      expect(verdicts(await judge({ ...rest, ...files }, asked))).toEqual(["headers-of-another-release warning"]);
  });

  test("definitions of the build do not get into the facts", async () => {
    const { folder } = pythonRoot(made({ headers: "9.1.0", linked: "9.1.0" }));
    const examination = await openTarget(root(folder), { cwd: "/run" });
    const { program } = await loadsOfProgram(examination, `${build}/prog`);
    expect(program.builtAgainst?.["cudnn"]).toEqual({
      version: "9.1.0",
      evidence: "/opt/cudnn-9.1.0/include/cudnn_version.h",
      header: "/opt/cudnn-9.1.0/include/cudnn_version.h",
      linked: { file: "/opt/cudnn-9.1.0/lib/libcudnn.so", version: "9.1.0" },
    });
    expect(JSON.stringify(examination.view.snapshot.files)).not.toContain("TOKEN");
  });
});

describe("search paths of a program of one's own", needs({ glibc: glibcLoader }), () => {
  test("without one, the build is told the folder of what was linked; the proof holds", async () => {
    const files = made({ headers: "9.1.0", linked: "9.1.0", plan: { runpath: "/nowhere" } });
    const [found, ...others] = await judge(files, asked);
    expect(others).toEqual([]);
    expect(found).toMatchObject({ rule: "library-not-on-path", severity: "error", subject: "libcudnn.so.9" });
    expect(found!.advice.map(adviceLine).slice(0, 4)).toEqual([
      "for one command: env LD_LIBRARY_PATH=/opt/cudnn-9.1.0/lib COMMAND",
      "in the build, for good: cmake -S /src -B /src/build -DCMAKE_BUILD_RPATH=/opt/cudnn-9.1.0/lib",
      "and build it again: cmake --build /src/build",
      "or change prog as it is: patchelf --set-rpath /nowhere:/opt/cudnn-9.1.0/lib /src/build/prog",
    ]);
    const examination = await openTarget(root(pythonRoot(files).folder), { cwd: "/run", cpu: { level: 1 } });
    const planned = await fixTarget(examination, { programs: [[build]], activities: [], python: ["/venv"] });
    if ("problem" in planned) throw new Error(planned.problem);
    const fix = planned.plan.findings[0]!.fixes.find((each) => each.fix === "program-rpath");
    expect(fix).toMatchObject({ safety: "display-only", proof: { removes: ["library-not-on-path libcudnn.so.9"], adds: [] } });
  });

  // /src/build/prog → /opt/own/libown.so → libcudnn.so.9, in a folder that only prog's path names.
  const through = (prog: Plan, own: Plan): Files => ({
    ...made({ headers: "9.1.0", linked: "9.1.0" }),
    [`${build}/prog`]: makeElf({ program: true, needed: ["libown.so", "libcudnn_graph.so.9"], ...prog }),
    "/opt/own/libown.so": library("libown.so", { needed: ["libcudnn.so.9"], ...own }),
  });
  const paths = "/opt/own:/opt/cudnn-9.1.0/lib";

  test("a RUNPATH is not inherited; an RPATH is", async () => {
    const [found, ...others] = await judge(through({ runpath: paths }, {}), asked);
    expect(others).toEqual([]);
    expect(found!.because.at(-1)).toBe(
      "the RUNPATH of prog names /opt/cudnn-9.1.0/lib, but counts only for what prog asks for itself, and libown.so asks for this",
    );
    const lines = found!.advice.map(adviceLine);
    expect(lines).toContain("when prog is linked: -Wl,--disable-new-dtags,-rpath,/opt/cudnn-9.1.0/lib");
    expect(lines).toContain(`or change prog as it is: patchelf --force-rpath --set-rpath ${paths} /src/build/prog`);
    expect(lines).toContain("or change libown.so as it is: patchelf --set-rpath /opt/cudnn-9.1.0/lib /opt/own/libown.so");
    expect(await judge(through({ rpath: paths }, {}), asked)).toEqual([]);
    expect(await judge(through({ runpath: paths }, { runpath: "/opt/cudnn-9.1.0/lib" }), asked)).toEqual([]);
  });

  test("an RPATH does not help what has a RUNPATH, and is not advised", async () => {
    const [found] = await judge(through({ rpath: paths }, { runpath: "/nowhere" }), asked);
    expect(found!.because.at(-1)).toBe(
      "the RPATH of prog names /opt/cudnn-9.1.0/lib, but libown.so has a RUNPATH of its own, and then no RPATH counts",
    );
    const commands = found!.advice.map(adviceLine).filter((line) => line.includes("patchelf"));
    expect(commands).toEqual(["or change libown.so as it is: patchelf --set-rpath /nowhere:/opt/cudnn-9.1.0/lib /opt/own/libown.so"]);
  });

  test("a library of the same build that nothing leads to", async () => {
    const files = made({ headers: "9.1.0", linked: "9.1.0", plan: { needed: ["libcudnn.so.9", "libown.so"] } });
    const [found] = await judge(
      {
        ...files,
        [`${build}/lib/libown.so`]: library("libown.so"),
        [`${build}/CMakeFiles/prog.dir/link.txt`]: {
          text: "c++ CMakeFiles/prog.dir/main.cpp.o -o prog -L/opt/cudnn-9.1.0/lib -lcudnn lib/libown.so\n",
        },
      },
      asked,
    );
    expect(found).toMatchObject({ rule: "library-not-on-path", subject: "libown.so" });
    expect(found!.advice.map(adviceLine)).toContain(
      "in the build, for good: cmake -S /src -B /src/build -DCMAKE_BUILD_RPATH=/src/build/lib",
    );
  });

  test("what it was linked against has another name by now: it is built again", async () => {
    const files = made({ headers: "9.1.0", linked: "9.1.0", plan: { needed: ["libcudnn.so.8"] } });
    const [found] = await judge(files, asked);
    expect(found).toMatchObject({ rule: "library-wrong-version", severity: "error", subject: "libcudnn.so.8" });
    expect(found!.because).toContain("it was linked against /opt/cudnn-9.1.0/lib/libcudnn.so, which has another name by now");
    expect(adviceLine(found!.advice[0]!)).toBe("build it again with what is there now: cmake --build /src/build --clean-first");
  });

  test("stubs that got into the RUNPATH", async () => {
    const runpath = "/usr/local/cuda/lib64/stubs:/opt/cudnn-9.1.0/lib";
    const files = made({ headers: "9.1.0", linked: "9.1.0", plan: { needed: ["libcudnn.so.9", "libcuda.so.1"], runpath } });
    const [found] = await judge({ ...files, "/usr/local/cuda/lib64/stubs/libcuda.so.1": library("libcuda.so.1") }, asked);
    expect(found).toMatchObject({ rule: "stub-driver", severity: "error" });
    expect(adviceLine(found!.advice.at(-1)!)).toBe(
      "or take them out of the RUNPATH of prog as it is: patchelf --set-rpath /opt/cudnn-9.1.0/lib /src/build/prog",
    );
  });
});

describe("what counts as a program of a build", needs({ glibc: glibcLoader }), () => {
  const judged = async (files: Files, programs = [[build]]) => {
    const examination = await openTarget(root(pythonRoot(files).folder), { cwd: "/run", cpu: { level: 1 } });
    const answer = await checkTarget(examination, { programs, activities: [], python: ["/venv"] });
    if ("problem" in answer) throw new Error(answer.problem);
    return answer.check;
  };

  test("what needs a GPU library or holds code for GPUs, and libraries that no program there loads", async () => {
    const check = await judged({
      ...made({ headers: "9.1.0", linked: "9.1.0", plan: { needed: ["libcudnn.so.9", "libused.so"] } }),
      [`${build}/libused.so`]: library("libused.so", { needed: ["libcudart.so.12"] }),
      [`${build}/plugins/libplugin.so`]: library("libplugin.so", { needed: ["libcudart.so.12"] }),
      [`${build}/static`]: withKernels(makeElf({ program: true }), ["sm_90"]),
      [`${build}/tool`]: makeElf({ program: true }),
      [`${build}/CMakeFiles/3.25.1/CompilerIdCUDA/a.out`]: withKernels(makeElf({ program: true }), ["sm_52"]),
    });
    expect(check.judged.map(({ program }) => program)).toEqual([`${build}/plugins/libplugin.so`, `${build}/prog`, `${build}/static`]);
  });

  test("a build without any has nothing to check", async () => {
    const check = await judged({ ...machine, [`${build}/CMakeCache.txt`]: { text: "" }, [`${build}/tool`]: makeElf({ program: true }) });
    expect(check).toMatchObject({ status: "nothing-to-check", judged: [] });
  });

  test("code for another GPU: the build is configured for this one, too", async () => {
    const files = made({ headers: "9.1.0", linked: "9.1.0" });
    const [found] = await judge(
      {
        ...files,
        [`${build}/CMakeCache.txt`]: { text: "CMAKE_HOME_DIRECTORY:INTERNAL=/src\nCMAKE_CUDA_ARCHITECTURES:STRING=80;86\n" },
        [`${build}/prog`]: withKernels(files[`${build}/prog`] as Uint8Array, ["sm_80", "sm_86"]),
      },
      asked,
    );
    expect(found).toMatchObject({ rule: "gpu-not-in-build", severity: "error" });
    expect(found!.advice.map(adviceLine)).toEqual([
      "in the build, for good: cmake -S /src -B /src/build '-DCMAKE_CUDA_ARCHITECTURES=80;86;90'",
      "and build it again: cmake --build /src/build",
    ]);
  });
});
