import { fix, whyLine } from "../fixes.ts";
import { weights } from "../cause.ts";
import { ownMatter, libcuda } from "../meaning.ts";
import { noise, notice, type Signature } from "../signature.ts";

// NCCL says that a CUDA call failed, and which one only when asked.
const sayCall = "run it again with NCCL_DEBUG=INFO set: NCCL then says which call failed";

/** NCCL: src/init.cc, dev_runtime.cc, plugin/net.cc, misc/ibvwrap.cc; and PyTorch's ProcessGroupNCCL, which repeats its words. */
export default [
  {
    ...notice(
      "nccl-cuda-error",
      ["unhandled cuda error", "ncclunhandledcudaerror"],
      /unhandled cuda error|ncclUnhandledCudaError/,
      "RuntimeError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:47, unhandled cuda error, NCCL version 21.0.3",
    ),
    means: {
      symptom: "a CUDA call of NCCL failed",
      name: "libnccl.so.2",
      library: "nccl",
      unless: (facts) => facts.has("cuda-error") || 0 < facts.notices("nccl-mixed").length,
      about: (_facts, context) => ({ next: [sayCall, whyLine("libnccl.so.2", context)] }),
      may: [
        {
          cause: "library-wrong-version",
          message: "NCCL is built for another CUDA, or is older than the program",
          fixes: [fix("install the NCCL of this CUDA")],
        },
        { cause: "not-a-mismatch", name: "GPU memory", message: "or the GPU has no memory left, or a rank uses a GPU of another" },
        { ...libcuda, cause: "driver-too-old", message: "or the driver is older than NCCL needs" },
        { cause: "arch-unsupported", name: "the GPU", message: "or the build holds no code for this GPU" },
      ],
    },
  },
  {
    // NCCL 2.18 calls every fault of the network an internal one (NVIDIA/nccl issue 1092).
    ...notice(
      "nccl-internal-error",
      ["please report this issue to the nccl developers", "ncclinternalerror"],
      /internal error - please report this issue to the NCCL developers(?:[^\n]{0,10}NCCL version (?<found>\d{1,2}\.\d{1,2}(?:\.\d{1,2})?))?|ncclInternalError: Internal check failed/,
      "torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1333, internal error - please report this issue to the NCCL developers, NCCL version 2.18.1",
      "ncclInternalError: Internal check failed.",
    ),
    means: {
      symptom: "NCCL failed within, and does not say where",
      name: "NCCL",
      unless: (facts) => 0 < facts.notices("nccl-mixed", "nccl-system-error", "nccl-cuda-error").length || facts.has("cuda-error"),
      next: ["run it again with NCCL_DEBUG=WARN set: the line before the error says what failed"],
      may: [
        {
          cause: "not-a-mismatch",
          message: (_facts, _context, all) =>
            `most often the network or the way between the GPUs${all.some(({ found = "" }) => found.startsWith("2.18.")) ? "; NCCL 2.18 calls all such faults internal errors" : ""}`,
          fixes: [
            fix("name the network that reaches the other ranks; these are its interfaces:", "ip -brief address"),
            fix("see whether the way from GPU to GPU is at fault", "export NCCL_P2P_DISABLE=1"),
          ],
        },
        {
          cause: "library-wrong-version",
          name: "libnccl.so.2",
          library: "nccl",
          message: "or another NCCL is loaded than the framework was built with, or a plugin of another release",
        },
        { cause: "upstream-bug", message: "or a defect of this NCCL" },
      ],
    },
  },
  {
    ...notice(
      "nccl-system-error",
      ["unhandled system error", "ncclsystemerror"],
      /unhandled system error|ncclSystemError: System call/,
      "torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:1691, unhandled system error (run with NCCL_DEBUG=INFO for details), NCCL version 2.19.3",
    ),
    means: ownMatter(
      "NCCL",
      "a system call of NCCL failed: the network, shared memory or a limit, and no matter of versions",
      "run with NCCL_DEBUG=INFO; name the network with NCCL_SOCKET_IFNAME; give a container more shared memory (`--shm-size=8g`)",
    ),
  },
  notice(
    // misc/socket.cc, include/socket.h.
    "nccl-system-error",
    "nccl warn",
    /NCCL WARN (?:Net|NET\/Socket|Bootstrap|socket\w{3,30}|Connect to|Call to (?:connect|recv|send|accept|bind)|Connection closed)\b[^\n]{0,160}(?:failed|timed out|refused|closed|reset|no socket interface found)/i,
    "node:100:200 [0] misc/socket.cc:480 NCCL WARN socketStartConnect: Connect to 10.0.0.1<38007> failed : Connection refused",
    "node:100:200 [0] NCCL WARN Bootstrap : no socket interface found",
  ),
  {
    literals: ["application was compiled with nccl version"],
    pattern:
      /This application was compiled with NCCL version (?<required>\d{1,2}\.[\d.]{1,8}\d), but is running with NCCL library version (?<found>\d{1,2}\.[\d.]{1,8}\d)/,
    examples: [
      "NCCL WARN NCCL library is too old. This application was compiled with NCCL version 2.29.2, but is running with NCCL library version 2.27.5.",
    ],
    facts: ({ required, found }) => ({ kind: "version-pair", library: "nccl", required: required!, found: found!, by: "the program" }),
  },
  {
    ...notice(
      "nccl-mixed",
      "mismatched nccl version detected",
      /Mismatched NCCL version detected : rank \d{1,6} version (?<required>\d{4,6}) rank \d{1,6} version (?<found>\d{4,6})/,
      "NCCL WARN Mismatched NCCL version detected : rank 0 version 21803 rank 1 version 21903",
    ),
    means: {
      weight: weights.said,
      name: "libnccl.so.2",
      library: "nccl",
      about: (_facts, context, [fact]) => ({
        required: `one NCCL on all ranks (${fact!.required})`,
        found: fact!.found!,
        next: [sayCall, whyLine("libnccl.so.2", context)],
      }),
      may: [
        {
          cause: "library-wrong-version",
          certainty: "certain",
          message: "the ranks run different releases of NCCL",
          fixes: [fix("install the same packages on all nodes")],
        },
      ],
    },
  },
  noise(
    "NCCL looks for plugins that hardly anyone has, and goes on without",
    ["libnccl-", "failed to open libibverbs", "failed to open libmlx5"],
    /(?:NET|TUNER|PROFILER|ENV|GIN|RMA)\/Plugin ?: [^\n]{0,160}libnccl-|Failed to open lib(?:ibverbs|mlx5)\.so/,
    "NCCL INFO NET/Plugin : dlerror=libnccl-net.so: cannot open shared object file: No such file or directory No plugin found (libnccl-net.so), using internal implementation",
    "NCCL INFO Failed to open libibverbs.so[.1]",
  ),
  {
    // torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp.
    ...notice(
      "nccl-watchdog",
      "watchdog caught collective operation timeout",
      /Watchdog caught collective operation timeout/,
      "[Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=5, OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600123 milliseconds before timing out.",
    ),
    means: ownMatter(
      "NCCL",
      "a rank waited in vain for the others: one of them died, is slower than the time that is allowed, or goes another way through the program",
      "look at the other ranks' logs for what ended one of them; `TORCH_DISTRIBUTED_DEBUG=DETAIL` names collectives that differ",
    ),
  },
] satisfies Signature[];
