import { expect, test } from "vitest";
import { explainLog } from "../../packages/core/src/culprit.ts";
import { joinWithCheck } from "../../packages/core/src/log/join.ts";
import type { Copy, Inventory } from "../../packages/core/src/model/inventory.ts";
import { explainReport } from "../../packages/core/src/report/explain.ts";

const explain = (text: string) => explainLog([new TextEncoder().encode(text)]);
const report = async (text: string) => explainReport(await explain(text));
const loaded = (has: string, wants: string) =>
  `E tensorflow/stream_executor/cuda/cuda_dnn.cc:377] Loaded runtime CuDNN library: ${has} but source was compiled with: ${wants}.  CuDNN library needs to have matching major version and equal or higher minor version.`;

// IsSourceCompatibleWithCudnnLibrary: the same major, and a minor that is not older; patches do not count.
test.each([
  ["8.4.0", "8.2.0", "not-a-mismatch"],
  ["8.2.0", "8.2.4", "not-a-mismatch"],
  ["8.0.5", "8.2.0", "library-wrong-version"],
  ["9.1.0", "8.9.2", "library-wrong-version"],
  ["7.6.5", "8.1.0", "library-wrong-version"],
])("cuDNN %s where %s was compiled with: %s", async (has, wants, cause) => {
  const { diagnoses } = await explain(loaded(has, wants));
  expect(diagnoses[0]!.cause).toBe(cause);
  if (cause === "not-a-mismatch")
    expect(diagnoses.flatMap(({ fixes }) => fixes.flatMap(({ commands }) => commands)).join()).not.toContain("pip install");
});

test("PyTorch of old took no other minor, JAX compares the whole number, and PyTorch of today takes a newer minor", async () => {
  const first = async (text: string) => (await explain(text)).diagnoses[0]!.cause;
  expect(await first("RuntimeError: cuDNN version mismatch: PyTorch was compiled against 7104 but linked against 7501")).toBe(
    "library-wrong-version",
  );
  expect(
    await first(
      "RuntimeError: cuDNN version incompatibility: PyTorch was compiled  against (8, 2, 0) but found runtime version (8, 5, 0).",
    ),
  ).toBe("not-a-mismatch");
  expect(await first("Found cuDNN version 8905, but JAX was built against version 8907, which is newer.")).not.toBe("not-a-mismatch");
});

test("an older cuDNN is called older, another major another major", async () => {
  expect(await report(loaded("8.0.5", "8.2.0"))).toContain("cuDNN 8.0.5 is older than 8.2.0");
  expect(await report(loaded("9.1.0", "8.9.2"))).toContain("cuDNN 9 is another major than 8");
});

test.each([
  "RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED",
  "ModuleNotFoundError: No module named 'torch'",
  "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB",
  "RuntimeError: The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1",
  "W TF-TRT Warning: Could not find TensorRT\nValueError: Unknown layer: Custom",
])("no green sign stands before an error that ended a program: %s", async (text) => {
  const said = await report(text);
  expect(said).not.toContain("✓");
  expect(said).toMatch(/^• /);
});

test("what harms nobody keeps its green sign, and an error that is not known is not hidden behind it", async () => {
  const warning = "W TF-TRT Warning: Could not find TensorRT";
  expect(await report(warning)).toMatch(/^✓ harmless/);
  expect(await report(`${warning}\nValueError: Unknown layer: Custom`)).toContain(
    "What ended the program is not known here\n  line 2: ValueError",
  );
});

test("where several causes fit, the headline is what is seen, and all of them are a list", async () => {
  const said = await report("Num GPUs Available:  0");
  expect(said).toMatch(/^\? TensorFlow sees no GPU; 5 causes fit:\n  1 /);
  expect(said.split("\n")[0]).not.toContain("built without CUDA");
  for (const cause of ["wrong-wheel-cpu-only", "library-missing", "library-not-on-path", "library-wrong-version", "driver-not-exposed"])
    expect(said).toContain(`(${cause})`);
});

test("no headline begins with an alternative", async () => {
  const { diagnoses } = await explain(
    "nvcc fatal   : Unsupported gpu architecture 'compute_86'\n/usr/local/cuda-11.8/bin\nnvcc version: 10.2",
  );
  expect(diagnoses[0]!.message).not.toMatch(/^or /);
});

test("the CUDA of a build is called no toolkit", async () => {
  const said = await report("TensorFlow 2.4 (CUDA 11.0), nvidia-smi says 12.0");
  expect(said).not.toContain("nvcc");
  expect(said).toContain("TensorFlow was built for 11.0: the driver runs both");
});

test("nothing is called installed or here that the text does not say", async () => {
  const said = await report(
    "TensorFlow 2.5 (CUDA 11.2), nvidia-smi says 12.0\nImportError: libcupti.so.11.2: cannot open shared object file: No such file or directory",
  );
  expect(said).not.toMatch(/is installed, its folder|is there|found {5}CUDA/);
  expect(said).not.toContain("conda");
  expect(said).toContain("it says nothing of what is installed");
});

test("a driver that is new enough is not called older than what it serves", async () => {
  const { diagnoses } = await explain(
    "RuntimeError: The NVIDIA driver on your system is too old (found version 11040).\nDriver Version: 550.54.15\nCUDA 11.4 toolkit",
  );
  for (const { message } of diagnoses) expect(message).not.toMatch(/550\.54\.15 is older than/);
});

// ldd, as it prints: the address behind the path.
const ldd = (...lines: string[]) => lines.map((line) => `\t${line}${line.includes("not found") ? "" : " (0x00007f2a10000000)"}`).join("\n");

test("ldd shows cuDNN of another CUDA, and libraries of two releases", async () => {
  const [unfit] = (
    await explain(ldd("libcudnn.so.7 => /usr/lib/libcudnn.so.7", "libcudart.so.11.0 => /usr/local/cuda/lib64/libcudart.so.11.0"))
  ).diagnoses;
  expect(unfit).toMatchObject({ cause: "library-wrong-version", name: "libcudnn.so.7", certainty: "certain" });
  const [two] = (await explain(ldd("libcudart.so.10.1 => /a/libcudart.so.10.1", "libcudart.so.11.0 => /b/libcudart.so.11.0"))).diagnoses;
  expect(two).toMatchObject({ cause: "two-copies", library: "cudart" });
  const [apart] = (await explain(ldd("libcudart.so.12 => /a/libcudart.so.12", "libcublas.so.11 => /b/libcublas.so.11"))).diagnoses;
  expect(apart).toMatchObject({ cause: "library-wrong-version", name: "libcublas.so.11" });
});

test("ldd shows what is missing, and where all is well it says so", async () => {
  const [missing] = (await explain(ldd("libcudnn.so.8 => not found", "libcudart.so.11.0 => /c/libcudart.so.11.0"))).diagnoses;
  expect(missing).toMatchObject({ cause: "library-missing", name: "libcudnn.so.8" });
  // CUDA 11.0 itself has a libcusolver.so.10.
  const fine = ldd(
    "libcudnn.so.8 => /a/libcudnn.so.8",
    "libcudart.so.11.0 => /c/libcudart.so.11.0",
    "libcusolver.so.10 => /c/libcusolver.so.10",
  );
  expect((await explain(fine)).diagnoses[0]).toMatchObject({ cause: "not-a-mismatch", name: "ldd" });
});

test("a C++ program whose cuDNN did not start: what differs in the text comes first, memory only where nothing does", async () => {
  const failed = "cudnnCreate failed: CUDNN_STATUS_NOT_INITIALIZED";
  const first = async (text: string) => (await explain(`${failed}\n${text}`)).diagnoses[0]!;
  expect(await first("CUDNN_VERSION: 8201\ncudnnGetVersion() = 7605")).toMatchObject({
    cause: "library-wrong-version",
    required: "cuDNN 8.2.1",
    found: "cuDNN 7.6.5",
  });
  expect(await first("#define CUDNN_MAJOR 8\n#define CUDNN_MINOR 9\nlrwxrwxrwx libcudnn.so.8 -> libcudnn.so.8.2.4")).toMatchObject({
    cause: "library-wrong-version",
  });
  expect(await first("ii  libcudnn8  8.9.2.26-1+cuda12.1  amd64\nCuda compilation tools, release 11.4, V11.4.48")).toMatchObject({
    cause: "library-wrong-version",
    required: "cuDNN for CUDA 11",
  });
  expect(await first("CUDNN_VERSION: 8200\ncudnnGetVersion() = 8401")).toMatchObject({ cause: "not-a-mismatch", certainty: "possible" });
  expect(await first("")).toMatchObject({ cause: "not-a-mismatch", certainty: "possible" });
});

test("nvcc of another CUDA than a framework was built for is no mismatch", async () => {
  const { diagnoses } = await explain(
    "TensorFlow version: 2.10.0\nINFO:tensorflow:TensorFlow CUDA Build version: 11.2\nnvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 12.2, V12.2.140",
  );
  expect(diagnoses[0]).toMatchObject({ cause: "not-a-mismatch", next: ["culprit loads tensorflow --do device"] });
  expect(diagnoses[0]!.message).toContain("need not be equal");
});

test("NumPy of another major is named, with what puts it right", async () => {
  const wrapped = "A module that was compiled using NumPy 1.x cannot be run in\nNumPy 2.1.3 as it may crash. To support both 1.x and 2.x";
  for (const text of [wrapped, "AttributeError: _ARRAY_API not found"]) {
    const [first] = (await explain(text)).diagnoses;
    expect(first).toMatchObject({ cause: "package-conflict", name: "numpy" });
    expect(first!.fixes[0]!.commands).toEqual([`pip install "numpy<2"`]);
  }
  expect((await explain(wrapped)).diagnoses[0]!.found).toBe("NumPy 2.1.3");
  const older =
    "ValueError: numpy.dtype size changed, may indicate binary incompatibility. Expected 96 from C header, got 88 from PyObject";
  expect((await explain(older)).diagnoses[0]!.fixes[0]!.commands).toEqual(["pip install --upgrade numpy"]);
  expect((await explain("RuntimeError: Numpy is not available")).diagnoses.map(({ certainty }) => certainty)).toEqual([
    "possible",
    "possible",
  ]);
});

const copy = (file: string, version: string): Copy => ({ library: "cupti", file, names: [], version, evidence: [], size: 1 });
const machine = (copies: Copy[], over: Partial<Inventory> = {}): Inventory => ({
  schema: "culprit/list@1",
  target: {} as Inventory["target"],
  driver: {},
  gpus: [],
  toolkits: [{ path: "/usr/local/cuda-13.0", names: [], version: "13.0.1" }],
  environments: [],
  copies,
  frameworks: [],
  variables: [],
  missing: [],
  unknown: [],
  ...over,
});
const cupti =
  "W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'libcupti.so.11.2'; dlerror: libcupti.so.11.2: cannot open shared object file: No such file or directory; LD_LIBRARY_PATH: /usr/local/cuda-11.4/lib64";
const joined = async (inventory: Inventory) => joinWithCheck((await explain(cupti)).diagnoses, [], inventory);

test("joined with a machine, the conclusion is what is there", async () => {
  const [tool] = await joined(machine([copy("/opt/nvidia/nsight-compute/2025.3/libcupti.so.11.2", "11.2")]));
  expect(tool).toMatchObject({ cause: "library-not-on-path" });
  expect(tool!.message).toContain("belongs to Nsight Compute");
  expect(tool!.because.join()).toContain("CUDA 11.4, which is not here: here is CUDA 13.0.1");

  const [there] = await joined(machine([copy("/opt/cuda-11.2/extras/CUPTI/lib64/libcupti.so.11.2", "11.2")]));
  expect(there!.fixes[0]!.commands).toEqual(["export LD_LIBRARY_PATH=/opt/cuda-11.2/extras/CUPTI/lib64:$LD_LIBRARY_PATH"]);

  const [other] = await joined(machine([copy("/usr/local/cuda-13.0/lib64/libcupti.so.13", "13.0")]));
  expect(other).toMatchObject({ cause: "library-wrong-version", certainty: "certain" });
  expect(other!.message).toContain("no `libcupti.so.11.2` is here");

  const [none] = await joined(machine([]));
  expect(none).toMatchObject({ cause: "library-missing", certainty: "certain" });
  // What could not be looked at may hold it.
  const [blind] = await joined(machine([], { unknown: [{ subject: "/opt", reason: "Permission denied" }] as Inventory["unknown"] }));
  expect(blind!.certainty).toBe("likely");
});

test("beside a copy that is named, nobody says that there is none", async () => {
  const all = await joined(machine([copy("/opt/nvidia/nsight-compute/2025.3/libcupti.so.11.2", "11.2")]));
  expect(all.map(({ message }) => message).join()).not.toMatch(/not installed|says that it is installed/);
  expect(all.filter(({ cause }) => cause.startsWith("library-"))).toHaveLength(1);
});

test.each([
  "make: *** [cudaKernels.o] Error 2",
  "gmake[2]: *** [CMakeFiles/ggml-cuda.dir/all] Error 2",
  "the command cudaBench failed with exit code 2",
  "job cuda-tests failed with exit code 100",
  "failed process: Process(`nsys start --capture-range=cudaProfilerApi`, ProcessExited(1)) [1]",
  "cudaMemcpyTest exited with status 2",
])("how a process ended is no code of CUDA's: %s", async (text) => {
  expect((await explain(text)).diagnoses).toEqual([]);
});

test("what nvidia-smi shows is no toolkit that is installed", async () => {
  const text =
    "ImportError: libcublas.so.12: cannot open shared object file: No such file or directory\nnvidia-smi says CUDA Version: 12.2";
  expect((await explain(text)).diagnoses[0]!.cause).toBe("library-missing");
});
