import { expect, test, vi } from "vitest";
import { declared, short } from "./declared.ts";

let isLoaded = false;
vi.mock("../../packages/core/src/log/part.ts", async (original) => {
  isLoaded = true;
  return original();
});

interface Cell {
  source: string;
  outputs?: object[];
  run?: number;
}

/** A notebook as Jupyter writes it: keys sorted, a line of text a line of the file. */
const written = (cells: Cell[]): string =>
  JSON.stringify(
    {
      cells: cells.map(({ source, outputs = [], run = null }) => ({
        cell_type: "code",
        execution_count: run,
        metadata: {},
        outputs,
        source: lines(source),
      })),
      metadata: {},
      nbformat: 4,
      nbformat_minor: 5,
    },
    null,
    1,
  );
const lines = (text: string) => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
const stream = (text: string) => ({ name: "stderr", output_type: "stream", text: lines(text) });
const error = (name: string, value: string, ...frames: string[]) => ({
  ename: name,
  evalue: value,
  output_type: "error",
  traceback: [
    "\u001b[0;31m---------------------------------------------------------------------------\u001b[0m",
    ...frames,
    `\u001b[0;31m${name}\u001b[0m: ${value}`,
  ],
});
const cudnn =
  "cuDNN version incompatibility: PyTorch was compiled  against (8, 5, 0) but found runtime version (8, 4, 1). PyTorch already comes bundled with cuDNN.";

test("a notebook that printed nothing does not load what reads error texts", async () => {
  expect(short(await declared("n.ipynb", written([{ source: "import torch", run: 1 }])))).toEqual([]);
  expect(isLoaded).toBe(false);
  await declared("n.ipynb", written([{ source: "1", outputs: [stream("1\n")], run: 1 }]));
  expect(isLoaded).toBe(true);
});

test("the error that a run ended with: the cell, the output, and the line of the file", async () => {
  const text = written([
    { source: "!pip install torch==1.13.0", run: 1, outputs: [stream("Successfully installed torch-1.13.0\n")] },
    { source: "import torch\ntorch.nn.Conv2d(1, 1, 3).cuda()", run: 2, outputs: [stream("a\nb\n"), error("RuntimeError", cudnn)] },
  ]);
  const { check } = await declared("n.ipynb", text);
  expect(check.findings).toHaveLength(1);
  const [finding] = check.findings;
  expect(finding).toMatchObject({
    rule: "recorded-failure",
    severity: "error",
    place: { cell: 2, output: 2, line: 2 },
    message: expect.stringMatching(/^when this notebook was last run: .*8\.5\.0.*8\.4\.1/),
    evidence: [expect.stringContaining("n.ipynb cell 2 output 2:2: RuntimeError: cuDNN version incompatibility")],
  });
  expect(text.split("\n")[finding!.place!.fileLine! - 1]).toContain("cuDNN version incompatibility");
  expect(finding!.because).toContain("`torch==1.13.0` is installed at n.ipynb cell 1:1");
  expect(check.unknown).toEqual([]);
});

test("where the run went on after it, it is a warning", async () => {
  const text = written([
    { source: "x.cuda()", run: 1, outputs: [error("RuntimeError", cudnn)] },
    { source: "1", run: 2 },
  ]);
  expect(short(await declared("n.ipynb", text))).toEqual(["warning recorded-failure 1:2"]);
});

test("what the code around an error would say is not what it said", async () => {
  const frame = [
    "\u001b[0;32m/usr/lib/python3/dist-packages/torch/cuda/__init__.py\u001b[0m in _lazy_init()",
    '\u001b[1;32m    247\u001b[0m             raise AssertionError("Torch not compiled with CUDA enabled")',
    "\u001b[0;32m--> 248\u001b[0m         if _cudart is None:",
    '    249             raise AssertionError("libcudart functions unavailable. It looks like you have a broken build?")',
  ].join("\n");
  const text = written([{ source: "f()", run: 1, outputs: [error("KeyError", "'x'", frame)] }]);
  expect(short(await declared("n.ipynb", text))).toEqual([]);
});

const lost =
  "2022-06-13 14:56:11.183260: W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'libcudart.so.11.0'; dlerror: libcudart.so.11.0: cannot open shared object file: No such file or directory\n";
const smi = `Mon Jun 13 14:50:00 2022
+-----------------------------------------------------------------------------+
| NVIDIA-SMI 510.47.03    Driver Version: 510.47.03    CUDA Version: 11.6     |
|   0  Tesla T4            Off  | 00000000:00:04.0 Off |                    0 |
+-----------------------------------------------------------------------------+
`;

test("what a machine without a GPU prints as well counts where a GPU was there", async () => {
  const cell = { source: "import tensorflow", run: 2, outputs: [stream(lost)] };
  expect((await declared("n.ipynb", written([cell]))).check.findings.filter(({ severity }) => severity !== "info")).toEqual([]);
  const built = { source: "import x", run: 2, outputs: [stream("AssertionError: Torch not compiled with CUDA enabled\n")] };
  expect((await declared("n.ipynb", written([built]))).check.findings.map(({ severity }) => severity)).toEqual(["info"]);
  const shown = written([{ source: "!nvidia-smi", run: 1, outputs: [stream(smi)] }, cell]);
  expect(short(await declared("n.ipynb", shown))).toEqual(["warning recorded-failure 2:1"]);
});

test.each([
  ["GPU memory", error("OutOfMemoryError", "CUDA out of memory. Tried to allocate 2.00 GiB")],
  ["an error of the code", error("NameError", "name 'torch' is not defined")],
  ["a warning that is none", stream("W tensorflow/compiler/tf2tensorrt/utils/py_utils.cc:38] TF-TRT Warning: Could not find TensorRT\n")],
  ["a question about nvcc", stream("/bin/bash: nvcc: command not found\n")],
  [
    "bitsandbytes, which looks in many places and finds it",
    stream(
      "CUDA_SETUP: WARNING! libcudart.so not found in any environmental path. Searching in backup paths...\nCUDA SETUP: CUDA runtime path found: /usr/local/cuda/lib64/libcudart.so.11.0\n",
    ),
  ],
])("silence: %s", async (_, output) => {
  const { check } = await declared("n.ipynb", written([{ source: "f()", run: 1, outputs: [output] }]));
  expect(check.findings).toEqual([]);
});

test("one fault is one finding: what the cell asks for, with what pip said then", async () => {
  const refused =
    'ERROR: Cannot install nvidia-cudnn-cu12==8.9.7.29 and torch==2.4.1 because these package versions have conflicting dependencies.\n\nThe conflict is caused by:\n    The user requested nvidia-cudnn-cu12==8.9.7.29\n    torch 2.4.1 depends on nvidia-cudnn-cu12==9.1.0.70; platform_system == "Linux"\n';
  const text = written([{ source: "!pip install torch==2.4.1 nvidia-cudnn-cu12==8.9.7.29", run: 1, outputs: [stream(refused)] }]);
  const { check } = await declared("n.ipynb", text);
  expect(check.findings.map(({ rule }) => rule)).toEqual(["requirements-clash"]);
  expect(check.findings[0]!.evidence).toContain(
    "when it was last run, n.ipynb cell 1 output 1:4 said: The user requested nvidia-cudnn-cu12==8.9.7.29",
  );
  const complaint = "torchtext 0.10.0 requires torch==1.9.0, but you have torch 1.8.0+cu101 which is incompatible.\n";
  const unusual = written([{ source: "!pip install x", run: 1, outputs: [stream(complaint)] }]);
  expect(short(await declared("n.ipynb", unusual))).toEqual(["info recorded-failure 1:1"]);
});

test("the oldest notebooks, texts that are no lists, and outputs that are none", async () => {
  const old = {
    nbformat: 3,
    worksheets: [
      {
        cells: [
          {
            cell_type: "code",
            input: "x",
            prompt_number: 1,
            outputs: [{ output_type: "pyerr", ename: "RuntimeError", evalue: cudnn, traceback: [] }],
          },
          { cell_type: "code", input: "x", outputs: [null, 3, { output_type: "stream", text: 7 }, { output_type: "display_data" }] },
        ],
      },
    ],
  };
  expect(short(await declared("n.ipynb", JSON.stringify(old)))).toEqual(["error recorded-failure 1:1"]);
});

test("a GPU and a driver that are asked about were not there when it was last run", async () => {
  const cells = [{ source: "import torch\nprint(torch.__version__)", run: 1, outputs: [stream("PyTorch version: 1.11.0\n")] }];
  const request = { driver: "535.104.05", gpus: ["L4"] };
  expect(short(await declared("n.ipynb", written(cells), request))).toEqual([]);
});
