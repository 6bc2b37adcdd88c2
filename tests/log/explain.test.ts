import { expect, test } from "vitest";
import { explainLog } from "../../packages/core/src/culprit.ts";
import type { Diagnosis } from "../../packages/core/src/model/explain.ts";

const explain = (text: string) => explainLog([new TextEncoder().encode(text)]);
const first = async (text: string): Promise<Diagnosis | undefined> => (await explain(text)).diagnoses[0];
const causes = async (text: string): Promise<string[]> => (await explain(text)).diagnoses.map(({ cause }) => cause);

// The four questions that people ask most, as their texts come.
test("a profiler that asks for another CUPTI than the toolkit has", async () => {
  const found =
    await first(`2022-03-01 10:00:00.000001: W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'libcupti.so.11.2'; dlerror: libcupti.so.11.2: cannot open shared object file: No such file or directory; LD_LIBRARY_PATH: /usr/local/cuda-11.7/lib64:/usr/local/cuda-11.7/extras/CUPTI/lib64
2022-03-01 10:00:00.000002: E tensorflow/core/profiler/internal/gpu/cupti_error_manager.cc:133] cuptiGetTimestamp: error 999:
$ ls /usr/local/cuda-11.7/extras/CUPTI/lib64
libcupti.so
libcupti.so.11.7
libcupti.so.2022.2.1`);
  expect(found).toMatchObject({ cause: "library-wrong-version", name: "libcupti.so.11.2", library: "cupti", certainty: "likely" });
  expect(found!.required).toContain("CUDA 11.2");
  expect(found!.found).toContain("11.7");
  expect(found!.fixes.flatMap(({ commands }) => commands)).toContain("sudo apt-get install cuda-cupti-11-2");
});

test("libcupti.so.11.2 that is not found, with nothing else said", async () => {
  const { diagnoses } = await explain("ImportError: libcupti.so.11.2: cannot open shared object file: No such file or directory");
  expect(diagnoses[0]).toMatchObject({ cause: "library-missing", name: "libcupti.so.11.2", required: "libcupti.so.11.2 (CUDA 11.2)" });
  expect(diagnoses.map(({ cause }) => cause)).toEqual([
    "library-missing",
    "library-not-on-path",
    "library-wrong-version",
    "wrong-wheel-cuda-version",
  ]);
  expect(diagnoses[0]!.next.length).toBeGreaterThan(0);
});

test("a cuDNN that the search path puts before PyTorch's own", async () => {
  const found = await first(
    `RuntimeError: cuDNN version incompatibility: PyTorch was compiled  against (8, 7, 0) but found runtime version (8, 2, 1). PyTorch already comes bundled with cuDNN. One option to resolving this error is to ensure PyTorch can find the bundled cuDNN. Looks like your LD_LIBRARY_PATH contains incompatible version of cudnn. Please either remove it from the path or install cudnn (8, 7, 0)`,
  );
  expect(found).toMatchObject({ cause: "library-shadowed", name: "libcudnn.so.8", required: "8.7.0", found: "8.2.1", certainty: "likely" });
  expect(found!.fixes[0]!.commands).toEqual(["unset LD_LIBRARY_PATH"]);
});

test("loaded and compiled cuDNN on Colab", async () => {
  const { diagnoses, warnings } = await explain(`from google.colab import drive
os.environ['LD_LIBRARY_PATH'] = '/usr/local/cuda/lib64'
E tensorflow/stream_executor/cuda/cuda_dnn.cc:359] Loaded runtime CuDNN library: 8.0.5 but source was compiled with: 8.1.0.  CuDNN library needs to have matching major version and equal or higher minor version.`);
  expect(diagnoses[0]).toMatchObject({ cause: "library-wrong-version", name: "libcudnn.so.8", required: "8.1.0", found: "8.0.5" });
  expect(diagnoses[0]!.fixes.some(({ fix }) => fix.includes("restart the runtime"))).toBe(true);
  expect(warnings.map(({ advice }) => advice)).toEqual(["environ-too-late"]);
});

test("a number means what its owner says: 35 is a driver for CUDA and a right for CUPTI", async () => {
  expect((await first("cudaGetDeviceCount failed: CUDA error 35"))?.cause).toBe("driver-too-old");
  expect((await first("cuptiActivityEnable failed with error 35"))?.cause).toBe("profiler-permission");
});

test("a consequence is no second fault", async () => {
  expect(
    await causes(`function cupti_interface_->Subscribe( &subscriber_, (CUpti_CallbackFunc)ApiCallback, this)failed with error CUPTI_ERROR_INSUFFICIENT_PRIVILEGES
function cupti_interface_->EnableCallback( 0 , subscriber_, CUPTI_CB_DOMAIN_DRIVER_API, cbid)failed with error CUPTI_ERROR_INVALID_PARAMETER`),
  ).toEqual(["profiler-permission"]);
  // Kineto names this right as a hint after every failure.
  expect(
    await causes(`WARNING:2025-01-01 00:00:00 1:1 init.cpp:116] function cbapi->getCuptiStatus() failed with error CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED (39)
INFO:2025-01-01 00:00:00 1:1 init.cpp:119] If you see CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, refer to https://developer.nvidia.com/`),
  ).toEqual(["profiler-conflict"]);
});

test("JAX's plugin that could not start is not a build without CUDA", async () => {
  const { diagnoses, fellBackToCpu } =
    await explain(`Jax plugin configuration error: Exception when calling jax_plugins.xla_cuda13.initialize()
RuntimeError: jaxlib/cuda/versions_helpers.cc:135: operation cuInit(0) failed: CUDA_ERROR_NO_DEVICE
An NVIDIA GPU may be present on this machine, but a CUDA-enabled jaxlib is not installed. Falling back to cpu.`);
  expect(diagnoses[0]?.cause).toBe("not-a-mismatch");
  expect(diagnoses.map(({ cause }) => cause)).not.toContain("wrong-wheel-cpu-only");
  expect(fellBackToCpu).toBe(true);
});

test("parts of cuDNN from two folders", async () => {
  const found = await first(`CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH
   77:	calling init: /opt/venv/lib/python3.12/site-packages/nvidia/cudnn/lib/libcudnn.so.9
   77:	calling init: /opt/venv/lib/python3.12/site-packages/nvidia/cudnn/lib/libcudnn_ops.so.9
   77:	calling init: /usr/lib/x86_64-linux-gnu/libcudnn_graph.so.9`);
  expect(found).toMatchObject({
    cause: "mixed-cudnn-sublibraries",
    certainty: "certain",
    name: "libcudnn_graph.so.9",
    found: "/usr/lib/x86_64-linux-gnu/libcudnn_graph.so.9",
  });
});

test("a library of CUDA 12 under a name that CUDA 11 has too", async () => {
  expect(
    await first(`I dso_loader.cc:49] Successfully opened dynamic library libcudart.so.11.0
W dso_loader.cc:60] Could not load dynamic library 'libcusolver.so.11'; dlerror: libnvJitLink.so.12: cannot open shared object file: No such file or directory`),
  ).toMatchObject({ cause: "library-wrong-version", name: "libcusolver.so.11" });
});

test("what is here and only not found, what is of another release, and what is for another CUDA", async () => {
  const missing =
    "Failed to load library libonnxruntime_providers_cuda.so with error: libcublasLt.so.12: cannot open shared object file: No such file or directory";
  expect((await first(`${missing}\n/usr/local/cuda-12.4/lib64/libcublasLt.so.12`))?.cause).toBe("library-not-on-path");
  expect((await first(`${missing}\n/usr/local/cuda-13.1/lib64/libcublasLt.so.13`))?.cause).toBe("wrong-wheel-cuda-version");
  const other = "ImportError: libcudnn.so.8: cannot open shared object file: No such file or directory";
  expect(await first(`${other}\nnvidia-cudnn-cu12        9.1.0.70`)).toMatchObject({
    cause: "library-wrong-version",
    found: "nvidia-cudnn-cu12 9.1.0.70",
  });
});

// Nothing is wrong: each of these must come out without a fault.
test.each([
  [
    "a CPU machine",
    "W dso_loader.cc:64] Could not load dynamic library 'libcuda.so.1'; dlerror: libcuda.so.1: cannot open shared object file: No such file or directory\nW dso_loader.cc:64] Could not load dynamic library 'libcudart.so.11.0'; dlerror: libcudart.so.11.0: cannot open shared object file: No such file or directory",
    "benign-warning",
  ],
  ["TensorRT", "W py_utils.cc:38] TF-TRT Warning: Could not find TensorRT", "benign-warning"],
  [
    "TensorRT's library",
    "W dso_loader.cc:64] Could not load dynamic library 'libnvinfer.so.7'; dlerror: libnvinfer.so.7: cannot open shared object file: No such file or directory",
    "benign-warning",
  ],
  [
    "factories",
    "E cuda_fft.cc:485] Unable to register cuFFT factory: Attempting to register factory for plugin cuFFT when one has already been registered",
    "benign-warning",
  ],
  ["a wrong comparison", "You are using ptxas 10.1.243, which is older than 9.2.88.", "benign-warning"],
  [
    "a minor apart",
    "UserWarning: The detected CUDA version (12.4) has a minor version mismatch with the version that was used to compile PyTorch (12.1). Most likely this shouldn't be a problem.",
    "benign-warning",
  ],
  ["a link for ldconfig", "/sbin/ldconfig.real: /usr/lib/wsl/lib/libcuda.so.1 is not a symbolic link", "benign-warning"],
  ["memory", "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.", "not-a-mismatch"],
  ["a hidden GPU", "CUDA_VISIBLE_DEVICES=-1 python train.py\nRuntimeError: No CUDA GPUs are available", "not-a-mismatch"],
  [
    "driver and toolkit",
    "| NVIDIA-SMI 550.54.15   Driver Version: 550.54.15   CUDA Version: 12.4 |\nCuda compilation tools, release 11.8, V11.8.89",
    "not-a-mismatch",
  ],
])("%s is no fault", async (_, text, cause) => {
  expect((await first(text))?.cause).toBe(cause);
});

test.each([
  ["nothing", ""],
  ["prose", "The quick brown fox jumps over the lazy dog.\nTraceback (most recent call last):\nValueError: shapes do not match"],
  [
    "a healthy machine",
    "| NVIDIA-SMI 580.65.06   Driver Version: 580.65.06   CUDA Version: 13.0 |\ntorch 2.9.0\nnvidia-cudnn-cu13 9.13.0.50\nlibcudnn.so.9 => /opt/venv/nvidia/cudnn/lib/libcudnn.so.9 (0x00007f00)",
  ],
  [
    "a healthy report",
    "PyTorch version: 2.4.1+cu121\nCUDA used to build PyTorch: 12.1\nIs CUDA available: True\nCUDA runtime version: 12.1.105\nGPU 0: NVIDIA A100-SXM4-40GB\nNvidia driver version: 535.104.05",
  ],
])("%s gives no diagnosis", async (_, text) => {
  const { diagnoses, next } = await explain(text);
  expect(diagnoses).toEqual([]);
  expect(next.length).toBeGreaterThan(0);
});

test("harmful advice is warned about, ordinary commands are not", async () => {
  const advice = async (text: string) => (await explain(text)).warnings.map(({ advice: id }) => id);
  expect(await advice("sudo ln -s /usr/local/cuda/lib64/libcusolver.so.11 /usr/local/cuda/lib64/libcusolver.so.10")).toEqual([
    "other-release-under-name",
  ]);
  expect(await advice("ln -s /usr/lib/libcuda.so.470.57 /usr/lib/libcudnn.so.8")).toEqual(["other-library-under-name"]);
  expect(await advice("export LD_LIBRARY_PATH=/usr/local/cuda/lib64/stubs:$LD_LIBRARY_PATH")).toEqual(["stubs-on-path"]);
  expect(await advice("!pip install torch==2.1.0")).toEqual(["restart-after-install"]);
  expect(await advice('if "/x" not in os.environ["LD_LIBRARY_PATH"]:')).toEqual([]);
  expect(await advice('if os.environ["LD_LIBRARY_PATH"] == "":')).toEqual([]);
  expect(await advice('os.environ["LD_LIBRARY_PATH"] += ":/x"')).toEqual(["environ-too-late"]);
  expect(await advice('os.environ.update({"LD_LIBRARY_PATH": "/x"})')).toEqual(["environ-too-late"]);
  expect(await advice('# os.system("pip install nvidia-cudnn-cu11==8.2.0.53")')).toEqual([]);
  expect((await explain('os.system("pip uninstall nvidia-cudnn-cu11")')).warnings[0]!.message).toContain(
    "`nvidia-cudnn-cu11` is uninstalled",
  );
  expect(
    await advice("ln -s libcudnn.so.8.4.1 libcudnn.so.8\ncp a.txt b.txt\npip install torch\nexport LD_LIBRARY_PATH=/usr/local/cuda/lib64"),
  ).toEqual([]);
});

test("required drivers come from what is known of CUDA releases", async () => {
  expect(await first("The NVIDIA driver on your system is too old (found version 11040).\ntorch==2.4.1+cu121")).toMatchObject({
    cause: "driver-too-old",
    required: "driver 525.60.13 or newer for CUDA 12.1",
    found: "CUDA 11.4",
  });
  expect(
    await first("nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.8, please update your driver"),
  ).toMatchObject({ cause: "driver-too-old", required: "a driver for CUDA 12.8 (570.26 or newer)" });
});

test("a GPU that newer toolkits dropped is not sent to them", async () => {
  const text = "Found GPU0 NVIDIA GeForce GTX 1080\nRuntimeError: CUDA error: no kernel image is available for execution on the device";
  expect(await first(text)).toMatchObject({ cause: "arch-unsupported", required: "code for sm_61 (CUDA 8.0 to 12.9)" });
});

test("of a long line the part is shown that was recognised", async () => {
  const told = "OSError: libcupti.so.11.2: cannot open shared object file: No such file or directory";
  const [near, far] = [await first(`${"x ".repeat(20)}${told}`), await first(`${"x ".repeat(500)}${told}`)];
  expect(near!.evidence[0]!.text).toMatch(/^x x .*libcupti/);
  expect(far!.evidence[0]!.text).toMatch(/^…[x ]{10,40}(OSError: )?libcupti/);
});

test("a program of one's own is led to the system's package first, a module of Python to the wheel", async () => {
  const first = async (text: string) => (await explain(text)).diagnoses[0]!.fixes[0]!.commands[0];
  const missing = "libcudnn.so.8: cannot open shared object file: No such file or directory";
  expect(await first(`./app: error while loading shared libraries: ${missing}\n`)).toBe("sudo apt-get install libcudnn8");
  expect(await first(`Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nImportError: ${missing}\n`)).toBe(
    'pip install "nvidia-cudnn-cu12==8.*"',
  );
});
