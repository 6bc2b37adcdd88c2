// What is not judged, and what only looks so.
import { describe, expect, test } from "vitest";
import { declared, notebook, short } from "./declared.ts";

const open = ({ check }: Awaited<ReturnType<typeof declared>>) => check.unknown.filter(({ aside }) => !aside).map(({ subject }) => subject);

test("a pre-release is judged as the release that it led to", async () => {
  const answer = await declared("requirements.txt", "lightning==2.3.0.dev20240324\ntorch==2.3.0\n");
  expect([short(answer), open(answer), answer.check.status]).toEqual([[], [], "ok"]);
  expect(answer.check.unknown).toMatchObject([{ subject: "lightning 2.3.0.dev20240324", aside: true }]);
  expect(answer.predicted.packages.find(({ name }) => name === "lightning")).toMatchObject({ version: "2.3.0.dev20240324" });
  // What does not fit with the release is not known of what came before it.
  const clash = await declared("requirements.txt", "lightning==2.3.0.dev20240324\ntorch==1.9.0\n");
  expect([short(clash), open(clash).length]).toEqual([[], 1]);
  expect(short(await declared("requirements.txt", "lightning==2.3.0\ntorch==1.9.0\n"))).toContain("error requirements-clash 2");
});

test("lines for some Pythons of what holds no framework are of no weight; of a framework they are open", async () => {
  const numba = 'torch==2.5.1\nnumba==0.55.1;python_version<"3.9"\nnumba>=0.57.0;python_version>="3.9"\n';
  const answer = await declared("requirements.txt", numba);
  expect([short(answer), open(answer)]).toEqual([[], []]);
  const torch = 'torch==2.0.1;python_version<"3.9"\ntorch==2.5.1;python_version>="3.9"\n';
  expect(open(await declared("requirements.txt", torch))).toHaveLength(1);
});

test("a wheel that says `+cpu` brings nothing for a GPU", async () => {
  const wheel = (label: string) => `https://example.org/llama_cpp_binaries-0.1.0+${label}-py3-none-linux_x86_64.whl\n`;
  expect(open(await declared("requirements.txt", wheel("cpu")))).toEqual([]);
  expect(open(await declared("requirements.txt", wheel("cu124")))).toEqual(["llama-cpp-binaries"]);
});

test("what is built from a repository is not unknown for its revision; a version from a variable is", async () => {
  const docker = (word: string) => `FROM python:3.11\nRUN pip install torch==2.5.1\nRUN V=$(cat v); pip install "${word}"\n`;
  for (const word of ["git+https://github.com/psf/requests.git@v$V", "$(ls /dist/horovod-*.tar.gz)[spark]"])
    expect(open(await declared("Dockerfile", docker(word))), word).toEqual([]);
  expect(open(await declared("Dockerfile", docker("torchvision==$V")))).toHaveLength(1);
});

test("a tag that moves on is the newest release, and says so", async () => {
  const { check } = await declared("Dockerfile", "FROM tensorflow/tensorflow:latest-gpu\nRUN pip install pandas\n");
  expect(check.status).toBe("ok");
  expect(check.unknown).toMatchObject([{ subject: "tensorflow/tensorflow:latest-gpu", aside: true }]);
  const nightly = await declared("Dockerfile", "FROM tensorflow/tensorflow:nightly-gpu\n");
  expect(nightly.check.status).toBe("incomplete");
});

test("a library that apt brings under a name from a variable is not missing", async () => {
  const docker = (name: string) =>
    `FROM nvidia/cuda:11.8.0-runtime-ubuntu20.04\nRUN M=$(cat m); apt-get install -y python3-pip ${name}\nRUN pip install tensorflow==2.11.0\n`;
  expect(short(await declared("Dockerfile", docker("libcudnn$M=8.6")))).not.toContain("error library-missing 3");
  expect(short(await declared("Dockerfile", docker("wget")))).toContain("error library-missing 3");
});

test("a torch that is older than what is known stays where another command leaves it", async () => {
  const text =
    "FROM python:3.7\nRUN pip install torch==0.4.1+cpu torchvision==0.2.1+cpu -f https://download.pytorch.org/whl/torch_stable.html\nRUN pip install pytorch-lightning==0.7.3\n";
  const answer = await declared("Dockerfile", text);
  expect([short(answer), open(answer)]).toEqual([[], ["torch 0.4.1+cpu", "torchvision 0.2.1+cpu"]]);
});

test("without what they require, packages come in the newest release that is let in", async () => {
  const text = "FROM python:3.11\nRUN pip install --no-deps torch==2.7.0 tensorflow>=2.16.1\n";
  const answer = await declared("Dockerfile", text.replace("tensorflow>=2.16.1", "'tensorflow>=2.16.1,<2.18'"));
  expect(open(answer)).toEqual([]);
  expect(answer.predicted.packages.find(({ name }) => name === "tensorflow")).toMatchObject({ version: "2.17.1", isAssumed: true });
});

test("the project itself, with extras, and what Poetry calls main", async () => {
  const own = { "pyproject.toml": '[project]\nname = "a"\n[project.optional-dependencies]\ngui = ["torchvision==0.19.1"]\n' };
  const tox = await declared("tox.ini", "[testenv]\ndeps =\n    .[gui]\n    torch==2.5.1\n", { beside: own });
  expect([tox.check.unknown, short(tox)]).toEqual([[], ["error requirements-clash 4"]]);
  const docker = (only: string) => `FROM python:3.11\nCOPY pyproject.toml .\nRUN poetry install --only ${only}\n`;
  const pyproject = '[tool.poetry]\nname = "a"\n[tool.poetry.dependencies]\ntorch = "2.5.1"\ntorchvision = "0.19.1"\n';
  expect(short(await declared("Dockerfile", docker("main"), { beside: { "pyproject.toml": pyproject } }))).toHaveLength(1);
  expect(open(await declared("Dockerfile", docker("dev"), { beside: { "pyproject.toml": pyproject } }))).toHaveLength(1);
});

test("transformers was made for some tokenizers", async () => {
  expect(short(await declared("requirements.txt", "transformers==4.20.0\ntokenizers==0.19.1\n"))).toEqual(["error requirements-clash 2"]);
  expect(short(await declared("requirements.txt", "transformers==4.20.0\ntokenizers==0.12.1\n"))).toEqual([]);
});

test("a package that takes any torch and holds no binaries brings one, and leaves nothing open", async () => {
  const answer = await declared("requirements.txt", "vit-pytorch==1.6.4\nvector-quantize-pytorch\n");
  expect([short(answer), open(answer), answer.check.status]).toEqual([[], [], "ok"]);
  expect(answer.check.judged.map(({ program }) => program)).toContain("torch");
  // What is pinned beside it stays.
  const pinned = await declared("requirements.txt", "vit-pytorch\ntorch==2.0.1\nnumpy<2\n");
  expect([short(pinned), pinned.predicted.packages.find(({ name }) => name === "torch")?.version]).toEqual([[], "2.0.1+cu117"]);
  expect(open(await declared("requirements.txt", "torch-of-nobody\n"))).toEqual(["torch-of-nobody"]);
});

test("a candidate of a framework is judged as its release; an early build is not", async () => {
  expect(open(await declared("requirements.txt", "tensorflow-gpu==2.3.0rc0\n"))).toEqual([]);
  expect(open(await declared("requirements.txt", "tensorflow==2.3.0.dev20200501\n"))).toHaveLength(1);
});

test("releases of torch before 1.7 are known", async () => {
  const answer = await declared("requirements.txt", "torch==1.4.0\ntorchvision==0.5.0\n", { driver: "410.48" });
  expect(open(answer)).toEqual([]);
  expect(short(answer)).toContain("error driver-too-old 1");
  expect(short(await declared("requirements.txt", "torch==1.6.0\ntorchvision==0.5.0\n"))).toContain("error requirements-clash 2");
});

test("what is for the GPUs of others has nothing of CUDA", async () => {
  for (const index of ["rocm6.4", "xpu"]) {
    const answer = await declared("requirements.txt", `--extra-index-url https://download.pytorch.org/whl/${index}\ntorch==2.7.1\n`);
    expect([short(answer), open(answer)], index).toEqual([[], []]);
  }
  expect(open(await declared("Dockerfile", "FROM rocm/pytorch:rocm6.2_ubuntu22.04_py3.10\nRUN pip install einops\n"))).toEqual([]);
});

test("builds of PyG that conda binds to its pytorch are not open", async () => {
  const environment = (pytorch: string) =>
    `channels: [pytorch, pyg, nvidia]\ndependencies:\n  - python=3.9\n${pytorch}  - pytorch-scatter=2.1.1\n`;
  const bound = await declared("environment.yml", environment("  - pytorch=2.0.1\n  - pytorch-cuda=11.8\n"));
  expect(open(bound)).toEqual([]);
  expect(open(await declared("environment.yml", environment("")))).toEqual(["pytorch-scatter"]);
});

test("a bound above all that is known is no silence: uv finds no such release either", async () => {
  const { check } = await declared("requirements.txt", "torch>=99\ntorchvision\n");
  expect(check.status).toBe("incomplete");
  expect(check.unknown[0]!.reason).toContain("it is newer than what is known here: torch up to ");
  // AdamMoses-GitHub/Qwen-semble, requirements-cpu.txt, of a package whose newest release is 0.1.1
  expect((await declared("requirements.txt", "qwen-tts>=1000\ntorch>=2.0.0\n")).check.status).toBe("incomplete");
});

describe("what is built from a repository or an archive", () => {
  const image = (flavour: string, ...lines: string[]) =>
    ["FROM pytorch/pytorch:2.5.1-cuda12.4-cudnn9-" + flavour, ...lines.map((line) => `RUN pip install ${line}`), ""].join("\n");

  test.each([
    ["git+https://github.com/facebookresearch/pytorch3d.git", "pytorch3d"],
    ["git+https://github.com/someone/my-cuda-ops.git@v1", "my-cuda-ops"],
    ["git+https://github.com/someone/unheard", "unheard"],
    ["git+ssh://git@gitlab.com/group/unheard.git", "unheard"],
    ["-e git+https://github.com/x/y-cuda.git#egg=y_cuda", "y-cuda"],
    ["'unheard @ git+https://github.com/x/unheard'", "unheard"],
    ["'unheard @ https://example.org/unheard-1.0.tar.gz'", "unheard"],
    ["https://example.org/unheard-1.0.tar.gz", "unheard"],
    ["https://github.com/someone/unheard/archive/refs/heads/main.zip", "unheard"],
    // What PyPI calls whisper is something else.
    ["git+https://github.com/openai/whisper", "whisper"],
    // Its newest release asks for a newer torch than the image has.
    ["git+https://github.com/DLR-RM/stable-baselines3", "stable-baselines3"],
  ])("%s upon an image with a framework is not judged", async (word, name) => {
    const answer = await declared("Dockerfile", image("runtime", word));
    expect([short(answer), open(answer), answer.check.status]).toEqual([[], [`${name} at Dockerfile:2`], "incomplete"]);
  });

  test.each([
    "git+https://github.com/huggingface/transformers",
    "git+https://github.com/psf/requests.git@v2.32.0",
    "git+https://github.com/huggingface/peft",
    "https://github.com/huggingface/accelerate/archive/main.zip",
    "https://files.example.org/einops-0.8.0.tar.gz",
  ])("%s is known, and all that it asks for is there", async (word) => {
    expect((await declared("Dockerfile", image("runtime", word))).check.status).toBe("ok");
  });

  test("a package with a row of its own is judged as its name on PyPI is", async () => {
    const tcnn = "https://github.com/NVlabs/tiny-cuda-nn/archive/refs/heads/master.zip";
    expect(short(await declared("Dockerfile", image("runtime", tcnn)))).toEqual(["error compiler-missing 2"]);
    expect(short(await declared("Dockerfile", image("runtime", "https://example.org/grouped_gemm-0.1.4.tar.gz")))).toEqual([
      "error compiler-missing 2",
    ]);
    const answer = await declared("Dockerfile", image("devel", "--no-build-isolation git+https://github.com/NVIDIA/apex"));
    expect([short(answer), open(answer), answer.check.status]).toEqual([[], [], "ok"]);
    // Without a GPU in sight its setup leaves CUDA out, unless it is told.
    const asked = "git+https://github.com/facebookresearch/pytorch3d";
    expect(open(await declared("Dockerfile", image("devel", asked)))).toEqual(["pytorch3d at Dockerfile:2"]);
    expect(open(await declared("Dockerfile", image("devel", asked).replace("RUN", "ENV FORCE_CUDA=1\nRUN")))).toEqual([]);
  });

  test("in a list, in a list that is named, and below pip of conda", async () => {
    const list = "torch==2.5.1\ngit+https://github.com/x/unheard.git\n-e git+https://github.com/x/other\n";
    const subjects = ["unheard at requirements.txt:2", "other at requirements.txt:3"];
    expect(open(await declared("requirements.txt", list))).toEqual(subjects);
    const docker = "FROM python:3.11\nCOPY requirements.txt .\nRUN pip install -r requirements.txt\n";
    expect(open(await declared("Dockerfile", docker, { beside: { "requirements.txt": list } }))).toEqual(subjects);
    const conda = "dependencies:\n  - python=3.11\n  - pip:\n    - torch==2.5.1\n    - git+https://github.com/x/unheard.git\n";
    expect(open(await declared("environment.yml", conda))).toEqual(["unheard at environment.yml:5"]);
    const windows = 'torch==2.5.1\ngit+https://github.com/x/unheard.git ; sys_platform == "win32"\n';
    expect(open(await declared("requirements.txt", windows))).toEqual([]);
  });

  test("where no framework is, only what hints at a GPU", async () => {
    const words = (name: string) => declared("requirements.txt", `numpy\ngit+https://github.com/x/${name}\n`);
    expect(open(await words("unheard"))).toEqual([]);
    expect(open(await words("some-cuda-thing"))).toEqual(["some-cuda-thing at requirements.txt:2"]);
  });
});

const torch = { poetry: 'torch = "2.5.1"', pipfile: 'torch = "==2.5.1"', pixi: 'torch = "==2.5.1"' };
const outside = `zqops = { git = "https://example.org/ops.git" }
helper = { path = "helper" }
`;
const inProject = '[project]\nname = "x"\nversion = "1"\ndependencies = ["torch==2.5.1", "zqops", "helper"]\n';

test.each([
  ["pyproject.toml", `[tool.poetry.dependencies]\npython = "^3.10"\n${torch.poetry}\n${outside}`, 4],
  ["Pipfile", `[packages]\n${torch.pipfile}\n${outside}`, 3],
  [
    "pixi.toml",
    `[workspace]\nchannels = ["conda-forge"]\n[dependencies]\npython = "3.11.*"\n[pypi-dependencies]\n${torch.pixi}\n${outside}`,
    7,
  ],
  ["pyproject.toml", `${inProject}\n[tool.uv.sources]\n${outside}`, 4],
])("what comes from a repository or a folder is told by name and line: %s", async (file, text, line) => {
  const answer = await declared(file, text);
  const told = answer.check.unknown.filter(({ aside }) => !aside).map(({ subject, reason }) => `${subject} ${reason}`);
  const second = text.includes("uv.sources") ? line : line + 1;
  expect(told).toEqual(
    expect.arrayContaining([
      expect.stringMatching(new RegExp(`^zqops at ${file}:${line} it is built from its source`)),
      expect.stringMatching(new RegExp(`^${file}:${second} what \`helper\` brings is not known: \`helper/pyproject.toml\` is not there`)),
    ]),
  );
  expect(told).toHaveLength(2);
  expect(answer.check.status).toBe("incomplete");
  // What lies in the folder is judged.
  const beside = { "helper/pyproject.toml": '[project]\nname = "helper"\ndependencies = ["torchvision==0.19.1"]\n' };
  const clash = await declared(file, text.replace(/^zqops = .*\n/m, "").replace('"zqops", ', ""), { beside });
  expect(clash.check.findings.map(({ rule }) => rule)).toContain("requirements-clash");
  expect(clash.check.unknown.filter(({ aside }) => !aside)).toEqual([]);
});

test.each(["./ops", "-e ./ops", "-e third_party/ops", "ops/", "file:./ops", "./ops[gpu]"])(
  "a list that names a folder: %s",
  async (line) => {
    const text = `torch==2.5.1\n${line}\n`;
    const open = await declared("requirements.txt", text);
    expect(open.check.unknown.map(({ subject }) => subject)).toEqual(["requirements.txt:2"]);
    expect(open.check.status).toBe("incomplete");
    const setup = 'from setuptools import setup\nsetup(name="ops", install_requires=["numpy"], extras_require={"gpu": ["cupy-cuda12x"]})\n';
    // Settings of tools alone say nothing about what is installed.
    const beside = {
      "ops/pyproject.toml": "[tool.black]\nline-length = 99\n",
      "ops/setup.py": setup,
      "third_party/ops/setup.py": setup,
    };
    const seen = await declared("requirements.txt", text, { beside });
    expect([seen.check.unknown, seen.check.status]).toEqual([[], "ok"]);
    expect(seen.predicted.packages.some(({ name }) => name === "cupy-cuda12x")).toBe(line.includes("gpu"));
  },
);

test("a project whose own list asks for the project asks for nothing more", async () => {
  const beside = {
    "setup.py": 'from setuptools import setup\nsetup(name="x", install_requires=open("requirements.txt").read().splitlines())\n',
    "requirements.txt": "torch==2.5.1\n-e .\n",
  };
  const { check } = await declared("requirements.txt", beside["requirements.txt"], { beside });
  expect([check.unknown, check.status]).toEqual([[], "ok"]);
});

test.each([
  ["RUN git clone https://github.com/a/zqops && cd zqops && pip install .", "zqops at Dockerfile:3"],
  [
    "RUN git clone --depth 1 -b v1 https://github.com/a/zqops.git /opt/ops\nWORKDIR /opt/ops\nRUN pip install -e .",
    "zqops at Dockerfile:5",
  ],
  ["RUN git clone https://github.com/a/zqops\nRUN pip install ./zqops/python", "zqops at Dockerfile:4"],
  ["RUN cd /somewhere && pip install .", "`.` at Dockerfile:3"],
  ["RUN cd $HERE && pip install -v -e .", "`.` at Dockerfile:3"],
  ["RUN pip install $HERE/ops", "`$HERE/ops` at Dockerfile:3"],
  ["RUN git clone https://github.com/a/zqops && cd zqops && python setup.py install", "zqops at Dockerfile:3"],
])("what is built in a folder that was made on the way is told: %s", async (run, subject) => {
  const { check } = await declared("Dockerfile", `FROM python:3.11\nRUN pip install torch==2.5.1\n${run}\n`);
  expect(check.unknown.filter(({ aside }) => !aside).map((each) => each.subject)).toEqual([subject]);
  expect(check.status).toBe("incomplete");
});

test("a clone of what is known to bring and ask for nothing is no question; one that is compiled needs nvcc", async () => {
  const fine = await declared(
    "Dockerfile",
    "FROM python:3.11\nRUN pip install torch==2.5.1\nRUN git clone https://github.com/psf/requests && pip install ./requests\n",
  );
  expect([fine.check.unknown, fine.check.status]).toEqual([[], "ok"]);
  const flash =
    "FROM nvidia/cuda:12.4.1-runtime-ubuntu22.04\nRUN pip install torch==2.5.1\nRUN git clone https://github.com/Dao-AILab/flash-attention\nWORKDIR flash-attention\nRUN pip install -v --no-build-isolation .\n";
  const { check } = await declared("Dockerfile", flash);
  expect(check.findings.map(({ rule }) => rule)).toContain("compiler-missing");
});

test("a notebook goes into the folder that it cloned", async () => {
  const text = notebook(["!pip install torch==2.5.1", "!git clone https://github.com/a/zqops", "%cd zqops", "!pip install -e ."]);
  const { check } = await declared("a.ipynb", text);
  expect(check.unknown.filter(({ aside }) => !aside).map(({ subject }) => subject)).toEqual(["zqops at a.ipynb cell 4:1"]);
});

test.each(["FROM nvcr.io/nvidia/pytorch:24.05-py3\nRUN pip install einops\n", "FROM ubuntu:22.04\nRUN pip install torch==2.5.1\n"])(
  "what is known of packages for x86-64 says nothing of a Jetson: %s",
  async (text) => {
    const { check } = await declared("Dockerfile", text, { gpus: ["Jetson Orin"] });
    expect(check.findings).toEqual([]);
    expect(check.unknown.filter(({ aside }) => !aside)).toEqual([
      expect.objectContaining({ reason: expect.stringContaining("a Jetson has an arm64 processor") }),
    ]);
    expect(check.status).toBe("incomplete");
  },
);

test.each([
  [
    "RUN pip wheel --wheel-dir /wheels -r requirements.txt\nFROM python:3.11-slim\nCOPY --from=b /wheels /wheels\nRUN pip install /wheels/*",
  ],
  [
    "WORKDIR /w\nRUN pip wheel -w wheels -r requirements.txt\nFROM python:3.11-slim\nCOPY --from=b /w/wheels/*.whl /tmp/a/\nRUN pip install --no-cache-dir /tmp/a/*.whl",
  ],
  ["RUN pip download -d /d torch==2.5.1 torchvision==0.19.1 && pip install /d/*.whl"],
  ["RUN pip wheel torch==2.5.1 torchvision==0.19.1 && pip install *.whl"],
])("wheels that were made on the way are what was asked for: %s", async (run) => {
  const text = `FROM python:3.11 AS b\nCOPY requirements.txt .\n${run}\n`;
  const beside = { "requirements.txt": "torch==2.5.1\ntorchvision==0.19.1\n" };
  const answer = await declared("Dockerfile", text, { beside });
  expect(short(answer).map((each) => each.split(" ")[1])).toEqual(["requirements-clash"]);
  expect(answer.check.unknown).toEqual([]);
});

test("wheels that nobody saw being made are told", async () => {
  const text = "FROM python:3.11\nCOPY dist /dist\nRUN pip install torch==2.5.1 && pip install /dist/zq-*.whl /wheels/*\n";
  const { check } = await declared("Dockerfile", text);
  expect(check.unknown.filter(({ aside }) => !aside).map(({ subject }) => subject)).toEqual([
    "`/dist/zq-*.whl` at Dockerfile:3",
    "`/wheels/*` at Dockerfile:3",
  ]);
});
