import { weights, type Problem } from "../cause.ts";
import type { Facts } from "../fact.ts";
import { fix } from "../fixes.ts";

/** A tool beside the CUDA compiler is called and is not there. */
const tools: { [tool: string]: { brings: string; next: string; way: ReturnType<typeof fix> } } = {
  "cl.exe": {
    brings: "Visual Studio's C++ compiler, which nvcc calls on Windows",
    next: "where cl",
    way: fix(
      'install "Desktop development with C++" of Visual Studio or its Build Tools, in a release that this CUDA supports, and start from its "x64 Native Tools" prompt',
    ),
  },
  hipcc: {
    brings: "the compiler of AMD's ROCm",
    next: "ls -d /opt/rocm*",
    way: fix("put ROCm's tools on PATH", "export PATH=/opt/rocm/bin:$PATH"),
  },
  rocminfo: {
    brings: "a tool of AMD's ROCm",
    next: "ls -d /opt/rocm*",
    way: fix("install ROCm as AMD's guide says, or put its tools on PATH", "export PATH=/opt/rocm/bin:$PATH"),
  },
  "nvidia-smi": {
    brings: "a tool of NVIDIA's driver",
    next: "ls -l /dev/nvidia*",
    way: fix("install the NVIDIA driver; in a container it comes from the host"),
  },
  nsys: {
    brings: "Nsight Systems",
    next: "ls -d /usr/local/cuda*/bin",
    way: fix("put the folder of Nsight Systems on PATH; it comes with the CUDA toolkit or by itself"),
  },
  ncu: {
    brings: "Nsight Compute",
    next: "ls -d /usr/local/cuda*/bin",
    way: fix("put the folder of Nsight Compute on PATH; it comes with the CUDA toolkit or by itself"),
  },
};

export default function toolMissing(facts: Facts): Problem[] {
  const [fact] = facts.notices("tool-missing");
  const tool = fact?.subject === undefined ? undefined : tools[fact.subject];
  if (!fact || !tool) return [];
  return [
    {
      weight: weights.failed,
      suspects: [
        {
          // Where the driver's own tool is not there, the driver is not there either.
          cause: fact.subject === "nvidia-smi" ? "driver-not-exposed" : "library-missing",
          name: fact.subject!,
          certainty: "possible",
          required: `\`${fact.subject}\` on PATH`,
          message: `\`${fact.subject}\` is not found: ${tool.brings}`,
          evidence: [fact],
          next: [tool.next],
          fixes: [tool.way],
        },
      ],
    },
  ];
}
