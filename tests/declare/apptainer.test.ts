import { expect, test } from "vitest";
import { asked, declared, short } from "./declared.ts";

const definition = `Bootstrap: docker
From: python:{{ PY }}
Stage: build

%arguments
    PY=3.11
    TORCH="2.5.1"

%post
    python -m venv /opt/venv
    /opt/venv/bin/pip install torch=={{ TORCH }}

Bootstrap: docker
From: nvidia/cuda:12.4.1-cudnn-runtime-ubuntu22.04
Stage: final

%files from build
    /opt/venv /opt/venv

%files
    requirements/gpu.txt /tmp/gpu.txt

%environment
    export LC_ALL=C
    export CUDA_VISIBLE_DEVICES=""

%post
    apt-get update && apt-get install -y python3-pip
    # the rest
    pip install -r /tmp/gpu.txt \\
        tensorflow==2.13.0

%runscript
    pip install nothing
`;

test("the last stage with what it takes from others, its arguments, its files, its variables", async () => {
  const beside = { "requirements/gpu.txt": "numpy<2\n" };
  const answer = await declared("gpu.def", definition, { beside });
  expect(short(answer)).toEqual(["error gpus-hidden 25", "error library-missing 31"]);
  expect(answer.check.judged.map(({ program, version }) => `${program} ${version}`)).toEqual(["torch 2.5.1+cu124", "tensorflow 2.13.0"]);
  const fine = definition.replace('CUDA_VISIBLE_DEVICES=""', "A=b").replace("tensorflow==2.13.0", "torchvision==0.20.1");
  const silent = await declared("gpu.def", fine, { beside });
  expect([short(silent), silent.check.unknown, silent.check.status]).toEqual([[], [], "ok"]);
});

test("a clash on its line, in a file that is named only by its first lines", async () => {
  const text = "bootstrap: docker\nfrom: python:3.11\n\n%post\n  set -e\n  pip install torch==2.5.1 torchvision==0.19.1\n";
  expect(short(await declared("recipe", text))).toEqual(["error requirements-clash 6"]);
});

test("what is not known is told with line and column, and never green", async () => {
  const text = "Bootstrap: localimage\nFrom: base.sif\n%post\n  pip install torch==2.5.1\n  pip install torchvision=={{ VISION }}\n";
  const { check } = await declared("x.def", text);
  expect([check.status, check.unknown.map(({ subject, reason }) => `${subject} ${reason}`)]).toEqual([
    "incomplete",
    [
      "x.def:2:7 what `base.sif` holds is not known: it is taken by `localimage`",
      "x.def:5:28 which value `{{ VISION }}` has is not written here",
    ],
  ]);
  expect((await declared("Singularity", "")).check.status).toBe("nothing-to-check");
});

test("a project that %files brings is judged where pip installs it", async () => {
  const text = `Bootstrap: docker
From: python:3.11

%files
    ops /opt/x/ops
    pyproject.toml /opt/x/pyproject.toml

%post
    cd /opt/x
    pip install -e ./ops
    pip install .
`;
  const beside = {
    "pyproject.toml": '[project]\nname = "x"\nversion = "1"\ndependencies = ["torchvision==0.19.1"]\n',
    "ops/setup.py": 'from setuptools import setup\nsetup(name="ops", install_requires=["torch==2.5.1"])\n',
  };
  const answer = await declared("container/a.def", text, { beside });
  expect(asked(answer)).toEqual(expect.arrayContaining(["torchvision 0.19.1"]));
  expect([answer.check.unknown, answer.check.status]).toEqual([[], "ok"]);
});
