import { fix } from "../fixes.ts";
import { builtWithoutCuda } from "../meaning.ts";
import { dottedCudnn } from "../../knowledge/cudnn.ts";
import { notice, type Signature } from "../signature.ts";

/** MXNet: src/base.cc, src/imperative. */
export default [
  {
    ...notice(
      "mxnet-without-cuda",
      "compile with use_cuda=1",
      /Compile with USE_CUDA=1 to enable GPU usage/,
      "mxnet.base.MXNetError: src/imperative/imperative.cc:81: Operator _ones is not implemented for GPU. Compile with USE_CUDA=1 to enable GPU usage",
    ),
    means: builtWithoutCuda("mxnet", fix("install the MXNet package of your CUDA", "pip install mxnet-cu112")),
  },
  {
    literals: ["lib mismatch: linked-against version"],
    pattern: /cuDNN lib mismatch: linked-against version (?<found>\d{4,6}) != compiled-against version (?<required>\d{4,6})/,
    examples: [
      "../src/base.cc:80: cuDNN lib mismatch: linked-against version 8200 != compiled-against version 8100.  Set MXNET_CUDNN_LIB_CHECKING=0 to quiet this warning.",
    ],
    facts: ({ found, required }) => {
      // A newer release of the same major serves: the warning compares for equality.
      const [has, wanted] = [dottedCudnn(Number(found)), dottedCudnn(Number(required))];
      const fits = has.split(".")[0] === wanted.split(".")[0] && Number(wanted.split(".")[1]) <= Number(has.split(".")[1]);
      return fits
        ? { kind: "noise", reason: `cuDNN ${has} serves what was built with ${wanted}; MXNet warns of any difference` }
        : { kind: "version-pair", library: "cudnn", required: wanted, found: has, by: "MXNet" };
    },
  },
] satisfies Signature[];
