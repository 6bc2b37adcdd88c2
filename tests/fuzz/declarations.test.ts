import { expect, test } from "vitest";
import { checkDependencyFile } from "../../packages/core/src/index.ts";
import { Dice } from "./fuzz.ts";

const seeds: [string, string][] = [
  [
    "requirements.txt",
    "--extra-index-url https://download.pytorch.org/whl/cu121\ntorch==2.4.1 \\\n  --hash=sha256:00\njax[cuda12]~=0.4.30; python_version >= '3.9' # x\n-r requirements.txt\n-e git+https://a/b#egg=c\n",
  ],
  [
    "Dockerfile",
    'ARG A=1\nFROM nvidia/cuda:12.4.1-cudnn-devel-ubuntu22.04 AS a\nENV LD_LIBRARY_PATH="/x:$LD_LIBRARY_PATH" B=${A:-2}\nRUN apt-get install -y python3 \\\n # c\n && pip install "torch==2.4.1"\nRUN <<EOF\npip install x\nEOF\nFROM a\nCOPY --from=a /opt /opt\nRUN ["pip", "install", "y"]\n',
  ],
  [
    "pyproject.toml",
    '[project]\ndependencies = ["torch==2.4.1", "numpy<2"]\n[project.optional-dependencies]\na = ["jax"]\n[tool.poetry.dependencies]\npython = "^3.9"\nx = {version = "~1.2", extras = ["a"]}\n[[tool.uv.index]]\nname = "a"\nurl = "b"\n',
  ],
  [
    "uv.lock",
    'version = 1\nrequires-python = ">=3.9"\n[[package]]\nname = "torch"\nversion = "2.4.1"\nsource = { registry = "x" }\ndependencies = [{ name = "numpy" }]\n',
  ],
  [
    "Pipfile",
    '[[source]]\nurl = "x"\n[packages]\ntorch = "*"\njax = {version = "==0.7.2", extras = ["cuda12"]}\n[requires]\npython_version = "3.11"\n',
  ],
  [
    "Pipfile.lock",
    '{"_meta": {"pipfile-spec": 6, "requires": {"python_version": "3.11"}}, "default": {"torch": {"version": "==2.4.1"}}, "develop": {}}',
  ],
  [
    "environment.yml",
    "name: a\ndependencies:\n  - python=3.10\n  - pytorch::pytorch=2.1.*=*cuda*\n  - pip:\n    - torch==2.4.1\nvariables: {A: b}\n",
  ],
  [
    "conda-lock.yml",
    "metadata: {}\npackage:\n- {name: python, version: 3.11.4, manager: conda, platform: linux-64}\n- {name: torch, version: 2.4.1, manager: pip, platform: linux-64}\n",
  ],
  ["list.txt", "@EXPLICIT\nhttps://c/linux-64/python-3.10.1-0.conda#00\n_x=1=0\n"],
  [
    "pixi.lock",
    "environments: {default: {packages: {linux-64: [{conda: https://c/linux-64/python-3.10.1-0.conda}]}}}\npackages: [{conda: https://c/linux-64/python-3.10.1-0.conda}]\n",
  ],
  [
    "a.ipynb",
    '{"nbformat": 4, "metadata": {"colab": {}}, "cells": [{"cell_type": "code", "source": ["!pip install torch==2.4.1 \\\\\\n", " x {y}\\n", "os.environ[\'A\'] = \'b\'\\n", "%env A=b"]}]}',
  ],
  [
    "devcontainer.json",
    '{ // c\n "image": "python:3.11", "build": {"dockerfile": "D"}, "features": {"a": {}}, "postCreateCommand": ["pip", "install", "x"], }',
  ],
  [
    "ci.yml",
    "on: push\njobs:\n  a:\n    container: python:3.11\n    env: {A: b}\n    steps:\n    - uses: actions/setup-python@v5\n      with: {python-version: '3.11'}\n    - run: |\n        pip install torch==${{ x }} y\n",
  ],
  [
    "docker-compose.yml",
    "x-a: &a {gpus: all}\nservices:\n  t:\n    <<: *a\n    build: {context: ., dockerfile: D, args: {A: b}, target: c}\n    environment: [A=b, C]\n    command: [bash, -c, 'pip install torch==2.4.1']\n  u:\n    image: python:${V:-3.11}\n    command: >-\n      pip install\n      jax\n",
  ],
  [
    "pod.yaml",
    "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  nodeSelector: {nvidia.com/gpu.product: Tesla-T4}\n  containers:\n  - name: a\n    image: python:3.11\n    env: [{name: A, value: b}]\n    command: [sh, -c]\n    args:\n    - |\n      pip install torch==2.4.1\n    resources: {limits: {nvidia.com/gpu: 1}}\n---\nkind: Service\n",
  ],
  [
    "a.def",
    'Bootstrap: docker\nFrom: python:{{ P }}\nStage: b\n%arguments\n P=3.11\n%post\n pip install torch==2.4.1\nBootstrap: docker\nFrom: ubuntu:22.04\n%files from b\n /opt/venv\n%environment\n export A="b:$A"\n%post\n pip install x\n',
  ],
  ["a.pbs", "#!/bin/bash\n#PBS -l select=1:ngpus=2:gpu_type=a100\nmodule load cuda/11.8\npip install torch==2.4.1\n"],
  ["a.lsf", '#!/bin/bash\n#BSUB -gpu "num=2:gmodel=NVIDIAA100"\npip install torch==2.4.1\n'],
  [
    "tox.toml",
    'env_list = ["a"]\n[env_run_base]\ndeps = ["torch==2.4.1", {replace = "x"}]\n[env.a]\nset_env.A = "b"\ncommands = [["pip", "x"]]\n',
  ],
  [
    "a.sbatch",
    '#!/bin/bash\n#SBATCH --gres=gpu:a100:2 -C h100\nmodule load cuda/11.8 cudnn\nf() {\n pip install torch==2.4.1\n}\ncat <<EOF > x\npip\nEOF\nsource v/bin/activate\nsrun -n 1 --container-image=python:3.11 bash -c "pip install jax"\nconda activate b\nf\n',
  ],
  [
    "Makefile",
    "A := pip\nB ?= $(A) install\nifeq ($(X),1)\nA += y\nendif\na b: c ; $(B) x\n\t@$(B) \\\n\t torch==2.4.1 $$A\nc:\n\t-pip install $(shell x) y\n",
  ],
  [
    "tox.ini",
    "[tox]\nenvlist = py{310,311}-{a,b}, c\n[testenv]\ndeps =\n  a: torch==2.4.1\n  !b: {[x]deps}\n  -r x.txt\nsetenv = A = b\ncommands = pip install y\n[x]\ndeps = jax\n",
  ],
  [
    "setup.cfg",
    "[options]\npython_requires = >=3.9\ninstall_requires =\n  torch==2.4.1\n  file: x.txt\n[options.extras_require]\na = jax\n",
  ],
  [
    "noxfile.py",
    'A = ["torch==2.4.1", "x" "y"]\n@nox.session(python=["3.10", "3.11"])\ndef t(session):\n    session.install(*A, f"z=={v}")\n    if x:\n        session.run("pip", "install", "jax")\n',
  ],
  [
    "setup.py",
    'R = ["torch==2.4.1"]\nsetup(name="x", install_requires=R, extras_require={"a": ["jax"], "b": f(1)}, python_requires=">=3.9")\n',
  ],
];
const pieces = [
  "\\",
  "\n",
  '"',
  "'",
  "`",
  "$(",
  "${",
  "}",
  "[",
  "]",
  "{",
  "#",
  "<<EOF",
  "==",
  ">=",
  ";",
  "\u0000",
  "\ufeff",
  "é",
  "-r ",
  "&a",
  "*a",
  "\t",
  "9".repeat(40),
  "(".repeat(50),
];

function mutated(text: string, dice: Dice): string {
  let changed = text;
  for (let rounds = 1 + dice.below(5); 0 < rounds; rounds -= 1) {
    const at = dice.below(changed.length + 1);
    const length = dice.below(20);
    const other = dice.pick(seeds)[1];
    const from = dice.below(other.length);
    const put = [dice.pick(pieces), "", other.slice(from, from + dice.below(60)), changed.slice(at, at + length).repeat(3)][dice.below(4)]!;
    changed = changed.slice(0, at) + put + changed.slice(at + (dice.chance(2) ? length : 0));
  }
  return changed;
}

test.each(seeds)("%s: any text gets an answer or one sentence", async (file, seed) => {
  const dice = new Dice(file.length * 7919);
  for (let round = 0; round < 120 * Number(process.env["FUZZ_TIMES"] ?? 1); round += 1) {
    const text = mutated(seed, dice);
    const read = async () => (dice.chance(2) ? { problem: "is not there" } : { text: mutated(dice.pick(seeds)[1], dice) });
    const answer = await checkDependencyFile({ file, text, read });
    if ("problem" in answer) expect(answer.problem, JSON.stringify(text)).toMatch(/^`[^\n]+$/);
    else
      for (const { place, message, subject } of answer.check.findings) {
        expect(place!.line, JSON.stringify(text)).toBeGreaterThan(0);
        expect(message + subject, JSON.stringify(text)).not.toContain("undefined");
      }
  }
});

// Ten times the text takes about ten times as long: what grows with the square would take a hundred times.
test.each([
  ["requirements.txt", (size: number) => " ".repeat(size)],
  ["requirements.txt", (size: number) => `x==1${" ".repeat(size)}y`],
  ["requirements.txt", (size: number) => "torch==2.4.1 \\\n".repeat(size / 10)],
  ["requirements.txt", (size: number) => `x[${"a,".repeat(size / 2)}`],
  ["requirements.txt", (size: number) => `x; ${"(".repeat(size)}`],
  ["Dockerfile", (size: number) => `FROM a\nRUN ${"$(".repeat(size / 2)}`],
  ["Dockerfile", (size: number) => `FROM a\n${"RUN <<EOF\n".repeat(size / 10)}`],
  ["Dockerfile", (size: number) => `FROM a\nRUN x ${"\\\n#\n".repeat(size / 4)}`],
  [
    "a.ipynb",
    (size: number) =>
      JSON.stringify({ cells: [{ cell_type: "code", source: `${'"""'.repeat(size / 3)}\n!pip install ${"{".repeat(size)}` }] }),
  ],
  ["environment.yml", (size: number) => `dependencies:\n${" - x\n".repeat(size / 5)}`],
  ["devcontainer.json", (size: number) => `{"image": "x"${",".repeat(size)}`],
  [
    "docker-compose.yml",
    (size: number) => `services:\n${Array.from({ length: size / 20 }, (_, index) => `  a${index}: {image: x}\n`).join("")}`,
  ],
  ["docker-compose.yml", (size: number) => `services:\n  a:\n    image: x\n    command: "${"pip install x; ".repeat(size / 15)}"\n`],
  ["pod.yaml", (size: number) => `apiVersion: v1\nkind: Pod\nspec:\n  containers:\n${"  - image: x\n".repeat(size / 13)}`],
  ["a.sh", (size: number) => "cat <<EOF\n".repeat(size / 10)],
  ["a.sh", (size: number) => "f() {\nf\n".repeat(size / 8)],
  ["a.sh", (size: number) => "source a/bin/activate\n".repeat(size / 22)],
  ["Makefile", (size: number) => "A := $(A) x\n".repeat(size / 12)],
  ["Makefile", (size: number) => `${"a: b\nb: a\n".repeat(size / 10)}\tpip install x\n`],
  ["a.def", (size: number) => `Bootstrap: docker\nFrom: x\n%post\n${"{{ a }}\n".repeat(size / 8)}`],
  ["tox.ini", (size: number) => `[tox]\nenvlist = ${"{a,b}".repeat(size / 5)}\n[testenv]\ndeps = x\n`],
  ["tox.ini", (size: number) => `[testenv]\ndeps =\n${" x\n".repeat(size / 3)}`],
  ["noxfile.py", (size: number) => "[".repeat(size)],
  ["noxfile.py", (size: number) => `"""${'"'.repeat(size)}`],
  ["setup.py", (size: number) => `setup(install_requires=[${'"x", '.repeat(size / 5)}])`],
])("%s: time grows no faster than the text (%#)", async (file, make) => {
  const time = async (size: number) => {
    const text = make(size);
    const begin = performance.now();
    await checkDependencyFile({ file, text, read: async () => ({ problem: "is not there" }) });
    return performance.now() - begin;
  };
  await time(2000);
  const [small, large] = [await time(20_000), await time(200_000)];
  expect(large).toBeLessThan(Math.max(40 * small, 400));
});
