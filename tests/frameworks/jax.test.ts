// jaxlib, jax-cuda12-plugin and jax-cuda12-pjrt in small: what they load, as LD_DEBUG showed it for 0.4.30, 0.5.3 and 0.10.2.
import { describe, expect, test } from "vitest";
import { checkChanges, checkTarget, openTarget, takeForOtherDrivers } from "../../packages/core/src/index.ts";
import jax from "../../packages/core/src/frameworks/jax/model.ts";
import { root } from "../../packages/machine/src/target/root.ts";
import { judge } from "../diagnose/gpu-root.ts";
import { glibcLoader } from "../loader/answers.ts";
import { makeElf } from "../loader/make-elf.ts";
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
  without,
  type Question,
} from "./python-root.ts";
import { needs } from "../needs.ts";

async function jaxIn(files: Files, question: Question = {}) {
  const made = pythonRoot(files);
  return predict(made.folder, "jax", question);
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

describe("jax for CUDA 12", needs({ glibc: glibcLoader }), () => {
  const nvcc = (isRegular: boolean): Files => ({
    ...installed("nvidia-cuda-nvcc-cu12", isRegular ? "12.8.93" : "12.9.86"),
    [`${site}/nvidia/cuda_nvcc/bin/ptxas`]: { text: "" },
    ...(isRegular ? { [`${site}/nvidia/cuda_nvcc/__init__.py`]: { text: "" } } : {}),
  });

  test.each([
    ["0.4.35", false, {}, 1],
    ["0.4.35", true, {}, 0],
    ["0.4.35", false, { CUDA_ROOT: "/opt/driver" }, 0],
    ["0.4.36", false, {}, 0],
  ])("%s with an nvcc whose package is regular: %s, and %j: %i failures", async (version, isRegular, variables, count) => {
    const environment = { LD_LIBRARY_PATH: "/opt/driver", ...variables };
    const { failures } = await jaxIn({ ...cuda12(version), ...nvcc(isRegular) }, { environment });
    expect(failures.map(({ name }) => name)).toEqual(Array.from({ length: count }, () => "nvidia.cuda_nvcc"));
  });

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
      "/opt/driver/libnvidia-ml.so.1",
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

  // What each of these did on an H200 with 0.11.2; upper case is no other name in JAX_PLATFORMS, and a space is part of one.
  test.each([
    ["JAX_PLATFORMS", "", undefined],
    ["JAX_PLATFORMS", "cuda", undefined],
    ["JAX_PLATFORMS", "cuda,cpu", undefined],
    ["JAX_PLATFORMS", "cpu,cuda", "JAX_PLATFORMS=cpu,cuda: JAX uses the CPU"],
    ["JAX_PLATFORMS", "gpu", "Unable to initialize backend 'rocm'"],
    ["JAX_PLATFORMS", "cpu,gpu", "Unable to initialize backend 'rocm'"],
    ["JAX_PLATFORMS", "CUDA", "Unable to initialize backend 'CUDA'"],
    ["JAX_PLATFORMS", "tpu", "Unable to initialize backend 'tpu'"],
    ["JAX_PLATFORMS", "cuda, cpu", "Unable to initialize backend ' cpu'"],
    ["JAX_PLATFORM_NAME", "gpu", undefined],
    ["JAX_PLATFORM_NAME", "CUDA", undefined],
    ["JAX_PLATFORM_NAME", "tpu", "Unable to initialize backend 'tpu'"],
  ])("%s=%s: %s", async (variable, value, said) => {
    const { failures } = await jaxIn(cuda12("0.10.2"), {
      do: ["device"],
      environment: { LD_LIBRARY_PATH: "/opt/driver", [variable]: value },
    });
    expect(failures.map(({ message, refusal }) => [message, refusal?.kind])).toEqual(
      said === undefined ? [] : [[expect.stringContaining(said), "told-otherwise"]],
    );
  });

  test("a TPU that is asked for where its library is installed is none of ours", async () => {
    const environment = { LD_LIBRARY_PATH: "/opt/driver", JAX_PLATFORMS: "tpu" };
    expect((await jaxIn({ ...cuda12("0.10.2"), ...installed("libtpu", "0.0.21") }, { do: ["device"], environment })).failures).toEqual([]);
  });

  test("where the library of XLA for CUDA is gone, JAX goes on without a GPU", async () => {
    const files = {
      ...without(cuda12("0.10.2"), /xla_cuda_plugin\.so/),
      ...installed("jax-cuda12-pjrt", "0.10.2"),
      ...installed("jaxlib", "0.10.2"),
      [`${site}/jax_plugins/xla_cuda12/__init__.py`]: { text: "" },
    };
    const { failures } = await jaxIn(files, onGpu);
    expect(failures.map(({ name, message }) => [name, message])).toEqual([
      ["xla_cuda_plugin.so", expect.stringContaining("a CUDA-enabled jaxlib is not installed")],
    ]);
  });

  test.each([
    ["0.5.3", "_blas.so"],
    ["0.4.30", "_prng.so"],
  ])("%s loads no wheel by its path: %s opens the runtime, and the plugin is opened at once", async (version, opener) => {
    const loads = await jaxIn(without(cuda12(version), /nvidia\/cudnn\//), onGpu);
    expect(gpuFiles(mapped(loads, "certain"))).toEqual([
      "~/nvidia/cuda_runtime/lib/libcudart.so.12",
      "~/jax_plugins/xla_cuda12/xla_cuda_plugin.so",
      "/opt/driver/libcuda.so.580.159.04",
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

// As watched with 0.11.2 on a machine with a GPU, one thing missing at a time.
describe("what jax 0.11 cannot do without", needs({ glibc: glibcLoader }), () => {
  const ptxas = `${site}/nvidia/cuda_nvcc/bin/ptxas`;
  const whole: Files = { ...cuda12("0.11.2"), [ptxas]: { text: "" } };
  const management = "/opt/driver/libnvidia-ml.so.1";
  const failures = async (files: Files, activity: "device" | "matmul" = "matmul") =>
    (await jaxIn(files, { ...onGpu, do: [activity] })).failures.map(({ name, message, refusal }) => ({ name, message, refusal }));
  const noDevices = "RuntimeError: Unable to initialize backend 'cuda': FAILED_PRECONDITION: No visible GPU devices.";

  test("with all of it nothing fails", async () => {
    expect(await failures(whole)).toEqual([]);
  });

  test.each([
    ["missing", without(whole, /libnvidia-ml/)],
    ["empty", { ...whole, [management]: { text: "" } }],
    ["no library", { ...whole, [management]: { text: "nothing" } }],
  ] as [string, Files][])("NVML: %s, and no GPU is found", async (_, files) => {
    expect(await failures(files, "device")).toEqual([{ name: "libnvidia-ml.so.1", message: noDevices, refusal: undefined }]);
  });

  test("an image that asks for `compute` alone gets no NVML, and is told so", async () => {
    const files = without(whole, /\/opt\/driver\//);
    const check = (capabilities: string) =>
      judge(files, {
        driver: "580.95.05",
        gpus: ["H100"],
        programs: [["jax"]],
        activities: ["device"],
        image: { NVIDIA_DRIVER_CAPABILITIES: capabilities },
      });
    expect(await check("compute,utility")).toEqual([]);
    const [finding, ...others] = await check("compute");
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ rule: "driver-not-exposed", severity: "error", subject: "libnvidia-ml.so.1" });
    expect(finding!.because[0]).toContain("leaves out `utility`");
  });

  test("a Jetson's driver comes without NVML, and nothing is said of it", async () => {
    const files = without(whole, /libnvidia-ml|driver\/libcuda/);
    const jetson = {
      "/opt/driver/libcuda.so.1.1": library("libcuda.so.1", { pages: 300 }),
      "/opt/driver/libcuda.so.1": { link: "libcuda.so.1.1" },
    };
    expect(await failures({ ...files, ...jetson }, "device")).toEqual([]);
  });

  test("the stub of NVML answers nothing", async () => {
    const stub = { ...whole, [management]: library("libnvidia-ml.so.1") };
    expect(await failures(stub)).toEqual([{ name: "libnvidia-ml.so.1", message: noDevices, refusal: { kind: "stub-driver" } }]);
  });

  test("ptxas, as soon as it compiles; that of any toolkit will do", async () => {
    const bare = without(whole, /ptxas/);
    expect(await failures(bare, "device")).toEqual([]);
    expect((await failures(bare)).map(({ name }) => name)).toEqual(["ptxas"]);
    expect(await failures({ ...bare, "/usr/local/cuda-12.9/bin/nvcc": { text: "" } })).toEqual([]);
    expect(await failures({ ...bare, "/usr/local/cuda/bin/ptxas": { text: "" } })).toEqual([]);
  });

  test("it is led by CUDA_HOME and CUDA_ROOT, by no other variable, and needs no nvlink", async () => {
    const elsewhere = { ...without(whole, /ptxas/), "/srv/cuda/bin/ptxas": { text: "" } };
    const led = async (environment: { [name: string]: string }) =>
      (await jaxIn(elsewhere, { do: ["matmul"], environment: { LD_LIBRARY_PATH: "/opt/driver", ...environment } })).failures.length;
    for (const name of ["CUDA_HOME", "CUDA_ROOT"]) expect([name, await led({ [name]: "/srv/cuda" })]).toEqual([name, 0]);
    expect(await led({ CUDA_PATH: "/srv/cuda" })).toBe(1);
  });

  // Watched with 0.12.0: jax sets that flag itself where CUDA_ROOT or a wheel names the folder.
  test("its own flag leads it where jax does not set that itself", async () => {
    const elsewhere = { ...without(whole, /ptxas/), "/srv/cuda/bin/ptxas": { text: "" } };
    const led = async (files: Files, environment: { [name: string]: string } = {}) =>
      (
        await jaxIn(files, {
          do: ["matmul"],
          environment: { LD_LIBRARY_PATH: "/opt/driver", XLA_FLAGS: "--xla_dump=1 --xla_gpu_cuda_data_dir=/srv/cuda/", ...environment },
        })
      ).failures.length;
    expect(await led(elsewhere)).toBe(0);
    expect(await led({ ...elsewhere, [`${site}/nvidia/cuda_nvcc/include/cuda.h`]: { text: "" } })).toBe(1);
    expect(await led(elsewhere, { CUDA_ROOT: "/nowhere" })).toBe(1);
  });

  test("facts for experiments tell of every place of ptxas, a check reads the first: without the toolkit it is known what is left", async () => {
    const toolkit = "/usr/local/cuda-12.9/bin/ptxas";
    const files = { ...without(whole, /ptxas/), [toolkit]: { text: "" } };
    const opened = async (content: Files) =>
      openTarget(root(pythonRoot(content).folder), {
        environment: { LD_LIBRARY_PATH: "/opt/driver" },
        unset: ["CUDA_HOME", "CUDA_ROOT"],
        cwd: "/run",
        cpu: { level: 1 },
      });
    const question = { programs: [["jax"]], activities: ["matmul" as const], python: ["/venv"] };
    const rest = "/venv/bin/nvcc";
    const checked = await opened(files);
    await checkTarget(checked, question);
    expect(checked.view.snapshot.files[rest]).toBeUndefined();
    for (const [content, isBroken] of [
      [files, true],
      [{ ...files, [`${site}/nvidia/cuda_nvcc/bin/ptxas`]: { text: "" } }, false],
    ] as const) {
      const taken = await takeForOtherDrivers(await opened(content), { driver: "580.95.05", gpus: ["H100"] }, ["/venv"]);
      const supposed = { driver: "580.95.05", gpus: ["H100"] };
      const judged = await checkChanges(await openTarget(taken, supposed), question, { without: ["/usr/local/cuda-12.9"] });
      if ("problem" in judged) throw new Error(judged.problem);
      expect(judged.check.unknown.filter(({ subject, reason }) => /ptxas|nvcc/.test(`${subject} ${reason}`))).toEqual([]);
      expect(judged.check.findings.some(({ subject }) => subject.includes("ptxas"))).toBe(isBroken);
    }
  });

  describe("libdevice", () => {
    const folder = (name: string) => `${name}/nvvm/libdevice/libdevice.10.bc`;
    const missed = async (files: Files, environment: { [name: string]: string } = {}, activity: "compile" | "matmul" = "compile") =>
      (await jaxIn(files, { do: [activity], environment: { LD_LIBRARY_PATH: "/opt/driver", ...environment } })).missed.filter(
        ({ name }) => name === "libdevice.10.bc",
      ).length;

    test("is missed when it compiles, and nothing stops for it", async () => {
      expect(await missed(whole)).toBe(1);
      expect(await missed(whole, {}, "matmul")).toBe(0);
      expect((await jaxIn(whole, { ...onGpu, do: ["compile"] })).failures).toEqual([]);
    });

    test.each([`${site}/nvidia/cuda_nvcc`, "/usr/local/cuda", "/opt/cuda", "/venv", "/venv/lib"])("is found in %s", async (place) => {
      expect(await missed({ ...whole, [folder(place)]: { text: "" } })).toBe(0);
    });

    test("is found where variables lead", async () => {
      const files = { ...whole, [folder("/srv/cuda")]: { text: "" } };
      for (const name of ["CUDA_ROOT", "CUDA_HOME"]) expect([name, await missed(files, { [name]: "/srv/cuda" })]).toEqual([name, 0]);
      expect(await missed(files, { CUDA_PATH: "/srv/cuda" })).toBe(1);
      expect(await missed(files, { XLA_FLAGS: "--xla_gpu_cuda_data_dir=/srv/cuda" })).toBe(1);
      const older = { ...cuda12("0.7.2"), [folder("/srv/cuda")]: { text: "" } };
      expect(await missed(older, { CUDA_ROOT: "/srv/cuda" })).toBe(0);
    });

    test("came with the plugin up to 0.4.30", async () => {
      expect(await missed(cuda12("0.4.30"))).toBe(0);
      expect(await missed(cuda12("0.5.3"))).toBe(1);
    });

    test("is warned of with the wheel that brings it, and not where ptxas is lacking, too", async () => {
      const asked = { driver: "580.95.05", gpus: ["H100"], programs: [["jax"]], activities: ["compile" as const] };
      const found = async (files: Files) => (await judge(files, asked)).map(({ rule, severity }) => [rule, severity]);
      const files = without(whole, /\/opt\/driver\//);
      expect(await found(files)).toEqual([["libdevice-missing", "warning"]]);
      expect((await judge(files, asked))[0]!.advice[0]!.command?.at(-1)).toBe("nvidia-cuda-nvcc-cu12");
      expect(await found({ ...files, [folder(`${site}/nvidia/cuda_nvcc`)]: { text: "" } })).toEqual([]);
      expect(await found(without(files, /ptxas/))).toEqual([["library-missing", "error"]]);
      // NVIDIA's packages bring it with libnvvm: a toolkit with one alone is a copy that is not whole.
      const toolkit = {
        "/usr/local/cuda-12.4/nvvm/lib64/libnvvm.so.4": makeElf({ soname: "libnvvm.so.4" }),
        "/usr/local/cuda-12.4/version.json": { text: '{ "cuda": { "version": "12.4.1" } }' },
        "/usr/local/cuda": { link: "cuda-12.4" },
      };
      expect(await found({ ...files, ...toolkit })).toEqual([]);
      const empty = Object.fromEntries(Object.entries(toolkit).filter(([path]) => !path.includes("nvvm")));
      expect(await found({ ...files, ...empty })).toEqual([["libdevice-missing", "warning"]]);
    });
  });

  test("earlier releases were not watched without them, and nothing is said", async () => {
    expect((await jaxIn(without(cuda12("0.10.2"), /libnvidia-ml/), { ...onGpu, do: ["matmul"] })).failures).toEqual([]);
  });
});
