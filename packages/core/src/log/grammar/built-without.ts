import type { Frame } from "../frame.ts";

const made = "(?:compiled|built|configured|linked|installed)";
const gpu = "(?:CUDA|GPU|NVIDIA|cuBLAS|ROCm|HIP)";

/** A build without its part for GPUs, in the ways in which programs say it. */
const said = [
  `(?:\\bnot|n't) (?:been )?${made} (?:with|for|against) (?:[\\w-]{2,16} ){0,2}${gpu}\\b`,
  `\\b${made} without (?:[\\w-]{2,16} ){0,2}${gpu}\\b`,
  `\\b${gpu}\\b(?: [\\w-]{2,16}){0,3} (?:was|is|were|are) not (?:enabled|included|compiled in(?:to)?|built in(?:to)?)(?: in)? (?:this|the) (?:build|binary|version|package|release|wheel)\\b`,
  `\\b${gpu} support (?:is |was )?(?:not (?:enabled|compiled|built|included)|disabled at (?:build|compile))\\b`,
  // Apex and others, whose parts for the GPU are an option of their build.
  `\\b(?:requires?|needs?) (?:the )?(?:cuda|c\\+\\+) extensions?\\b`,
  `\\binstalled without (?:--[\\w-]{2,20} ){0,3}--?cuda[_-]ext\\b`,
  // "Device API cuda is not enabled. Please install the cuda version of dgl."
  `\\bdevice API (?:cuda|gpu|rocm) is not enabled\\b`,
  `\\b(?:please )?(?:install|use|download|need) (?:the |a )?(?:CUDA|GPU)(?:[- ]enabled)? (?:version|build|edition|variant) of (?<package>[A-Za-z][\\w-]{1,40})\\b`,
  // MMCV and others register their operators for each device.
  `\\bimplementation for device cuda(?::\\d{1,2})? (?:is |was )?not found\\b`,
].map((source) => new RegExp(source, "i"));

// What is weighed, offered or told of others' code.
const weighed =
  /\b(?:if|when|unless|whether|where|in case|even|either|or|to be|can be|could be|may be|might be|should be|must be|no-op)\b[^.!;]{0,90}$/i;

// Whose build it is, where the sentence names it.
function subjectIn(text: string): { subject?: string } {
  const named = /\b(?:CUDA|GPU)(?:[- ]enabled)? (?:version|build|edition|variant) of (?<package>[A-Za-z][\w-]{1,40})\b/i.exec(text)
    ?.groups?.["package"];
  return named === undefined || /^(?:the|this|your|it|our|that)$/i.test(named) ? {} : { subject: named };
}

/** A program says that it has no part for GPUs: X was not compiled with CUDA, built without GPU support, GPU support is not enabled in this build. */
export default {
  id: "built-without",
  literals: ["cuda", "gpu", "nvidia", "cublas", "rocm", "hip"],
  examples: [
    "the solver was not compiled with CUDA",
    "Error: this binary was built without GPU support.",
    "the CUDA kernels are not included in this build",
    "GPU support not compiled in",
    "Check failed: allow_missing: Device API cuda is not enabled. Please install the cuda version of dgl.",
    "xgboost.core.XGBoostError: XGBoost version not compiled with GPU support: was built without CUDA",
    "RuntimeError: foo.optimizers.FusedAdam requires cuda extensions",
    "[LightGBM] [Fatal] CUDA Tree Learner was not enabled in this build.",
  ],
  read(text) {
    const match = said.map((pattern) => pattern.exec(text)).find((each) => each !== null);
    return !match || weighed.test(text.slice(0, match.index)) ? [] : [{ kind: "notice", id: "built-without-cuda", ...subjectIn(text) }];
  },
} satisfies Frame;
