import { describe, expect, test } from "vitest";
import { library } from "../frameworks/python-root.ts";
import { glibcLoader } from "../loader/answers.ts";
import type { Files } from "../loader/tree.ts";
import { findings, healthy, named, packaged } from "./python-stack.ts";
import { needs } from "../needs.ts";

/** A cuDNN 9.0.0 beside the one of torch's wheel. */
const old: Files = Object.fromEntries(
  ["", "_graph", "_ops", "_adv", "_engines_precompiled", "_engines_runtime_compiled", "_heuristic"].flatMap((part) => [
    [`/opt/old/libcudnn${part}.so.9.0.0`, library(`libcudnn${part}.so.9`)],
    [`/opt/old/libcudnn${part}.so.9`, { link: `libcudnn${part}.so.9.0.0` }],
  ]),
) as Files;
const ahead = { environment: { LD_LIBRARY_PATH: "/opt/old" } };

describe("another copy ahead on LD_LIBRARY_PATH", needs({ glibc: glibcLoader }), () => {
  test("an older cuDNN takes the place of single parts, and torch refuses", async () => {
    const [found, ...others] = await findings({ ...healthy(), ...old }, ahead);
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      rule: "cudnn-parts-from-two-releases",
      severity: "error",
      breaks: [{ framework: "torch", activity: "rnn" }],
    });
  });

  test("the same folder, not on LD_LIBRARY_PATH, does nothing", async () => {
    expect(await findings({ ...healthy(), ...old })).toEqual([]);
  });

  test("what the variable alone brings in shadows nothing", async () => {
    const files: Files = {
      ...packaged("onnxruntime-gpu", "1.31.1", {
        "onnxruntime/capi/onnxruntime_pybind11_state.so": library("onnxruntime_pybind11_state.so", { runpath: "$ORIGIN" }),
        "onnxruntime/capi/libonnxruntime_providers_cuda.so": library("libonnxruntime_providers_cuda.so", {
          needed: ["libcurand.so.10", "libcuda.so.1"],
        }),
      }),
      "/opt/cuda/libcurand.so.10": library("libcurand.so.10"),
    };
    expect(named(await findings(files))).toEqual(["error library-missing"]);
    expect(await findings(files, { environment: { LD_LIBRARY_PATH: "/opt/cuda" } })).toEqual([]);
  });
});
