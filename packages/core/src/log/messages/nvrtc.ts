import { architecture } from "../../knowledge/toolkits.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix, whyLine, withFolderOf } from "../fixes.ts";
import { weights } from "../cause.ts";
import { notice, type Signature } from "../signature.ts";

const nvrtcOfToolkit = [fix("let the program find the NVRTC of the toolkit that it was built with")];

// The program tells for which architecture it asked.
function askedOf(facts: Facts) {
  const asked = facts.notices("nvrtc-architecture")[0];
  return { asked, known: asked && architecture(asked.subject!) };
}

function builtinsOf({ subject = "libnvrtc-builtins.so*" }: Fact<"notice">) {
  const isDll = subject.endsWith(".dll");
  const digits = isDll ? /_(\d{2})(\d)/.exec(subject) : undefined;
  const release = digits ? `${digits[1]}.${digits[2]}` : /(\d{1,2}\.\d{1,2})$/.exec(subject)?.[1];
  return { name: subject, release, isDll };
}

/** NVRTC. */
export default [
  {
    literals: ["invalid value for --gpu-architecture"],
    pattern: /nvrtc: error: invalid value for --gpu-architecture \(-arch\)/,
    examples: ["RuntimeError: nvrtc: error: invalid value for --gpu-architecture (-arch)"],
    facts: () => ({ kind: "arch-refused", tool: "nvrtc" }),
  },
  {
    ...notice(
      "nvrtc-builtins",
      ["libnvrtc-builtins", "nvrtc-builtins64"],
      /(?:failed|unable|could not|couldn't|cannot)(?: to)? (?:open|load|find|locate)(?: library)? ['"`]?(?<subject>libnvrtc-builtins\.so\.\d{1,2}\.\d{1,2}|nvrtc-builtins64_\d{2,4}\.dll)/i,
      "nvrtc: error: failed to open libnvrtc-builtins.so.12.1. Make sure that libnvrtc-builtins.so.12.1 is installed correctly.",
      "nvrtc: error: failed to open nvrtc-builtins64_118.dll.",
    ),
    means: {
      weight: weights.refused,
      symptom: (_facts, _context, [fact]) => `NVRTC does not find \`${fact!.subject}\``,
      library: "nvrtc",
      about: (_facts, context, [fact]) => {
        const name = fact!.subject!;
        return {
          name,
          required: name,
          evidence: [fact!],
          next: name.endsWith(".dll") ? [`where ${name}`] : [whyLine("libnvrtc", context), "echo $LD_LIBRARY_PATH"],
        };
      },
      may: [
        {
          cause: "library-not-on-path",
          message: (_facts, _context, [fact]) => `NVRTC opens \`${fact!.subject}\` by name, and its folder is not searched`,
          fixes: (_facts, _context, [fact]) => {
            const { name, release, isDll } = builtinsOf(fact!);
            return isDll
              ? [
                  fix(
                    `put the \`bin\` folder of ${release === undefined ? "the toolkit" : `CUDA ${release}`}, where \`${name}\` is, on PATH`,
                  ),
                ]
              : [withFolderOf(name)];
          },
        },
        {
          cause: "library-missing",
          message: "or it is not installed beside NVRTC",
          fixes: (_facts, _context, [fact]) => {
            const { release, isDll } = builtinsOf(fact!);
            if (isDll) return [fix(`install CUDA ${release ?? "of this release"} as a whole`)];
            const line =
              release === undefined
                ? "pip install --force-reinstall nvidia-cuda-nvrtc-cu12"
                : `pip install "nvidia-cuda-nvrtc-cu${release.split(".")[0]}==${release}.*"`;
            return [fix("install NVRTC of the same release", line)];
          },
        },
        { cause: "library-wrong-version", message: "or NVRTC and its built-ins are of different releases" },
      ],
    },
  },
  {
    // NVRTC does not say which option it refuses; where a program prints the options, it is nearly always the architecture.
    literals: ["nvrtc_error_invalid_option"],
    pattern: /NVRTC_ERROR_INVALID_OPTION/,
    examples: ["nvrtcCompileProgram failed: NVRTC_ERROR_INVALID_OPTION"],
    facts: () => ({ kind: "notice", id: "nvrtc-invalid-option" }),
    notice: "nvrtc-invalid-option",
    means: {
      weight: (facts) => (askedOf(facts).known ? weights.failed : weights.hint),
      name: "libnvrtc.so",
      library: "nvrtc",
      next: ["ldconfig -p | grep nvrtc", "culprit why libnvrtc"],
      unless: (facts) => facts.has("arch-refused"),
      about: (facts, _context, [fact]) => {
        const { asked, known } = askedOf(facts);
        return {
          evidence: [fact!, ...(asked ? [asked] : [])],
          ...(known ? { required: `NVRTC of CUDA ${known.first} or newer (for ${known.sm})` } : {}),
        };
      },
      may: [
        {
          cause: "toolkit-too-old",
          certainty: "likely",
          when: (facts) => askedOf(facts).known !== undefined,
          message: (facts) => {
            const { known } = askedOf(facts);
            return `NVRTC refuses an option, most likely the architecture ${known!.sm}, which came with CUDA ${known!.first}: an older NVRTC is loaded`;
          },
          fixes: nvrtcOfToolkit,
        },
        {
          cause: "toolkit-too-old",
          when: (facts) => askedOf(facts).known === undefined,
          message: "NVRTC refuses an option: it may be older than the program or the GPU",
          fixes: nvrtcOfToolkit,
        },
        { cause: "library-wrong-version", message: "or an NVRTC of another release is found first", fixes: nvrtcOfToolkit },
        { cause: "not-a-mismatch", message: "or the program gives an option that no NVRTC has" },
      ],
    },
  },
  {
    literals: ["gpu-architecture=", "-arch="],
    pattern: /-(?:-gpu-architecture|arch)[= ](?:sm|compute)_(?<architecture>\d{2,3})\b/,
    examples: ["--std=c++17 --gpu-architecture=sm_89"],
    facts: ({ architecture }) => ({ kind: "notice", id: "nvrtc-architecture", subject: `sm_${architecture}` }),
  },
] satisfies Signature[];
