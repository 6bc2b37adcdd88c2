import { errorNamed, errorNumbered } from "../../knowledge/error-codes.ts";
import type { ErrorCode } from "../../model/knowledge.ts";
import type { Draft } from "../fact.ts";
import type { Frame } from "../frame.ts";

// Names as the headers have them; pynvml writes its own, made of the same words.
const named =
  /(?<![\w"'/])(?:"|'|`)?(?<name>cudaError[A-Z]\w{3,60}|CUDA_ERROR_\w{3,60}|NVML_ERROR_\w{3,60}|CUPTI_ERROR_\w{3,60}|CUDNN_STATUS_\w{3,80}|(?:CUBLAS|CUSPARSE|CUSOLVER|CURAND)_STATUS_\w{3,60}|CUFFT_[A-Z]\w{3,40}|nccl(?:Unhandled|System|Internal|Invalid|Remote|InProgress)\w{0,20}|NVRTC_ERROR_\w{3,60}|NVJITLINK_ERROR_\w{3,60}|hipError[A-Z]\w{3,60})\b/gi;
const pynvml = /\bNVMLError_(?<name>[A-Z]\w{3,40})\b/;

// Go and Julia print the names without the library's own prefix.
const bare = /(?<![\w])ERROR_(?<name>[A-Z]{3,20}(?:_[A-Z]{2,20}){0,5})\b/;

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
  // No other table has these three, and people quote them without a word of whose they are.
  ["cudaError_t", /\berror:? 80[2-4]\b/i],
  // A file, a job or a program may be called after CUDA as well.
  [
    "cudaError_t",
    /\bcuda(?:Get|Set|Mem|Malloc|Free|Launch|Stream|Event|Device|Host|Graph|Func|Peek|Runtime|Ipc|Thread|Array|Create|Destroy|Import|External|Driver|Bind|Occupancy|Profiler|Pointer|Choose|Init)\w{0,40}|(?<![\w./-])cuda(?![\w./-])/i,
  ],
];

const numbered =
  /\b(?:error|err|errno|code|status|result|returned|returns|return(?: code| value)?|retval|failure|rc)(?: code| number| no\.?| value| status| is| was)?[ =:#([<]{1,4}(?:code )?(?<code>\d{1,4})\b(?!\.\d|%| ?(?:GB|MB|KB|ms|s|GiB|MiB|of|\/))|(?<!\barch(?:itecture)? )\((?<bare>\d{1,4})\)/gi;
// "cuInit failed: 803", "nvmlInit_v2() failed (9)": the number behind a call.
const behindCall =
  /\b(?:cu|cuda|nvml|cupti|hip|cudnn|cublas|nccl|nvrtc)[A-Z]\w{2,50}(?:\(\d?\))? (?:failed|returned|returns|gave|gives)[ :=(]{1,3}(?<code>\d{1,4})\b(?![.%])/;
// "cuptiSubscribe -> 39", "rc=222 from cuModuleLoadData": what a call gave, where it does not ask for a number.
const calls = "(?:cu|cuda|nvml|cupti|hip|cudnn|cublas|cufft|curand|cusparse|cusolver|nccl|nvrtc|nvJitLink)[A-Z]\\w{2,50}(?:\\(\\d?\\))?";
const asks = /\b\w{2,12}(?:Get|Query|Enumerate)\w{0,40}|\bcu\w{0,40}(?:Version|Count|Size|Num)\b/;
const ofCall = [
  new RegExp(
    `\\b${calls} ?(?:->|=>|==?|:|status[ =:]{1,2}|rc[ =:]{1,2}) ?(?<code>\\d{1,4})\\b(?![.%]|\\s?(?:ms|us|s|MB|GB|bytes|times|x)\\b)`,
  ),
  new RegExp(`\\b(?:rc|ret|err|status|result)[ =:]{1,3}(?<code>\\d{1,4})\\b(?![.%])[^\\n]{0,12}\\b(?:from|of|in|at|by) ${calls}`),
  new RegExp(`\\b${calls} (?:(?:has )?failed with|returns|gave|gives) (?<code>\\d{1,4})\\b(?![.%])`),
];
const failed =
  /\b(?:error|errors|err|fail(?:s|ed|ure)?|abort(?:ed)?|fatal|exception|unsuccessful|could not|cannot|unable|returned|status)\b/i;

// How a process ended, and make's word for it: no number of CUDA's.
const ended =
  /\b(?:exit(?:ed|s)?|exitcode|ProcessExited|signal)\b(?: with| on)?(?: code| status| value| signal)?[ =:#(]{0,3}-?\d{1,5}\)?(?: ?\[\d{1,5}\])?|\*\*\* \[[^\]]{0,200}\] Error \d{1,3}/gi;

// `kernels.cu(44)`, `main.cpp:42`: a line of a source, and no number of an error.
const place = /[\w./\\-]{1,200}\.(?:cuh?|c|cc|cpp|cxx|h|hpp|inl|rs|go|py|jl)["']?(?:\(\d{1,6}\)|:\d{1,6}|, line \d{1,6})/gi;

// Somebody explains an error that may come, or code handles it.
const advised = /\b(?:if you (?:see|get|encounter)|in case of|except|catch|raise|return) /i;

/** An error by its name or number, in whatever sentence: what its own header calls it. */
export default {
  id: "failed-with-code",
  literals: [
    "cudaerror",
    "error_",
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
    "error 80",
    "error: 80",
  ],
  examples: [
    "CUDA call failed with code 46 (cudaErrorDevicesUnavailable)",
    "backend: cusparseCreate failed: CUSPARSE_STATUS_NOT_INITIALIZED",
    "nvmlInit failed with status 9",
    "worker 3: cupti said error 35",
    "after that the container ends with Error 804",
    "platform detection failed: ERROR_LIBRARY_NOT_FOUND",
    "tracer: cuptiSubscribe -> 39",
    "rc=222 from cuModuleLoadData",
  ],
  read(text) {
    if (advised.test(text)) return [];
    const rows = new Map<string, ErrorCode>();
    for (const { groups } of [...text.matchAll(named)].slice(0, 8)) {
      const row = errorNamed(groups!["name"]!);
      if (row && row.code !== 0) rows.set(row.name, row);
    }
    const short = rows.size === 0 ? bare.exec(text)?.groups?.["name"] : undefined;
    const full = short === undefined ? undefined : (errorNamed(`NVML_ERROR_${short}`) ?? errorNamed(`CUDA_ERROR_${short}`));
    if (full) rows.set(full.name, full);
    const python = pynvml.exec(text)?.groups?.["name"];
    const nvml = python && errorNamed(`NVML_ERROR_${python.replace(/(?<=[a-z])(?=[A-Z])/g, "_")}`);
    if (nvml) rows.set(nvml.name, nvml);
    if (rows.size === 0) {
      const row = (failed.test(text) ? numberIn(text) : undefined) ?? numberOfCall(text);
      if (row) rows.set(row.name, row);
    }
    return [...rows.values()].flatMap(codeDrafts);
  },
} satisfies Frame;

function numberOfCall(text: string): ErrorCode | undefined {
  const owner = asks.test(text) ? undefined : owners.find(([, pattern]) => pattern.test(text))?.[0];
  const code = owner === undefined ? undefined : ofCall.map((pattern) => pattern.exec(text)?.groups?.["code"]).find((each) => each);
  const row = code === undefined ? undefined : errorNumbered(owner!, Number(code));
  return row && row.code !== 0 ? row : undefined;
}

function numberIn(text: string): ErrorCode | undefined {
  const owner = owners.find(([, pattern]) => pattern.test(text))?.[0];
  if (owner === undefined) return undefined;
  const told = text.replaceAll(ended, "").replaceAll(place, "");
  const call = behindCall.exec(told);
  for (const { groups } of [...(call ? [call] : []), ...told.matchAll(numbered)].slice(0, 6)) {
    const row = errorNumbered(owner, Number(groups!["code"] ?? groups!["bare"]));
    if (row && row.code !== 0) return row;
  }
  return undefined;
}

// What is reasoned about elsewhere keeps its form.
const reasoned = new Set([2, 34, 35, 36, 98, 100, 101, 200, 209, 218, 221, 222, 303, 802, 803, 804, 999]);

/** What an error of a table is, for those who reason about it. */
export function codeDrafts({ enum: enumeration, code, name, means = [] }: ErrorCode): Draft[] {
  if ((enumeration === "cudaError_t" || enumeration === "CUresult") && reasoned.has(code)) return [{ kind: "cuda-error", code }];
  // No device, and no code for the device that is there.
  if (enumeration === "hipError_t" && (code === 100 || code === 209))
    return [code === 100 ? { kind: "notice", id: "no-gpu-seen", subject: "hip" } : { kind: "notice", id: "hip-no-code" }];
  const plain: Draft = { kind: "error-code", of: enumeration, code, name, means };
  if (enumeration === "CUptiResult") return [{ kind: "cupti-error", name: name.replace("CUPTI_ERROR_", "") }, plain];
  if (enumeration === "cudnnStatus_t") return [{ kind: "cudnn-status", status: name }, plain];
  if (enumeration === "cublasStatus_t") return [{ kind: "cublas-status", status: name }, plain];
  return [plain];
}
