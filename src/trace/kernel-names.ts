import { demangled } from "./demangle.ts";

const communication = /nccl|rccl|msccl|oneccl|nvshmem|all_?reduce|all_?gather|reduce_?scatter|all_?to_?all|cross_device_reduce|sendrecv/i;

/** Whether a kernel moves data between devices (NCCL, RCCL and their like). */
export const isCommunication = (name: string) => communication.test(name);

// Wrappers whose own name says nothing: what matters is what they are given.
const wrappers =
  /(?:elementwise_kernel|reduce_kernel|^Kernel2?$|device_kernel|EigenMetaKernel|multi_tensor_apply_kernel|DeviceKernel\w*|kernel_\w*template|^Kernel_?$)/;

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
  let head = "";
  let given = "";
  const text = name.replaceAll("(anonymous namespace)::", "").replaceAll("operator<", "operator less");
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at]!;
    if (letter === "<") {
      depth += 1;
      if (depth === 1) given = "";
      else given += letter;
    } else if (letter === ">" && 0 < depth && text[at - 1] !== "-") {
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
    words.find((word) => /_kernel_(?:cuda|impl)|_kernel$|Ops$|Op$|_op$/.test(word) && !/^(?:gpu_kernel|elementwise_kernel)/.test(word)) ??
    words.find(
      (word) =>
        /^[A-Z]\w{3,}/.test(word) &&
        !/^(?:TensorListMetadata|OffsetCalculator|TrivialOffsetCalculator|TensorMap|LoadWithoutCast|Memory)/.test(word),
    );
  return telling?.replace(/_kernel_(?:cuda|impl)$/, "");
}
