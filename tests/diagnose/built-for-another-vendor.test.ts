import { describe, expect, test } from "vitest";
import { library, module, site } from "../frameworks/python-root.ts";
import { glibcLoader } from "../loader/answers.ts";
import type { Files } from "../loader/tree.ts";
import { needs } from "../needs.ts";
import { findings, healthy, packaged } from "./python-stack.ts";

/** torch/version.py of a wheel for ROCm, and its libraries. */
const torchRocm: Files = {
  ...packaged("torch", "2.6.0+rocm6.2.4", {
    "torch/_C.so": module({ needed: ["libtorch_python.so"], rpath: "$ORIGIN/lib" }),
    "torch/lib/libtorch_python.so": library("libtorch_python.so"),
    "torch/lib/libtorch_global_deps.so": library("libtorch_global_deps.so"),
  }),
  [`${site}/torch/version.py`]: { text: "__version__ = '2.6.0+rocm6.2.4'\ncuda: Optional[str] = None\nhip: Optional[str] = '6.2.41134'\n" },
};
const ofRule = async (files: Files, question: Parameters<typeof findings>[1] = {}) =>
  (await findings(files, question)).filter(({ rule }) => rule === "built-for-another-vendor");

describe("a build for AMD's GPUs", needs({ glibc: glibcLoader }), () => {
  test("beside NVIDIA's is an error where it is asked for, else a warning", async () => {
    const [asked] = await ofRule(torchRocm, { programs: [["torch"]], gpus: ["A100"] });
    expect(asked).toMatchObject({ severity: "error", cause: "wrong-vendor" });
    // What comes after the device cannot work either.
    const lost = ["device", "matmul", "convolution", "rnn", "compile", "profile", "train-distributed"];
    expect(asked!.breaks).toEqual(lost.map((activity) => ({ framework: "torch", activity })));
    const [beside] = await ofRule(torchRocm, { gpus: ["A100"] });
    expect(beside).toMatchObject({ severity: "warning", breaks: [] });
    expect(beside!.endangers).toEqual(lost.map((activity) => ({ framework: "torch", activity })));
  });

  test("says nothing where no GPU of NVIDIA's is known, or the build is for CUDA", async () => {
    expect(await ofRule(torchRocm)).toEqual([]);
    expect(await ofRule(healthy(), { gpus: ["A100"] })).toEqual([]);
  });
});
