import { expect, test } from "vitest";
import { explainLog } from "../../packages/core/src/culprit.ts";
import { signatures } from "../../packages/core/src/log/index.generated.ts";

const explain = (text: string) => explainLog([new TextEncoder().encode(text)]);
const linesOf = ({ diagnoses }: Awaited<ReturnType<typeof explain>>) =>
  diagnoses.flatMap(({ fixes }) => fixes.flatMap(({ commands }) => commands));
const nextOf = ({ diagnoses }: Awaited<ReturnType<typeof explain>>) => diagnoses.flatMap(({ next }) => next);

// What somebody would have to fill in before the line does anything.
const placeholder = /\b(?:IMAGE|COMMAND|PACKAGE|FOLDER\w*|PROGRAM|LOGDIR|VERSION|NNN|X\.Y|X-Y)\b|…|\.\.\. |\bundefined\b|\[object|NaN/;
const examples = [...new Set(signatures.flat().flatMap(({ examples: texts }) => texts))];

test("a placeholder is seen", () => {
  for (const line of ["docker run IMAGE", "export CUDA_HOME=/usr/local/cuda-X.Y", "pip install …", "env -u A COMMAND"])
    expect(line).toMatch(placeholder);
});

test.each(examples)("every command can be typed as it stands: %s", async (example) => {
  const said = await explain(example);
  for (const line of [...linesOf(said), ...nextOf(said)]) expect(line).not.toMatch(placeholder);
});

const commandsOf = async (text: string) => {
  const said = await explain(text);
  return [...linesOf(said), ...nextOf(said)];
};
const tf = (file: string, words: string) => `2022-05-01 10:00:00.000000: E tensorflow/${file}] ${words}`;

// A log of one framework never leads to a question about another.
test.each([
  [
    "tensorflow",
    tf(
      "core/profiler/internal/gpu/cupti_tracer.cc:1666",
      "function cupti_interface_->Subscribe( &subscriber_, (CUpti_CallbackFunc)ApiCallback, this)failed with error CUPTI could not be loaded or symbol could not be found.",
    ),
  ],
  ["tensorflow", tf("stream_executor/cuda/cuda_dnn.cc:371", "Could not create cudnn handle: CUDNN_STATUS_NOT_INITIALIZED")],
  ["tensorflow", tf("stream_executor/cuda/cuda_dnn.cc:377", "Loaded runtime CuDNN library: 7.6.5 but source was compiled with: 8.1.0.")],
  ["jax", "jaxlib.xla_extension.XlaRuntimeError: FAILED_PRECONDITION: CUDNN_STATUS_NOT_INITIALIZED"],
  [
    "torch",
    '  File "/v/lib/python3.11/site-packages/torch/nn/modules/conv.py", line 4\nRuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED',
  ],
  ["none", "cudnnCreate failed: CUDNN_STATUS_NOT_INITIALIZED"],
  [
    "none",
    "./infer: symbol lookup error: /opt/lib/libcusparse.so.12: undefined symbol: __nvJitLinkComplete_12_4, version libnvJitLink.so.12",
  ],
])("the commands for a log of %s name it, or no framework: %s", async (framework, text) => {
  const lines = await commandsOf(text);
  expect(lines.length).toBeGreaterThan(0);
  for (const [, named] of lines.join("\n").matchAll(/--for (\S+)/g)) expect(named).toBe(framework);
  const variables = { tensorflow: "TF_FORCE_GPU_ALLOW_GROWTH", jax: "XLA_PYTHON_CLIENT_PREALLOCATE" };
  for (const [of, variable] of Object.entries(variables)) if (of !== framework) expect(lines.join("\n")).not.toContain(variable);
});

test("inside a container, the tool that runs it is the one that is told", async () => {
  const lost = "tool: error while loading shared libraries: libcuda.so.1: cannot open shared object file: No such file or directory";
  const inside = async (line: string) => (await commandsOf(`${line}\n${lost}`)).join("\n");
  expect(await inside("$ apptainer exec tools.sif tool")).toMatch(/singularity exec --nv/);
  expect(await inside("$ apptainer exec tools.sif tool")).not.toMatch(/docker run/);
  expect(await inside("$ podman run tools tool")).toMatch(/podman run .*nvidia\.com\/gpu=all/);
  expect(await inside("$ docker run tools tool")).toMatch(/docker run --rm --gpus all/);
});

test("what is built again is named by its distribution, and PyTorch is never built", async () => {
  const symbol = "undefined symbol: _ZN3c104cuda9SetDeviceEa";
  const [module_] = linesOf(
    await explain(`ImportError: /v/lib/python3.11/site-packages/flash_attn_2_cuda.cpython-311-x86_64-linux-gnu.so: ${symbol}`),
  );
  expect(module_).toMatch(/--no-binary flash_attn flash_attn$/);
  const [vision] = linesOf(await explain(`ImportError: /v/lib/python3.11/site-packages/torchvision/_C.so: ${symbol}`));
  expect(vision).toBe("pip install --force-reinstall torch torchvision");
  const blackwell = "NVIDIA GeForce RTX 5080 with CUDA capability sm_120 is not compatible with the current PyTorch installation.";
  expect((await commandsOf(blackwell)).join("\n")).not.toMatch(/--no-binary/);
});

test("only an index of PyTorch that exists is named", async () => {
  const lines = await commandsOf(
    "RuntimeError: The detected CUDA version (12.3) mismatches the version that was used to compile PyTorch (11.8). Please make sure to use the same CUDA versions.",
  );
  expect(lines.join("\n")).toContain("/whl/cu121");
});

test("a compiled program gets the package of the system first, Python its wheel", async () => {
  const first = async (text: string) => linesOf(await explain(text))[0];
  expect(await first("./app: error while loading shared libraries: libcudnn.so.8: cannot open shared object file")).toMatch(
    /^sudo apt-get/,
  );
  expect(await first("ImportError: libcudnn.so.8: cannot open shared object file: No such file or directory")).toMatch(/^pip install/);
});

test("on Windows, where PyPI has no CUDA build of PyTorch, its index is named", async () => {
  const other = "xFormers was built for:\n    PyTorch 2.3.0+cu121 with CUDA 1201 (you have 2.3.0+cpu)";
  expect(await commandsOf(`C:\\Users\\me>python\n${other}`)).toContain(
    "pip install torch==2.3.0+cu121 --index-url https://download.pytorch.org/whl/cu121",
  );
  const unknown = other.replaceAll("2.3.0", "2.99.0");
  expect((await commandsOf(`C:\\Users\\me>python\n${unknown}`)).join("\n")).toMatch(
    /torch xformers --index-url https:\/\/download\.pytorch\.org\/whl\/cu\d+/,
  );
  expect((await commandsOf(unknown)).join("\n")).not.toContain("--index-url");
});

test("bitsandbytes is sent to the nearest build of the same major", async () => {
  const build = async (digits: string) =>
    (
      await commandsOf(`RuntimeError: Configured CUDA binary not found at /v/site-packages/bitsandbytes/libbitsandbytes_cuda${digits}.so`)
    ).find((line) => line.includes("BNB_CUDA_VERSION"));
  expect(await build("131")).toBe("export BNB_CUDA_VERSION=130");
  expect(await build("127")).toBe("export BNB_CUDA_VERSION=126");
  expect(await build("114")).toBe("export BNB_CUDA_VERSION=118");
});

test("a DLL that no toolkit has is said to be one, before anybody looks for it", async () => {
  const { diagnoses } = await explain("Could not load dynamic library 'cupti64_113.dll'; dlerror: cupti64_113.dll not found");
  expect(diagnoses[0]).toMatchObject({ cause: "upstream-bug", name: "cupti64_113.dll" });
});

test("a package that binds torch is installed again with it; what has no wheel gets no index of PyTorch's; MKL is what lacks Intel's symbol", async () => {
  const symbol = "undefined symbol: _ZN3c104cuda9SetDeviceEab";
  const vllm = await commandsOf(`ImportError: /venv/lib/python3.12/site-packages/vllm/_C.abi3.so: ${symbol}`);
  expect(vllm).toContain("pip install --force-reinstall vllm");
  expect(vllm.join("\n")).not.toContain("--no-binary");
  expect((await commandsOf("ERROR: No matching distribution found for tensorflow==2.8.0")).join("\n")).not.toContain("torch");
  const itt = await commandsOf(
    "ImportError: /opt/conda/lib/python3.9/site-packages/torch/lib/libtorch_cpu.so: undefined symbol: iJIT_NotifyEvent",
  );
  expect(itt[0]).toBe('conda install "mkl<2024.1"');
});
