// Small machines that take profiles: TensorFlow 2.10.1 and 2.15.1, torch 2.6.0 and jax 0.11.2, with the names and search paths of their
// wheels, an H200 or another GPU, and its driver.
import { adviceLine } from "../../packages/core/src/lib/shell.ts";
import { openTarget, checkTarget, type Activity, type Check, type Finding } from "../../packages/core/src/index.ts";
import { root } from "../../packages/machine/src/target/index.ts";
import { asExpected } from "../rules/expected.ts";
import { driver, installed, library, module, pythonRoot, site, wheel } from "../frameworks/python-root.ts";
import { makeElf } from "../loader/make-elf.ts";
import type { Files } from "../loader/tree.ts";

/** What the kernel's driver shows of a GPU. */
export function machine(gpu: string, params: { [name: string]: number } = {}): Files {
  return {
    ...driver("/usr/lib"),
    "/proc/driver/nvidia/version": {
      text: "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Fri Nov 14 18:26:31 UTC 2025\n",
    },
    "/proc/driver/nvidia/params": {
      text: `${Object.entries({ RmProfilingAdminOnly: 0, ...params })
        .map(([name, value]) => `${name}: ${value}`)
        .join("\n")}\n`,
    },
    "/proc/driver/nvidia/gpus/0000:0a:00.0/information": { text: `Model: \t\t ${gpu}\nIRQ:   \t\t 100\n` },
  };
}

const tensorflowReleases = {
  "2.10.1": { cuda: "11.2", cudnn: "8", runpath: "$ORIGIN/" },
  // The folder of CUPTI is in the RUNPATH of another library than the one that asks.
  "2.15.1": {
    cuda: "12.2",
    cudnn: "8",
    runpath: `$ORIGIN/:${["cuda_runtime", "cublas", "cudnn", "cufft", "cusolver", "cusparse"].map((name) => `$ORIGIN/../nvidia/${name}/lib`).join(":")}`,
  },
};

export function tensorflow(version: keyof typeof tensorflowReleases): Files {
  const { cuda, cudnn, runpath } = tensorflowReleases[version];
  const folder = `${site}/tensorflow`;
  return {
    ...installed("tensorflow", version),
    [`${folder}/python/platform/build_info.py`]: {
      text: `build_info = collections.OrderedDict([('cuda_version', '${cuda}'), ('cudnn_version', '${cudnn}'), ('is_cuda_build', True)])\n`,
    },
    [`${folder}/libtensorflow_framework.so.2`]: library("libtensorflow_framework.so.2", { runpath }),
    [`${folder}/python/_pywrap_tensorflow_internal.so`]: makeElf({
      soname: "_pywrap_tensorflow_internal.so",
      needed: ["libtensorflow_framework.so.2"],
      runpath: "$ORIGIN/:$ORIGIN/..",
    }),
  };
}

/** What TensorFlow 2.10.1 needs of CUDA 11.2 and cuDNN 8, without CUPTI, where the loader looks by itself. */
export const cuda11: Files = Object.fromEntries(
  [
    "libcudart.so.11.0",
    "libcublas.so.11",
    "libcublasLt.so.11",
    "libcufft.so.10",
    "libcurand.so.10",
    "libcusolver.so.11",
    "libcusparse.so.11",
    "libcudnn.so.8",
    "libcudnn_ops_infer.so.8",
  ].map((name) => [`/usr/lib/${name}`, library(name)]),
);

/** NVIDIA's wheels for TensorFlow 2.15.1, without CUPTI. */
export const cuda12: Files = {
  ...wheel("cuda_runtime", { "libcudart.so.12": {} }),
  ...wheel("cublas", { "libcublas.so.12": { needed: ["libcublasLt.so.12"], runpath: "$ORIGIN" }, "libcublasLt.so.12": {} }),
  ...wheel("cufft", { "libcufft.so.11": {} }),
  ...wheel("cusolver", { "libcusolver.so.11": {} }),
  ...wheel("cusparse", { "libcusparse.so.12": {} }),
  ...wheel("cudnn", { "libcudnn.so.8": { runpath: "$ORIGIN" }, "libcudnn_ops_infer.so.8": { runpath: "$ORIGIN" } }),
};

/** A toolkit's CUPTI: the real file, its soname, and the name to link against. */
export const cupti = (folder: string, soname: string, file: string): Files => ({
  [`${folder}/${file}`]: library(soname),
  [`${folder}/${soname}`]: { link: file },
  [`${folder}/libcupti.so`]: { link: soname },
});

/** torch 2.6.0+cu124, as to its profile: libtorch_cpu is linked against CUPTI. */
export function torch(): Files {
  const rpath = "$ORIGIN/../../nvidia/cuda_cupti/lib:$ORIGIN/../../nvidia/cuda_runtime/lib:$ORIGIN";
  const own = (name: string, needed: string[]) => ({ [`${site}/torch/lib/${name}`]: library(name, { needed, rpath }) });
  return {
    ...installed("torch", "2.6.0", ["nvidia-cuda-cupti-cu12==12.4.127"]),
    ...installed("nvidia-cuda-cupti-cu12", "12.4.127"),
    [`${site}/nvidia_cuda_cupti_cu12-12.4.127.dist-info/RECORD`]: { text: "nvidia/cuda_cupti/lib/libcupti.so.12,,\n" },
    [`${site}/torch/version.py`]: { text: "cuda: Optional[str] = '12.4'\n" },
    [`${site}/torch/_C.so`]: module({ needed: ["libtorch_python.so"], rpath: `${rpath}:$ORIGIN/lib` }),
    ...own("libtorch_global_deps.so", ["libcudart.so.12"]),
    ...own("libtorch_python.so", ["libtorch_cpu.so"]),
    ...own("libtorch_cpu.so", ["libcupti.so.12"]),
    ...wheel("cuda_runtime", { "libcudart.so.12": {} }),
    ...wheel("cuda_cupti", { "libcupti.so.12": {} }),
  };
}

/** jax 0.11.2 for CUDA 13, with a libcupti of the given soname under the name that it asks for. */
export function jax(cuptiSoname = "libcupti.so.13"): Files {
  const rpath = "$ORIGIN/../nvidia/cu13/lib:$ORIGIN/../nvidia/cudnn/lib:$ORIGIN/../../nvidia/cu13/lib:$ORIGIN/../../nvidia/cudnn/lib";
  const cu13 = ["libcudart.so.13", "libcufft.so.12", "libcublas.so.13", "libcusparse.so.12"];
  return {
    ...installed("jax", "0.11.2"),
    ...installed("jax-cuda13-plugin", "0.11.2"),
    [`${site}/jaxlib/_jax.so`]: module({ needed: ["libjax_common.so"], rpath: "$ORIGIN" }),
    [`${site}/jaxlib/libjax_common.so`]: library("libjax_common.so"),
    ...Object.fromEntries(["_versions", "_solver"].map((name) => [`${site}/jax_cuda13_plugin/${name}.so`, module({ rpath })])),
    [`${site}/jax_plugins/xla_cuda13/xla_cuda_plugin.so`]: module({ rpath }),
    ...wheel("cu13", Object.fromEntries(cu13.map((name) => [name, {}]))),
    [`${site}/nvidia/cu13/lib/libcupti.so.13`]: library(cuptiSoname),
    [`${site}/nvidia/cu13/bin/ptxas`]: { text: "" },
    ...wheel("cudnn", { "libcudnn.so.9": { runpath: "$ORIGIN" }, "libcudnn_graph.so.9": { runpath: "$ORIGIN" } }),
  };
}

export interface Asking {
  for?: string;
  do?: Activity[];
  environment?: { [name: string]: string };
}

export async function check(files: Files, { for: program, do: activities = [], environment = {} }: Asking = {}): Promise<Check> {
  const { folder } = pythonRoot(files);
  const examination = await openTarget(root(folder), { environment, cwd: "/run", cpu: { level: 1 } });
  const judged = await checkTarget(examination, { programs: program === undefined ? [] : [[program]], activities, python: ["/venv"] });
  if ("problem" in judged) throw new Error(judged.problem);
  // That old builds have only PTX for a newer GPU is true of these machines, and the matter of another rule.
  const findings = asExpected(judged.check.findings).filter(({ rule }) => rule !== "kernels-compiled-at-start");
  return { ...judged.check, findings };
}

/** Findings above a remark. */
export const serious = ({ findings }: Check): Finding[] => findings.filter(({ severity }) => severity !== "info");

/** The words of a finding, for people. */
export const wordsOf = ({ message, because, evidence, advice, facts: { said = "" } }: Finding) =>
  [message, ...because, ...evidence, ...advice.map(adviceLine), said].join("\n");
