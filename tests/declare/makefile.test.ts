import { expect, test } from "vitest";
import { asked, declared, short } from "./declared.ts";

const makefile = `# builds
PYTHON ?= python3
PIP := $(PYTHON) -m pip
TORCH = 2.5.1
VISION := 0.19.1

.PHONY: all install gpu test

all: install

install: venv ## everything
	@echo "installing" $$HOME
	$(PIP) install -q \\
		torch==$(TORCH) \\
		torchvision==$(VISION)

venv:
	-python3 -m venv .venv

gpu: gpu-base ; pip install nvidia-cudnn-cu12==8.9.7.29
gpu-base:
	pip install torch==2.4.1 -r requirements.txt

ifeq ($(OS),Windows_NT)
test:
	pip install onnxruntime onnxruntime-gpu
endif

show:
	pip install tensorflow==$(shell cat version) && for f in a b; do pip install $$f; done
`;

test("every target by itself, with what it needs; variables as make puts them in", async () => {
  const answer = await declared("Makefile", makefile, { beside: { "requirements.txt": "numpy<2\n" } });
  // What is installed upon another torch replaces its cuDNN.
  expect(short(answer)).toEqual(["error requirements-clash 15", "warning pins-not-met 20"]);
  expect(answer.check.unknown.map(({ subject, reason }) => `${subject} ${reason}`)).toEqual([
    // What is for Windows is never done here, and a loop over words that are written is gone through.
    expect.stringMatching(/^Makefile:30 which version this is depends on a variable/),
    expect.stringMatching(/2 packages not known here/),
  ]);
  expect(answer.check.status).toBe("findings");
});

test("what fits is silent", async () => {
  const fine = makefile.slice(0, makefile.indexOf("gpu:")).replace("0.19.1", "0.20.1");
  const answer = await declared("Makefile", fine);
  expect([short(answer), answer.check.unknown, answer.check.status]).toEqual([[], [], "ok"]);
  expect(asked(answer)).toEqual(["torch 2.5.1+cu124", "torchvision 0.20.1"]);
});

test("what never ends, ends", async () => {
  for (const text of [
    "",
    "A = $(B)\nB = $(A)\nx:\n\tpip install $(A)\n",
    "a: b\nb: a\n\tpip install x\n",
    `${"A := $(A)$(A)x\n".repeat(60)}x:\n\tpip install torch==$(A)\n`,
  ])
    expect((await declared("Makefile", text)).check.findings).toEqual([]);
});
