import { describe, expect, test } from "vitest";
import { adviceLine } from "../../packages/core/src/lib/shell.ts";
import { declared, short } from "./declared.ts";

const asked = { gpus: ["L4"], driver: "570.86.10" };
const feed = "--extra-index-url https://aiinfra.pkgs.visualstudio.com/PublicPackages/_packaging/onnxruntime-cuda-12/pypi/simple/\n";

describe("cpu-only-build: a GPU is asked about", () => {
  test.each([
    ["the index without CUDA", "--index-url https://download.pytorch.org/whl/cpu\ntorch==2.6.0\n", 2],
    ["jax without a plugin", "jax==0.5.0\njaxlib==0.5.0\n", 1],
    ["tensorflow-cpu", "tensorflow-cpu==2.19.0\n", 1],
    ["onnxruntime", "numpy\nonnxruntime==1.22.0\n", 2],
    ["faiss-cpu", "faiss-cpu==1.8.0\n", 1],
    ["paddlepaddle", "paddlepaddle==2.6.2\n", 1],
  ])("%s", async (_, text, line) => {
    expect(short(await declared("requirements.txt", text, asked))).toEqual([`warning cpu-only-build ${line}`]);
    expect(short(await declared("requirements.txt", text))).toEqual([]);
  });

  test.each([
    [
      "a pin of the label",
      "torch==2.2.0+cpu\n",
      "ask for torch==2.2.0, and leave the cpu index out: on Linux PyPI has the build with CUDA",
    ],
    ["the index alone", "torch==2.6.0\n", "leave the cpu index out: on Linux PyPI has the build with CUDA"],
    ["jax before cuda13", "jax==0.4.35\n", "ask for jax[cuda12]==0.4.35"],
    ["jax with both", "jax==0.8.0\n", "ask for jax[cuda12]==0.8.0, or for jax[cuda13]==0.8.0 where the driver runs it"],
    // PyPI has no jax-cuda13-plugin 0.7.0, though the extra asks for one.
    ["jax with an extra that nobody can have", "jax==0.7.0\n", "ask for jax[cuda12]==0.7.0"],
    ["tensorflow-cpu", "tensorflow-cpu==2.19.0\n", "ask for tensorflow[and-cuda]==2.19.0"],
    [
      "jax with wheels for CUDA on a page of its own",
      "jax==0.4.20\n",
      "ask for jax[cuda12_pip]==0.4.20 with --find-links https://storage.googleapis.com/jax-releases/jax_cuda_releases.html",
    ],
    ["an extra that the release has no more", "jax[cuda11_pip]==0.4.30\n", "ask for jax[cuda12]==0.4.30, or for jax[cuda11-pip]==0.4.25"],
  ])("the advice can be followed: %s", async (_, text, words) => {
    const { check } = await declared("requirements.txt", `--extra-index-url https://download.pytorch.org/whl/cpu\n${text}`, asked);
    const advice = check.findings.filter(({ rule }) => rule === "cpu-only-build").flatMap(({ advice: all }) => all.map(adviceLine));
    expect(advice).toEqual([words]);
  });

  test.each([
    ["something else uses the GPU", "torch==2.6.0\nonnxruntime==1.22.0\nfaiss-cpu\n"],
    ["its twin with CUDA", "faiss-cpu\nfaiss-gpu-cu12\n"],
    ["jax with its plugin", "jax[cuda12]==0.5.0\n"],
  ])("silence: %s", async (_, text) => {
    expect(short(await declared("requirements.txt", text, asked))).toEqual([]);
  });
});

describe("library-missing: pip alone brings nothing that it could use", () => {
  test("TensorFlow without its extra, where a GPU is asked about", async () => {
    const { check } = await declared("requirements.txt", "tensorflow==2.19.0\n", asked);
    expect(check.findings).toHaveLength(1);
    expect(check.findings[0]).toMatchObject({ rule: "library-missing", severity: "warning", certainty: "likely", place: { line: 1 } });
    expect(check.findings[0]!.message).toContain(
      "libcudart.so.12, libcublas.so.12, libcudnn.so.9, and nothing that pip installs here brings them",
    );
    expect(check.findings[0]!.advice[0]!.command).toEqual(["pip", "install", "tensorflow[and-cuda]==2.19.0"]);
  });

  test("onnxruntime-gpu for CUDA 11 beside CUDA 12", async () => {
    const { check } = await declared("requirements.txt", "onnxruntime-gpu==1.17.1\ntorch==2.3.1\nnumpy<2\n");
    expect(check.findings).toHaveLength(1);
    expect(check.findings[0]).toMatchObject({ rule: "library-missing", severity: "warning", place: { line: 1 } });
    expect(check.findings[0]!.because).toContain("what is installed beside it brings CUDA 12, and it is built for CUDA 11");
    expect(check.findings[0]!.advice[0]!.words).toBe(
      "onnxruntime-gpu 1.19.0 and newer are for CUDA 12: ask for one of them, with the cuDNN that it takes",
    );
    const wheels = "onnxruntime-gpu==1.17.1\nnvidia-cudnn-cu12\nnvidia-cublas-cu12\nnumpy<2\n";
    expect(short(await declared("requirements.txt", wheels))).toEqual(["warning library-missing 1"]);
  });

  test("a release that uses what is there is named", async () => {
    const { check } = await declared("requirements.txt", "onnxruntime-gpu==1.17.1\ntorch==2.5.1\nnumpy<2\n");
    expect(check.findings[0]!.advice[0]!.words).toMatch(/^ask for onnxruntime-gpu==1\.\d+\.\d, which uses what is there$/);
  });

  test.each([
    ["TensorFlow, and nobody asks about a GPU", "tensorflow==2.19.0\n", {}],
    ["TensorFlow with its extra", "tensorflow[and-cuda]==2.19.0\n", asked],
    ["TensorFlow beside the wheels of torch, which it finds", "tensorflow==2.19.0\ntorch==2.6.0\n", asked],
    ["onnxruntime-gpu alone: the machine has what it needs", "onnxruntime-gpu==1.17.1\nnumpy<2\n", asked],
    ["onnxruntime-gpu for the CUDA of torch", "onnxruntime-gpu==1.20.0\ntorch==2.5.1\n", {}],
    ["onnxruntime-gpu for CUDA 11 beside CUDA 11", "onnxruntime-gpu==1.17.1\ntorch==2.0.1\nnumpy<2\n", {}],
    ["the feed that has it for CUDA 12", `${feed}onnxruntime-gpu==1.17.1\ntorch==2.3.1\nnumpy<2\n`, {}],
  ])("silence: %s", async (_, text, request) => {
    expect(short(await declared("requirements.txt", text, request))).toEqual([]);
  });

  test("what conda has beside pip is not seen", async () => {
    const list =
      "name: x\ndependencies:\n  - python=3.10\n  - cudatoolkit=11.8\n  - pip\n  - pip:\n      - onnxruntime-gpu==1.17.1\n      - torch==2.3.1\n      - numpy<2\n";
    expect(short(await declared("environment.yml", list))).toEqual([]);
  });
});

test("a framework of conda without CUDA upon an image with it: what to ask for; not in a file for machines without a GPU", async () => {
  const text = "FROM nvidia/cuda:10.0-devel-ubuntu18.04\nRUN conda install -y -c conda-forge python=3.7 tensorflow=1.13.1\n";
  const { check } = await declared("Dockerfile", text);
  for (const { advice } of check.findings) for (const each of advice ?? []) expect(each.words).toMatch(/\w/);
  expect(short(await declared("docker/cpu/Dockerfile", text))).not.toContain("warning cpu-only-build 2");
});
