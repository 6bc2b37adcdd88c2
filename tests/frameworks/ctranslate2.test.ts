// CTranslate2 and what stands upon it. Names, needs and search paths are those of the wheels on PyPI; which parts of cuDNN its front opens, and
// what it says without them, was watched with cudnnCreate and descriptors in a process that had imported it (docs/packages.md).
import { describe, expect, test } from "vitest";
import ctranslate2 from "../../packages/core/src/frameworks/ctranslate2/model.ts";
import { glibcLoader } from "../loader/answers.ts";
import type { Files } from "../loader/tree.ts";
import { findings, loud, named, nvidia, packaged } from "../diagnose/python-stack.ts";
import { needs } from "../needs.ts";
import { asked, compiled, driver, library, mapped, module, predict, pythonRoot, site, type Question } from "./python-root.ts";

const eager = "from ctranslate2 import converters, models, specs\n";
const lazy = "from ctranslate2 import models\n";

function translator(version: string, { cudnn, imports = eager }: { cudnn?: string; imports?: string }): Files {
  const engine = `libctranslate2-c75cca97.so.${version}`;
  const front = cudnn === undefined ? undefined : `libcudnn-74a4c495.so.${cudnn}`;
  return {
    ...packaged("ctranslate2", version, {
      "ctranslate2/_ext.cpython-311-x86_64-linux-gnu.so": module({ needed: [engine], rpath: "$ORIGIN/../ctranslate2.libs" }),
      [`ctranslate2.libs/${engine}`]: library(engine, { needed: front === undefined ? [] : [front] }),
      ...(front === undefined ? {} : { [`ctranslate2.libs/${front}`]: library(front, { rpath: "$ORIGIN" }) }),
    }),
    [`${site}/ctranslate2/__init__.py`]: { text: imports },
    ...driver("/opt/driver"),
  };
}

const cublas = nvidia("nvidia-cublas-cu12", "12.4.5.8", "cublas", { "libcublas.so.12": {} });
const nine = nvidia(
  "nvidia-cudnn-cu12",
  "9.1.0.70",
  "cudnn",
  Object.fromEntries(
    ["", "_graph", "_ops", "_cnn", "_engines_precompiled", "_engines_runtime_compiled", "_heuristic"].map((part) => [
      `libcudnn${part}.so.9`,
      { runpath: "$ORIGIN" },
    ]),
  ),
);
const eight = nvidia("nvidia-cudnn-cu12", "8.9.7.29", "cudnn", {
  "libcudnn.so.8": {},
  "libcudnn_ops_infer.so.8": {},
  "libcudnn_cnn_infer.so.8": { needed: ["libcudnn_ops_infer.so.8"], runpath: "$ORIGIN" },
});

/** torch in small: cuBLAS and the front of cuDNN come in with it. */
const torch: Files = {
  ...packaged("torch", "2.5.1", {
    "torch/_C.so": module({ needed: ["libtorch_cuda.so"], rpath: "$ORIGIN/lib" }),
    "torch/lib/libtorch_global_deps.so": library("libtorch_global_deps.so"),
    "torch/lib/libtorch_cuda.so": library("libtorch_cuda.so", {
      needed: ["libcublas.so.12", "libcudnn.so.9"],
      rpath: "$ORIGIN/../../nvidia/cublas/lib:$ORIGIN/../../nvidia/cudnn/lib",
    }),
  }),
  [`${site}/torch/version.py`]: { text: "cuda: Optional[str] = '12.4'\n" },
};

const withoutPath = { LD_LIBRARY_PATH: "/opt/driver" };
const withPath = { LD_LIBRARY_PATH: `/opt/driver:${site}/nvidia/cublas/lib:${site}/nvidia/cudnn/lib` };
const loadsIn = (files: Files, environment: { [name: string]: string }, question: Question = {}, program = "ctranslate2") =>
  predict(pythonRoot(files).folder, program, { environment, ...question });
const found = async (files: Files, environment: { [name: string]: string }) => loud(await findings(files, { environment }));

describe("CTranslate2", needs({ glibc: glibcLoader }), () => {
  test("its import needs no library of CUDA's, and no driver", async () => {
    const { loads, failures } = await loadsIn(translator("4.6.0", { cudnn: "9.1.0" }), {});
    expect(failures).toEqual([]);
    expect(mapped({ loads } as never)).toContain("~/ctranslate2.libs/libcudnn-74a4c495.so.9.1.0");
  });

  test("what it was built for is in the name of the front that it brings", async () => {
    const { folder } = pythonRoot(translator("4.6.0", { cudnn: "9.1.0" }));
    expect(await compiled(folder, ctranslate2, "ctranslate2")).toMatchObject({ cuda: { version: "12" }, cudnn: { version: "9.1.0" } });
  });

  test("with the wheels of cuBLAS and cuDNN 9, and nothing that leads there, both are missed; the advice leads there, and is enough", async () => {
    const files = { ...translator("4.6.0", { cudnn: "9.1.0" }), ...cublas, ...nine };
    const all = await found(files, withoutPath);
    expect(all.map(({ rule, subject, breaks }) => [rule, subject, breaks.map(({ activity }) => activity)])).toEqual([
      ["library-not-on-path", "libcublas.so.12", ["matmul"]],
      ["library-not-on-path", "libcudnn_graph.so.9", ["convolution"]],
    ]);
    const told = all[0]!.advice[0]!.command!.find((word) => word.startsWith("LD_LIBRARY_PATH="))!;
    expect(told).toContain(`${site}/nvidia/cublas/lib`);
    expect(told).toContain(`${site}/nvidia/cudnn/lib`);
    expect(named(await found(files, withPath))).toEqual([]);
  });

  test("the front of its own asks for the parts by all its names, before LD_LIBRARY_PATH in its own folder", async () => {
    const files = { ...translator("4.6.0", { cudnn: "9.1.0" }), ...cublas, ...nine };
    const { failures } = await loadsIn(files, withoutPath, { do: ["convolution"] });
    expect(failures.map(({ message }) => message)).toEqual([
      "Unable to load any of {libcudnn_graph.so.9.1.0, libcudnn_graph.so.9.1, libcudnn_graph.so.9, libcudnn_graph.so}",
    ]);
    const loads = await loadsIn(files, withPath, { do: ["convolution"] });
    for (const part of ["graph", "ops", "cnn"]) expect(asked(loads, `libcudnn_${part}.so.9`)).toEqual(["libcudnn-74a4c495.so.9.1.0"]);
  });

  test("with torch in the environment its import brings cuBLAS, and of cuDNN a front that is none of its own", async () => {
    const files = { ...translator("4.6.0", { cudnn: "9.1.0" }), ...torch, ...cublas, ...nine };
    const own = (await found(files, withoutPath)).filter(({ breaks }) => breaks.some(({ framework }) => framework === "ctranslate2"));
    expect(own.map(({ subject, breaks }) => [subject, breaks.map(({ activity }) => activity)])).toEqual([
      ["libcudnn_graph.so.9", ["convolution"]],
    ]);
  });

  test.each([
    ["9.1.0", []],
    ["9.5.0", ["two-copies"]],
  ])("a front %s of its own beside the 9.1.0 of torch is told of only where the releases differ", async (cudnn, told) => {
    const files = { ...translator("4.6.0", { cudnn }), ...torch, ...cublas, ...nine };
    const all = await findings(files, { environment: withPath });
    expect(all.map(({ rule }) => rule).filter((rule) => rule === "two-copies")).toEqual(told);
  });

  test("from 4.8.2 on torch is not imported along, and no cuDNN is needed", async () => {
    const files = { ...translator("4.8.4", { imports: lazy }), ...torch, ...cublas, ...nine };
    const { failures } = await loadsIn(files, withoutPath, { do: ["matmul"] });
    expect(failures.map(({ message }) => message)).toEqual(["Library libcublas.so.12 is not found or cannot be loaded"]);
    expect((await loadsIn(files, withPath, { do: ["matmul", "convolution"] })).failures).toEqual([]);
  });

  test("4.4 wants cuDNN 8: beside cuDNN 9 a release for that one is advised, and never cuDNN 8, which torch could not use", async () => {
    const files = { ...translator("4.4.0", { cudnn: "8.9.7" }), ...torch, ...cublas, ...nine };
    const finding = (await found(files, withoutPath)).find(({ subject }) => subject === "libcudnn_ops_infer.so.8");
    expect(finding).toMatchObject({
      rule: "library-missing",
      severity: "error",
      breaks: [{ framework: "ctranslate2", activity: "convolution" }],
    });
    expect(finding!.advice[0]!.command?.at(-1)).toBe("ctranslate2>=4.5");
    const { failures } = await loadsIn(files, withoutPath, { do: ["convolution"] });
    expect(failures.map(({ message }) => message)).toEqual([
      "Could not load library libcudnn_ops_infer.so.8. Error: libcudnn_ops_infer.so.8: cannot open shared object file: No such file or directory",
    ]);
    const fits = { ...translator("4.4.0", { cudnn: "8.9.7" }), ...cublas, ...eight };
    expect((await loadsIn(fits, withPath, { do: ["matmul", "convolution"] })).failures).toEqual([]);
  });

  test("3.24 is for CUDA 11", async () => {
    const { failures } = await loadsIn({ ...translator("3.24.0", { cudnn: "8.1.1" }), ...cublas }, withPath, { do: ["matmul"] });
    expect(failures.map(({ message }) => message)).toEqual(["Library libcublas.so.11 is not found or cannot be loaded"]);
  });
});

describe("faster-whisper", needs({ glibc: glibcLoader }), () => {
  const whisper: Files = {
    ...packaged("faster-whisper", "1.1.1", {}, ["ctranslate2<5,>=4.0", "onnxruntime<2,>=1.14"]),
    ...packaged("onnxruntime", "1.31.1", { "onnxruntime/capi/onnxruntime_pybind11_state.so": module() }),
    ...translator("4.6.0", { cudnn: "9.1.0" }),
    ...cublas,
    ...nine,
  };

  test("fails where CTranslate2 does", async () => {
    const { failures } = await loadsIn(whisper, withoutPath, { do: ["convolution"] }, "faster-whisper");
    expect(failures.map(({ name }) => name)).toEqual(["libcudnn_graph.so.9"]);
    expect((await found(whisper, withoutPath)).every(({ breaks }) => breaks.some(({ framework }) => framework === "faster-whisper"))).toBe(
      true,
    );
  });

  test("the onnxruntime without CUDA, which it asks for, is the right one", async () => {
    expect(named(await findings(whisper, { environment: withPath }))).toEqual([]);
    const alone = Object.fromEntries(Object.entries(whisper).filter(([name]) => !name.includes("whisper")));
    expect(named(await findings(alone, { environment: withPath }))).toEqual(["info cpu-only-build"]);
  });
});
