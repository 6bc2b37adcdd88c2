import { describeRule } from "../rule.ts";

export default describeRule({
  id: "gpus-hidden",
  title: "A variable hides every GPU",
  cause: "not-a-mismatch",
  severity: "error",
  page: {
    what: "CUDA_VISIBLE_DEVICES leaves no GPU: it is empty, negative, or begins with an entry that means none. Or JAX_PLATFORMS tells JAX to begin with another device, or names one that it cannot start.",
    why: "The driver takes the list up to the first entry that it does not know. Schedulers, notebooks and test scripts set it and forget it; an empty value is not the same as none.",
    how: "The first entry is compared with the GPUs that the kernel's driver lists. In a Dockerfile, a devcontainer, a service or a job: values that hide all of them whichever there are, where the base image is one for GPUs, or a GPU is asked for or about. Of these and of images also NVIDIA_VISIBLE_DEVICES that asks for none, which is a warning: who starts the container has the last word.",
    fix: "Unset it, or name GPUs that are there.",
    observed:
      "On an H200 with torch, jax and cupy: empty, -1, words, an index too high and an unknown UUID hide all; `0,9` shows the first. With jax 0.11.2 there: JAX_PLATFORMS of `cpu,cuda` runs on the CPU; `gpu`, `CUDA`, `rocm`, `tpu` and `cuda, cpu` with its space end with an error; `cuda` and `cuda,cpu` run on the GPU.",
  },
});
