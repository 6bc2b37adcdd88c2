import { expect, test } from "vitest";
import { declared, short } from "./declared.ts";

const job = (lines: string) => `#!/bin/bash
#SBATCH --job-name=train
#SBATCH --gres=gpu:a100:4   # four of them
#SBATCH --time=12:00:00

module purge
module load gcc/11.3 cuda/12.1.1 cudnn/8.9
${lines}
srun --ntasks=1 python train.py
`;

test("the modules that are loaded are what a framework finds", async () => {
  const answer = await declared("train.sbatch", job("pip install tensorflow==2.12.0"));
  expect(short(answer)).toEqual(["error library-missing 8"]);
  expect(answer.check.findings[0]!.because).toContain("the module cuda/12.1.1 has CUDA 12.1.1, and that of cuDNN has cuDNN 8");
  expect(answer.check.findings[0]!.message).toContain("nothing that is loaded or installed here brings them");
  const fits = job("pip install tensorflow==2.12.0").replace("cuda/12.1.1", "CUDA/11.8.0");
  expect(short(await declared("train.sbatch", fits))).toEqual([]);
  // Of a cluster's cuDNN nothing is known without its module.
  expect(short(await declared("train.sbatch", fits.replace(" cudnn/8.9", "")))).toEqual([]);
});

test("the GPU that is asked for counts as if it were asked about", async () => {
  expect(short(await declared("job.slurm", job("pip install torch==2.5.1")))).toEqual([]);
  const old = job("pip install torch==2.5.1").replace("gpu:a100:4", "gpu:k80:1");
  expect(short(await declared("job.slurm", old))).toEqual(["error gpu-not-in-build 8"]);
  expect(short(await declared("job.slurm", old, { gpus: ["A100"] }))).toEqual([]);
  for (const request of ["--gpus=k80:2", "--gpus-per-node k80:1", "-G k80", "-C k80", '--constraint="k80"'])
    expect(short(await declared("job.sh", old.replace("--gres=gpu:k80:1", request)))).toEqual(["error gpu-not-in-build 8"]);
  expect(short(await declared("job.sh", old.replace("gpu:k80:1", "gpu:1")))).toEqual([]);
});

test("Python of a module, a container of srun, and a build without CUDA", async () => {
  expect(short(await declared("job.sh", job("module load python/3.13.0\npip install torch==2.3.1")))).toEqual([
    "error no-wheel-for-python 9",
  ]);
  const contained = "srun --container-image=python#3.13 x\nsrun --container-image python:3.13 bash -c 'pip install torch==2.3.1'";
  expect(short(await declared("job.sh", job(contained)))).toEqual(["error no-wheel-for-python 9"]);
  const cpu = await declared("job.sh", job("pip install torch==2.5.1 --index-url https://download.pytorch.org/whl/cpu"));
  expect(short(cpu)).toEqual(["warning cpu-only-build 8"]);
  expect(cpu.check.findings[0]!.because).toContain("a GPU is asked for at job.sh:3");
});

test("modules that say nothing are told, and never green", async () => {
  const { check } = await declared("train.sbatch", job("module load PyTorch/2.1.2-foss-2023a\nml cuda\npip install torch==2.5.1"));
  expect([check.status, check.unknown.map(({ subject, reason }) => `${subject} ${reason}`)]).toEqual([
    "incomplete",
    [
      "train.sbatch:8:13 what the module `PyTorch/2.1.2-foss-2023a` brings is not known here",
      "train.sbatch:9:4 which release the module `cuda` is depends on the cluster",
      "train.sbatch:7 whether libnvJitLink.so.12 of CUDA 12.1 comes before what torch 2.5.1+cu124 brings goes by what the module puts into LD_LIBRARY_PATH, which is not known here",
    ],
  ]);
  // What is loaded for programs that are there already is nobody's concern here.
  const only = await declared("train.sbatch", job("module load cuda\nsource venv/bin/activate\npython train.py"));
  expect(only.check.status).toBe("nothing-to-check");
});
