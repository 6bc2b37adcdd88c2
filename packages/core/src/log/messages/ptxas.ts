import { architecture, smOf } from "../../knowledge/toolkits.ts";
import { fix, ptxasLine } from "../fixes.ts";
import { weights } from "../cause.ts";
import type { Signature } from "../signature.ts";

/** ptxas, whoever calls it; nvcc refuses an architecture in the same words. */
export default [
  {
    literals: ["is not defined for option"],
    // Triton brings a second ptxas under another name.
    pattern:
      /(?<tool>ptxas|nvcc)(?:-\w{2,20})? fatal {0,4}: Value '(?<architecture>(?:compute|sm)_\w{2,5})' is not defined for option 'gpu-(?:name|architecture|code)'/,
    examples: [
      "ptxas fatal   : Value 'sm_120a' is not defined for option 'gpu-name'",
      "ptxas-blackwell fatal   : Value 'sm_110a' is not defined for option 'gpu-name'",
      "nvcc fatal   : Value 'sm_86' is not defined for option 'gpu-architecture'",
    ],
    facts: ({ tool, architecture }) => ({ kind: "arch-refused", tool: tool === "nvcc" ? "nvcc" : "ptxas", architecture: architecture! }),
  },
  {
    // What ptxas said is often lost; that it was called, for which GPU, and gave up is left.
    literals: ["returned non-zero exit status 255"],
    pattern: /\/ptxas(?:-\w{2,20})?'[^\n]{0,120}--gpu-name=(?<subject>sm_\w{2,5})'[^\n]{0,400}returned non-zero exit status 255/,
    examples: [
      "subprocess.CalledProcessError: Command '['/opt/venv/triton/backends/nvidia/bin/ptxas', '-lineinfo', '-v', '--gpu-name=sm_120', '/tmp/a.ptx', '-o', '/tmp/a.ptx.o']' returned non-zero exit status 255.",
    ],
    facts: ({ subject }) => ({ kind: "notice", id: "ptxas-gave-up", subject: subject! }),
    notice: "ptxas-gave-up",
    means: {
      weight: weights.failed,
      name: "ptxas",
      unless: (facts) => facts.has("arch-refused") || facts.has("ptx-version"),
      about: (_facts, _context, [fact]) => {
        const known = architecture(smOf(fact!.subject!) ?? "");
        return {
          evidence: [fact!],
          required: known ? `CUDA ${known.first} or newer (for ${fact!.subject})` : `a ptxas that knows ${fact!.subject}`,
        };
      },
      next: ["run the command again alone: its own words say what it does not know", "which -a ptxas; echo $TRITON_PTXAS_PATH"],
      may: [
        {
          cause: "toolkit-too-old",
          message: (_facts, _context, [fact]) =>
            `ptxas gave up on code for ${fact!.subject}: the ptxas that ran may be older than this GPU`,
          fixes: (_facts, _context, [fact]) => {
            const known = architecture(smOf(fact!.subject!) ?? "");
            return [
              fix("install a newer Triton and the PyTorch that goes with it", "pip install --upgrade torch triton"),
              ...(known ? [fix("or name a newer ptxas, where that toolkit is installed", ptxasLine(known.first))] : []),
            ];
          },
        },
      ],
    },
  },
  {
    // Whoever wrote the PTX took an older release of it than the GPU came with.
    literals: ["does not support .target"],
    pattern: /PTX \.version (?<found>\d{1,2}\.\d) does not support \.target (?<subject>sm_\w{2,5})/,
    examples: ["ptxas /tmp/a.ptx, line 6; error   : PTX .version 8.4 does not support .target sm_120a"],
    facts: ({ subject, found }) => ({ kind: "notice", id: "ptx-below-target", subject: subject!, found: found! }),
    notice: "ptx-below-target",
    means: {
      weight: weights.said,
      name: "triton",
      about: (_facts, _context, [fact]) => {
        const known = architecture(smOf(fact!.subject!) ?? "");
        return {
          evidence: [fact!],
          required: known ? `PTX of CUDA ${known.first} or newer, for ${fact!.subject}` : `PTX that knows ${fact!.subject}`,
          found: `PTX ${fact!.found}`,
        };
      },
      next: ["pip list | grep -i 'torch\\|triton'", "echo $TRITON_PTXAS_PATH"],
      may: [
        {
          cause: "arch-unsupported",
          certainty: "likely",
          message: (_facts, _context, [fact]) =>
            `what wrote the code, mostly Triton, took PTX ${fact!.found}, which has no ${fact!.subject}: it is older than the GPU, and ptxas itself is not`,
          fixes: [fix("install the PyTorch for this GPU, and the Triton that comes with it", "pip install --upgrade torch triton")],
        },
        { cause: "upstream-bug", message: "or a build of it was put together with another Triton than its release asks for", fixes: [] },
        { cause: "toolkit-too-old", message: "or TRITON_PTXAS_PATH names a ptxas from whose release it takes the PTX's", fixes: [] },
      ],
    },
  },
  {
    literals: ["unsupported .version"],
    // A compiler names the file; the linker within the driver, or nvJitLink, has none and says "application ptx input".
    pattern:
      /(?:(?<linker>application ptx input), line \d{1,6}; fatal {0,4}: )?Unsupported \.version (?<wanted>\d{1,2}\.\d{1,2}); current version is '(?<known>\d{1,2}\.\d{1,2})'/,
    examples: [
      "ptxas add_kernel.ptx, line 5; fatal   : Unsupported .version 8.4; current version is '7.8'",
      "ptxas application ptx input, line 9; fatal   : Unsupported .version 8.1; current version is '8.0'",
    ],
    facts: ({ linker, wanted, known }) => ({
      kind: "ptx-version",
      wanted: wanted!,
      known: known!,
      ...(linker === undefined ? {} : { linker: true as const }),
    }),
  },
] satisfies Signature[];
