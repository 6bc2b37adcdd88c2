// numba_cuda-0.30.4 in small, as LD_DEBUG showed it on a machine with a GPU (CUDA 13 wheels, toolkit 13.0) and with CUDA 12 wheels.
import { describe, expect, test } from "vitest";
import { checkTarget, openTarget } from "../../packages/core/src/index.ts";
import { root } from "../../packages/machine/src/target/index.ts";
import { glibcLoader } from "../loader/answers.ts";
import type { Files } from "../loader/tree.ts";
import { asked, driver, predict, installed, library, mapped, pythonRoot, site, wheel, type Question } from "./python-root.ts";
import { needs } from "../needs.ts";

async function numbaIn(files: Files, question: Question = {}) {
  const made = pythonRoot(files);
  return predict(made.folder, "numba", question);
}

const compiling: Question = { do: ["compile"], environment: { LD_LIBRARY_PATH: "/opt/driver" } };
const packages = { ...installed("numba-cuda", "0.30.4"), ...installed("cuda-pathfinder", "1.8.6"), ...driver("/opt/driver") };
const cuda12: Files = {
  ...packages,
  ...wheel("cuda_runtime", { "libcudart.so.12": {} }),
  ...wheel("nvjitlink", { "libnvJitLink.so.12": {} }),
  ...wheel("cuda_nvrtc", { "libnvrtc.so.12": {} }),
  [`${site}/nvidia/cuda_nvcc/nvvm/lib64/libnvvm.so`]: library("libnvvm.so.4"),
};

describe("numba that came along for the processor", needs({ glibc: glibcLoader }), () => {
  const judged = async (name: string, version: string, programs: string[][]) => {
    const files = { ...installed(name, version), [`${site}/numba/__init__.py`]: { text: "" }, ...driver("/opt/driver") };
    const environment = { LD_LIBRARY_PATH: "/opt/driver" };
    const target = await openTarget(root(pythonRoot(files).folder), { environment, cwd: "/run", cpu: { level: 1 } });
    const answer = await checkTarget(target, { programs, activities: [], python: ["/venv"] });
    if ("problem" in answer) throw new Error(answer.problem);
    return answer.check;
  };
  const severities = ({ findings }: Awaited<ReturnType<typeof judged>>) =>
    findings.filter(({ subject }) => subject === "libnvvm.so").map(({ severity }) => severity);

  test("without NVVM it is whole, and what it cannot do is a note and no tick", async () => {
    const plain = await judged("numba", "0.60.0", []);
    expect(severities(plain)).toEqual(["info"]);
    expect(plain.judged.find(({ program }) => program === "numba")?.activities).not.toContain("compile");
  });

  test("who asks about it means its use of a GPU", async () => {
    expect(severities(await judged("numba", "0.60.0", [["numba"]]))).toEqual(["error"]);
    expect(severities(await judged("numba-cuda", "0.14.0", []))).toEqual(["error"]);
  });
});

describe("numba", needs({ glibc: glibcLoader }), () => {
  test("its import opens the runtime from its wheel and the driver as libcuda.so", async () => {
    const loads = await numbaIn(cuda12, { environment: { LD_LIBRARY_PATH: "/opt/driver" } });
    expect(mapped(loads, "certain")).toEqual(["~/nvidia/cuda_runtime/lib/libcudart.so.12", "/opt/driver/libcuda.so.580.159.04"]);
    expect(asked(loads, "libcuda.so")).toEqual(["_ctypes.so"]);
  });

  test("a kernel brings in nvJitLink, NVVM and NVRTC, in that order", async () => {
    const loads = await numbaIn(cuda12, compiling);
    expect(mapped(loads, "certain").slice(2)).toEqual([
      "~/nvidia/nvjitlink/lib/libnvJitLink.so.12",
      "~/nvidia/cuda_nvcc/nvvm/lib64/libnvvm.so",
      "~/nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
    ]);
  });

  test("an NVVM that no wheel brings is found in the toolkit whose runtime another Python would load", async () => {
    const toolkit = "/usr/local/cuda-13.0/targets/x86_64-linux/lib";
    const loads = await numbaIn(
      {
        ...packages,
        ...wheel("cu13", { "libcudart.so.13": {}, "libnvJitLink.so.13": {}, "libnvrtc.so.13": {}, "libnvrtc-builtins.so.13.0": {} }),
        [`${toolkit}/libcudart.so.13`]: library("libcudart.so.13"),
        "/usr/local/cuda-13.0/nvvm/lib64/libnvvm.so.4": library("libnvvm.so.4"),
      },
      { do: ["compile"], environment: { LD_LIBRARY_PATH: `/opt/driver:${toolkit}` } },
    );
    expect(mapped(loads, "certain")).toEqual([
      "~/nvidia/cu13/lib/libcudart.so.13",
      "/opt/driver/libcuda.so.580.159.04",
      "~/nvidia/cu13/lib/libnvJitLink.so.13",
      "/usr/local/cuda-13.0/nvvm/lib64/libnvvm.so.4",
      "~/nvidia/cu13/lib/libnvrtc-builtins.so.13.0",
      "~/nvidia/cu13/lib/libnvrtc.so.13",
    ]);
  });

  test("without a driver the import works, and the first device does not", async () => {
    expect((await numbaIn(cuda12)).failures).toEqual([]);
    const kernel = { "/proc/driver/nvidia/version": { text: "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  x\n" } };
    const loads = await numbaIn({ ...cuda12, ...kernel }, { do: ["device"] });
    expect(loads.failures.map(({ requestedBy }) => requestedBy)).toEqual(["numba"]);
    expect([...new Set(loads.missed.map(({ name }) => name))]).toEqual([
      "libcuda.so",
      "libcuda.so.1",
      "/usr/lib/libcuda.so",
      "/usr/lib/libcuda.so.1",
      "/usr/lib64/libcuda.so",
      "/usr/lib64/libcuda.so.1",
    ]);
  });
});
