import { weights, type Problem, type Suspect } from "../cause.ts";
import { type Context } from "../context.ts";
import type { Facts } from "../fact.ts";
import { fix, selectToolkit } from "../fixes.ts";

// Headers that came with a later CUDA, by the release that brought them.
const since: { [header: string]: string } = {
  "cuda_fp8.h": "11.8",
  "cuda_bf16.h": "11.0",
  "cuda_fp4.h": "12.8",
  "cuda_fp6.h": "12.8",
  "cuda_pipeline.h": "11.0",
};

/** A program is to be compiled, and the compiler finds no header of CUDA or of a library on top. */
export default function headers(facts: Facts, context: Context): Problem[] {
  const [fact] = facts.notices("header-missing");
  if (!fact) return [];
  const header = fact.subject!;
  const first = since[header];
  const base = {
    name: header,
    required: first === undefined ? `${header} where the compiler looks` : `${header} (CUDA ${first} or newer)`,
    found: context.toolkits[0] ? `CUDA ${context.toolkits[0].version}` : "not found",
    evidence: [fact],
    next: [`find / -name ${header.split("/").at(-1)} 2>/dev/null`, "echo $CUDA_HOME $CPATH; which -a nvcc"],
  };
  const old: Suspect = {
    ...base,
    cause: "toolkit-too-old",
    certainty: "likely",
    message: `\`${header}\` came with CUDA ${first}: the toolkit that is used is older`,
    fixes: [selectToolkit(`install CUDA ${first} or newer, and put it first`, first)],
  };
  const missing: Suspect = {
    ...base,
    cause: "library-missing",
    certainty: first === undefined ? "likely" : "possible",
    message: `\`${header}\` is not found: what brings it is not installed for building; packages of libraries alone hold no headers`,
    fixes: [
      /cudnn/.test(header)
        ? fix("install cuDNN with its headers", "sudo apt-get install libcudnn9-dev-cuda-12")
        : /nccl/.test(header)
          ? fix("install NCCL with its headers", "sudo apt-get install libnccl-dev")
          : fix("install the toolkit with its headers", "sudo apt-get install cuda-toolkit-12-6", "conda install -c nvidia cuda-toolkit"),
    ],
  };
  const home: Suspect = {
    ...base,
    cause: "cuda-home-wrong",
    certainty: "possible",
    message: "or it is installed, and CUDA_HOME or CPATH does not name its folder",
    fixes: [fix("say where it is", "export CUDA_HOME=/usr/local/cuda CPATH=/usr/local/cuda/include:$CPATH")],
  };
  return [{ weight: weights.failed, suspects: first === undefined ? [missing, home] : [old, missing, home] }];
}
