import { errorNamed, errorNumbered } from "../../knowledge/error-codes.ts";
import type { ErrorCode } from "../../model/knowledge.ts";
import type { Draft } from "../fact.ts";
import type { Frame } from "../frame.ts";

// Names as the headers have them; pynvml writes its own, made of the same words.
const named =
  /(?<![\w"'/])(?:"|'|`)?(?<name>cudaError[A-Z]\w{3,60}|CUDA_ERROR_\w{3,60}|NVML_ERROR_\w{3,60}|CUPTI_ERROR_\w{3,60}|CUDNN_STATUS_\w{3,80}|(?:CUBLAS|CUSPARSE|CUSOLVER|CURAND)_STATUS_\w{3,60}|CUFFT_[A-Z]\w{3,40}|nccl(?:Unhandled|System|Internal|Invalid|Remote|InProgress)\w{0,20}|NVRTC_ERROR_\w{3,60}|NVJITLINK_ERROR_\w{3,60}|hipError[A-Z]\w{3,60})\b/gi;
const pynvml = /\bNVMLError_(?<name>[A-Z]\w{3,40})\b/;

/** Whose number it is, by the words around it; the first that fits. */
const owners: [enumeration: string, pattern: RegExp][] = [
  ["CUptiResult", /\bcupti/i],
  ["nvmlReturn_t", /\bnvml/i],
  ["cudnnStatus_t", /\bcudnn/i],
  ["cublasStatus_t", /\bcublas/i],
  ["cufftResult_t", /\bcufft/i],
  ["cusparseStatus_t", /\bcusparse/i],
  ["cusolverStatus_t", /\bcusolver/i],
  ["curandStatus_t", /\bcurand/i],
  ["ncclResult_t", /\bnccl/i],
  ["nvrtcResult", /\bnvrtc/i],
  ["nvJitLinkResult", /\bnvjitlink/i],
  ["nvinfer1::ErrorCode", /\btensorrt|\[TRT\]|\btrt\b/i],
  ["hipError_t", /\bhip(?:[A-Z]\w{2,40}|\b)/],
  ["CUresult", /\bcu(?:Init|Ctx|Module|Mem|Launch|Device|Stream|Event|Link|Driver|Func|Get)\w{0,40}|\bcuda driver api\b/i],
  ["cudaError_t", /\bcuda(?:[A-Z]\w{2,60}|\b)/i],
];

const numbered =
  /\b(?:error|err|errno|code|status|result|returned|returns|return(?: code| value)?|retval|failure|rc|exit)(?: code| number| no\.?| value| status| is| was)?[ =:#([<]{1,4}(?:code )?(?<code>\d{1,4})\b(?!\.\d|%| ?(?:GB|MB|KB|ms|s|GiB|MiB|of|\/))|(?<!\barch(?:itecture)? )\((?<bare>\d{1,4})\)/gi;
const failed =
  /\b(?:error|errors|err|fail(?:s|ed|ure)?|abort(?:ed)?|fatal|exception|unsuccessful|could not|cannot|unable|returned|status)\b/i;

// Somebody explains an error that may come, or code handles it.
const advised = /\b(?:if you (?:see|get|encounter)|in case of|except|catch|raise|return) /i;

/** An error by its name or number, in whatever sentence: what its own header calls it. */
export default {
  id: "failed-with-code",
  literals: [
    "cudaerror",
    "cuda_error_",
    "nvml",
    "cupti",
    "cudnn",
    "cublas",
    "cufft",
    "cusparse",
    "cusolver",
    "curand",
    "nccl",
    "nvrtc",
    "nvjitlink",
    "tensorrt",
    "hip",
    "cuda",
    "cuinit",
    "cumodule",
    "culink",
  ],
  examples: [
    "CUDA call failed with code 46 (cudaErrorDevicesUnavailable)",
    "backend: cusparseCreate failed: CUSPARSE_STATUS_NOT_INITIALIZED",
    "nvmlInit failed with status 9",
    "worker 3: cupti said error 35",
  ],
  read(text) {
    if (advised.test(text)) return [];
    const rows = new Map<string, ErrorCode>();
    for (const { groups } of [...text.matchAll(named)].slice(0, 8)) {
      const row = errorNamed(groups!["name"]!);
      if (row && row.code !== 0) rows.set(row.name, row);
    }
    const python = pynvml.exec(text)?.groups?.["name"];
    const nvml = python && errorNamed(`NVML_ERROR_${python.replace(/(?<=[a-z])(?=[A-Z])/g, "_")}`);
    if (nvml) rows.set(nvml.name, nvml);
    if (rows.size === 0 && failed.test(text)) {
      const row = numberIn(text);
      if (row) rows.set(row.name, row);
    }
    return [...rows.values()].flatMap(draftsOf);
  },
} satisfies Frame;

function numberIn(text: string): ErrorCode | undefined {
  const owner = owners.find(([, pattern]) => pattern.test(text))?.[0];
  if (owner === undefined) return undefined;
  for (const { groups } of [...text.matchAll(numbered)].slice(0, 6)) {
    const row = errorNumbered(owner, Number(groups!["code"] ?? groups!["bare"]));
    if (row && row.code !== 0) return row;
  }
  return undefined;
}

// What is reasoned about elsewhere keeps its form.
const reasoned = new Set([2, 34, 35, 36, 98, 100, 101, 200, 209, 218, 221, 222, 303, 802, 803, 804, 999]);

function draftsOf({ enum: enumeration, code, name, means = [] }: ErrorCode): Draft[] {
  if ((enumeration === "cudaError_t" || enumeration === "CUresult") && reasoned.has(code)) return [{ kind: "cuda-error", code }];
  const plain: Draft = { kind: "error-code", of: enumeration, code, name, means };
  if (enumeration === "CUptiResult") return [{ kind: "cupti-error", name: name.replace("CUPTI_ERROR_", "") }, plain];
  if (enumeration === "cudnnStatus_t") return [{ kind: "cudnn-status", status: name }, plain];
  if (enumeration === "cublasStatus_t") return [{ kind: "cublas-status", status: name }, plain];
  return [plain];
}
