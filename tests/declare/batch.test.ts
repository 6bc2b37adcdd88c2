import { expect, test } from "vitest";
import { declared, short } from "./declared.ts";

const pbs = (request: string) => `#!/bin/bash
#PBS -N train
#PBS -l ${request}
module load cuda/11.8.0 cudnn/8.6
pip install torch==2.5.1
python train.py
`;

test.each(["select=1:ncpus=8:ngpus=2:gpu_type=k80", "nodes=1:ppn=8:gpus=1:gpu_model=k80", "ngpus=1,gpu_type=k80"])(
  "PBS: -l %s asks for a GPU that is named",
  async (request) => {
    expect(short(await declared("train.pbs", pbs(request)))).toEqual(["error gpu-not-in-build 5"]);
    expect(short(await declared("job.sh", pbs(request).replaceAll("k80", "a100")))).toEqual([]);
  },
);

test("PBS: without a GPU, and without its name", async () => {
  const cpu = (request: string) =>
    pbs(request).replace("torch==2.5.1", "torch==2.5.1+cpu --index-url https://download.pytorch.org/whl/cpu");
  expect(short(await declared("job.sh", cpu("select=1:ngpus=1")))).toEqual(["warning cpu-only-build 5"]);
  // The modules of CUDA alone show that a GPU is meant.
  const plain = (request: string) => cpu(request).replace(/^module.*\n/m, "");
  expect(short(await declared("job.sh", plain("select=1:ncpus=4")))).toEqual([]);
  expect(short(await declared("job.sh", plain("select=1:ngpus=0")))).toEqual([]);
});

const lsf = (request: string) => `#!/bin/bash
#BSUB -J train
#BSUB ${request}
pip install torch==2.5.1
`;

test.each(['-gpu "num=4:gmodel=TeslaK80:mode=shared"', "-gpu num=1:gmodel=NVIDIA_K80"])("LSF: %s", async (request) => {
  expect(short(await declared("train.lsf", lsf(request)))).toEqual(["error gpu-not-in-build 4"]);
  expect(short(await declared("train.sh", lsf(request).replace(/gmodel=\w+/, "gmodel=NVIDIAA100_SXM4_80GB")))).toEqual([]);
});

test("LSF: without a name, in its older words, and without any", async () => {
  const cpu = (request: string) =>
    lsf(request).replace("torch==2.5.1", "torch==2.5.1+cpu --index-url https://download.pytorch.org/whl/cpu");
  for (const request of ["-gpu -", '-R "rusage[ngpus_excl_p=1]"'])
    expect(short(await declared("train.bsub", cpu(request)))).toEqual(["warning cpu-only-build 4"]);
  expect(short(await declared("train.bsub", cpu("-n 4")))).toEqual([]);
});
