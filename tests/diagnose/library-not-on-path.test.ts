import { describe, expect, test } from "vitest";
import { adviceLine } from "../../packages/core/src/lib/shell.ts";
import { library, module, site } from "../frameworks/python-root.ts";
import { glibcLoader } from "../loader/answers.ts";
import { findings, nvidia, packaged } from "./python-stack.ts";
import { needs } from "../needs.ts";

// onnxruntime_gpu-1.20.2 in small: the provider needs libraries from several wheels, and has no search path.
const capi = "onnxruntime/capi";
const release = (version: string) => ({
  ...packaged("onnxruntime-gpu", version, {
    [`${capi}/onnxruntime_pybind11_state.so`]: module({ runpath: "$ORIGIN" }),
    [`${capi}/libonnxruntime_providers_shared.so`]: library("libonnxruntime_providers_shared.so"),
    [`${capi}/libonnxruntime_providers_cuda.so`]: module({ needed: ["libcublasLt.so.12", "libcurand.so.10", "libcuda.so.1"] }),
  }),
  ...nvidia("nvidia-cublas-cu12", "12.4.5.8", "cublas", { "libcublasLt.so.12": {} }),
  ...nvidia("nvidia-curand-cu12", "10.3.5.147", "curand", { "libcurand.so.10": {} }),
});
const files = release("1.20.2");

describe("libraries of wheels that nothing leads to", needs({ glibc: glibcLoader }), () => {
  test("the advice is enough: with it nothing is wrong", async () => {
    const [found, ...others] = await findings(files);
    expect(others).toEqual([]);
    expect(found).toMatchObject({ rule: "library-not-on-path", severity: "error", subject: "libcublasLt.so.12" });
    const [, LD_LIBRARY_PATH] = /LD_LIBRARY_PATH=(\S+)/.exec(found!.advice.map(adviceLine).join("\n"))!;
    expect(LD_LIBRARY_PATH).toBe(`${site}/nvidia/cublas/lib:${site}/nvidia/curand/lib`);
    expect(await findings(files, { environment: { LD_LIBRARY_PATH: LD_LIBRARY_PATH! } })).toEqual([]);
  });

  test("where the framework has a function for it, a program that calls it is asked about by name", async () => {
    const [found, ...others] = await findings(release("1.21.0"));
    expect(others).toEqual([]);
    expect(found).toMatchObject({ rule: "library-not-on-path", severity: "error" });
    expect(found!.breaks[0]).toEqual({ framework: "onnxruntime", activity: "device" });
    expect(found!.message).toContain("does not find libcublasLt.so.12 by itself");
    expect(found!.advice).toEqual([
      { words: "call onnxruntime.preload_dlls() before the first session" },
      { words: "to judge a program that does", command: ["culprit", "check", "--for", "onnxruntime:preload"] },
    ]);
  });
});
