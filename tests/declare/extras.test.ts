import { expect, test } from "vitest";
import { declared, notebook, short } from "./declared.ts";

const of = async (line: string, python?: string) =>
  short(await declared("requirements.txt", `${line}\n`, python === undefined ? {} : { python }));

test("cpu-only-build: an extra for CUDA that the release of jax no longer has", async () => {
  expect(await of("jax[cuda11_cudnn86]>=0.4.2", "3.12")).toEqual(["warning cpu-only-build 1"]);
  expect(await of("jax[cuda11_pip]==0.4.30", "3.11")).toEqual(["warning cpu-only-build 1"]);
  expect(await of("jax[cuda13]==0.6.2", "3.11")).toEqual(["warning cpu-only-build 1"]);
  const answer = await declared("requirements.txt", "jax[cuda11_pip]==0.4.30\n", { python: "3.11" });
  expect(answer.check.findings[0]).toMatchObject({
    severity: "warning",
    message: "jax 0.4.30 has no extra cuda11-pip: pip says so in one line, and installs it without CUDA",
    endangers: [{ framework: "jax", activity: "device" }],
  });
  // Told once, also where a GPU is asked about.
  expect(short(await declared("requirements.txt", "jax[cuda11_pip]==0.4.30\n", { python: "3.11", gpus: ["L4"] }))).toEqual([
    "warning cpu-only-build 1",
  ]);
});

test("cpu-only-build is silent where the release has the extra, however it is written, or CUDA comes from elsewhere", async () => {
  const page = "-f https://storage.googleapis.com/jax-releases/jax_cuda_releases.html";
  for (const line of [
    "jax[cuda12]==0.6.2",
    "jax[cuda12_pip]==0.4.30",
    "jax[cuda12-pip]==0.4.30",
    "jax[cuda12_local]==0.4.30",
    "jax[cuda]==0.6.2",
    `${page}\njax[cuda11_pip]==0.4.20\nnumpy<2`,
    `${page}\njax[cuda11_cudnn86]==0.4.20\nnumpy<2`,
    "jax[cuda11_pip]==0.6.2\njax-cuda12-plugin[with-cuda]==0.6.2",
    "jax[tpu]==0.6.2",
    "jax==0.6.2",
  ])
    expect(await of(line, "3.11"), line).toEqual([]);
});

test("what an extra is called in a notebook is the same", async () => {
  const cell = (extra: string) => notebook([`!pip install "jax[${extra}]==0.6.2"`]);
  expect(short(await declared("a.ipynb", cell("cuda11_pip"), { python: "3.11" }))).toEqual(["warning cpu-only-build 1:1"]);
  expect(short(await declared("a.ipynb", cell("cuda12"), { python: "3.11" }))).toEqual([]);
});

test("a release whose build with CUDA is not known is no file without a framework", async () => {
  const page = "-f https://storage.googleapis.com/jax-releases/jax_cuda_releases.html";
  const image = "FROM nvidia/cuda:11.6.2-cudnn8-devel-ubuntu20.04\nRUN apt-get install -y python3 python3-pip\n";
  const old = await declared("Dockerfile", `${image}RUN pip install --upgrade "jax[cuda]" ${page}\n`);
  expect(old.check.unknown).toEqual([
    expect.objectContaining({ subject: "jax 0.4.13", reason: "what its build with CUDA needs is not known here" }),
  ]);
  expect(old.check.status).toBe("incomplete");
  const known = await declared("requirements.txt", "jax[cuda12]==0.6.2\n", { python: "3.11" });
  expect(known.check).toMatchObject({ unknown: [], status: "ok" });
});
