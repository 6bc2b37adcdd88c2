import { dottedCudnn } from "../../knowledge/cudnn.ts";
import { dottedNumber } from "../numbers.ts";
import { weights } from "../cause.ts";
import { fix } from "../fixes.ts";
import { libcuda } from "../meaning.ts";
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
  {
    ...notice(
      "dnn-on-cpu",
      ["dnn", "readnet"],
      /\b(?:opencv|cv2)[^\n]{0,80}\bdnn\b|\bdnn module\b|cv2\.dnn\.|\breadNet(?:From)?\w{0,16}\(/i,
      "How can I use the GPU with opencv's dnn module?",
    ),
    means: {
      weight: weights.hint + 1,
      unless: (facts) =>
        facts.notices("no-gpu-seen", "gpu-not-seen", "gpu-unused", "gpu-idle").length === 0 ||
        0 < facts.notices("built-without-cuda").length ||
        facts.has("cuda-error") ||
        facts.has("not-found") ||
        facts.everything().some(({ at }) => /DNN_BACKEND_CUDA/.test(at.text)),
      name: "cv2.dnn",
      next: [
        'python -c "import cv2; print(cv2.cuda.getCudaEnabledDeviceCount())"',
        'python -c "import cv2; print(cv2.getBuildInformation())"',
      ],
      may: [
        {
          cause: "not-a-mismatch",
          certainty: "likely",
          message: "OpenCV's dnn module computes on the CPU until it is told otherwise, whatever GPU there is",
          fixes: [
            fix(
              "after reading the network call `net.setPreferableBackend(cv2.dnn.DNN_BACKEND_CUDA)` and `net.setPreferableTarget(cv2.dnn.DNN_TARGET_CUDA)`",
            ),
          ],
        },
        {
          cause: "wrong-wheel-cpu-only",
          name: "opencv-python",
          message: "or this OpenCV was built without CUDA, as every `opencv-python` of PyPI is",
          fixes: [],
        },
      ],
    },
  },
  {
    ...notice(
      "built-without-cuda",
      ["dnn module was not built with cuda backend", "-216:no cuda support"],
      /DNN module was not built with CUDA backend; switching to CPU|\(-216:No CUDA support\)/,
      "[ WARN:0] global dnn.cpp (1429) setUpNet DNN module was not built with CUDA backend; switching to CPU",
      "error: (-216:No CUDA support) The library is compiled without CUDA support in function 'throw_no_cuda'",
    ),
    facts: () => ({ kind: "notice", id: "built-without-cuda", subject: "opencv" }),
  },
  {
    // jtop and people: an OpenCV with CUDA is on the machine, whichever Python imports.
    ...notice(
      "opencv-with-cuda-told",
      "with cuda: yes",
      /\bOpenCV:? {1,30}[\d.]{3,9} {1,4}with CUDA: YES\b/i,
      " OpenCV:    4.8.0  with CUDA: YES",
    ),
    single: true,
  },
  {
    ...notice(
      "opencv-gpu-call",
      "gpu api call",
      /\(-217:Gpu API call\) (?:unknown error|initialization error|OS call failed)/,
      "error: (-217:Gpu API call) unknown error in function 'cv::cuda::getCudaEnabledDeviceCount'",
    ),
    means: {
      weight: weights.failed,
      ...libcuda,
      symptom: "CUDA's runtime within OpenCV does not reach the driver",
      next: ["nvidia-smi"],
      may: [
        {
          cause: "driver-too-old",
          message: "the driver is older than the CUDA that OpenCV was built with",
          fixes: [fix("install a newer NVIDIA driver")],
        },
        { cause: "driver-not-exposed", message: "or no driver reaches the process" },
        { cause: "kernel-module-mismatch", message: "or the driver was updated, and the machine not restarted" },
        { cause: "not-a-mismatch", message: "or the driver hangs, mostly after a suspend" },
      ],
    },
  },
  {
    // cv::getBuildInformation(), of OpenCV 3 and 4.
    ...notice(
      "opencv-built-without",
      ["use cuda:", "nvidia cuda:"],
      /^\s{0,12}(?:Use Cuda|NVIDIA CUDA): {1,40}NO\b/i,
      "    NVIDIA CUDA:                   NO",
    ),
    single: true,
    means: {
      weight: weights.failed,
      name: "opencv",
      required: "an OpenCV that was built with CUDA",
      found: "a build without CUDA",
      // In the output of its own build it is no fault.
      unless: (facts) => facts.notices("no-gpu-seen", "gpu-not-seen", "gpu-unused", "gpu-idle").length === 0,
      next: ['python -c "import cv2; print(cv2.getBuildInformation())"'],
      may: [
        {
          cause: "wrong-wheel-cpu-only",
          certainty: "certain",
          message: "this OpenCV was built without CUDA, as all packages of PyPI, NuGet and the distributions are",
          fixes: [
            fix(
              "build OpenCV with its contrib modules and CUDA: `-D WITH_CUDA=ON -D WITH_CUDNN=ON -D OPENCV_DNN_CUDA=ON -D CUDA_ARCH_BIN=` and the GPU's capability, and remove the package",
            ),
          ],
        },
      ],
    },
  },
  notice(
    "no-gpu-seen",
    "getcudaenableddevicecount",
    /[Gg]etCudaEnabledDeviceCount\(\)["'`);]{0,4}[^\n\d]{0,40}(?:\b(?:is|was|returns?|returned|gives?|equals?|still|always|prints?)\b|[=:>]) ?(?:still |always )?0\b/,
    "cv2.cuda.getCudaEnabledDeviceCount() returns 0",
  ),
] satisfies Signature[];
