import { expect, test } from "vitest";
import { channelName, readCondaSpec } from "../../packages/core/src/dependency-files/conda-spec.ts";
import { asked, declared, short } from "./declared.ts";

const place = { file: "environment.yml", line: 1 };

test.each([
  ["pytorch", { name: "pytorch", specifier: "" }],
  ["pytorch=2.1", { specifier: "==2.1.*" }],
  ["pytorch==2.1.0", { specifier: "==2.1.0" }],
  ["pytorch 2.1.*", { specifier: "==2.1.*" }],
  ["pytorch=2.1.0=py3.10_cuda12.1_cudnn8.9.2_0", { specifier: "==2.1.0", build: "py3.10_cuda12.1_cudnn8.9.2_0" }],
  ["pytorch=*=*cuda*", { specifier: "", build: "*cuda*" }],
  ["pytorch 2.3.* cuda118*", { specifier: "==2.3.*", build: "cuda118*" }],
  ["pytorch::pytorch=2.1", { channel: "pytorch", specifier: "==2.1.*" }],
  ["conda-forge/linux-64::jaxlib=0.4.30=*cuda12*", { channel: "conda-forge", specifier: "==0.4.30", build: "*cuda12*" }],
  ["pytorch[version='2.3.*', build='cuda118*', channel=conda-forge]", { specifier: "==2.3.*", build: "cuda118*", channel: "conda-forge" }],
  ["pytorch >=2.0,<2.2", { specifier: ">=2.0,<2.2" }],
  ["pytorch>=2.7.0=cuda12*", { specifier: ">=2.7.0", build: "cuda12*" }],
])("conda's notation: %s", (text, expected) => {
  const read = readCondaSpec(text, place)!;
  expect(read).toMatchObject(expected);
  expect(read.build).toBe("build" in expected ? expected.build : undefined);
  expect(read.channel).toBe("channel" in expected ? expected.channel : undefined);
});

test.each([
  ["https://conda.anaconda.org/conda-forge", "conda-forge"],
  ["https://repo.anaconda.com/pkgs/main", "defaults"],
  ["anaconda", "defaults"],
  ["nvidia/label/cuda-11.8.0", "nvidia/label/cuda-11.8.0"],
  ["https://example.org/mine/", "https://example.org/mine"],
])("the channel %s is %s", (text, name) => expect(channelName(text)).toBe(name));

const environment = (channels: string[], packages: string[], pip: string[] = []) =>
  [
    "name: gpu",
    "channels:",
    ...channels.map((each) => `  - ${each}`),
    "dependencies:",
    ...packages.map((each) => `  - ${each}`),
    ...(pip.length === 0 ? [] : ["  - pip", "  - pip:", ...pip.map((each) => `      - ${each}`)]),
    "",
  ].join("\n");

test("no-conda-build: a pytorch-cuda that was never published, with its line and column", async () => {
  const text = environment(["pytorch", "nvidia"], ["python=3.12", "pytorch=2.6.0", "pytorch-cuda=12.6"]);
  const { check } = await declared("environment.yml", text);
  expect(check.findings).toHaveLength(1);
  expect(check.findings[0]).toMatchObject({
    rule: "no-conda-build",
    severity: "error",
    certainty: "certain",
    message: "There is no pytorch-cuda 12.6: there are 11.6, 11.7, 11.8, 12.1, 12.4",
    place: { line: 8, column: 5, endColumn: 22 },
  });
  expect(check.findings[0]!.sources.join()).toContain("pytorch/builder");
});

test.each([
  ["a toolkit that does not exist", ["conda-forge"], ["cudatoolkit=12.1"], ["error no-conda-build 5"]],
  ["a pair that was not built", ["pytorch", "nvidia"], ["pytorch=2.2.1", "pytorch-cuda=12.4"], ["error no-conda-build 7"]],
  [
    "the same, where conda-forge may have another build",
    ["pytorch", "nvidia", "conda-forge"],
    ["pytorch==2.3.1", "pytorch-cuda=12.4"],
    ["warning no-conda-build 8"],
  ],
  ["a release that the channel never had", ["pytorch", "nvidia"], ["pytorch=2.7", "pytorch-cuda=12.4"], ["warning no-conda-build 6"]],
  ["the same, from that channel only", ["nvidia"], ["pytorch::pytorch=2.7", "pytorch-cuda=12.4"], ["error no-conda-build 5"]],
  ["an old pair that was not built", ["pytorch"], ["pytorch=1.7.1", "cudatoolkit=11.1"], ["error no-conda-build 6"]],
  [
    "a release that was never built for the Python",
    ["pytorch", "nvidia"],
    ["python=3.12", "pytorch=2.0.1", "pytorch-cuda=11.8"],
    ["error no-conda-build 7"],
  ],
  ["the same, of the channel alone", ["pytorch", "nvidia", "nodefaults"], ["python=3.13", "pytorch=2.2.2"], ["error no-conda-build 8"]],
  ["a Python that Anaconda may have built it for", ["pytorch", "nvidia"], ["python=3.13", "pytorch=2.5.1", "pytorch-cuda=12.4"], []],
  ["a toolkit that no longer chooses", ["pytorch"], ["pytorch=2.0", "cudatoolkit=11.8"], ["warning no-conda-build 6"]],
  ["the same, of a release that is left open", ["pytorch"], ["pytorch", "torchvision", "cudatoolkit=11.3"], ["warning no-conda-build 7"]],
  ["two CUDAs", ["conda-forge"], ["cuda-version=12.4", "cudatoolkit=11.8"], ["error no-conda-build 6"]],
])("no-conda-build: %s", async (_, channels, packages, expected) => {
  expect(short(await declared("environment.yml", environment(channels, packages)))).toEqual(expected);
});

test.each([
  ["the lines of PyTorch's own page", ["pytorch", "nvidia"], ["pytorch==2.1.0", "torchvision==0.16.0", "pytorch-cuda=12.1"]],
  ["the last release", ["pytorch", "nvidia"], ["pytorch=2.5.1", "pytorch-cuda=12.4"]],
  ["a release that is left open", ["pytorch", "nvidia"], ["pytorch", "pytorch-cuda=11.8"]],
  ["a CUDA that is left open", ["pytorch", "nvidia"], ["pytorch=2.2", "pytorch-cuda>=11.8"]],
  ["an old pair", ["pytorch", "conda-forge"], ["pytorch=1.12.1", "cudatoolkit=11.3", "mkl=2024.0"]],
  ["conda-forge's build for 11.2 takes any later 11", ["pytorch", "conda-forge"], ["pytorch=1.12.1", "cudatoolkit=11.7"]],
  ["Anaconda's own channel may have it", ["pytorch"], ["pytorch=1.9", "cudatoolkit=10.1"]],
  ["conda-forge's builds ask for the toolkit", ["pytorch", "conda-forge"], ["pytorch=2.0", "cudatoolkit=11.8", "mkl<2024.1"]],
  ["a channel that nothing is known of", ["our-channel", "pytorch"], ["pytorch=2.2.1", "pytorch-cuda=12.4"]],
  ["another package chooses PyTorch", ["pytorch"], ["pytorch", "torchvision=0.13", "cudatoolkit=11.3"]],
  ["an old Python has no newer PyTorch", ["pytorch"], ["python=3.6", "pytorch", "cudatoolkit=11.3"]],
  ["without CUDA on purpose", ["pytorch"], ["pytorch=2.0", "cudatoolkit=11.8", "cpuonly"]],
  [
    "an exact build is there, as conda wrote it",
    ["pytorch"],
    ["pytorch=1.7.1=py3.8_cuda11.1_cudnn8.0.5_0", "cudatoolkit=11.1.1=h6406543_8"],
  ],
  ["conda-forge with cuda-version", ["conda-forge"], ["pytorch-gpu=2.7", "cuda-version=12.6"]],
  ["cuda-version with its own toolkit", ["conda-forge"], ["cuda-version=11.8", "cudatoolkit=11.8.0"]],
  ["PyTorch of conda-forge on purpose", ["pytorch", "nvidia"], ["conda-forge::pytorch=2.7", "pytorch-cuda=12.4"]],
  ["a toolkit without a version", ["conda-forge"], ["cudatoolkit", "cupy"]],
])("silence about conda: %s", async (_, channels, packages) => {
  expect(short(await declared("environment.yml", environment(channels, packages)))).toEqual([]);
});

test("pip leaves conda's PyTorch where it will do for what asks for torch, and takes its place where it will not", async () => {
  const judge = (conda: string[], pip: string[]) =>
    declared("environment.yml", environment(["conda-forge"], ["python=3.10", ...conda], pip));
  const replaced = ["warning packages-overwrite-each-other 1"];
  for (const pytorch of ["pytorch", "pytorch-gpu", "pytorch=2.4", "pytorch-gpu=2.4", "pytorch=2.4.0", "pytorch>=2.3"]) {
    const stays = await judge([pytorch], ["torchmetrics", "accelerate"]);
    expect(short(stays)).toEqual([]);
    // Nor does what only torch of PyPI would bring come.
    const names = stays.predicted.packages.map(({ name }) => name);
    expect(names).toContain("torchmetrics");
    expect(names.filter((name) => /^(torch|triton|nvidia-.*)$/.test(name))).toEqual([]);
    expect(short(await judge([pytorch, "torchvision"], ["timm"]))).toEqual([]);
  }
  // vLLM asks for one release.
  expect(short(await judge(["pytorch=2.4.0"], ["vllm==0.5.3", "transformers<5"]))).toEqual(replaced);
});

test("no-conda-build: in the lines of a Dockerfile, with the channels of the command", async () => {
  const text = "FROM continuumio/miniconda3\nRUN conda install -y pytorch==2.2.1 pytorch-cuda=12.4 -c pytorch -c nvidia\n";
  expect(short(await declared("Dockerfile", text))).toEqual(["error no-conda-build 2"]);
});

test("library-wrong-version: TensorFlow of pip with the CUDA and cuDNN of conda", async () => {
  const judge = async (conda: string[], pip: string[]) =>
    short(await declared("environment.yml", environment(["conda-forge"], ["python=3.10", ...conda], pip)));
  expect(await judge(["cudatoolkit=11.2", "cudnn=8.1.0"], ["tensorflow==2.10.1", "numpy<2"])).toEqual([]);
  expect(await judge(["cudatoolkit=11.8", "cudnn=8.9"], ["tensorflow==2.12.0"])).toEqual([]);
  expect(await judge(["cudatoolkit=11.2", "cudnn=8.1.0"], ["tensorflow==2.12.0"])).toEqual(["error library-wrong-version 7"]);
  expect(await judge(["cudatoolkit=10.1", "cudnn=7.6"], ["tensorflow==2.12.0"])).toEqual(["error library-wrong-version 6"]);
  expect(await judge(["cudatoolkit=11.8", "cudnn=8.9"], ["tensorflow==2.18.0"])).toEqual(["error library-wrong-version 6"]);
  // It brings its own.
  expect(await judge(["cudatoolkit=11.8", "cudnn=8.9"], ["tensorflow[and-cuda]==2.18.0"])).toEqual([]);
  expect(await judge(["cudatoolkit=11.8", "cudnn=8.1"], ["tensorflow==2.12.0", "nvidia-cudnn-cu11==8.6.0.163"])).toEqual([]);
});

test("driver-too-old and gpu-not-in-build: the build that conda would take", async () => {
  const text = environment(["pytorch", "nvidia"], ["pytorch=2.1.0=py3.10_cuda12.1_cudnn8.9.2_0", "pytorch-cuda=12.1"]);
  expect(short(await declared("environment.yml", text, { driver: "470.82.01" }))).toEqual(["error driver-too-old 6"]);
  expect(short(await declared("environment.yml", text, { driver: "535.104.05", gpus: ["H100"] }))).toEqual([]);
  const old = environment(["pytorch"], ["pytorch==1.12.1", "cudatoolkit=10.2"]);
  expect(short(await declared("environment.yml", old, { gpus: ["RTX 3090"] }))).toEqual(["error gpu-not-in-build 5"]);
  const pin = environment(["conda-forge"], ["cupy", "cuda-version=12.4"]);
  expect(short(await declared("environment.yml", pin, { driver: "470.82.01" }))).toEqual(["error driver-too-old 5"]);
  expect(short(await declared("environment.yml", pin, { driver: "535.104.05" }))).toEqual([]);
});

test("cpu-only-build: conda took the build without CUDA beside pytorch-cuda", async () => {
  const text = environment(["conda-forge", "pytorch"], ["pytorch=2.1.2=cpu_generic_py311h1584bb0_1", "pytorch-cuda=12.1=ha16c6d3_5"]);
  expect(short(await declared("env_gpu.yml", text))).toEqual(["error cpu-only-build 6"]);
  const without = environment(["conda-forge"], ["pytorch=2.1.2=cpu_generic_py311h1584bb0_1", "cuda-version=12.1", "cupy"]);
  expect(short(await declared("env.yml", without))).toEqual([]);
});

test("conda-lock.yml: builds, channels, categories, and the line of the entry for Linux", async () => {
  const entry = (name: string, version: string, build: string, platform: string, category = "main") =>
    [
      `- name: ${name}`,
      `  version: ${version}`,
      "  manager: conda",
      `  platform: ${platform}`,
      `  url: https://conda.anaconda.org/conda-forge/${platform}/${name}-${version}-${build}.conda`,
      `  category: ${category}`,
      `  optional: ${category !== "main"}`,
    ].join("\n");
  const text = `version: 1\nmetadata:\n  platforms: []\npackage:\n${[
    entry("__glibc", "2.17", "0", "linux-64"),
    entry("pytorch", "2.1.2", "cpu_generic_py311hb_0", "osx-64"),
    entry("pytorch", "2.1.2", "cpu_generic_py311ha_0", "linux-64"),
    entry("pytorch-gpu", "2.1.2", "cuda112py311h_0", "linux-64", "gpu"),
    entry("ruff", "0.4.0", "py311h_0", "linux-64", "dev"),
  ].join("\n")}\n`;
  const answer = await declared("conda-lock.yml", text);
  expect(asked(answer)).toEqual(["pytorch 2.1.2", "ruff 0.4.0"]);
  expect(answer.check.findings[0]).toMatchObject({ rule: "cpu-only-build", place: { line: 19 } });
  expect(answer.check.findings[0]!.because.at(-1)).toBe("only with the category gpu");
});

test("pixi.lock: every environment is judged; what only one of them has is said to be its own", async () => {
  const url = (name: string, version: string, build: string) =>
    `https://conda.anaconda.org/pytorch/linux-64/${name}-${version}-${build}.tar.bz2`;
  const torch = url("pytorch", "2.3.1", "py3.11_cuda12.1_cudnn8.9.2_0");
  const tool = url("ruff", "0.4.0", "py311h_0");
  const text = [
    "version: 6",
    "environments:",
    "  cuda:",
    "    packages:",
    "      linux-64:",
    `      - conda: ${tool}`,
    `      - conda: ${torch}`,
    "  default:",
    "    packages:",
    "      linux-64:",
    `      - conda: ${tool}`,
    "packages:",
    `- conda: ${torch}`,
    `- conda: ${tool}`,
    "",
  ].join("\n");
  const answer = await declared("pixi.lock", text, { driver: "470.82.01" });
  expect(asked(answer)).toEqual(["ruff 0.4.0"]);
  expect(answer.predicted.alternatives).toMatchObject([
    { name: "environment cuda", frameworks: [{ name: "torch", version: "2.3.1", cuda: "12.1" }] },
  ]);
  expect(short(answer)).toEqual(["error driver-too-old 13"]);
  expect(answer.check.findings[0]!.because.at(-1)).toBe("only with the environment cuda");
});

test("pixi.toml: features, channels and indexes, each with its line", async () => {
  const text = [
    "[workspace]",
    'name = "x"',
    'channels = ["nvidia", { channel = "pytorch", priority = 1 }]',
    "[dependencies]",
    'python = "3.11.*"',
    "[feature.gpu.dependencies]",
    'pytorch = { version = "2.2.1", channel = "pytorch" }',
    'pytorch-cuda = "12.4.*"',
    "[feature.pip.pypi-dependencies]",
    'torch = "==2.4.1+cu121"',
    "[feature.pip.pypi-options]",
    'extra-index-urls = ["https://download.pytorch.org/whl/cu121"]',
    "",
  ].join("\n");
  const answer = await declared("pixi.toml", text);
  expect(short(answer)).toEqual(["error no-conda-build 8"]);
  expect(answer.check.findings[0]!.because.at(-1)).toBe("only with the feature gpu");
  expect(answer.predicted.alternatives).toMatchObject([{ name: "feature pip", frameworks: [{ version: "2.4.1", variant: "cu121" }] }]);
});

test("pip sees what conda has installed and leaves it, unless something asks for another release", async () => {
  const file = (pip: string) => `name: x\ndependencies:\n  - python=3.10\n  - pytorch=2.1.2\n  - pip:\n      - ${pip}\n`;
  const left = await declared("environment.yml", file("accelerate"));
  expect(short(left)).toEqual([]);
  expect(left.predicted.packages.map(({ name }) => name)).not.toContain("torch");
  const replaced = await declared("environment.yml", file("torchvision==0.20.1"));
  expect(short(replaced)).toContain("warning packages-overwrite-each-other 1");
});

// PyPI has no tensorrt-libs 8.6.1, which the extra of 2.15.0 pins: uv refuses it, too.
test("library-wrong-version: no extra is advised that pip would refuse", async () => {
  const advice = async (release: string) => {
    const text = environment(["conda-forge"], ["python=3.11", "cudatoolkit=11.8", "cudnn=8.9"], [`tensorflow==${release}`]);
    return JSON.stringify((await declared("environment.yml", text)).check.findings.map((found) => found.advice));
  };
  expect(await advice("2.15.0")).not.toContain("and-cuda");
  expect(await advice("2.17.0")).toContain("tensorflow[and-cuda]==2.17.0");
});

const choice = async (channels: string[], packages: string[], pip: string[] = []) => {
  const { check, predicted } = await declared("environment.yml", environment(channels, packages, pip));
  return {
    status: check.status,
    judged: check.judged.map(({ program, version, cpuOnly }) => `${program} ${version}${cpuOnly ? " cpu" : ""}`),
    cuda: predicted.frameworks.map(({ name, cuda }) => `${name} ${cuda}`),
    open: check.unknown.filter(({ aside }) => !aside).map(({ reason }) => reason),
    asides: check.unknown.filter(({ aside }) => aside).map(({ subject, reason }) => `${subject}: ${reason}`),
  };
};

test.each([
  ["cudatoolkit chooses before 1.13", ["pytorch"], ["pytorch==1.12.1", "cudatoolkit=11.3"], "torch 1.12.1", "torch 11.3"],
  ["=1.12 is the newest that begins so", ["pytorch"], ["pytorch=1.12", "cudatoolkit=11.3"], "torch 1.12.1", "torch 11.3"],
  ["pytorch-cuda chooses afterwards", ["pytorch", "nvidia"], ["pytorch=2.1", "pytorch-cuda=12.1"], "torch 2.1.2", "torch 12.1"],
  ["and holds the release back", ["pytorch", "nvidia"], ["pytorch", "pytorch-cuda=11.7"], "torch 2.0.1", "torch 11.7"],
  ["the channel ended", ["pytorch", "nvidia"], ["pytorch", "torchvision", "torchaudio", "pytorch-cuda=12.4"], "torch 2.5.1", "torch 12.4"],
  ["torchvision leads", ["pytorch"], ["pytorch", "torchvision=0.12", "cudatoolkit=11.3"], "torch 1.11.0", "torch 11.3"],
  ["an old Python holds it back", ["pytorch"], ["python=3.6", "pytorch", "cudatoolkit=11.3"], "torch 1.10.2", "torch 11.3"],
  ["conda-forge by name of the build", ["conda-forge"], ["pytorch=2.3.*=cuda118*"], "torch 2.3.1", "torch 11.8"],
  ["conda-forge by its metapackage", ["conda-forge"], ["pytorch-gpu=2.7", "cuda-version=12.6"], "torch 2.7.1", "torch 12.6"],
  ["a build for 12.0 takes 12.4", ["conda-forge"], ["pytorch-gpu=2.4", "cuda-version=12.4"], "torch 2.4.1", "torch 12.0"],
  ["any minor of a CUDA", ["conda-forge"], ["jaxlib>=0.9=cuda12*"], "jax 0.9.2", "jax 12.9"],
  [
    "the first channel that has the release",
    ["defaults", "conda-forge", "pytorch"],
    ["pytorch=1.7.0", "cudatoolkit=10.1"],
    "torch 1.7.0",
    "torch 10.1",
  ],
  ["Anaconda's own channel is behind those named", ["conda-forge"], ["tensorflow-gpu==1.15"], "tensorflow 1.15.0", "tensorflow 10.0"],
  ["torchvision brings PyTorch along", ["pytorch"], ["torchvision==0.13.1", "cudatoolkit=11.3"], "torch 1.12.1", "torch 11.3"],
  ["jaxlib by name of the build", ["conda-forge"], ["jaxlib=0.4.30=*cuda120*"], "jax 0.4.30", "jax 12.0"],
  ["tensorflow-gpu", ["conda-forge"], ["tensorflow-gpu=2.10", "cudatoolkit=11.8"], "tensorflow 2.10.0", "tensorflow 11.2"],
  ["cupy takes any minor", ["conda-forge"], ["cupy=13.6", "cuda-version=12.2"], "cupy 13.6.0", "cupy 12.2"],
])("what conda takes: %s", async (_, channels, packages, judged, cuda) => {
  expect(await choice(channels, packages)).toMatchObject({ status: "ok", judged: [judged], cuda: [cuda], open: [] });
});

test.each([
  ["cpuonly", ["pytorch"], ["pytorch=2.1", "cpuonly"], "torch 2.1.2 cpu"],
  ["pytorch-cpu", ["conda-forge"], ["pytorch-cpu=2.4"], "torch 2.4.1 cpu"],
  ["the build's name", ["conda-forge"], ["pytorch=2.4=cpu_*"], "torch 2.4.0 cpu"],
  ["cudatoolkit ended with CUDA 11", ["conda-forge"], ["pytorch=2.9", "cudatoolkit>=11.3"], "torch 2.9.1 cpu"],
])("a build without CUDA: %s", async (_, channels, packages, judged) => {
  expect(await choice(channels, packages)).toMatchObject({ status: "ok", judged: [judged], cuda: [] });
});

test("which of several builds it is, is told aside; who asks about a driver learns that it is open", async () => {
  const file = environment(["conda-forge"], ["pytorch=2.4"]);
  const found = await choice(["conda-forge"], ["pytorch=2.4"]);
  expect(found).toMatchObject({ status: "ok", judged: ["torch 2.4.1"], cuda: [] });
  expect(found.asides).toEqual([
    "pytorch 2.4.1: which of its builds conda takes is not told: for CUDA 11.8, 12.0, or without CUDA; with CUDA only where it finds a driver (conda-forge)",
  ]);
  expect((await declared("environment.yml", file, { driver: "535.104.05" })).check.status).toBe("incomplete");
});

test.each([
  ["a channel that nothing is known of comes first", ["ours", "pytorch"], ["pytorch=2.1"], "what the channel ours has is not known here"],
  ["a release to come", ["conda-forge"], ["pytorch=2.99"], "not all that the channel conda-forge has is known here"],
  ["a release before the first", ["pytorch"], ["pytorch=1.4"], "not all that the channel pytorch has is known here"],
  [
    "a package that decides",
    ["pytorch", "pyg"],
    ["pytorch", "pyg"],
    "pyg has a say in which release it is, and what it asks for is not known here",
  ],
])("what is not known stays so, by name: %s", async (_, channels, packages, reason) => {
  const { status, open } = await choice(channels, packages);
  expect(status).toBe("incomplete");
  expect(open[0]).toBe(`what conda would choose for \`${packages[0]}\` is not predicted: ${reason}`);
});

test("a package that hints at a GPU and has no builds that are known is not passed over", async () => {
  expect(await choice(["conda-forge"], ["faiss-gpu-raft=1.8"])).toMatchObject({ status: "incomplete" });
  expect(await choice(["pytorch", "dglteam"], ["pytorch=1.9.1", "cudatoolkit=11.1", "dgl-cuda11.1"])).toMatchObject({ status: "ok" });
  expect(await choice(["conda-forge"], ["cuda-nvcc", "cudnn=8", "cuda-toolkit", "magma"])).toMatchObject({ status: "nothing-to-check" });
});

test("pytorch-cpu of conda stays where pip is asked for what needs torch", async () => {
  const found = await declared(
    "environment.yml",
    environment(["conda-forge"], ["python=3.10", "pytorch-cpu=2.4"], ["torchmetrics", "accelerate"]),
  );
  expect(short(found)).toEqual([]);
  expect(found.predicted.packages.map(({ name }) => name).filter((name) => /^(torch|nvidia-.*)$/.test(name))).toEqual([]);
});

test("pip leaves the torch that conda's torchvision brought, also where it is pinned, and a release that is older than what is known", async () => {
  const pip = async (conda: string[], asked: string[]) => {
    const found = await declared("environment.yml", environment(["pytorch"], ["python=3.8", ...conda], asked));
    return [...short(found), ...found.predicted.packages.flatMap(({ name, manager }) => (name === "torch" ? [manager] : []))];
  };
  expect(await pip(["torchvision==0.13.1", "cudatoolkit=11.3"], ["torch==1.12.1", "timm"])).toEqual([]);
  expect(await pip(["pytorch==1.6.0", "torchvision==0.7.0"], ["lpips"])).toEqual([]);
  expect(await pip(["pytorch==1.12.1", "cudatoolkit=11.3"], ["torch==2.0.1"])).toEqual(["warning packages-overwrite-each-other 10", "pip"]);
});

test("known-bad-combination: PyTorch of the channel pytorch beside the newest MKL of conda-forge", async () => {
  const judge = async (channels: string[], packages: string[], pip: string[] = [], file = "environment.yml") =>
    short(await declared(file, environment(channels, packages, pip)));
  const asked = ["python=3.8", "pytorch=1.12.1", "cudatoolkit=11.6"];
  expect(await judge(["pytorch", "conda-forge", "defaults"], asked)).toEqual(["warning known-bad-combination 8"]);
  expect(await judge(["conda-forge"], ["pytorch::pytorch=1.9.*", "cudatoolkit=11.1"])).toEqual(["warning known-bad-combination 5"]);
  const command = "FROM continuumio/miniconda3\nRUN conda install pytorch==1.13.1 pytorch-cuda=11.7 -c pytorch -c nvidia -c conda-forge\n";
  expect(short(await declared("Dockerfile", command))).toEqual(["warning known-bad-combination 2"]);
  // Something holds MKL back, or it is not conda-forge's, or this PyTorch is not affected.
  expect(await judge(["pytorch", "conda-forge", "defaults"], [...asked, "mkl=2024.0"])).toEqual([]);
  expect(await judge(["pytorch", "conda-forge", "defaults"], [...asked, "llvm-openmp=14"])).toEqual([]);
  expect(await judge(["pytorch", "defaults", "conda-forge"], asked)).toEqual([]);
  expect(await judge(["pytorch"], asked)).toEqual([]);
  expect(await judge(["pytorch", "nvidia", "conda-forge"], ["pytorch=2.5.1", "pytorch-cuda=12.4"])).toEqual([]);
  expect(await judge(["conda-forge"], ["pytorch=1.12.1", "cudatoolkit=11.6"])).toEqual([]);
  expect(await judge(["pytorch", "conda-forge"], ["pytorch=1.12.1=py3.8_cuda11.6_cudnn8.3.2_0", "cudatoolkit=11.6"])).toEqual([]);
  expect(await judge(["pytorch", "conda-forge"], ["pytorch=1.12.1"], [], "environment_macos.yml")).toEqual([]);
});

test("cpu-only-build: conda's build without CUDA, where a GPU is asked about", async () => {
  const judge = async (packages: string[], gpus: string[], pip: string[] = []) =>
    short(await declared("environment.yml", environment(["pytorch"], ["python=3.9", ...packages], pip), { gpus }));
  expect(await judge(["pytorch=2.0", "torchvision", "cpuonly"], ["A100"])).toEqual(["warning cpu-only-build 6"]);
  expect(await judge(["pytorch=2.0", "cpuonly"], [])).toEqual([]);
  expect(await judge(["pytorch=2.0"], ["A100"])).toEqual([]);
  expect(await judge(["pytorch=2.0", "cpuonly"], ["A100"], ["torch==2.1.0", "numpy<2"])).not.toContain("warning cpu-only-build 6");
});

test("no-conda-build: a torchvision that was built with another PyTorch", async () => {
  const judge = async (channels: string[], packages: string[]) => short(await declared("environment.yml", environment(channels, packages)));
  expect(await judge(["pytorch"], ["pytorch=1.12.1", "torchvision=0.14.1", "cudatoolkit=11.3"])).toEqual(["error no-conda-build 6"]);
  expect(await judge(["pytorch", "nvidia"], ["pytorch=2.1", "torchaudio=2.2", "pytorch-cuda=12.1"])).toEqual(["error no-conda-build 7"]);
  // Conda's numbers of 2.0.0, and a channel that builds one release for several.
  expect(await judge(["pytorch", "nvidia"], ["pytorch==2.0.0", "torchvision==0.15.0", "torchaudio==2.0.0", "pytorch-cuda=11.8"])).toEqual(
    [],
  );
  expect(await judge(["conda-forge"], ["pytorch=1.12.1", "torchvision=0.14.1"])).toEqual([]);
});

test("library-wrong-version: TensorFlow of pip beside pytorch-cuda of another major", async () => {
  const judge = async (cuda: string, tensorflow: string) =>
    short(
      await declared(
        "environment.yml",
        environment(["pytorch", "nvidia"], ["python=3.10", "pytorch=2.1", `pytorch-cuda=${cuda}`], [tensorflow]),
      ),
    );
  expect(await judge("11.8", "tensorflow==2.15.1")).toEqual(["warning library-wrong-version 8"]);
  expect(await judge("12.1", "tensorflow==2.15.1")).toEqual([]);
  expect(await judge("11.8", "tensorflow[and-cuda]==2.15.1")).toEqual([]);
  expect(await judge("11.8", "tensorflow==2.13.1")).toEqual([]);
});

test("R's interface to TensorFlow and conda's own solver bring nothing of a GPU", async () => {
  const { check } = await declared("environment.yml", "channels: [conda-forge]\ndependencies: [mamba, r-tensorflow, r-keras]\n");
  expect(check.unknown).toEqual([]);
});

test("beside a framework of conda a clash of pip's is likely: metadata of conda's builds ask for less", async () => {
  const pip = "- pip:\n  - xformers==0.0.27.post2\n  - openai-whisper==20231117\n";
  const environment = (conda: string) => `channels: [pytorch, nvidia]\ndependencies:\n- python=3.10\n${conda}${pip}`;
  const certainty = async (conda: string) =>
    (await declared("environment.yml", environment(conda))).check.findings.map((each) => each.certainty);
  expect(await certainty("")).toEqual(["certain"]);
  expect(await certainty("- pytorch=2.4.0\n- pytorch-cuda=12.1\n")).toContain("likely");
});

test("library-missing: CUDA of conda without cuDNN, under a TensorFlow of pip", async () => {
  const found = async (lines: string[], question = {}) =>
    short(
      await declared(
        "environment.yml",
        `channels: [pytorch, nvidia]\ndependencies:\n  - python=3.10\n  - numpy<1.24\n${lines.map((line) => `  - ${line}\n`).join("")}  - pip:\n      - tensorflow==2.12.0\n`,
        question,
      ),
    );
  expect(await found(["cudatoolkit=11.8"])).toEqual(["warning library-missing 7"]);
  expect(await found(["cudatoolkit=11.8", "cudnn=8"])).toEqual([]);
  // What conda-forge builds for a GPU brings it along.
  expect(await found(["cudatoolkit=11.8", "conda-forge::cupy"])).toEqual([]);
  // PyTorch has it inside; that its CUDA is there for TensorFlow, too, only who asks about a GPU says.
  const both = ["pytorch=2.1.0", "pytorch-cuda=11.8"];
  expect(await found(both)).toEqual([]);
  expect(await found(both, { gpus: ["L4"], driver: "570" })).toContain("warning library-missing 8");
});

test.each([
  ["pytorch::pytorch=2.1.0", "conda-forge::torchvision"],
  ["pytorch=2.1.0", "conda-forge::torchvision"],
  ["conda-forge::pytorch=2.1.0", "pytorch::torchvision"],
  // The first channel that has it.
  ["conda-forge::pytorch=2.1.0", "torchvision"],
])("%s beside %s: each channel builds torchvision with its own PyTorch", async (torch, vision) => {
  const text = `channels: [pytorch, nvidia, conda-forge]\ndependencies:\n  - python=3.10\n  - ${torch}\n  - ${vision}\n`;
  const { check } = await declared("environment.yml", text);
  expect(check.status).toBe("incomplete");
  expect(check.unknown.filter(({ aside }) => !aside)).toEqual([
    expect.objectContaining({
      subject: "environment.yml:5",
      reason: expect.stringContaining("whether the two go together is not known here"),
    }),
  ]);
  const same = await declared("environment.yml", text.replace(/\w+(?:-\w+)?::/g, ""));
  expect(same.check.status).toBe("ok");
});

test("packages-overwrite-each-other: pip's pin in the place of what conda was left to choose", async () => {
  const judge = async (conda: string[], pip: string[]) =>
    short(await declared("environment.yml", environment(["conda-forge"], ["python=3.11", ...conda], pip)));
  const replaced = ["warning packages-overwrite-each-other 9"];
  expect(await judge(["pytorch-gpu"], ["torch==2.4.1"])).toEqual(replaced);
  expect(await judge(["pytorch-gpu=2.4"], ["torch==2.4.1"])).toEqual([]);
});
