// jaxlib, jax-cuda12-plugin and jax-cuda12-pjrt in small: what they load, as LD_DEBUG showed it for 0.4.30, 0.5.3 and 0.10.2.
import { describe, expect, test } from "vitest";
import jax from "../../src/frameworks/jax.ts";
import { glibcLoader } from "../loader/answers.ts";
import type { Files } from "../loader/tree.ts";
import {
  asked,
  compiled,
  driver,
  foresee,
  installed,
  library,
  mapped,
  module,
  pythonRoot,
  site,
  wheel,
  without,
  type Question,
} from "./python-root.ts";

async function jaxIn(files: Files, question: Question = {}) {
  const made = pythonRoot(files);
  return foresee(made.folder, "jax", question);
}

const wheels = ["cublas", "cuda_cupti", "cuda_runtime", "cudnn", "cufft", "cusolver", "cusparse", "nccl", "nvshmem"];
const rpath = wheels.flatMap((name) => [`$ORIGIN/../../nvidia/${name}/lib`, `$ORIGIN/../nvidia/${name}/lib`]).join(":");

function cuda12(version: string): Files {
  const own = version.startsWith("0.1") ? { _jax: ["libjax_common.so"] } : { xla_extension: [] };
  return {
    ...installed("jax", version),
    ...installed("jax-cuda12-plugin", version, ["nvidia-nccl-cu12>=2.18.1", `jax-cuda12-pjrt==${version}`]),
    ...Object.fromEntries(Object.entries(own).map(([name, needed]) => [`${site}/jaxlib/${name}.so`, module({ needed, rpath: "$ORIGIN" })])),
    [`${site}/jaxlib/libjax_common.so`]: library("libjax_common.so"),
    ...Object.fromEntries(
      ["_versions", "_blas", "_solver", "_prng"].map((name) => [`${site}/jax_cuda12_plugin/${name}.so`, module({ rpath })]),
    ),
    [`${site}/jax_plugins/xla_cuda12/xla_cuda_plugin.so`]: module({ rpath }),
    ...wheel("cuda_runtime", { "libcudart.so.12": {} }),
    ...wheel("cublas", { "libcublas.so.12": { needed: ["libcublasLt.so.12"], runpath: "$ORIGIN" }, "libcublasLt.so.12": {} }),
    ...wheel("cuda_cupti", { "libcupti.so.12": {} }),
    ...wheel("cufft", { "libcufft.so.11": {} }),
    ...wheel("cusparse", { "libcusparse.so.12": { needed: ["libnvJitLink.so.12"], runpath: "$ORIGIN:$ORIGIN/../../nvjitlink/lib" } }),
    ...wheel("nvjitlink", { "libnvJitLink.so.12": {} }),
    ...wheel("nccl", { "libnccl.so.2": {} }),
    ...wheel("cudnn", { "libcudnn.so.9": { runpath: "$ORIGIN" }, "libcudnn_graph.so.9": { runpath: "$ORIGIN" } }),
    ...driver("/opt/driver"),
  };
}

const onGpu: Question = { do: ["device"], environment: { LD_LIBRARY_PATH: "/opt/driver" } };
const gpuFiles = (files: string[]) => files.filter((file) => /nvidia\/|driver|xla_cuda/.test(file));

describe.skipIf(!glibcLoader)("jax for CUDA 12", () => {
  test("0.10 opens the runtime at its import, and loads every wheel it knows by its path before the first device", async () => {
    const loads = await jaxIn(cuda12("0.10.2"), onGpu);
    expect(gpuFiles(mapped(loads, "certain"))).toEqual([
      "~/nvidia/cuda_runtime/lib/libcudart.so.12",
      "~/nvidia/cublas/lib/libcublas.so.12",
      "~/nvidia/cublas/lib/libcublasLt.so.12",
      "/opt/driver/libcuda.so.580.159.04",
      "~/nvidia/nccl/lib/libnccl.so.2",
      "~/nvidia/cuda_cupti/lib/libcupti.so.12",
      "~/nvidia/cusparse/lib/libcusparse.so.12",
      "~/nvidia/nvjitlink/lib/libnvJitLink.so.12",
      "~/nvidia/cufft/lib/libcufft.so.11",
      "~/nvidia/cudnn/lib/libcudnn.so.9",
      "~/nvidia/cudnn/lib/libcudnn_graph.so.9",
      "~/jax_plugins/xla_cuda12/xla_cuda_plugin.so",
    ]);
    expect(asked(loads, "libcudart.so.12")[0]).toBe("_solver.so");
    expect(asked(loads, `${site}/jax_plugins/xla_cuda12/xla_cuda_plugin.so`)).toEqual(["libjax_common.so"]);
    expect(loads.failures).toEqual([]);
  });

  test.each([
    ["cudnn", "RuntimeError: Unable to load cuDNN. Is it installed? (JAX falls back to the CPU)"],
    ["nvjitlink", "RuntimeError: Unable to load cuSPARSE. Is it installed? (JAX falls back to the CPU)"],
    ["cufft", "RuntimeError: Unable to load cuFFT. Is it installed? (JAX falls back to the CPU)"],
    ["cuda_cupti", "RuntimeError: Unable to load cuPTI. Is it installed? (JAX falls back to the CPU)"],
  ])("without the wheel %s, 0.10 goes on without a GPU, and says which library it could not load", async (folder, message) => {
    const loads = await jaxIn(without(cuda12("0.10.2"), new RegExp(`nvidia/${folder}/`)), onGpu);
    expect(loads.failures.map((failure) => failure.message)).toEqual([message]);
    expect(mapped(loads).filter((file) => file.includes("xla_cuda_plugin"))).toEqual([]);
  });

  test.each([
    ["0.5.3", "_blas.so"],
    ["0.4.30", "_prng.so"],
  ])("%s loads no wheel by its path: %s opens the runtime, and the plugin is opened at once", async (version, opener) => {
    const loads = await jaxIn(without(cuda12(version), /nvidia\/cudnn\//), onGpu);
    expect(gpuFiles(mapped(loads, "certain"))).toEqual([
      "~/nvidia/cuda_runtime/lib/libcudart.so.12",
      "~/jax_plugins/xla_cuda12/xla_cuda_plugin.so",
    ]);
    expect(asked(loads, "libcudart.so.12")[0]).toBe(opener);
    expect(asked(loads, `${site}/jax_plugins/xla_cuda12/xla_cuda_plugin.so`)).toEqual(["xla_extension.so"]);
    expect(loads.failures).toEqual([]);
  });

  test("its plugin is named after the CUDA it was compiled for; the rest is known of the release", async () => {
    const made = pythonRoot(cuda12("0.10.2"));
    expect(await compiled(made.folder, jax, "jax")).toEqual({
      cuda: { version: "12.9.1", evidence: "what is known of jax 0.10.2" },
      cudnn: { version: "9.8.0", evidence: "what is known of jax 0.10.2" },
    });
  });
});
