// What stands on torch: triton 3.6.0, bitsandbytes 0.50.2 with torch 2.11.0, watched on a machine with a GPU; and pycuda, which stands alone.
import { describe, expect, test } from "vitest";
import bitsandbytes from "../../packages/core/src/frameworks/bitsandbytes/model.ts";
import pycuda from "../../packages/core/src/frameworks/pycuda/model.ts";
import { glibcLoader } from "../loader/answers.ts";
import type { Files } from "../loader/tree.ts";
import {
  asked,
  compiled,
  driver,
  predict,
  installed,
  library,
  mapped,
  module,
  pythonRoot,
  site,
  wheel,
  type Question,
} from "./python-root.ts";
import { needs } from "../needs.ts";

async function loadsIn(framework: string, files: Files, question: Question = {}) {
  const made = pythonRoot(files);
  return predict(made.folder, framework, { environment: { LD_LIBRARY_PATH: "/opt/driver" }, ...question });
}

const torch = (cuda: string): Files => ({
  ...installed("torch", "2.11.0"),
  [`${site}/torch/version.py`]: { text: `cuda: Optional[str] = '${cuda}'\n` },
  [`${site}/torch/_C.so`]: module(),
  [`${site}/torch/lib/libtorch_global_deps.so`]: library("libtorch_global_deps.so", {
    needed: ["libcudart.so.13"],
    rpath: "$ORIGIN/../../nvidia/cu13/lib:$ORIGIN",
  }),
  ...wheel("cu13", {
    "libcudart.so.13": {},
    "libcublas.so.13": {},
    "libcublasLt.so.13": {},
    "libcupti.so.13": {},
    "libnvrtc.so.13": {},
    "libnvrtc-builtins.so.13.0": {},
  }),
  ...wheel("cudnn", { "libcudnn.so.9": {} }),
  ...driver("/opt/driver"),
});

const triton: Files = {
  ...installed("triton", "3.6.0"),
  [`${site}/triton/_C/libtriton.so`]: library("libtriton.so"),
  [`${site}/triton/_C/libproton.so`]: library("libproton.so"),
  [`${site}/triton/backends/nvidia/lib/cupti/libcupti.so`]: library("libcupti.so.12"),
};

const bitsandbytesWith = (cuda: string, ...built: string[]): Files => ({
  ...torch(cuda),
  ...installed("bitsandbytes", "0.50.2"),
  [`${site}/bitsandbytes/libbitsandbytes_cpu.so`]: library("libbitsandbytes_cpu.so"),
  ...Object.fromEntries(
    built.map((number) => {
      const name = `libbitsandbytes_cuda${number}.so`;
      const needed = ["libcudart.so.13", "libcublas.so.13", "libcublasLt.so.13"];
      return [`${site}/bitsandbytes/${name}`, library(name, { needed, runpath: "/usr/local/cuda-13.0/targets/x86_64-linux/lib" })];
    }),
  ),
});

describe("Triton", needs({ glibc: glibcLoader }), () => {
  test("needs no library of CUDA's to be imported", async () => {
    expect(mapped(await loadsIn("triton", { ...torch("13.0"), ...triton }), "certain")).toEqual(["~/triton/_C/libtriton.so"]);
  });

  test("its profiler loads the CUPTI that came with it, beside the one that torch has loaded", async () => {
    const loads = await loadsIn("triton", { ...torch("13.0"), ...triton }, { do: ["profile"] });
    expect(mapped(loads, "certain").filter((file) => file.includes("cupti"))).toEqual([
      "~/nvidia/cu13/lib/libcupti.so.13",
      "~/triton/backends/nvidia/lib/cupti/libcupti.so",
    ]);
    expect(asked(loads, `${site}/triton/backends/nvidia/lib/cupti/libcupti.so`)).toEqual(["libproton.so"]);
  });
});

describe("bitsandbytes", needs({ glibc: glibcLoader }), () => {
  const chosen = async (files: Files, question: Question = {}) =>
    mapped(await loadsIn("bitsandbytes", files, question)).filter((file) => file.includes("/bitsandbytes/"));

  test("takes the library for torch's CUDA; what it needs, torch has brought", async () => {
    const loads = await loadsIn("bitsandbytes", bitsandbytesWith("13.0", "128", "130", "132"));
    expect(mapped(loads, "certain").at(-1)).toBe("~/bitsandbytes/libbitsandbytes_cuda130.so");
    expect(loads.failures).toEqual([]);
    expect(asked(loads, "libcublas.so.13")).toEqual(["libbitsandbytes_cuda130.so"]);
  });

  test("0.50 takes the nearest of the same major, and BNB_CUDA_VERSION chooses another", async () => {
    expect(await chosen(bitsandbytesWith("13.1", "128", "130", "132"))).toEqual(["~/bitsandbytes/libbitsandbytes_cuda130.so"]);
    expect(await chosen(bitsandbytesWith("13.0", "128", "132"))).toEqual(["~/bitsandbytes/libbitsandbytes_cuda132.so"]);
    const environment = { LD_LIBRARY_PATH: "/opt/driver", BNB_CUDA_VERSION: "132" };
    expect(await chosen(bitsandbytesWith("13.0", "130", "132"), { environment })).toEqual(["~/bitsandbytes/libbitsandbytes_cuda132.so"]);
  });

  test("without a driver it takes the library for processors", async () => {
    expect(await chosen(bitsandbytesWith("13.0", "130"), { environment: {} })).toEqual(["~/bitsandbytes/libbitsandbytes_cpu.so"]);
  });

  test("what it was compiled for is in the name of the library that it takes", async () => {
    const made = pythonRoot(bitsandbytesWith("13.0", "130"));
    const { cuda, cublas } = await compiled(made.folder, bitsandbytes, "bitsandbytes");
    expect([cuda?.version, cublas?.version]).toEqual(["13.0", "13"]);
  });
});

describe("PyCUDA", needs({ glibc: glibcLoader }), () => {
  const files = {
    ...installed("pycuda", "2024.1.2"),
    ...driver("/opt/driver"),
    [`${site}/pycuda/_driver.so`]: module({ needed: ["libcuda.so.1", "libcurand.so.10"] }),
    "/opt/driver/libcurand.so.10": library("libcurand.so.10"),
  };

  test("needs the driver and cuRAND to be imported, and what it loads is only possible: this release was not watched", async () => {
    const loads = await loadsIn("pycuda", files);
    expect(mapped(loads, "possible")).toEqual(["~/pycuda/_driver.so", "/opt/driver/libcuda.so.580.159.04", "/opt/driver/libcurand.so.10"]);
  });

  test("what it was compiled for is in the names that it needs", async () => {
    const made = pythonRoot(files);
    expect((await compiled(made.folder, pycuda, "pycuda"))["curand"]?.version).toBe("10");
  });
});
