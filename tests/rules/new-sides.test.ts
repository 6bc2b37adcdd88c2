// The sides that rules got later: what they must not say. That both sides agree is in both-sides.test.ts.
import { describe, expect, test } from "vitest";
import { declared, notebook, short } from "../declare/declared.ts";
import { judge, machineWith, torch } from "../diagnose/gpu-root.ts";
import { findings, healthy, named } from "../diagnose/python-stack.ts";
import { installed, module, site } from "../frameworks/python-root.ts";
import { glibcLoader } from "../loader/answers.ts";
import type { Files } from "../loader/tree.ts";
import { needs } from "../needs.ts";

const requirements = async (text: string, asked = {}) => short(await declared("requirements.txt", text, { python: "3.11", ...asked }));
const dockerfile = async (text: string, asked = {}) => short(await declared("Dockerfile", text, asked));
const driver = "580.159.04";

describe("numpy-too-new on a machine", needs({ glibc: glibcLoader }), () => {
  const numpy = (version: string) => installed("numpy", version);
  const old = torch("2.2.2", "12.1");
  const said = async (files: Files) => (await judge(files)).filter(({ rule }) => rule === "numpy-too-new");

  test("what was really installed with it: the file of both, and what to type", async () => {
    const [finding, ...others] = await said({ ...old, ...numpy("2.1.0") });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({
      certainty: "certain",
      subject: "numpy for torch in /venv",
      endangers: [{ framework: "torch", activity: "import" }],
      facts: {
        packages: [
          { role: "install", name: "numpy", wants: "<2" },
          { role: "asks", name: "torch" },
        ],
      },
    });
    expect(finding!.advice[0]!.command).toEqual(["uv", "pip", "install", "--python", "/venv/bin/python3", "numpy<2"]);
    const label = { ...torch("2.2.2+cu121", "12.1"), ...numpy("2.0.0") };
    expect(await said(label)).toHaveLength(1);
  });

  test("one whose import ends with it is an error, and its neighbours that go on are none", async () => {
    const ort = (version: string): Files => ({
      ...installed("onnxruntime-gpu", version),
      ...numpy("2.1.0"),
      [`${site}/onnxruntime/capi/build_and_package_info.py`]: { text: `package_name = 'onnxruntime-gpu'\n__version__ = '${version}'\n` },
      [`${site}/onnxruntime/capi/onnxruntime_pybind11_state.so`]: module(),
    });
    const [finding] = await said(ort("1.17.1"));
    expect(finding).toMatchObject({ severity: "error", breaks: [{ framework: "onnxruntime", activity: "import" }], endangers: [] });
    expect(await said(ort("1.16.3"))).toMatchObject([{ severity: "warning", breaks: [] }]);
    expect(await said(ort("1.19.2"))).toEqual([]);
  });

  test.each<[string, Files]>([
    ["torch 2.3 is built for both", { ...torch("2.3.0", "12.1"), ...numpy("2.1.0") }],
    ["NumPy 1", { ...old, ...numpy("1.26.4") }],
    ["no NumPy", old],
    ["a build of one's own", { ...torch("2.2.0a0+81ea7a4", "12.3"), ...numpy("2.1.0") }],
    ["a build of NVIDIA's for Jetson", { ...torch("2.1.0a0+41361538.nv23.06", "12.2"), ...numpy("2.1.0") }],
    [
      "conda-forge may have built it for NumPy 2",
      { ...old, ...numpy("2.1.0"), "/venv/conda-meta/history": { text: "" }, "/venv/pyvenv.cfg": { link: "/nowhere" } },
    ],
    ["a package that no program here uses", { ...installed("jaxlib", "0.4.23"), ...numpy("2.1.0") }],
  ])("silence: %s", async (_, files) => {
    expect(await said(files)).toEqual([]);
  });
});

test("profiler-plugin-versions of a file: pins that do not go together, on the line of the last", async () => {
  const clash = "torch==2.6.0\ntensorboard==2.20.0\nsetuptools==84.0.0\nxprof==2.24.1\n";
  expect(await requirements(clash)).toEqual(["warning profiler-plugin-versions 3"]);
  // Nobody looks at profiles: unusual only.
  expect(await requirements("torch==2.6.0\ntensorboard==2.20.0\nsetuptools==84.0.0\n")).toEqual(["info profiler-plugin-versions 3"]);
});

const plugin = "tensorflow[and-cuda]==2.18.0\ntensorboard-plugin-profile==2.13.0\nprotobuf==4.25.9\n";

test.each([
  ["versions that pip chooses itself", "torch==2.6.0\ntensorboard\nsetuptools\nxprof==2.24.1\n"],
  ["a range", "torch==2.6.0\ntensorboard>=2.10\nsetuptools==84.0.0\nxprof==2.24.1\n"],
  ["what goes together", "torch==2.6.0\ntensorboard==2.21.0\nsetuptools==84.0.0\nxprof==2.24.1\n"],
  ["no framework that records a GPU", "tensorboard==2.20.0\nsetuptools==84.0.0\nxprof==2.24.1\n"],
  ["what is not written may be there all the same", "torch==2.6.0\ntensorboard-plugin-profile==2.18.0\n"],
])("silence of profiler-plugin-versions: %s", async (_, text) => {
  expect(await requirements(text)).toEqual([]);
});

test("profiler-plugin-versions of a file: the slow implementation of protobuf takes old messages", async () => {
  const from = "FROM python:3.11\n";
  const install = `RUN pip install ${plugin.trim().replaceAll("\n", " ")}\n`;
  const slow = "ENV PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION=python\n";
  expect(await dockerfile(from + install)).toEqual(["warning profiler-plugin-versions 2"]);
  expect(await dockerfile(from + slow + install)).toEqual([]);
});

test("built-for-another-cuda of a file: minors of one CUDA go together; without a label nothing is said", async () => {
  const index = ["cu124", "cu121", "cu118"].map((label) => `--extra-index-url https://download.pytorch.org/whl/${label}\n`).join("");
  expect(await requirements(`${index}torch==2.5.1+cu124\ntorchvision==0.20.1+cu118\n`)).toEqual(["warning built-for-another-cuda 5"]);
  expect(await requirements(`${index}torch==2.5.1+cu124\ntorchvision==0.20.1+cu121\n`)).toEqual(["info built-for-another-cuda 5"]);
  expect(await requirements(`${index}torch==2.5.1+cu124\ntorchvision==0.20.1+cu124\n`)).toEqual([]);
  expect(await requirements(`${index}torch==2.5.1+cu124\ntorchvision==0.20.1\n`)).toEqual([]);
});

test("known-bad-combination of a file: what a framework uses, and what the file itself brings", async () => {
  const bad = (cudnn: string) => `FROM python:3.11\nRUN pip install torch==2.7.1\nRUN pip install nvidia-cudnn-cu12==${cudnn}\n`;
  expect(await dockerfile(bad("9.10.0.56"))).toContain("warning known-bad-combination 3");
  expect(await dockerfile(bad("9.7.1.26"))).toEqual([]);
  expect(await requirements("nvidia-cudnn-cu12==9.10.0.56\n")).toEqual([]);
  const nccl = "torch==2.10.0\nnvidia-nccl-cu12==2.29.2\n";
  expect((await requirements(nccl)).filter((each) => each.includes("known-bad"))).toEqual([]);
  // What Colab has is not what the notebook says.
  const { check } = await declared("a.ipynb", notebook(["import torch"]), { colab: "latest" });
  expect(check.findings.filter(({ rule }) => rule === "known-bad-combination")).toEqual([]);
});

test.each([
  ["a GPU that the build has machine code for", "tensorflow[and-cuda]==2.20.0\n", { driver, gpus: ["H100"] }],
  ["no GPU asked about", "tensorflow[and-cuda]==2.20.0\n", { driver }],
  [
    "the driver is too old altogether: said once",
    "tensorflow[and-cuda]==2.20.0\n",
    { driver: "470.57.02", gpus: ["T4"] },
    "driver-too-old",
  ],
  ["a Triton that knows the GPU", "torch==2.10.0\n", { driver, gpus: ["GB10"] }],
  [
    "the ptxas that CuPy 13 finds is not in the file",
    "cupy-cuda12x==13.6.0\nnvidia-cuda-nvrtc-cu12==12.6.77\n",
    { driver, gpus: ["RTX 5090"] },
  ],
  [
    "NVRTC of the same major as the newest GPU that it knows",
    "cupy-cuda12x==14.2.0\nnvidia-cuda-nvrtc-cu12==12.8.93\n",
    { driver, gpus: ["GB10"] },
  ],
  ["the cuDNN that torch pins still has Volta", "torch==2.7.1\n", { driver, gpus: ["V100"] }],
  ["a build without code says that alone", "torch==2.11.0\n", { driver, gpus: ["V100"] }, "gpu-not-in-build"],
  ["a cuDNN that no framework here uses", "nvidia-cudnn-cu12==9.14.0.64\n", { driver, gpus: ["V100"] }],
])("GPU rules of files: %s", async (_, text, asked, ...rules) => {
  expect(await requirements(text, asked)).toEqual(rules.map((rule) => `error ${rule} 1`));
});

test("GPU rules of files: another ptxas, and NVRTC of an image", async () => {
  const torch29 = "FROM python:3.11\nRUN pip install torch==2.9.1\n";
  const gb10 = { driver, gpus: ["GB10"] };
  const loud = async (text: string, asked: object) => (await dockerfile(text, asked)).filter((each) => !each.startsWith("info"));
  expect(await loud(torch29, gb10)).toEqual(["error compiler-too-old-for-gpu 2"]);
  expect(await loud(`${torch29}ENV TRITON_PTXAS_PATH=/usr/local/cuda/bin/ptxas\n`, gb10)).toEqual([]);
  const cupy = (cuda: string, more = "") => `FROM nvidia/cuda:${cuda}-runtime-ubuntu22.04\n${more}RUN pip install cupy-cuda12x==13.6.0\n`;
  const blackwell = { driver, gpus: ["RTX 5090"] };
  expect(await loud(cupy("12.6.3"), blackwell)).toEqual(["error compiler-too-old-for-gpu 2"]);
  expect(await loud(cupy("12.8.1"), blackwell)).toEqual([]);
  expect(await loud(cupy("12.6.3", "ENV CUPY_COMPILE_WITH_PTX=1\n"), blackwell)).toEqual([]);
  expect(await loud(cupy("12.6.3", "RUN apt-get install -y cuda-nvrtc-12-8\n"), blackwell)).toEqual([]);
});

describe("gpus-hidden of an image", needs({ glibc: glibcLoader }), () => {
  const torch29 = torch("2.9.1", "12.8", { cudnn: "9.10.2.21" });
  const said = async (files: Files, asked: Parameters<typeof judge>[1]) =>
    (await judge(files, asked)).filter(({ rule }) => rule === "gpus-hidden").map(({ severity }) => severity);

  test("NVIDIA_VISIBLE_DEVICES counts for images alone, and where something would use a GPU", async () => {
    for (const value of ["void", "none", ""])
      expect(await said(torch29, { image: { NVIDIA_VISIBLE_DEVICES: value } })).toEqual(["warning"]);
    expect(await said(torch29, { image: { NVIDIA_VISIBLE_DEVICES: "all" } })).toEqual([]);
    expect(await said(torch29, { environment: { NVIDIA_VISIBLE_DEVICES: "void" } })).toEqual([]);
    expect(await said(machineWith(driver), { image: { NVIDIA_VISIBLE_DEVICES: "void" } })).toEqual([]);
  });
});

test("a healthy environment has none of it", needs({ glibc: glibcLoader }), async () => {
  expect(named(await findings({ ...healthy(), ...installed("numpy", "2.1.0"), [`${site}/numpy/core.so`]: module() }))).toEqual([]);
});
