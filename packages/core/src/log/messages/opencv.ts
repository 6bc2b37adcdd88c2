import { dottedCudnn } from "../../knowledge/cudnn.ts";
import { dottedNumber } from "../numbers.ts";
import { notice, type Signature } from "../signature.ts";

/** OpenCV: modules/dnn/src/cuda4dnn/init.hpp, net_impl.cpp, core/private.cuda.hpp. */
export default [
  {
    literals: ["with which opencv was built"],
    pattern:
      /cuDNN reports version (?<major>\d{1,3})\.(?<minor>\d{1,2}) which is not compatible with the version (?<required>\d{1,2}\.\d{1,2}) with which OpenCV was built/,
    examples: ["cuDNN reports version 7.6 which is not compatible with the version 8.2 with which OpenCV was built"],
    facts: ({ major, minor, required }) => {
      // It divides the number as cuDNN 8 counted: 9.19 comes out as 91.9, and is newer than what it was built with.
      const number = Number(major) * 1000 + Number(minor) * 100;
      const found = 20 <= Number(major) ? dottedCudnn(number).split(".").slice(0, 2).join(".") : `${major}.${minor}`;
      const [has, wanted] = [found.split(".").map(Number), required!.split(".").map(Number)];
      return has[0] === wanted[0] && wanted[1]! <= has[1]!
        ? { kind: "noise", reason: `cuDNN ${found} serves what was built with ${required}: OpenCV reads the numbers of cuDNN 9 wrongly` }
        : { kind: "version-pair", library: "cudnn", required: required!, found, by: "OpenCV" };
    },
  },
  {
    // OpenCV 4.4 and 4.5.0 print the numbers as they are.
    literals: ["with which opencv was built"],
    pattern:
      /(?<library>cuDNN|CUDART) (?:reports version|version) (?<found>\d{4,6}) (?:which )?does not match with the version (?<required>\d{4,6}) with which OpenCV was built/i,
    examples: [
      "cuDNN reports version 8100 which does not match with the version 7605 with which OpenCV was built",
      "CUDART version 10020 does not match with the version 11010 with which OpenCV was built",
    ],
    facts: ({ library, found, required }) => {
      const id = library!.toLowerCase();
      return {
        kind: "version-pair",
        library: id,
        required: dottedNumber(id, required!),
        found: dottedNumber(id, found!),
        by: "OpenCV",
      };
    },
  },
  {
    literals: ["reported by cudnn"],
    pattern:
      /CUDART version (?<required>\d{4,5}) reported by cuDNN [\d.]{3,8} does not match with the version reported by CUDART (?<found>\d{4,5})/,
    examples: ["The CUDART version 11020 reported by cuDNN 8101 does not match with the version reported by CUDART 10020"],
    facts: ({ required, found }) => {
      const dotted = (text: string) => `${Math.floor(Number(text) / 1000)}.${Math.floor((Number(text) % 1000) / 10)}`;
      return { kind: "version-pair", library: "cudart", required: dotted(required!), found: dotted(found!), by: "OpenCV" };
    },
  },
  notice(
    "built-without-cuda",
    ["dnn module was not built with cuda backend", "-216:no cuda support"],
    /DNN module was not built with CUDA backend; switching to CPU|\(-216:No CUDA support\)/,
    "[ WARN:0] global dnn.cpp (1429) setUpNet DNN module was not built with CUDA backend; switching to CPU",
    "error: (-216:No CUDA support) The library is compiled without CUDA support in function 'throw_no_cuda'",
  ),
] satisfies Signature[];
