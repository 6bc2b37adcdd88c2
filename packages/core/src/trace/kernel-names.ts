import { demangled } from "../lib/demangle.ts";

const communication = /nccl|rccl|msccl|oneccl|nvshmem|all_?reduce|all_?gather|reduce_?scatter|all_?to_?all|cross_device_reduce|sendrecv/i;

/** Whether a kernel moves data between devices (NCCL, RCCL and their like). */
export const isCommunication = (name: string) => communication.test(name);

/** What kernels of communication do, as people call it. */
export const collectives = [
  "all-reduce",
  "all-gather",
  "reduce-scatter",
  "all-to-all",
  "broadcast",
  "send and receive",
  "collectives that the kernel's name does not tell",
];
const untold = collectives.at(-1)!;

/** Which of them a kernel of this name is. */
export function collectiveOf(name: string): string {
  if (/all_?reduce|cross_device_reduce/i.test(name)) return "all-reduce";
  if (/reduce_?scatter/i.test(name)) return "reduce-scatter";
  if (/all_?gather/i.test(name)) return "all-gather";
  if (/all_?to_?all/i.test(name)) return "all-to-all";
  if (/broadcast/i.test(name)) return "broadcast";
  return /send|recv/i.test(name) ? "send and receive" : untold;
}

/** Whether a kernel communicates and its name does not say how (`ncclDevKernel_Generic`, and all of RCCL's). */
export const isUntoldCollective = (name: string) => isCommunication(name) && collectiveOf(name) === untold;

/**
 * Whether a kernel is a product or a convolution in float32 that the cores for all arithmetic compute, and not tensor cores. Told by the names
 * that cuBLAS, cuDNN and CUTLASS give to their kernels; on an H200 those named here ran at 27 to 51 TFLOP/s, and those of TF32 at 247 to 402.
 */
export const isWithoutTensorCores = (name: string) =>
  /xmma_\w{1,200}_f32f32_f32f32_f32_\w{1,200}ffma|cutlass_\d{2,3}_simt_s|(?:maxwell|pascal|volta|turing|ampere)_s(?:gemm|cudnn)_|(?:im|ex)plicit_convolve_sgemm/.test(
    name,
  );

/** Whether it is a convolution; else it is a product. */
export const isConvolution = (name: string) => /fprop|dgrad|wgrad|scudnn|convolve/i.test(name);

// Wrappers whose own name says nothing: what matters is what they are given.
const wrappers =
  /^(?:\w*elementwise_kernel\w*|reduce_kernel|Kernel2?|device_kernel|EigenMetaKernel|multi_tensor_apply_kernel|DeviceKernel\w*)$/;

/**
 * A kernel's name as one reads it: no return type, no parameters, no template arguments; of a wrapper, what it wraps:
 * `void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, …>(int, …)` is
 * `vectorized_elementwise_kernel<FillFunctor>`.
 */
export function shortName(name: string): string {
  const plain = demangled(name)
    .replace(/^void\s+/, "")
    .replace(/\.kd$/, "")
    .trim();
  const { head, given } = parts(plain);
  const own = lastPart(head);
  if (!wrappers.test(own)) return own === "" ? name : own;
  const inner = tellingArgument(given);
  return inner === undefined ? own : `${own}<${inner}>`;
}

// The name before the parameters, and its last template arguments.
function parts(name: string): { head: string; given: string } {
  let depth = 0;
  // Within parentheses < and > may be comparisons: `enable_if<(width > 0)>`.
  let parentheses = 0;
  let head = "";
  let given = "";
  for (const letter of name.replaceAll("(anonymous namespace)::", "")) {
    if (0 < depth) {
      if (letter === "(") parentheses += 1;
      else if (letter === ")") parentheses -= 1;
    }
    if (letter === "<" && parentheses === 0) {
      depth += 1;
      if (depth === 1) given = "";
      else given += letter;
    } else if (letter === ">" && 0 < depth && parentheses === 0) {
      depth -= 1;
      if (0 < depth) given += letter;
    } else if (0 < depth) given += letter;
    else if (letter === "(" && head !== "") break;
    else head += letter;
  }
  return { head, given };
}

// `a::b::c` is c; a return type before it goes.
function lastPart(head: string): string {
  const words = head.trim().split(/\s+/);
  const scopes = (words.at(-1) ?? "").split("::").filter((scope) => scope !== "");
  return scopes.at(-1) ?? "";
}

// Of the arguments, the first that names what is done: a functor, an operation, a CUTLASS configuration.
function tellingArgument(given: string): string | undefined {
  const words = given.match(/[A-Za-z_]\w*/g) ?? [];
  const telling =
    words.find((word) => /^cutlass_?\d|^cutlass\w*(?:gemm|conv|fprop|dgrad|wgrad)/.test(word)) ??
    words.find((word) => /(?:Functor|functor)(?:_\w+)?$|^CUDAFunctor/.test(word)) ??
    words.find((word) => /^scalar_\w+_op$/.test(word)) ??
    words.find((word) => /^(?:Implicit)?(?:Gemm|Conv)\w{3,}|Wgrad|Dgrad|Fprop/.test(word)) ??
    words.find((word) => /_kernel_(?:cuda|impl)|_kernel$|Ops$|Op$|_op$/.test(word) && !/^(?:gpu_kernel|elementwise_kernel)/.test(word)) ??
    words.find(
      (word) =>
        /^[A-Z]\w{3,}/.test(word) &&
        !/^(?:TensorListMetadata|OffsetCalculator|TrivialOffsetCalculator|TensorMap|LoadWithoutCast|Memory)/.test(word),
    );
  return telling?.replace(/_kernel_(?:cuda|impl)$/, "");
}
