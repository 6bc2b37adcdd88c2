import { weights } from "../cause.ts";
import { fix, withoutSearchPath } from "../fixes.ts";
import { notice, type Signature } from "../signature.ts";

/** Jupyter, Spyder and Colab about a kernel that is gone: what it printed last is in the log of the server, and not in the cell. */
export default [
  {
    ...notice(
      "notebook-kernel-died",
      [
        "kernel appears to have died",
        "session crashed",
        "kernel died",
        "kernel silently dies",
        "kernel keep",
        "kernelrestarter",
        "kernel dies",
      ],
      /[Tt]he kernel appears to have died|[Yy]our session crashed (?:for an unknown reason|after using all available)|\b[Kk]ernel (?:died|dies|silently dies|keeps? dying)\b(?! of)|KernelRestarter: restarting kernel/,
      "The kernel appears to have died. It will restart automatically.",
      "Your session crashed for an unknown reason.",
    ),
    means: {
      weight: weights.hint,
      symptom: "the notebook's kernel died",
      name: "the kernel",
      // Its own words, where they are there, say more.
      unless: (facts) =>
        facts.has("not-found") ||
        facts.has("cudnn-status") ||
        facts.has("cuda-error") ||
        facts.has("version-pair") ||
        facts.notices("cudnn-not-initialized", "native-runtime").length > 0,
      next: ["nvidia-smi", "free -h"],
      may: [
        {
          cause: "not-a-mismatch",
          name: "memory",
          message: "memory ran out, of the machine or of the GPU: then a smaller batch helps",
          fixes: [
            fix("run the same code as a script (`jupyter nbconvert --to script`), in a terminal: its last line names what is missing"),
            fix("use less: a smaller batch, or memory as it is needed", "export TF_FORCE_GPU_ALLOW_GROWTH=true"),
          ],
        },
        {
          cause: "library-wrong-version",
          name: "libcudnn.so",
          library: "cudnn",
          message: "or cuDNN is of another release than the framework was built with: then it dies at the first convolution or RNN",
          fixes: [],
        },
        {
          cause: "library-missing",
          name: "libcudnn.so",
          library: "cudnn",
          message: "or a part of cuDNN, or what it opens (zlibwapi.dll on Windows), is not there",
          fixes: [],
        },
        {
          cause: "mixed-cudnn-sublibraries",
          name: "libcudnn.so",
          library: "cudnn",
          message: "or parts of two releases of cuDNN meet",
          fixes: [withoutSearchPath()],
        },
        { cause: "package-conflict", message: "or two frameworks in one process bring libraries that do not fit together", fixes: [] },
      ],
    },
  },
  {
    // What Colab itself says where it has none to lend.
    ...notice(
      "no-gpu-to-lend",
      ["gpu backend", "backend with gpu", "connect to a gpu", "gpu usage limits", "gpu quota"],
      /\bNo backend with GPU available|\b[Cc]annot (?:currently )?connect to (?:a )?GPU(?: backend)?\b|\b[Yy]ou cannot currently connect to a GPU\b|\breached (?:your|the) GPU (?:usage limits?|quota)\b/,
      "No backend with GPU available. Would you like to use a runtime with no accelerator?",
      "You cannot currently connect to a GPU due to usage limits in Colab.",
    ),
    means: {
      weight: weights.said,
      name: "the hosted machine",
      required: "a GPU that the service has free",
      found: "none",
      may: [
        {
          cause: "not-a-mismatch",
          certainty: "likely",
          message: "the service has no GPU to lend now, or the account has used up its share: no version is at fault",
          fixes: [
            fix(
              "end other sessions (Runtime, Manage sessions), try again later, or take another type of GPU in the settings of the runtime",
            ),
          ],
        },
      ],
    },
  },
] satisfies Signature[];
