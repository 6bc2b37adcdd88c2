import { expect, test } from "vitest";
import { adviceLine } from "../../packages/core/src/lib/shell.ts";
import { declared, notebook, short } from "./declared.ts";

test("requirements-clash: a pinned cuDNN that torch does not take, with both lines and their source", async () => {
  const { check } = await declared("requirements.txt", "# ours\ntorch==2.4.1\n\nnvidia-cudnn-cu12==8.9.7.29  # for another\n");
  expect(check.findings).toHaveLength(1);
  const [finding] = check.findings;
  expect(finding).toMatchObject({
    rule: "requirements-clash",
    cause: "package-conflict",
    severity: "error",
    place: { file: "requirements.txt", line: 4, column: 1 },
  });
  expect(finding!.because[0]).toBe("torch==2.4.1 (requirements.txt:2): torch 2.4.1 needs nvidia-cudnn-cu12==9.1.0.70");
  expect(finding!.sources).toEqual(["the metadata of torch 2.4.1 on PyPI"]);
});

test("requirements-clash: what would be possible is said for the Python that is asked about", async () => {
  const { check } = await declared("requirements.txt", "tensorflow[and-cuda]==2.16.1\ntorch==2.3.0\n", { python: "3.11" });
  expect(check.findings[0]!.advice).toHaveLength(2);
  for (const { words } of check.findings[0]!.advice) expect(words).toMatch(/, Python 3\.11$/);
});

test("requirements-clash: two frameworks that pin the same libraries, a constraint, and a package of neither", async () => {
  expect(short(await declared("requirements.txt", "tensorflow[and-cuda]==2.17.0\ntorch==2.5.1\n"))).toEqual(["error requirements-clash 2"]);
  const beside = { "pins.txt": "torchvision==0.19.0\n" };
  const constrained = await declared("requirements.txt", "-c pins.txt\ntorch==2.5.0\ntorchvision\n", { beside });
  expect(constrained.check.findings[0]!.because.join()).toContain("pins.txt:1");
  expect(short(await declared("requirements.txt", "tensorflow==2.15.0\nprotobuf==5.29.0\n"))).toEqual(["error requirements-clash 2"]);
});

test("the newest of an index is the newest that is known to be there", async () => {
  const { predicted } = await declared("requirements.txt", "--index-url https://download.pytorch.org/whl/cu118\ntorch\n");
  expect(predicted.frameworks[0]).toMatchObject({ name: "torch", variant: "cu118", cuda: "11.8" });
});

// As `uv pip compile` answers: a bound of one library moves none of the others to its toolkit.
test("of what is left open pip takes the newest, whatever toolkit its neighbours are of", async () => {
  const versions = async (text: string) =>
    new Map((await declared("requirements.txt", text)).predicted.packages.map(({ name, version }) => [name, version]));
  const [free, bound] = [await versions("jax[cuda12]==0.5.0\n"), await versions("jax[cuda12]==0.5.0\nnvidia-cublas-cu12<12.9\n")];
  expect(bound.get("nvidia-cublas-cu12")).toMatch(/^12\.8\./);
  for (const name of ["nvidia-cuda-cupti-cu12", "nvidia-cufft-cu12", "nvidia-cusparse-cu12"]) expect(bound.get(name)).toBe(free.get(name));
});

test("requirements-clash: a release that asks for what PyPI does not have", async () => {
  const { check } = await declared("requirements.txt", "tensorflow[and-cuda]==2.15.0\n");
  expect(check.findings[0]).toMatchObject({ rule: "requirements-clash", message: "tensorflow[and-cuda]==2.15.0 cannot be installed" });
  expect(check.findings[0]!.because.join()).toContain("tensorrt");
});

test.each([
  ["what goes together", "torch==2.5.1\ntorchvision==0.20.1\nnvidia-cudnn-cu12==9.1.0.70\nnumpy<2\n"],
  ["TensorFlow without its extra asks for none of NVIDIA's wheels", "tensorflow==2.17.0\ntorch==2.5.1\nnumpy<2\n"],
  ["a release older than those that are known might do", "torch\nnvidia-cudnn-cu12==8.9.7.29\n"],
  ["a package that another one brings in a release that is not known", "ml-dtypes==0.1.0\ntensorflow==2.12.0\n"],
  ["a marker that does not hold on Linux", 'torch==2.4.1\nnvidia-cudnn-cu12==8.9.7.29; sys_platform == "win32"\n'],
  ["a package that asks for less on an old Python", "torch==2.7.0\npytorch-optimizer==3.10.0\n"],
  ["a release that is older than what `solve` offers", "tensorflow==1.15.0\n"],
  ["releases whose needs are older than what is known of them", "jax==0.3.14\n"],
  ["an old TensorFlow with what it was tested with", "tensorflow==2.2.0\ntensorflow-addons==0.10.0\nnumpy==1.19.5\n"],
  ["a marker that depends on a Python that nobody named", 'torch==2.4.1\nnvidia-cudnn-cu12==8.9.7.29; python_version < "3.9"\n'],
  [
    "an index of nightly builds",
    "--pre --extra-index-url https://download.pytorch.org/whl/nightly/cpu\ntorch==2.8.0.*\ntorchvision==0.22.*\n",
  ],
  [
    "the build without CUDA brings no cuDNN",
    "--index-url https://download.pytorch.org/whl/cpu\ntorch==2.4.1\nnvidia-cudnn-cu12==8.9.7.29\n",
  ],
  [
    "a build that PyTorch's index may have, though it is not known here",
    "--index-url https://download.pytorch.org/whl/cu999\ntorch==2.10.0\ntorchvision==0.25.0\n",
  ],
  ["an index that nothing is known about", "--index-url https://wheels.example.org/simple\ntorch==2.4.1\nnvidia-cudnn-cu12==8.9.7.29\n"],
  ["a release that is newer than what is known", "torch==99.1.0\ntensorflow==99.0\n"],
  ["packages that are not known at all", "some-private-package==1.0\nanother>=2\n"],
  ["TensorFlow under its two names", "tensorflow==2.10.0\ntensorflow-gpu==2.10.0\nnumpy<2\n"],
])("silence: %s", async (_, text) => {
  expect(short(await declared("requirements.txt", text))).toEqual([]);
});

test("no-wheel-for-python: a pin and a base image, a wheel by its name, a Python on the command line", async () => {
  const dockerfile = "FROM python:3.12-slim\nRUN pip install tensorflow==2.10.0 'numpy<2'\n";
  const { check } = await declared("Dockerfile", dockerfile);
  expect(check.findings[0]).toMatchObject({ rule: "no-wheel-for-python", cause: "wrong-wheel-platform", place: { line: 2, column: 17 } });
  expect(check.findings[0]!.because).toContain("tensorflow 2.10.0 has wheels for Python 3.7 to 3.10");
  expect(short(await declared("Dockerfile", dockerfile.replace("3.12", "3.10")))).toEqual([]);
  const wheel = "https://download.pytorch.org/whl/cu118/torch-2.0.1%2Bcu118-cp310-cp310-linux_x86_64.whl\n";
  expect(short(await declared("requirements.txt", wheel, { python: "3.11" }))).toEqual(["error no-wheel-for-python 1"]);
  expect(short(await declared("requirements.txt", wheel, { python: "3.10" }))).toEqual([]);
  // NumPy is compiled where there is no wheel.
  expect(short(await declared("requirements.txt", "torch==2.6.0\nnumpy==1.26.4\n", { python: "3.13" }))).toEqual([]);
});

test("version-not-published: a release that was skipped, a label without its index", async () => {
  expect(short(await declared("requirements.txt", "tensorflow==2.16.0\n"))).toEqual(["error version-not-published 1"]);
  expect(short(await declared("requirements.txt", "tensorflow==2.16.1\ntorch==2.5\n"))).toEqual([]);
  expect(short(await declared("requirements.txt", "tensorflow-gpu>=2.4\n"))).toEqual(["error version-not-published 1"]);
  expect(short(await declared("requirements.txt", "tensorflow-gpu==2.10.0\n"))).toEqual([]);
  expect(short(await declared("requirements.txt", "torch==2.0.1+cu118\n"))).toEqual(["warning version-not-published 1"]);
  const index = "--extra-index-url https://download.pytorch.org/whl/cu118\n";
  expect(short(await declared("requirements.txt", `${index}torch==2.0.1+cu118\n`))).toEqual([]);
  expect(short(await declared("requirements.txt", "-f https://download.pytorch.org/whl/torch_stable.html\ntorch==2.0.1+cu118\n"))).toEqual(
    [],
  );
  const three = await declared("requirements.txt", "numpy<2\ntorch==2.0.1+cu118\ntorchaudio==2.0.2+cu118\ntorchvision==0.15.2+cu118\n");
  expect(three.check.findings.map(({ message }) => message)).toEqual([
    "torch==2.0.1+cu118, torchaudio==2.0.2+cu118 and torchvision==0.15.2+cu118 are not on PyPI, and no index is named that has them",
  ]);
  // The index stands where the list is installed.
  const beside = { "requirements.txt": "torch==2.0.1+cu118\n" };
  const dockerfile = (options: string) => `FROM python:3.10\nCOPY requirements.txt .\nRUN pip install -r requirements.txt ${options}\n`;
  expect(short(await declared("Dockerfile", dockerfile(index.trim()), { beside }))).toEqual([]);
  expect(short(await declared("Dockerfile", dockerfile(""), { beside }))).toEqual(["error version-not-published 1"]);
  expect(
    short(
      await declared(
        "Dockerfile",
        `FROM python:3.10\nENV PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cu118\n${dockerfile("").slice(17)}`,
        { beside },
      ),
    ),
  ).toEqual([]);
});

test("packages-overwrite-each-other: builds of one framework, and wheels for two CUDAs that frameworks bring", async () => {
  expect(short(await declared("requirements.txt", "onnxruntime\nonnxruntime-gpu==1.20.0\n"))).toEqual([
    "error packages-overwrite-each-other 2",
  ]);
  // CuPy's sources are for whichever CUDA is there.
  expect(short(await declared("requirements.txt", "cupy==13.3.0\n"))).toEqual([]);
  expect(short(await declared("requirements.txt", "cupy-cuda11x==13.3.0\ncupy-cuda12x==13.3.0\n"))).toEqual([
    "warning packages-overwrite-each-other 2",
  ]);
  const both = await declared("requirements.txt", "torch==2.11.0\njax[cuda12]==0.7.2\n");
  expect(both.check.findings.map(({ message }) => message).join()).toMatch(
    /nvidia-cudnn-cu1[23] .* and nvidia-cudnn-cu1[23] .* fill the same folder/,
  );
  expect(short(await declared("requirements.txt", "onnxruntime-gpu==1.20.0\n"))).toEqual([]);
});

test("packages-overwrite-each-other: conda's and pip's of one framework, if pip's is not what conda's is", async () => {
  const text = (pip: string) => `dependencies:\n  - python=3.10\n  - pytorch=1.13\n  - pip:\n    - ${pip}\n`;
  expect(short(await declared("environment.yml", text("torch==2.4.1")))).toEqual(["warning packages-overwrite-each-other 5"]);
  expect(short(await declared("environment.yml", text("torch==1.13.1")))).toEqual([]);
  expect(short(await declared("environment.yml", text("torch")))).toEqual([]);
});

test("pins-not-met: one command after the other, as pip does it", async () => {
  const dockerfile = "FROM python:3.11\nRUN pip install torch==2.4.1\nRUN pip install nvidia-cudnn-cu12==8.9.7.29\n";
  const { check } = await declared("Dockerfile", dockerfile);
  expect(check.findings[0]).toMatchObject({
    rule: "pins-not-met",
    severity: "warning",
    place: { line: 3 },
    // cuDNN 8 in the place of 9: torch is linked against libcudnn.so.9.
    endangers: [{ framework: "torch", activity: "import" }],
  });
  // The second finds what it wants.
  expect(
    short(await declared("Dockerfile", "FROM python:3.11\nRUN pip install torch==2.4.1\nRUN pip install torch torchvision\n")),
  ).toEqual([]);
});

test("cpu-only-build: the cpu index on an image with CUDA; nowhere else", async () => {
  const run = "RUN pip install torch==2.5.1 --index-url https://download.pytorch.org/whl/cpu\n";
  expect(short(await declared("Dockerfile", `FROM nvidia/cuda:12.4.1-runtime-ubuntu22.04\n${run}`))).toEqual(["warning cpu-only-build 2"]);
  expect(short(await declared("Dockerfile", `FROM python:3.11\n${run}`))).toEqual([]);
});

test("library-missing: what TensorFlow and ONNX Runtime open, and the base image does not have", async () => {
  const image = (tag: string, run: string) =>
    `FROM nvidia/cuda:${tag}\nRUN apt-get update && apt-get install -y python3 python3-pip\nRUN pip3 install ${run}\n`;
  const old = await declared("Dockerfile", image("11.8.0-cudnn8-runtime-ubuntu22.04", "tensorflow==2.15.0"));
  expect(old.check.findings[0]).toMatchObject({ rule: "library-missing", cause: "library-missing", place: { line: 3 } });
  expect(old.check.findings[0]!.message).toContain("libcudart.so.12");
  expect(short(await declared("Dockerfile", image("12.2.2-runtime-ubuntu22.04", "tensorflow==2.15.0")))).toEqual([
    "error library-missing 3",
  ]);
  for (const [tag, run] of [
    ["12.2.2-cudnn8-devel-ubuntu22.04", "tensorflow==2.15.0"],
    ["11.8.0-cudnn8-runtime-ubuntu22.04", "'tensorflow[and-cuda]==2.15.1'"],
    ["11.8.0-cudnn8-runtime-ubuntu22.04", "torch==2.5.1"],
    ["12.6.3-cudnn-runtime-ubuntu22.04", "onnxruntime-gpu==1.20.0"],
    ["11.8.0-cudnn8-runtime-ubuntu22.04", "tensorflow==2.15.0 && wget https://developer.example.org/cuda_12.2.run && sh cuda_12.2.run"],
  ])
    expect(short(await declared("Dockerfile", image(tag!, run!))), `${tag} ${run}`).toEqual([]);
});

test("driver-too-old and gpu-not-in-build: only where a driver or a GPU is named", async () => {
  const text = "torch==2.11.0\n";
  expect(short(await declared("requirements.txt", text))).toEqual([]);
  expect(short(await declared("requirements.txt", text, { driver: "535.104.05" }))).toEqual(["error driver-too-old 1"]);
  expect(short(await declared("requirements.txt", text, { driver: "580.82.07" }))).toEqual([]);
  expect(short(await declared("requirements.txt", text, { gpus: ["GTX 1080"] }))).toEqual(["error gpu-not-in-build 1"]);
  expect(short(await declared("requirements.txt", text, { gpus: ["H200"] }))).toEqual([]);
});

test("stub-driver: stubs in a variable that stays, not in one for the linker", async () => {
  const image = "FROM nvidia/cuda:12.4.1-devel-ubuntu22.04\n";
  const variable = "ENV LD_LIBRARY_PATH=/usr/local/cuda/lib64/stubs:$LD_LIBRARY_PATH\n";
  const link = "RUN ln -s /usr/local/cuda/lib64/stubs/libcuda.so /usr/local/cuda/lib64/stubs/libcuda.so.1\n";
  expect(short(await declared("Dockerfile", `${image}${variable}${link}`))).toEqual(["error stub-driver 2"]);
  // On a real machine with CUDA 13.0 the folder has libcuda.so and no libcuda.so.1.
  expect(short(await declared("Dockerfile", `${image}${variable}`))).toEqual(["info stub-driver 2"]);
  expect(
    short(
      await declared("Dockerfile", `${image}ENV LIBRARY_PATH=/usr/local/cuda/lib64/stubs\nENV LD_LIBRARY_PATH=/usr/local/cuda/lib64\n`),
    ),
  ).toEqual([]);
  expect(short(await declared("Dockerfile", `${image}RUN LD_LIBRARY_PATH=/usr/local/cuda/lib64/stubs make\n`))).toEqual([]);
});

test("harmful-step: a library under the name of another release", async () => {
  const run = (link: string) => `FROM nvidia/cuda:12.4.1-devel-ubuntu22.04\nRUN ${link}\n`;
  expect(short(await declared("Dockerfile", run("ln -s /usr/lib/libcudnn.so.9 /usr/lib/libcudnn.so.8")))).toEqual([
    "warning harmful-step 2",
  ]);
  expect(short(await declared("Dockerfile", run("ln -s /usr/lib/libcudnn.so.9.1.0 /usr/lib/libcudnn.so.9")))).toEqual([]);
  // A wheel's own copy has a part of its digest in its name.
  for (const copy of ["libnvrtc-672ee683.so.11.2", "libnvrtc-*.so.11.2"])
    expect(short(await declared("Dockerfile", run(`cd torch/lib && ln -s ${copy} libnvrtc.so`)))).toEqual([]);
});

test("set-too-late and restart-needed: cells that cannot work", async () => {
  const text = notebook([
    "import torch\nimport os",
    "os.environ['LD_LIBRARY_PATH'] = '/usr/local/cuda/lib64'",
    "!pip install torch==2.5.1",
  ]);
  expect(short(await declared("n.ipynb", text))).toEqual(["warning set-too-late 2:1", "warning restart-needed 3:1"]);
  // Programs that are started have it, and a notebook that imports no framework does not miss it.
  expect(short(await declared("n.ipynb", notebook(["import torch", "%env LD_LIBRARY_PATH=/y\n!python train.py"])))).toEqual([]);
  expect(short(await declared("n.ipynb", notebook(["%env LD_LIBRARY_PATH=/y", "print(1)"])))).toEqual([]);
  const quiet = notebook([
    "!pip install torch==2.5.1",
    "import torch",
    "os.environ['CUDA_VISIBLE_DEVICES'] = '0'",
    "!pip install torch",
    "os.kill(os.getpid(), 9)",
    "!pip install torch==2.4.1",
  ]);
  expect(short(await declared("n.ipynb", quiet))).toEqual([]);
});

test("numpy-too-new: NumPy 2 under a torch of NumPy 1, unless a package that is not known may keep it back", async () => {
  expect(short(await declared("requirements.txt", "torch==2.2.0\nnumpy==2.1.0\n"))).toEqual(["warning numpy-too-new 2"]);
  expect(short(await declared("requirements.txt", "torch==2.2.0\nnumpy\n"))).toEqual(["warning numpy-too-new 2"]);
  for (const text of ["torch==2.2.0\nnumpy<2\n", "torch==2.3.0\nnumpy\n", "torch==2.2.0\nnumpy\nscipy==1.11.0\n", "torch==2.2.0\n"])
    expect(short(await declared("requirements.txt", text)), text).toEqual([]);
});

test("numpy-too-new: pip leaves the NumPy that conda or apt has brought", async () => {
  const environment = (packages: string) =>
    `channels: [conda-forge]\ndependencies:\n  - python=3.9\n${packages}  - pip\n  - pip:\n      - tensorflow==2.10\n`;
  for (const brings of ["  - numpy=1.26\n", "  - scipy=1.11\n"])
    expect(short(await declared("environment.yml", environment(brings))), brings).toEqual([]);
  expect(short(await declared("environment.yml", environment("  - cudnn=8.2\n")))).toEqual(["warning numpy-too-new 7"]);
  const image = (also: string) =>
    `FROM ubuntu:22.04\nRUN apt-get update && apt-get install -y python3-pip${also}\nRUN pip install torch==2.1.0 torchvision==0.16.0\n`;
  expect(short(await declared("Dockerfile", image("")))).toEqual(["warning numpy-too-new 3"]);
  expect(short(await declared("Dockerfile", image(" python3-numpy")))).toEqual([]);
});

test("what a notebook installs under a condition that may not hold is not counted", async () => {
  const install = "!pip install -U torch --extra-index-url https://download.pytorch.org/whl/cu113";
  for (const cell of [
    `try:\n    import torch\n    assert torch.__version__ > "1.12"\nexcept:\n    print("old")\n    ${install}\n    import torch`,
    `import torch\nif torch.__version__.startswith("1"):\n  ${install}\nelse:\n  print("new")`,
    `import torch\nif not is_colab:\n  ${install}`,
  ]) {
    const answer = await declared("n.ipynb", notebook([cell], { colab: {} }));
    expect(short(answer), cell).toEqual([]);
    expect(answer.check.unknown.at(-1)!.reason, cell).toContain("under a condition");
  }
  for (const cell of [
    `import torch\nif IN_COLAB:\n  ${install}`,
    `import torch\nif x:\n  pass\n${install}`,
    `import torch\nwith o:\n  ${install}`,
  ])
    expect(short(await declared("n.ipynb", notebook([cell]))), cell).toContain(`warning restart-needed 1:${cell.split("\n").length}`);
});

test("pins-not-met: what is installed later brings what it needs", async () => {
  const cell = "!pip install -U torch --extra-index-url https://download.pytorch.org/whl/cu113";
  const answer = await declared("n.ipynb", notebook([cell]), { colab: "latest" });
  expect(short(answer).filter((each) => each.includes("pins-not-met"))).toEqual([]);
  const said = answer.check.findings.flatMap(({ because }) => because).join("\n");
  expect(said).toContain("of Colab 20");
  expect(said).not.toMatch(/Colab [-\d]+:1/);
});

test("no-wheel-for-python: packages that belong together are to be chosen together", async () => {
  const cell = "!pip install torch==2.0.1+cu118 torchvision==0.15.2+cu118 --extra-index-url https://download.pytorch.org/whl/cu118";
  const { check } = await declared("n.ipynb", notebook([cell]), { colab: "2026-08-19" });
  expect(check.findings.map(({ rule }) => rule)).toEqual(["no-wheel-for-python", "no-wheel-for-python"]);
  for (const { advice } of check.findings)
    expect(adviceLine(advice.at(-1)!)).toMatch(
      /^which go together: culprit solve torch(?:vision)? torch(?:vision)? --python-version 3\.13$/,
    );
});

test("requirements-clash: older releases than are known do not help where newer ones are asked for", async () => {
  const judge = async (text: string) => short(await declared("requirements.txt", text));
  expect(await judge("tensorflow==2.17.0\nkeras<3\n")).toEqual(["error requirements-clash 1"]);
  expect(await judge("tensorflow>=2.16\nkeras<3\n")).toEqual(["error requirements-clash 2"]);
  expect(await judge("tensorflow==2.15.1\nkeras<3\n")).toEqual([]);
  // An older one may have asked for another torch.
  expect(await judge("vllm<0.4\ntorch==2.4.0\ntransformers<5\n")).toEqual([]);
});

test("requirements-clash: a pin of what a framework brings is blamed once", async () => {
  const answer = await declared("requirements.txt", "sympy==1.14.0\ntorch==2.5.1\ntorchvision==0.20.1\n", { python: "3.11" });
  expect(short(answer)).toHaveLength(1);
  expect(answer.check.findings[0]!.message).toContain("sympy==1.14.0 and torch");
  const two = await declared("requirements.txt", "sympy==1.14.0\ntorch==2.5.1\n");
  expect(two.check.findings[0]!.because[1]).toContain("torch 2.5.1 needs sympy==1.13.1");
});

test("no-wheel-for-python: where what it needs has none, its own wheels are no advice", async () => {
  const { check } = await declared("requirements.txt", "vllm==0.6.0\n", { python: "3.13" });
  expect(check.findings[0]).toMatchObject({ rule: "no-wheel-for-python", message: expect.stringContaining("what it needs has no wheel") });
  expect(check.findings[0]!.advice.map(adviceLine)).toEqual([
    "see which releases can be installed there: culprit solve vllm --python-version 3.13",
  ]);
});

test("library-missing: a base image is not said to have the cuDNN that it has not", async () => {
  const text = "FROM nvidia/cuda:11.8.0-runtime-ubuntu22.04\nRUN pip3 install cupy-cuda12x==13.0.0\n";
  const { check } = await declared("Dockerfile", text);
  expect(check.findings[0]!.advice.map(adviceLine)).toEqual(["take a base image for CUDA 12: nvidia/cuda:12.6.3-runtime-ubuntu22.04"]);
});

test("advice that pip would refuse is not given", async () => {
  const image = "FROM nvidia/cuda:12.4.1-cudnn-runtime-ubuntu22.04\n";
  const alone = await declared("Dockerfile", `${image}RUN pip install tensorflow==2.17.0\n`);
  expect(alone.check.findings[0]!.advice[0]!.command).toEqual(["pip", "install", "tensorflow[and-cuda]==2.17.0"]);
  // torch 2.4.0 pins cuDNN 9, and TensorFlow's extra brings cuDNN 8.
  const both = await declared("Dockerfile", `${image}RUN pip install torch==2.4.0 tensorflow==2.17.0\n`);
  expect(both.check.findings[0]!.advice.map(adviceLine)).toEqual([
    "take a base image for CUDA 12.3 with cuDNN 8; pip would refuse tensorflow[and-cuda]==2.17.0 here",
  ]);
});

test("what conda would choose is said to be open", async () => {
  const { check } = await declared("environment.yml", "dependencies:\n  - python=3.11\n  - pytorch=2.4\n  - numpy\n");
  expect(check.unknown).toEqual([
    {
      kind: "file",
      subject: "environment.yml:3",
      reason:
        "what conda would choose for `pytorch=2.4` is not predicted: it goes by the channels that conda is set up with, and none is named here",
    },
  ]);
});

test("a Python that nothing is known of is refused", async () => {
  await expect(declared("requirements.txt", "torch\n", { python: "3.99" })).rejects.toThrow("nothing is known of Python 3.99");
});

test("the cuDNN of a neighbour is not listed for a framework of another major", async () => {
  const { predicted } = await declared("requirements.txt", "torch==2.4.0\ntensorflow==2.17.0\n");
  expect(predicted.frameworks.map(({ name, cudnn }) => [name, cudnn])).toEqual([
    ["torch", "9.1.0.70"],
    ["tensorflow", undefined],
  ]);
});

test("what pip freeze printed describes an installation: labels miss no index, and what does not fit is still said", async () => {
  const freeze = (torch: string) =>
    ["certifi", "charset-normalizer", "filelock", "fsspec", "idna", "Jinja2", "MarkupSafe", "mpmath", "networkx", "numpy", "sympy"]
      .map((name) => `${name}==1.0`)
      .join("\n")
      .concat(`\n${torch}\ntyping_extensions==4.9.0\n`);
  expect(short(await declared("freeze.txt", "torch==2.0.1+cu118\n"))).toEqual([]);
  expect(short(await declared("packages.txt", freeze("torch==2.0.1+cu118")))).toEqual([]);
  expect(
    short(await declared("environment.txt", "numpy @ file:///croot/numpy_1708638617955/work/dist/numpy.whl\ntorch==2.0.1+cu118\n")),
  ).toEqual([]);
  const broken = await declared("freeze.txt", "nvidia-cudnn-cu12==8.9.7.29\ntorch==2.4.1\n");
  expect(short(broken)).toEqual(["warning pins-not-met 1"]);
  // Such a list under another name is installed from, and pip would not find the build.
  for (const file of ["requirements.txt", "requirements/gpu.txt"])
    expect(short(await declared(file, freeze("torch==2.0.1+cu118")))).toEqual(["warning version-not-published 12"]);
  const compiled = `# This file is autogenerated by pip-compile\n${freeze("torch==2.0.1+cu118")}`;
  expect(short(await declared("gpu.txt", compiled))).toEqual(["warning version-not-published 13"]);
  const beside = { "freeze.txt": "torch==2.0.1+cu118\n" };
  expect(short(await declared("Dockerfile", "FROM python:3.10\nRUN pip install -r freeze.txt\n", { beside }))).toEqual([
    "error version-not-published 1",
  ]);
});

test("a package that needs a newer release of another than what is known is not said to be impossible", async () => {
  expect(short(await declared("requirements.txt", "tensorrt_llm==1.1.0\n"))).not.toContain("error requirements-clash 1");
});

test("packages-overwrite-each-other: over what an image has and nobody asks for, the later one is whole", async () => {
  const index = "--index-url https://download.pytorch.org/whl/cu124";
  // Colab of that day has nvidia-nccl-cu13 beside its own, and nothing that asks for it.
  const cell = `!pip install torch==2.6.0+cu124 torchvision==0.21.0+cu124 torchaudio==2.6.0+cu124 ${index}`;
  const answer = await declared("n.ipynb", notebook([cell], { colab: {} }), { colab: "2026-08-19" });
  expect(short(answer).filter((each) => each.includes("overwrite"))).toEqual([]);
});

test("--force-reinstall puts the build with CUDA in the place of the one without, and so does -I", async () => {
  const image = (option: string) =>
    [
      "FROM nvidia/cuda:12.4.1-runtime-ubuntu22.04",
      "RUN apt-get update && apt-get install -y python3-pip",
      "RUN pip install torch==2.5.1 --index-url https://download.pytorch.org/whl/cpu",
      `RUN pip install ${option} torch==2.5.1 --index-url https://download.pytorch.org/whl/cu124`,
    ].join("\n");
  for (const option of ["--force-reinstall", "-I", "--ignore-installed"]) {
    const answer = await declared("Dockerfile", image(option));
    expect([short(answer), answer.check.judged.map(({ version }) => version)], option).toEqual([[], ["2.5.1+cu124"]]);
  }
  // Without it, pip finds that what is there will do.
  expect(short(await declared("Dockerfile", image("--no-cache-dir")))).toEqual(["warning cpu-only-build 3"]);
});

test("pins-not-met: what is made for one TensorFlow by an extra alone", async () => {
  const found = async (text: string) =>
    (await declared("requirements.txt", text)).check.findings.map(({ rule, severity, advice }) => [rule, severity, advice[0]?.words]);
  expect(await found("tensorflow==2.15.0\ntensorflow-io==0.29.0\n")).toEqual([
    [
      "pins-not-met",
      "warning",
      "ask for tensorflow-io==0.36.0, which is made for tensorflow 2.15.0; or ask for tensorflow<2.12.0,>=2.11.0",
    ],
  ]);
  expect(await found("tensorflow==2.15.0\ntensorflow-addons==0.16.1\n")).toEqual([
    [
      "pins-not-met",
      "warning",
      "ask for tensorflow-addons==0.23.0, which is made for tensorflow 2.15.0; or ask for tensorflow<2.9.0,>=2.6.0",
    ],
  ]);
  expect(await found("tensorflow==2.12.0\ntensorflow-probability==0.24.0\n")).toEqual([
    ["pins-not-met", "error", "ask for tensorflow>=2.16"],
  ]);
  for (const fine of [
    "tensorflow==2.15.0\ntensorflow-io==0.36.0\n",
    "tensorflow==2.8.0\ntensorflow-addons==0.16.1\nnumpy<2\nprotobuf<3.20\n",
    "tensorflow==2.18.0\ntf-keras==2.18.0\ntensorflow-probability==0.25.0\n",
  ])
    expect(await found(fine), fine).toEqual([]);
});

test("requirements-clash: no release is said to be itself, and the Python that is named has wheels of all", async () => {
  const { check } = await declared("requirements.txt", "transformers==4.30.0\ntokenizers==0.19.1\ntorch==2.2.0\n");
  expect(check.findings[0]!.because).toEqual([
    "transformers==4.30.0 (requirements.txt:1): transformers 4.30.0 needs tokenizers!=0.11.3,<0.14,>=0.11.1",
    "tokenizers==0.19.1 (requirements.txt:2): tokenizers 0.19.1 is not what transformers 4.30.0 takes: that needs tokenizers!=0.11.3,<0.14,>=0.11.1",
  ]);
  // tokenizers 0.13.3 has wheels up to Python 3.11.
  expect(check.findings[0]!.advice[1]!.words).toMatch(/tokenizers 0\.13\.3, Python 3\.11$/);
});

test("requirements-clash: what Hugging Face's packages ask of each other", async () => {
  expect(short(await declared("requirements.txt", "transformers==4.57.0\nhuggingface-hub==1.1.0\n"))).toEqual([
    "error requirements-clash 2",
  ]);
  expect(short(await declared("requirements.txt", "datasets==2.14.0\nfsspec==2024.6.0\ndill==0.3.7\n"))).toEqual([]);
  expect(short(await declared("requirements.txt", "datasets==2.14.0\ndill==0.3.8\n"))).toEqual(["error requirements-clash 2"]);
});

test("numpy-too-new: in a Dockerfile the command gets one more word", async () => {
  const image = "FROM python:3.10\nRUN pip install torch==2.1.0\n";
  const words = async (file: string, text: string) => (await declared(file, text)).check.findings[0]?.advice[0]?.words;
  expect(await words("Dockerfile", `${image}RUN pip install torchvision==0.16.0\n`)).toBe('add "numpy<2" to the command at line 2');
  expect(await words("requirements.txt", "torch==2.1.0\ntorchvision==0.16.0\n")).toBe("add a line: numpy<2");
});

test("pins-not-met: a wheel whose name tells another torch than the one that is asked for", async () => {
  const wheel = (torch: string) =>
    `https://github.com/Dao-AILab/flash-attention/releases/download/v2.7.3/flash_attn-2.7.3+cu12torch${torch}cxx11abiTRUE-cp310-cp310-linux_x86_64.whl`;
  const found = async (...lines: string[]) =>
    short(await declared("requirements.txt", `${lines.join("\n")}\n`, { python: "3.10" })).filter((each) => each.includes("pins-not-met"));
  expect(await found("torch==2.8.0", wheel("2.6"))).toEqual(["warning pins-not-met 1"]);
  expect(await found("torch==2.6.0", wheel("2.6"))).toEqual([]);
  const links = "-f https://data.pyg.org/whl/torch-2.5.0+cu124.html";
  expect(await found(links, "torch==2.5.1", "torch-scatter==2.1.2+pt25cu124")).toEqual([]);
  expect(await found(links, "torch==2.6.0", "torch-scatter==2.1.2+pt25cu124")).toEqual(["warning pins-not-met 2"]);
});

test("pins-not-met: an nvJitLink that is older than the cuSPARSE beside it", async () => {
  // In the wheels: cuSPARSE 12.1.0.106 asks for __nvJitLinkComplete_12_1, and 12.3.1.170 for __nvJitLinkComplete_12_4.
  const beside = (jitLink: string) => declared("requirements.txt", `torch==2.4.1\nnvidia-nvjitlink-cu12==${jitLink}\n`);
  const { check } = await beside("12.0.140");
  expect(check.findings).toMatchObject([{ rule: "pins-not-met", severity: "error", breaks: [{ framework: "torch", activity: "import" }] }]);
  expect((await beside("12.1.105")).check.findings).toEqual([]);
  expect((await beside("12.9.86")).check.findings).toEqual([]);
});
