import { weights } from "../cause.ts";
import { fix } from "../fixes.ts";
import { notice, type Signature } from "../signature.ts";

const package_ =
  "(?:py)?torch|tensorflow|paddle(?:paddle)?|tensorrt|onnxruntime|jax|mxnet|cupy|cv2|opencv|numba|dali|ctranslate2|bitsandbytes|faiss|the (?:other )?extension|\\w{2,24}_(?:cuda|extension|ext)";

/** Two frameworks in one process, as people tell of them: alone each works, and their order decides. */
export default [
  {
    ...notice(
      "import-order-told",
      [
        "is imported",
        "import torch",
        "import tensorflow",
        "import paddle",
        "import tensorrt",
        "import jax",
        "importing",
        "imported",
        "torch",
      ],
      new RegExp(
        `\\bimport(?:s|ed|ing)?(?: of)? [\`'"]?(?<subject>${package_})[\`'"]? (?:is |was |comes |happens |it )?(?:imported )?(?:before|after|first)(?: (?:importing|import|i import|the import of))?(?: [\`'"]?(?<found>${package_}))?|[\`'"]?(?<name>${package_})[\`'"]? is imported (?:before|after|first)|\\bimport(?:s|ed|ing)? (?:both )?[\`'"]?(?<one>${package_})[\`'"]? (?:and|together with|along with|alongside|with) [\`'"]?(?<other>${package_})[\`'"]? (?:together|at the same time|in (?:the same|one)|both|crash|fail|cause|segfault|lead|give|result)|同时(?:import|使用|导入|调用) ?[\`'"]?(?<eins>${package_})[\`'"]?(?: ?(?:和|与|、|,) ?[\`'"]?(?:${package_}))|(?:${package_})[^\\n]{0,12}(?:和|与)(?:${package_})[^\\n]{0,6}同时`,
        "i",
      ),
      "Segmentation fault when tensorrt is imported before torch",
      "The error disappears when I import torch before importing torch_extension",
      "同时import paddle和torch报错找不到cudnn",
    ),
    means: {
      weight: weights.hint + 2,
      name: "the process",
      required: "one copy of each library of CUDA in the process",
      found: "those of two packages",
      unless: (facts) => facts.has("not-found") || facts.has("version-pair"),
      next: ["grep -E 'libcudnn|libcublas|libcudart|libomp|libprotobuf' /proc/PID/maps"],
      may: [
        {
          cause: "not-a-mismatch",
          name: "the order of imports",
          certainty: "likely",
          required: "PyTorch imported before what is compiled upon it",
          found: "the other order",
          when: (facts) => facts.has("undefined-symbol"),
          message: "the extension names no libtorch of its own: it finds its symbols only where PyTorch was imported before it",
          fixes: [fix("import torch first, in the first line of the program")],
        },
        {
          cause: "two-copies",
          certainty: "likely",
          when: (facts) => !facts.has("undefined-symbol"),
          message:
            "both packages bring libraries of one name (cuDNN, cuBLAS, OpenMP, protobuf), and whoever comes first decides which copy the other gets",
          fixes: [
            fix("import them in the order that works, or run them in two processes"),
            fix("or install both in releases for the same CUDA and cuDNN"),
          ],
        },
        { cause: "package-conflict", message: "or the two are built for releases that do not go together", fixes: [] },
        { cause: "library-shadowed", message: "so the copy of the one hides that of the other", fixes: [] },
      ],
    },
  },
] satisfies Signature[];
