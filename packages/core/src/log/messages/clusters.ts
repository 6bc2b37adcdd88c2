import { notice, type Signature } from "../signature.ts";

/** A machine that many share: nobody who writes such a text is root there. Names are those of the large ones (top500.org). */
export default [
  notice(
    "hpc-cluster",
    ["module load", "supercomputer", "compute node", "hpc", "summit", "perlmutter", "polaris", "leonardo", "juwels", "jsrun", "bsub"],
    /(?<!kernel )\bmodule load (?!err|fail)\w|\bsupercomputers?\b|\bcompute nodes?\b|\b(?:on|our|the) HPC\b|\bHPC cluster\b|\bon (?:Summit|Perlmutter|Polaris|Leonardo|JUWELS)\b|\bjsrun\b|\bbsub </i,
    "module load cuda/11.8",
    "it fails on Perlmutter only",
    "bsub < job.sh",
  ),
  notice(
    // They start containers for who pays, without rights over the host.
    "rented-container",
    ["runpod", "vast.ai", "vastai"],
    /\bRunPods?\b|\bvast\.?ai\b/i,
    "an RTX 4090 rented on RunPod",
  ),
] satisfies Signature[];
