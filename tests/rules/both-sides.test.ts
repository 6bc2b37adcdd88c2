// The same fault, once installed in a root folder or an image and once written in a file: the same rule, cause and severity.
import { describe, expect, test } from "vitest";
import type { Finding } from "../../packages/core/src/model/finding.ts";
import { dependencyFileRules } from "../../packages/core/src/rules/dependency-file.generated.ts";
import { rules } from "../../packages/core/src/rules/machine.generated.ts";
import { declared } from "../declare/declared.ts";
import { cupy } from "../diagnose/cupy-root.ts";
import { judge, machineWith, torch, userSpace } from "../diagnose/gpu-root.ts";
import { cudnn, findings, healthy, packaged, toolkit, torch as torch26, triton } from "../diagnose/python-stack.ts";
import { tensorflow } from "../diagnose/tensorflow-root.ts";
import { driver, installed, library, module, site } from "../frameworks/python-root.ts";
import { glibcLoader } from "../loader/answers.ts";
import { needs } from "../needs.ts";

interface Fault {
  rule: string;
  what: string;
  severity: Finding["severity"];
  cause: Finding["cause"];
  installed: () => Promise<Finding[]>;
  written: () => Promise<Finding[]>;
}

const of = async (...given: Parameters<typeof declared>) => (await declared(...given)).check.findings;
const requirements = (text: string, asked: Parameters<typeof declared>[2] = {}) =>
  of("requirements.txt", text, { python: "3.11", ...asked });
const dockerfile = (text: string, asked: Parameters<typeof declared>[2] = {}) => of("Dockerfile", text, asked);
const cudaImage = "FROM nvidia/cuda:12.8.1-runtime-ubuntu22.04\n";
const torch29 = torch("2.9.1", "12.8", { cudnn: "9.10.2.21" });
const tensorflow220 = { ...tensorflow, ...machineWith("580.159.04") };

const faults: Fault[] = [
  {
    rule: "driver-too-old",
    what: "a driver before CUDA 12",
    severity: "error",
    cause: "driver-too-old",
    installed: () => judge(torch29, { driver: "470.57.02" }),
    written: () => requirements("torch==2.9.1\n", { driver: "470.57.02" }),
  },
  {
    rule: "driver-too-old",
    what: "a driver that does not know the GPU yet",
    severity: "error",
    cause: "driver-too-old",
    installed: () => judge(torch29, { driver: "550.54.15", gpus: ["RTX 5090"] }),
    written: () => requirements("torch==2.9.1\n", { driver: "550.54.15", gpus: ["RTX 5090"] }),
  },
  {
    rule: "driver-too-old",
    what: "an image that requires a newer driver",
    severity: "error",
    cause: "driver-too-old",
    installed: () => judge(torch29, { driver: "525.60.13", gpus: ["RTX 3090"], image: { NVIDIA_REQUIRE_CUDA: "cuda>=12.8" } }),
    written: () =>
      dockerfile(`${cudaImage}ENV NVIDIA_REQUIRE_CUDA=cuda>=12.8\nRUN pip install torch==2.9.1\n`, {
        driver: "525.60.13",
        gpus: ["RTX 3090"],
      }),
  },
  {
    rule: "gpu-not-in-build",
    what: "Volta, which builds for CUDA 13 have left out",
    severity: "error",
    cause: "arch-unsupported",
    installed: () => judge(torch("2.11.0", "13.0", { cudnn: "9.19.0.56" }), { driver: "580.159.04", gpus: ["V100"] }),
    written: () => requirements("torch==2.11.0\n", { driver: "580.159.04", gpus: ["V100"] }),
  },
  {
    rule: "ptx-newer-than-driver",
    what: "PTX of CUDA 12.5 for a driver of 12.4",
    severity: "error",
    cause: "ptx-newer-than-driver",
    installed: () => judge(tensorflow220, { driver: "550.54.15", gpus: ["sm_110"] }),
    written: () => requirements("tensorflow[and-cuda]==2.20.0\n", { driver: "550.54.15", gpus: ["sm_110"] }),
  },
  {
    rule: "kernels-compiled-at-start",
    what: "a GPU newer than the build",
    severity: "warning",
    cause: "arch-unsupported",
    installed: () => judge(tensorflow220, { gpus: ["B200"] }),
    written: () => requirements("tensorflow[and-cuda]==2.20.0\n", { driver: "580.159.04", gpus: ["B200"] }),
  },
  {
    rule: "cpu-only-build",
    what: "TensorFlow for processors, and a GPU",
    severity: "warning",
    cause: "wrong-wheel-cpu-only",
    installed: () =>
      judge(
        {
          ...installed("tensorflow-cpu", "2.20.0"),
          [`${site}/tensorflow/python/platform/build_info.py`]: {
            text: "build_info = collections.OrderedDict([('is_cuda_build', False), ('is_rocm_build', False)])\n",
          },
          [`${site}/tensorflow/python/platform/_pywrap_cpu_feature_guard.so`]: module(),
          [`${site}/tensorflow/python/_pywrap_tensorflow_internal.so`]: module(),
        },
        { driver: "580.159.04", gpus: ["A100"] },
      ),
    written: () => requirements("tensorflow-cpu==2.20.0\n", { driver: "580.159.04", gpus: ["A100"] }),
  },
  {
    rule: "host-compiler-too-new",
    what: "gcc 12 for the nvcc of CUDA 11.8",
    severity: "warning",
    cause: "toolkit-too-old",
    installed: async () =>
      (
        await judge(
          { ...torch("2.1.2+cu118", "11.8", { cudnn: "8.7.0.84" }), ...toolkit("11.8") },
          { environment: { CUDA_HOME: "/usr/local/cuda-11.8", CC: "gcc-12" } },
        )
      ).filter(({ rule }) => rule === "host-compiler-too-new"),
    written: () => dockerfile("FROM nvidia/cuda:11.8.0-devel-ubuntu22.04\nRUN apt-get install -y gcc-12\nENV CC=gcc-12\n"),
  },
  {
    rule: "known-bad-combination",
    what: "a TensorFlow whose PTX is refused on Blackwell",
    severity: "warning",
    cause: "upstream-bug",
    installed: () => judge(tensorflow220, { gpus: ["RTX 5090"] }),
    written: () => requirements("tensorflow[and-cuda]==2.20.0\n", { driver: "580.159.04", gpus: ["RTX 5090"] }),
  },
  {
    rule: "library-dropped-gpu",
    what: "a cuDNN that was upgraded past Volta",
    severity: "error",
    cause: "arch-unsupported",
    installed: () => judge(torch("2.7.1", "12.6", { cudnn: "9.14.0.64" }), { driver: "570.124.06", gpus: ["V100"] }),
    written: () =>
      dockerfile(`${cudaImage}RUN pip install torch==2.7.1\nRUN pip install nvidia-cudnn-cu12==9.14.0.64\n`, {
        driver: "570.124.06",
        gpus: ["V100"],
      }),
  },
  {
    rule: "library-dropped-gpu",
    what: "a driver after the last one for Volta",
    severity: "error",
    cause: "arch-unsupported",
    installed: () => judge(torch("2.7.1", "12.6", { cudnn: "9.5.1.17" }), { driver: "590.48.01", gpus: ["V100"] }),
    written: () => requirements("torch==2.7.1\n", { driver: "590.48.01", gpus: ["V100"] }),
  },
  {
    rule: "library-dropped-gpu",
    what: "NVRTC of CUDA 13 and Volta",
    severity: "error",
    cause: "arch-unsupported",
    installed: () => judge({ ...cupy("13.0.88"), ...machineWith("580.159.04") }, { gpus: ["V100"] }),
    written: () => requirements("cupy-cuda13x==14.2.0\nnvidia-cuda-nvrtc==13.0.88\n", { driver: "580.159.04", gpus: ["V100"] }),
  },
  {
    rule: "compiler-too-old-for-gpu",
    what: "the ptxas of Triton 3.5 and sm_121",
    severity: "error",
    cause: "toolkit-too-old",
    installed: () =>
      judge(
        { ...torch29, ...installed("triton", "3.5.1"), [`${site}/triton/_C/libtriton.so`]: module(), ...machineWith("580.159.04") },
        { gpus: ["GB10"] },
      ),
    written: () => requirements("torch==2.9.1\n", { driver: "580.159.04", gpus: ["GB10"] }),
  },
  {
    rule: "compiler-too-old-for-gpu",
    what: "NVRTC 12.6 and Blackwell",
    severity: "error",
    cause: "toolkit-too-old",
    installed: () => judge({ ...cupy("12.6.77"), ...machineWith("580.159.04") }, { gpus: ["RTX 5090"] }),
    written: () => requirements("cupy-cuda12x==14.2.0\nnvidia-cuda-nvrtc-cu12==12.6.77\n", { driver: "580.159.04", gpus: ["RTX 5090"] }),
  },
  {
    rule: "compat-on-wrong-gpu",
    what: "a compat library before the driver of a consumer's GPU",
    severity: "error",
    cause: "forward-compat-misuse",
    installed: () =>
      judge(
        {
          ...torch29,
          ...machineWith("550.163.01", ["NVIDIA GeForce RTX 4090"]),
          ...userSpace("/usr/local/cuda-12.8/compat", "570.124.06"),
        },
        { environment: { LD_LIBRARY_PATH: "/usr/local/cuda-12.8/compat" } },
      ),
    written: () =>
      dockerfile(`${cudaImage}ENV LD_LIBRARY_PATH=/usr/local/cuda-12.8/compat\nRUN pip install torch==2.9.1\n`, {
        driver: "550.163.01",
        gpus: ["RTX 4090"],
      }),
  },
  {
    rule: "gpus-hidden",
    what: "a variable that names no GPU",
    severity: "error",
    cause: "not-a-mismatch",
    installed: () => judge({ ...torch29, ...machineWith("580.159.04") }, { image: { CUDA_VISIBLE_DEVICES: "-1" } }),
    written: () => dockerfile(`${cudaImage}ENV CUDA_VISIBLE_DEVICES=-1\nRUN pip install torch==2.9.1\n`),
  },
  {
    rule: "gpus-hidden",
    what: "an image that asks the container runtime for no GPU",
    severity: "warning",
    cause: "not-a-mismatch",
    installed: () => judge(torch29, { image: { NVIDIA_VISIBLE_DEVICES: "void" } }),
    written: () => dockerfile(`${cudaImage}ENV NVIDIA_VISIBLE_DEVICES=void\nRUN pip install torch==2.9.1\n`),
  },
  {
    rule: "stub-driver",
    what: "the toolkit's stub in the search path",
    severity: "error",
    cause: "stub-library",
    installed: () =>
      judge(
        {
          ...torch29,
          "/usr/local/cuda/lib64/stubs/libcuda.so": library("libcuda.so.1"),
          "/usr/local/cuda/lib64/stubs/libcuda.so.1": { link: "libcuda.so" },
        },
        { driver: "580.159.04", image: { LD_LIBRARY_PATH: "/usr/local/cuda/lib64/stubs" } },
      ),
    written: () =>
      dockerfile(
        `${cudaImage}ENV LD_LIBRARY_PATH=/usr/local/cuda/lib64/stubs\nRUN cd /usr/local/cuda/lib64 && ln -s libcuda.so stubs/libcuda.so.1\nRUN pip install torch==2.9.1\n`,
        { driver: "580.159.04" },
      ),
  },
  {
    rule: "driver-not-exposed",
    what: "capabilities without compute",
    severity: "error",
    cause: "driver-not-exposed",
    installed: () => judge(torch29, { driver: "580.159.04", gpus: ["T4"], image: { NVIDIA_DRIVER_CAPABILITIES: "video,utility" } }),
    written: () =>
      dockerfile(`${cudaImage}ENV NVIDIA_DRIVER_CAPABILITIES=video,utility\nRUN pip install torch==2.9.1\n`, {
        driver: "580.159.04",
        gpus: ["T4"],
      }),
  },
  {
    rule: "numpy-too-new",
    what: "torch 2.2 with NumPy 2",
    severity: "warning",
    cause: "package-conflict",
    installed: () => judge({ ...torch("2.2.2", "12.1", { cudnn: "8.9.2.26" }), ...installed("numpy", "2.1.0") }),
    written: () => requirements("torch==2.2.2\nnumpy==2.1.0\n"),
  },
  {
    rule: "profiler-plugin-versions",
    what: "two plugins that are both called profile",
    severity: "warning",
    cause: "profiler-plugin-version",
    installed: () => findings({ ...healthy(), ...packaged("tensorboard-plugin-profile", "2.19.9"), ...packaged("xprof", "2.20.7") }),
    written: () => requirements("torch==2.6.0\ntensorboard-plugin-profile==2.19.9\nxprof==2.20.7\n"),
  },
  {
    rule: "pins-not-met",
    what: "torchvision for another torch",
    severity: "warning",
    cause: "package-conflict",
    installed: () => findings({ ...healthy(), ...packaged("torchvision", "0.20.1", {}, ["torch==2.5.1"]) }),
    written: () => dockerfile("FROM python:3.11\nRUN pip install torch==2.6.0\nRUN pip install --no-deps torchvision==0.20.1\n"),
  },
  {
    rule: "pins-not-met",
    what: "torchaudio for another torch, in a list of what is installed",
    severity: "warning",
    cause: "package-conflict",
    installed: () => findings({ ...healthy(), ...packaged("torchaudio", "2.5.1", {}, ["torch==2.5.1"]) }),
    written: () => of("freeze.txt", "torch==2.6.0\ntorchaudio==2.5.1\n"),
  },
  {
    rule: "pins-not-met",
    what: "a Triton of another release",
    severity: "warning",
    cause: "package-conflict",
    installed: () => findings({ ...torch26(), ...cudnn("9.1.0.70"), ...triton("3.3.0") }),
    written: () => dockerfile("FROM python:3.11\nRUN pip install torch==2.6.0\nRUN pip install triton==3.3.0\n"),
  },
  {
    rule: "built-for-another-cuda",
    what: "torchvision of another index",
    severity: "warning",
    cause: "wrong-wheel-cuda-version",
    installed: () => findings({ ...healthy(), ...packaged("torchvision", "0.21.0+cpu", {}, ["torch==2.6.0"]) }),
    written: () =>
      requirements(
        "--extra-index-url https://download.pytorch.org/whl/cu124\n--extra-index-url https://download.pytorch.org/whl/cpu\ntorch==2.6.0+cu124\ntorchvision==0.21.0+cpu\n",
      ),
  },
  {
    rule: "known-bad-combination",
    what: "cuDNN 9.10.0",
    severity: "warning",
    cause: "upstream-bug",
    installed: () => judge({ ...torch("2.7.1", "12.6", { cudnn: "9.10.0.56" }), ...machineWith("580.159.04") }),
    written: () => dockerfile(`${cudaImage}RUN pip install torch==2.7.1\nRUN pip install nvidia-cudnn-cu12==9.10.0.56\n`),
  },
  {
    rule: "packages-overwrite-each-other",
    what: "cuDNN for two CUDAs in one folder",
    severity: "warning",
    cause: "package-conflict",
    installed: () =>
      findings({
        ...torch26(),
        ...triton("3.2.0"),
        ...cudnn("9.1.0.70", "12"),
        ...cudnn("9.1.0.70", "13", 4),
      }),
    written: () => requirements("nvidia-cudnn-cu12==9.10.2.21\nnvidia-cudnn-cu13==9.12.0.46\n"),
  },
  {
    rule: "library-missing",
    what: "cuDNN, which nothing brings",
    severity: "error",
    cause: "library-missing",
    installed: () => findings({ ...torch26(), ...triton("3.2.0"), ...driver("/usr/lib") }),
    written: () => dockerfile("FROM nvidia/cuda:12.5.1-runtime-ubuntu22.04\nRUN pip install tensorflow==2.20.0\n"),
  },
];

describe("one fault, installed or written", needs({ glibc: glibcLoader }), () => {
  test.each(faults)("$rule: $what", async ({ rule, severity, cause, installed: there, written }) => {
    const expected = { rule, severity, cause };
    const [machine, file] = [await there(), await written()].map((all) =>
      // A milder remark about the same thing may stand beside it.
      all.filter((finding) => finding.rule === rule && finding.severity !== "info"),
    );
    expect(machine, "installed").toMatchObject([expected]);
    expect(file, "written").toMatchObject([expected]);
  });
});

const both = rules.filter(({ id }) => dependencyFileRules.some((other) => other.id === id)).map(({ id }) => id);
/** Rules whose two sides never see one fault: what each sees, the other cannot. */
const apart: { [rule: string]: string } = {
  "cpu-only-build": "a file tells by its image that a GPU is meant, a machine by the program that is asked about",
  "cupti-missing": "a machine is judged by what it does when it profiles; of a file nobody knows whether it ever will, so it is warned",
  "library-shadowed": "its faults need symbols and search paths that small files do not have; both sides have tests of their own",
  "library-wrong-version":
    "a file shows it for packages of conda and for NVIDIA's images, which small roots do not have; both sides have tests of their own",
};

test.each(both)("the two sides of %s are compared here", (id) => {
  expect([...faults.map(({ rule }) => rule), ...Object.keys(apart)]).toContain(id);
});
