import type { Signature } from "../signature.ts";

/** Words that only say what a text is about; nobody failed yet. */
export default [
  {
    literals: ["jax"],
    pattern: /(?<![\w/.-])jax(?:lib)?(?![\w/-])/i,
    examples: ["Jax does not see the GPU any more", 'python -c "import jax; print(jax.devices())"'],
    facts: () => ({ kind: "voice", id: "mention of jax" }),
    single: true,
  },
  {
    // They open the cuDNN that PyTorch brought.
    literals: ["whisper", "ctranslate2", "pyannote"],
    pattern: /\b(?<name>ctranslate2|faster[-_ ]?whisper|whisper[-_ ]?x|whisper[-_ ]?webui|pyannote)\b/i,
    examples: ['Use "faster-whisper" implementation', "whisperx audio.mp3 --model large-v3"],
    facts: ({ name }) => ({ kind: "voice", id: `mention of ${name!.toLowerCase()}` }),
    single: true,
  },
  {
    // What pip compiles where it is installed, by its module or its distribution.
    literals: ["pycuda", "flash_attn", "flash-attn", "detectron2", "pytorch3d", "mamba_ssm", "mamba-ssm", "causal_conv1d", "causal-conv1d"],
    pattern: /\b(?<name>pycuda|flash[-_]attn|detectron2|pytorch3d|mamba[-_]ssm|causal[-_]conv1d)\b/i,
    examples: ["import pycuda.driver", "flash-attn 2.3.6"],
    facts: ({ name }) => ({ kind: "voice", id: `mention of ${name!.replaceAll("_", "-").toLowerCase()}` }),
    single: true,
  },
] satisfies Signature[];
