import { describe, expect, test } from "vitest";
import { glibcLoader } from "../loader/answers.ts";
import { installed, library, module, site } from "../frameworks/python-root.ts";
import { affects, judge, machineWith, torch, verdicts } from "./gpu-root.ts";
import { needs } from "../needs.ts";

describe("ptx-newer-than-driver", needs({ glibc: glibcLoader }), () => {
  // A build of one's own with CUDA 12.6 for sm_80 and PTX of it; an H200 takes the PTX, version 8.5.
  const own = torch("2.6.0a0+git1234567", "12.6", { kernels: ["sm_80", "compute_80"] });

  test("PTX that the driver does not know ends the first kernel", async () => {
    const [finding, ...others] = await judge({ ...own, ...machineWith("550.163.01", ["NVIDIA H200"]) });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ rule: "ptx-newer-than-driver", severity: "error" });
    expect(finding!.because).toContain("the PTX is version 8.5, and this driver knows versions up to 8.4");
    expect(affects(finding!, "torch")).not.toContain("device");
  });

  test("CUDA 12.5 has the PTX of 12.6, so its driver compiles it, if slowly", async () => {
    expect(verdicts(await judge({ ...own, ...machineWith("555.42.06", ["NVIDIA H200"]) }))).toEqual(["kernels-compiled-at-start warning"]);
  });

  test("where there is machine code the driver needs to know no PTX", async () => {
    expect(await judge({ ...own, ...machineWith("550.163.01", ["NVIDIA A100-SXM4-80GB"]) })).toEqual([]);
  });

  // numba 0.60 makes PTX for the driver's linker, whatever the GPU is.
  const numba = {
    ...installed("numba", "0.60.0"),
    [`${site}/numba/_helperlib.so`]: module(),
    "/usr/local/cuda/nvvm/lib64/libnvvm.so.4.0.0": library("libnvvm.so.4"),
    "/usr/local/cuda/lib64/libcudart.so.12.4.127": library("libcudart.so.12"),
  };

  test("numba's toolkit may be no newer than the driver", async () => {
    const findings = await judge({ ...numba, ...machineWith("535.183.01", ["NVIDIA A10"]) });
    expect(verdicts(findings)).toEqual(["ptx-newer-than-driver error"]);
    expect(findings[0]).toMatchObject({ certainty: "likely", subject: "/usr/local/cuda/lib64/libcudart.so.12.4.127" });
    expect(await judge({ ...numba, ...machineWith("550.54.15", ["NVIDIA A10"]) })).toEqual([]);
    const linked = { NUMBA_CUDA_ENABLE_MINOR_VERSION_COMPATIBILITY: "1" };
    expect(await judge({ ...numba, ...machineWith("535.183.01", ["NVIDIA A10"]) }, { environment: linked })).toEqual([]);
  });
});
