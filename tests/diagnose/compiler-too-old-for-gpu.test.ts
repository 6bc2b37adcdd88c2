import { describe, expect, test } from "vitest";
import { glibcLoader } from "../loader/answers.ts";
import { installed, module, site } from "../frameworks/python-root.ts";
import { cupy } from "./cupy-root.ts";
import { affects, judge, machineWith, torch, verdicts } from "./gpu-root.ts";
import { needs } from "../needs.ts";

describe("compiler-too-old-for-gpu", needs({ glibc: glibcLoader }), () => {
  const on = (nvrtc: string, gpu: string) => judge({ ...cupy(nvrtc), ...machineWith("580.159.04") }, { gpus: [gpu] });

  // cupy/cupy#9121: NVRTC 12.6 on Blackwell.
  test("NVRTC 12.6 makes no code for Blackwell", async () => {
    const [finding, ...others] = await on("12.6.77", "RTX 5090");
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ rule: "compiler-too-old-for-gpu", cause: "toolkit-too-old", severity: "error" });
    expect(affects(finding!, "cupy")).toContain("matmul");
    expect(finding!.advice).toEqual([{ words: "install the compiler of CUDA 12.8 or newer" }]);
  });

  test("12.8 does; 12.4 makes code for Hopper and for Ada", async () => {
    expect(await on("12.8.93", "RTX 5090")).toEqual([]);
    expect(await on("12.4.127", "H100")).toEqual([]);
    expect(await on("12.4.127", "RTX 4090")).toEqual([]);
  });

  test("within one major code of the newest one that is known will do", async () => {
    expect(await on("12.8.93", "GB10")).toEqual([]);
    // But 10.3 lies below 12.0: it is asked for by its name.
    expect(verdicts(await on("12.8.93", "B300"))).toEqual(["compiler-too-old-for-gpu error"]);
  });

  test("CuPy told to make PTX leaves the rest to the driver", async () => {
    const files = { ...cupy("12.6.77"), ...machineWith("580.159.04") };
    expect(await judge(files, { gpus: ["RTX 5090"], environment: { CUPY_COMPILE_WITH_PTX: "1" } })).toEqual([]);
  });

  // triton-3.5.1 has ptxas 12.8.93, triton-3.6.0 also one of 12.9 for Blackwell.
  const triton = (version: string) => ({
    ...torch("2.9.1", "12.8", { cudnn: "9.10.2.21" }),
    ...installed("triton", version),
    [`${site}/triton/_C/libtriton.so`]: module(),
    ...machineWith("580.159.04"),
  });

  test("Triton 3.5's ptxas does not know sm_121, so torch.compile fails there though torch itself runs", async () => {
    const [finding, ...others] = await judge(triton("3.5.1"), { gpus: ["GB10"] });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ rule: "compiler-too-old-for-gpu", severity: "error" });
    expect(affects(finding!, "torch")).toEqual(["compile"]);
    expect(await judge(triton("3.6.0"), { gpus: ["GB10"] })).toEqual([]);
    expect(await judge(triton("3.5.1"), { gpus: ["B200", "RTX 5090", "H200", "T4"] })).toEqual([]);
    const other = { TRITON_PTXAS_PATH: "/usr/local/cuda/bin/ptxas" };
    expect(await judge(triton("3.5.1"), { gpus: ["GB10"], environment: other })).toEqual([]);
  });
});
