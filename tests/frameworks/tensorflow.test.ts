// What real wheels did, on small trees of the same shape. Each was run with LD_DEBUG and a driver library that counts one GPU; the
// names, the objects that ask and the files are those of that run. RUNPATH entries that a wheel repeats are written once.
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openTarget, loadsOfFrameworks, type Activity, type Loads } from "../../packages/core/src/index.ts";
import tensorflow from "../../packages/core/src/frameworks/tensorflow/model.ts";
import { environmentAt } from "../../packages/core/src/survey/python.ts";
import { root } from "../../packages/machine/src/target/index.ts";
import { glibcLoader } from "../loader/answers.ts";
import { makeElf, type Plan } from "../loader/make-elf.ts";
import { addLoader } from "../loader/roots.ts";
import { build, temporary, type Files } from "../loader/tree.ts";
import { needs } from "../needs.ts";

const prefix = "/opt/tf";
const site = `${prefix}/lib/python3.11/site-packages`;
const library = (soname: string, plan: Plan = {}) => makeElf({ soname, ...plan });
const ofWheels = (...folders: string[]) => folders.flatMap((folder) => [`$ORIGIN/../../${folder}`, `$ORIGIN/../${folder}`]).join(":");
const nvidia = (...names: string[]) => ofWheels(...names.map((name) => `nvidia/${name}/lib`));

interface Release {
  version: string;
  cuda: string;
  cudnn: string;
  /** Left out: a wheel that has no libtensorflow_cc. */
  cc?: Plan;
  /** lib_pywrap_tensorflow_common. */
  common?: true;
  /** RUNPATH of libtensorflow_framework. */
  runpath: string;
}

const releases = {
  // tensorflow-2.21.0-cp311-cp311-manylinux_2_27_x86_64: the folder of cuSOLVER is in the RUNPATH of libtensorflow_cc alone.
  "2.21.0": {
    version: "2.21.0",
    cuda: "12.5.1",
    cudnn: "9",
    common: true,
    cc: { runpath: `$ORIGIN/:${nvidia("cusolver")}` },
    runpath: `${nvidia("nccl", "cuda_cupti", "cublas", "cudnn", "cufft", "cusparse")}:${ofWheels("tensorrt")}:${nvidia("cuda_runtime", "nvshmem")}`,
  },
  // tensorflow-2.18.1-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64: the folder of CUPTI is in the RUNPATH of libtensorflow_cc alone.
  "2.18.1": {
    version: "2.18.1",
    cuda: "12.5.1",
    cudnn: "9",
    cc: { runpath: `$ORIGIN/:${nvidia("cufft", "cudnn", "cusolver", "cublas", "cusparse", "cuda_cupti", "cuda_runtime")}` },
    runpath: `$ORIGIN/:${nvidia("cublas", "cudnn", "cufft", "cusolver", "cusparse")}:${ofWheels("tensorrt")}:${nvidia("cuda_runtime")}`,
  },
  // tensorflow-2.15.1-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64, likewise.
  "2.15.1": {
    version: "2.15.1",
    cuda: "12.2",
    cudnn: "8",
    cc: { runpath: `$ORIGIN/:${nvidia("cusparse", "cusolver", "cudnn", "cufft", "cublas", "cuda_cupti", "cuda_runtime")}` },
    runpath: `$ORIGIN/:${nvidia("cuda_runtime")}:${ofWheels("tensorrt")}:${nvidia("cublas", "cudnn", "cufft", "cusolver", "cusparse")}`,
  },
  // tensorflow-2.12.1-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64
  "2.12.1": { version: "2.12.1", cuda: "11.8", cudnn: "8", cc: { runpath: "$ORIGIN/" }, runpath: "$ORIGIN/" },
  // tensorflow-2.11.1-cp310-cp310-manylinux_2_17_x86_64.manylinux2014_x86_64
  "2.11.1": { version: "2.11.1", cuda: "11.2", cudnn: "8", runpath: "$ORIGIN/" },
  // tensorflow-2.10.1-cp310-cp310-manylinux_2_17_x86_64.manylinux2014_x86_64
  "2.10.1": { version: "2.10.1", cuda: "11.2", cudnn: "8", runpath: "$ORIGIN/" },
} satisfies { [version: string]: Release };

function installed({ version, cuda, cudnn, cc, common, runpath }: Release): Files {
  const folder = `${site}/tensorflow`;
  const own = ["libtensorflow_framework.so.2"];
  const internal = [...(cc ? ["libtensorflow_cc.so.2"] : []), ...own];
  return {
    [`${prefix}/bin/python3.11`]: makeElf({ program: true }),
    [`${prefix}/bin/python3`]: { link: "python3.11" },
    [`${site}/tensorflow-${version}.dist-info/METADATA`]: { text: `Name: tensorflow\nVersion: ${version}\n` },
    [`${folder}/python/platform/build_info.py`]: {
      text: `build_info = collections.OrderedDict([('cpu_compiler', 'clang'), ('cuda_compute_capabilities', ['sm_80', 'compute_90']), ('cuda_version', '${cuda}'), ('cudnn_version', '${cudnn}'), ('is_cuda_build', True), ('is_rocm_build', False), ('is_tensorrt_build', False)])\n`,
    },
    [`${folder}/libtensorflow_framework.so.2`]: library("libtensorflow_framework.so.2", { runpath }),
    ...(cc ? { [`${folder}/libtensorflow_cc.so.2`]: library("libtensorflow_cc.so.2", { needed: own, ...cc }) } : {}),
    ...(common
      ? {
          [`${folder}/python/lib_pywrap_tensorflow_common.so`]: library("lib_pywrap_tensorflow_common.so", {
            needed: internal,
            runpath: "$ORIGIN/../",
          }),
        }
      : {}),
    [`${folder}/python/_pywrap_tensorflow_internal.so`]: makeElf({
      ...(common ? {} : { soname: "_pywrap_tensorflow_internal.so" }),
      needed: common ? [...own, "libtensorflow_cc.so.2", "lib_pywrap_tensorflow_common.so"] : internal,
      runpath: "$ORIGIN/:$ORIGIN/..",
    }),
    [`${folder}/python/platform/_pywrap_cpu_feature_guard.so`]: makeElf({
      needed: common
        ? [...own, "libtensorflow_cc.so.2", "lib_pywrap_tensorflow_common.so"]
        : cc
          ? [...own, "_pywrap_tensorflow_internal.so"]
          : [],
      runpath: "$ORIGIN/:$ORIGIN/..:$ORIGIN/../..",
    }),
  };
}

const at = (folder: string, soname: string, plan: Plan = {}): Files => ({
  [`${site}/nvidia/${folder}/lib/${soname}`]: library(soname, plan),
});

/** NVIDIA's wheels for CUDA 12, as to what they need and where they look. */
function wheels(cudnn: "8" | "9"): Files {
  const parts =
    cudnn === "8"
      ? ["ops_infer", "cnn_infer", "ops_train", "cnn_train"]
      : ["graph", "ops", "engines_precompiled", "heuristic", "engines_runtime_compiled"];
  return {
    ...at("cuda_runtime", "libcudart.so.12"),
    ...at("cublas", "libcublas.so.12", { needed: ["libcublasLt.so.12"], runpath: "$ORIGIN" }),
    ...at("cublas", "libcublasLt.so.12"),
    ...at("cufft", "libcufft.so.11", { runpath: "$ORIGIN/../../nvjitlink/lib:$ORIGIN" }),
    ...at("nvjitlink", "libnvJitLink.so.12"),
    ...at("cusparse", "libcusparse.so.12", { needed: ["libnvJitLink.so.12"], runpath: "$ORIGIN/../../nvjitlink/lib:$ORIGIN" }),
    ...at("cusolver", "libcusolver.so.11", {
      needed: ["libnvJitLink.so.12", "libcusparse.so.12", "libcublas.so.12", "libcublasLt.so.12"],
      runpath: "$ORIGIN:$ORIGIN/../../cublas/lib:$ORIGIN/../../nvjitlink/lib:$ORIGIN/../../cusparse/lib",
    }),
    ...at("cuda_cupti", "libcupti.so.12"),
    ...at("nccl", "libnccl.so.2"),
    ...at("cudnn", `libcudnn.so.${cudnn}`, { runpath: "$ORIGIN" }),
    ...Object.assign(
      {},
      ...parts.map((part) =>
        at("cudnn", `libcudnn_${part}.so.${cudnn}`, {
          runpath: "$ORIGIN",
          ...(part === "cnn_infer" ? { needed: ["libcudnn_ops_infer.so.8"] } : {}),
        }),
      ),
    ),
  };
}

/** CUDA 11 and cuDNN 8 as a conda environment holds them: all in one folder. */
const conda = (cupti: string): Files =>
  Object.fromEntries(
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
      cupti,
    ].map((name) => [`${prefix}/lib/${name}`, library(name)]),
  );

/** A driver is tens of megabytes; what is smaller than one is taken for a stub. */
const driver: Files = {
  "/usr/lib/libcuda.so.1": library("libcuda.so.1", { pages: 300 }),
  "/usr/lib/libnvidia-ml.so.1": library("libnvidia-ml.so.1"),
};

const removals: (() => void)[] = [];
afterAll(() => removals.forEach((remove) => remove()));

async function loads(files: Files, activities: Activity[], environment: { [name: string]: string } = {}): Promise<Loads> {
  const { folder, remove } = temporary();
  removals.push(remove);
  addLoader(folder);
  build(folder, Object.fromEntries(Object.entries(files).map(([name, entry]) => [path.join(".", name), entry])));
  const answer = await loadsOfFrameworks(await openTarget(root(folder), { environment }), {
    frameworks: ["tensorflow"],
    activities,
    python: [prefix],
  });
  if ("problem" in answer) throw new Error(answer.problem);
  return answer;
}

const short = (file: string) => file.replace(`${site}/`, "");
/** `activity: file` of each library that is no part of TensorFlow itself, in order. */
const gpuLibraries = ({ loads: all }: Loads) =>
  all
    .filter(({ file }) => /\/lib(cu|nv|nccl)[^/]*$/.test(file))
    .map(({ activity, file, certainty }) => `${activity}: ${short(file)}${certainty === "possible" ? ", possibly" : ""}`);
const askers = ({ loads: all }: Loads, name: string) =>
  all.filter((load) => load.name === name).map(({ requestedBy }) => path.posix.normalize(short(requestedBy)));

describe("TensorFlow on small trees (skipped without glibc)", needs({ glibc: glibcLoader }), () => {
  test("2.15.1 takes every library from NVIDIA's wheels, in the order of its list, and does without CUPTI", async () => {
    const answer = await loads({ ...installed(releases["2.15.1"]), ...wheels("8"), ...driver }, ["convolution", "profile"]);
    expect(gpuLibraries(answer)).toEqual([
      "import: nvidia/cuda_runtime/lib/libcudart.so.12",
      "device: /usr/lib/libcuda.so.1",
      "device: nvidia/cublas/lib/libcublas.so.12",
      "device: nvidia/cublas/lib/libcublasLt.so.12",
      "device: nvidia/cufft/lib/libcufft.so.11",
      "device: nvidia/cusolver/lib/libcusolver.so.11",
      "device: nvidia/nvjitlink/lib/libnvJitLink.so.12",
      "device: nvidia/cusparse/lib/libcusparse.so.12",
      "device: nvidia/cudnn/lib/libcudnn.so.8",
      "convolution: nvidia/cudnn/lib/libcudnn_ops_infer.so.8",
      "convolution: nvidia/cudnn/lib/libcudnn_cnn_infer.so.8, possibly",
    ]);
    expect(answer.missed.map(({ name, activity }) => `${activity}: ${name}`)).toEqual([
      "import: libnvinfer.so.8.6.1",
      "import: libnvinfer_plugin.so.8.6.1",
      "profile: libcupti.so.12",
      "profile: libcupti.so",
    ]);
    expect(answer.failures.map(({ name, activity }) => `${activity}: ${name}`)).toEqual(["profile: libcupti.so.12"]);
  });

  test("2.21.0 describes a GPU first, and then does not use it: nothing leads it to libcusolver", async () => {
    const answer = await loads({ ...installed(releases["2.21.0"]), ...wheels("9"), ...driver }, ["matmul", "profile"]);
    expect(gpuLibraries(answer)).toEqual([
      "import: nvidia/cuda_runtime/lib/libcudart.so.12",
      "device: /usr/lib/libcuda.so.1",
      "device: /usr/lib/libnvidia-ml.so.1",
      "device: nvidia/cudnn/lib/libcudnn.so.9",
      "device: nvidia/cudnn/lib/libcudnn_graph.so.9",
      "device: nvidia/cublas/lib/libcublas.so.12",
      "device: nvidia/cublas/lib/libcublasLt.so.12",
      "device: nvidia/cufft/lib/libcufft.so.11",
      "device: nvidia/cusparse/lib/libcusparse.so.12",
      "device: nvidia/nvjitlink/lib/libnvJitLink.so.12",
      "profile: nvidia/cuda_cupti/lib/libcupti.so.12",
    ]);
    expect(answer.failures).toMatchObject([
      {
        name: "libcusolver.so.11",
        activity: "device",
        message:
          "Could not load dynamic library 'libcusolver.so.11': Cannot dlopen some GPU libraries. Skipping registering GPU devices... (TensorFlow falls back to the CPU)",
      },
    ]);
  });

  test("2.21.0 uses the GPU once LD_LIBRARY_PATH names the folder of libcusolver, and only then needs parts of cuDNN or NCCL", async () => {
    const files = { ...installed(releases["2.21.0"]), ...wheels("9"), ...driver };
    const answer = await loads(files, ["convolution", "train-distributed"], { LD_LIBRARY_PATH: `${site}/nvidia/cusolver/lib` });
    expect(answer.failures).toEqual([]);
    expect(gpuLibraries(answer).slice(8)).toEqual([
      "device: nvidia/cusolver/lib/libcusolver.so.11",
      "device: nvidia/nvjitlink/lib/libnvJitLink.so.12",
      "device: nvidia/cusparse/lib/libcusparse.so.12",
      "convolution: nvidia/cudnn/lib/libcudnn_ops.so.9, possibly",
      "convolution: nvidia/cudnn/lib/libcudnn_engines_precompiled.so.9, possibly",
      "convolution: nvidia/cudnn/lib/libcudnn_heuristic.so.9, possibly",
      "convolution: nvidia/cudnn/lib/libcudnn_engines_runtime_compiled.so.9, possibly",
      "train-distributed: nvidia/nccl/lib/libnccl.so.2, possibly",
    ]);
    const without = await loads(files, ["convolution", "train-distributed"]);
    expect(gpuLibraries(without).filter((line) => !/^(import|device):/.test(line))).toEqual([]);
  });

  test("2.21.0 finds no GPU without NVML, and opens nothing more", async () => {
    const files: Files = { ...installed(releases["2.21.0"]), ...wheels("9"), "/usr/lib/libcuda.so.1": driver["/usr/lib/libcuda.so.1"]! };
    const answer = await loads(files, ["device"]);
    expect(gpuLibraries(answer)).toEqual(["import: nvidia/cuda_runtime/lib/libcudart.so.12", "device: /usr/lib/libcuda.so.1"]);
    expect(answer.failures.map(({ name }) => name)).toEqual(["libnvidia-ml.so.1"]);
  });

  test("2.18.1 needs no NVML, asks for no TensorRT, has NCCL linked in, and makes a cuDNN handle only when it needs one", async () => {
    const files: Files = { ...installed(releases["2.18.1"]), ...wheels("9"), "/usr/lib/libcuda.so.1": driver["/usr/lib/libcuda.so.1"]! };
    const answer = await loads(files, ["matmul", "train-distributed", "compile"]);
    expect(gpuLibraries(answer).slice(-2)).toEqual([
      "device: nvidia/cudnn/lib/libcudnn.so.9",
      "compile: nvidia/cudnn/lib/libcudnn_graph.so.9",
    ]);
    expect(answer.missed.map(({ name }) => name)).toEqual([]);
    expect(answer.failures).toEqual([]);
  });

  test("LD_LIBRARY_PATH comes before the RUNPATHs: another cuDNN wins, with such parts as it has", async () => {
    const second: Files = {
      "/second/libcudnn.so.8": library("libcudnn.so.8", { runpath: "$ORIGIN" }),
      "/second/libcudnn_ops_infer.so.8": library("libcudnn_ops_infer.so.8", { runpath: "$ORIGIN" }),
      "/second/libcupti.so.12": library("libcupti.so.12"),
    };
    const files = { ...installed(releases["2.15.1"]), ...wheels("8"), ...driver, ...second };
    const answer = await loads(files, ["convolution", "profile"], { LD_LIBRARY_PATH: "/second" });
    expect(gpuLibraries(answer).slice(8)).toEqual([
      "device: /second/libcudnn.so.8",
      "convolution: /second/libcudnn_ops_infer.so.8",
      "profile: /second/libcupti.so.12",
    ]);
    expect(answer.failures).toEqual([]);
  });

  test("a libcupti.so of any toolkit is taken when the one of its own is not found", async () => {
    const files = { ...installed(releases["2.15.1"]), ...wheels("8"), ...driver, "/other/libcupti.so": library("libcupti.so.11.8") };
    const answer = await loads(files, ["profile"], { LD_LIBRARY_PATH: "/other" });
    expect(gpuLibraries(answer).at(-1)).toBe("profile: /other/libcupti.so");
    expect(answer.failures).toEqual([]);
  });

  test.each([
    ["2.10.1", "libcupti.so.11.2", "tensorflow/python/_pywrap_tensorflow_internal.so"],
    ["2.11.1", "libcupti.so.11.2", "tensorflow/libtensorflow_framework.so.2"],
    ["2.12.1", "libcupti.so.11.8", "tensorflow/libtensorflow_framework.so.2"],
  ] as const)(
    "%s finds the libraries of a conda environment through LD_LIBRARY_PATH alone, %s as well; %s asks",
    async (version, cupti, asker) => {
      const files = { ...installed(releases[version]), ...conda(cupti), ...driver };
      const answer = await loads(files, ["convolution", "profile"], { LD_LIBRARY_PATH: `${prefix}/lib` });
      expect(gpuLibraries(answer)).toEqual(
        [
          ["import", "libcudart.so.11.0"],
          ["device", "/usr/lib/libcuda.so.1"],
          ["device", "libcublas.so.11"],
          ["device", "libcublasLt.so.11"],
          ["device", "libcufft.so.10"],
          ["device", "libcurand.so.10"],
          ["device", "libcusolver.so.11"],
          ["device", "libcusparse.so.11"],
          ["device", "libcudnn.so.8"],
          ["convolution", "libcudnn_ops_infer.so.8"],
          ["profile", cupti],
        ].map(([activity, name]) => `${activity}: ${path.posix.resolve(`${prefix}/lib`, name!)}`),
      );
      expect(askers(answer, "libcurand.so.10")).toEqual([asker]);
      expect(answer.failures).toEqual([]);

      const without = await loads(files, ["device", "profile"]);
      expect(gpuLibraries(without)).toEqual(["device: /usr/lib/libcuda.so.1"]);
      expect(without.failures.map(({ activity, name }) => `${activity}: ${name}`)).toEqual([
        "device: libcudart.so.11.0",
        `profile: ${cupti}`,
      ]);
      expect(without.failures[0]!.message.match(/'lib[^']*'/g)).toHaveLength(8);
    },
  );

  // The words of 2.10.1 itself, with a cuDNN that calls itself 8.0.0.
  test("a cuDNN that is older than the one it was compiled with is refused, and a newer one is not", async () => {
    const withCudnn = (version: string): Files => ({
      ...installed(releases["2.10.1"]),
      ...conda("libcupti.so.11.2"),
      ...driver,
      [`${prefix}/lib/libcudnn_ops_infer.so.8`]: { link: `libcudnn_ops_infer.so.${version}` },
      [`${prefix}/lib/libcudnn_ops_infer.so.${version}`]: library("libcudnn_ops_infer.so.8"),
    });
    const environment = { LD_LIBRARY_PATH: `${prefix}/lib` };
    const [failure] = (await loads(withCudnn("8.0.0"), ["convolution"], environment)).failures;
    expect(failure?.message).toMatch(
      /^Loaded runtime CuDNN library: 8\.0\.0 but source was compiled with: 8\.1\.0\. {2}CuDNN library needs to have matching major version and equal or higher minor version\./,
    );
    expect((await loads(withCudnn("8.9.7"), ["convolution"], environment)).failures).toEqual([]);
  });

  test("without a driver it stays on the CPU, and asks for nothing but the runtime", async () => {
    const files = { ...installed(releases["2.15.1"]), ...wheels("8") };
    const kernel = { "/proc/driver/nvidia/version": { text: "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  x\n" } };
    const answer = await loads({ ...files, ...kernel }, ["convolution", "profile"]);
    expect(gpuLibraries(answer)).toEqual(["import: nvidia/cuda_runtime/lib/libcudart.so.12"]);
    expect(answer.failures.map(({ name }) => name)).toEqual(["libcuda.so.1"]);
    // Where nothing shows a driver, it is not told what one would do.
    const nowhere = await loads(files, ["convolution", "profile"]);
    expect([gpuLibraries(nowhere), nowhere.failures]).toEqual([gpuLibraries(answer), []]);
    expect(nowhere.unknown.map(({ kind }) => kind)).toContain("driver");
  });

  test("a build without CUDA asks for no GPU library", async () => {
    const files = { ...installed(releases["2.15.1"]), ...wheels("8"), ...driver };
    const info = `${site}/tensorflow/python/platform/build_info.py`;
    files[info] = { text: "build_info = collections.OrderedDict([('is_cuda_build', False), ('is_rocm_build', False)])\n" };
    const answer = await loads(files, ["convolution", "profile"]);
    expect(gpuLibraries(answer)).toEqual([]);
    expect([answer.missed, answer.failures]).toEqual([[], []]);
  });

  test("a release that was not watched is predicted as one nearby, and only possibly", async () => {
    const answer = await loads({ ...installed({ ...releases["2.15.1"], version: "2.15.0rc1" }), ...wheels("8"), ...driver }, ["device"]);
    expect(answer.loads.map(({ certainty }) => certainty)).not.toContain("certain");
    expect(answer.unknown).toMatchObject([{ subject: "tensorflow 2.15.0rc1" }]);
  });

  test("another patch of a minor release counts by the one that was watched", async () => {
    const answer = await loads({ ...installed({ ...releases["2.15.1"], version: "2.15.0" }), ...wheels("8"), ...driver }, ["device"]);
    expect(answer.loads.map(({ certainty }) => certainty)).not.toContain("possible");
    expect(answer.unknown).toEqual([]);
  });

  test("what it was compiled for is read in build_info.py; the rest of cuDNN's version is known of the wheel", async () => {
    const { folder, remove } = temporary();
    removals.push(remove);
    build(folder, Object.fromEntries(Object.entries(installed(releases["2.21.0"])).map(([name, entry]) => [path.join(".", name), entry])));
    const { view, collector } = await openTarget(root(folder));
    const ask = () => {
      const environment = environmentAt(view, prefix);
      const copy = environment?.packages.find(({ name }) => name === "tensorflow");
      return environment && copy ? tensorflow.compiledFor(view, { package: copy, environment }) : undefined;
    };
    for (ask(); 0 < view.needs.size; view.needs.clear(), ask()) await collector!.fetch(view.needs.values());
    expect(ask()).toMatchObject({
      cuda: { version: "12.5.1", evidence: `${site}/tensorflow/python/platform/build_info.py` },
      cudnn: { version: "9.3.0" },
    });
  });
});
