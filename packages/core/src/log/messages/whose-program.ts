import { notice, type Signature } from "../signature.ts";

/** Programs that are built from source for one GPU or toolkit: whose lines they are decides what can be done. */
export default [
  {
    ...notice(
      "of-ggml",
      ["ggml", "llama.cpp"],
      /\bggml[-_](?:cuda|assert|backend)|\bggml\/src\/|llama\.cpp\b/i,
      "/opt/llama.cpp/ggml/src/ggml-cuda/ggml-cuda.cu:97: CUDA error",
    ),
    single: true,
  },
  {
    // Each makes a folder `venv` beside its scripts.
    literals: ["webui", "web-ui", "stable-diffusion", "kohya_ss", "commandline_args"],
    pattern:
      /\bweb-?ui(?:-user)?\.(?<script>bat|sh)\b|\bstable-diffusion-webui(?<folder>[\\/])?|\bkohya_ss(?<trainer>[\\/])?|\bCOMMANDLINE_ARGS\b/i,
    examples: [
      "when starting webui-user.bat it shows an error",
      "D:\\stable-diffusion-webui\\venv\\lib\\site-packages\\torch",
      "export COMMANDLINE_ARGS",
    ],
    facts: ({ script, folder, trainer }) => ({
      kind: "notice",
      id: "own-venv",
      ...(script?.toLowerCase() === "bat" || folder === "\\" || trainer === "\\" ? { found: "windows" } : {}),
    }),
  },
] satisfies Signature[];
