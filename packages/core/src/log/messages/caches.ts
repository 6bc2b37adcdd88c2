import { weights } from "../cause.ts";
import { fix } from "../fixes.ts";
import { notice, type Signature } from "../signature.ts";

/** Build folders and caches that outlive what they were made with. */
export default [
  {
    // make, about a file that CMake found when the folder was set up.
    ...notice(
      "target-of-old-toolkit",
      "no rule to make target",
      /No rule to make target [`'"](?<subject>[^\s`'"]{1,200}\/cuda(?:-(?<found>\d{1,2}\.\d{1,2}))?\/[^\s`'"]{3,200})['"`]/,
      "No rule to make target '/usr/local/cuda-10.0/lib64/libnvrtc.so', needed by 'libtvm.so'.  Stop.",
    ),
    means: {
      weight: weights.refused,
      name: "the build folder",
      required: "a build folder that was set up with the toolkit that is installed",
      about: (_facts, _context, [fact]) => ({
        found: fact!.found === undefined ? `one that names ${fact!.subject}` : `one that was set up with CUDA ${fact!.found}`,
        evidence: [fact!],
        next: ["ls -d /usr/local/cuda*", "grep -i cuda CMakeCache.txt"],
      }),
      may: [
        {
          cause: "stale-artefact",
          certainty: "likely",
          message: (_facts, _context, [fact]) =>
            `the build folder still names \`${fact!.subject}\`, which is not there: the toolkit was replaced after CMake had looked for it`,
          because: ["CMake keeps what it found in CMakeCache.txt; `make clean` does not touch that"],
          fixes: [fix("set the build up anew, in an empty folder: `cmake -B` with a new name")],
        },
        { cause: "library-missing", message: "or that toolkit is installed without this library", fixes: [] },
        { cause: "cuda-home-wrong", message: "or CUDA_HOME leads to a toolkit that is gone", fixes: [] },
      ],
    },
  },
  {
    // torch/utils/cpp_extension.py: a build takes a lock file, and who was killed leaves it.
    ...notice(
      "extensions-root",
      "as pytorch extensions root",
      /Using (?<subject>\S{1,200}) as PyTorch extensions root/,
      "Using /root/.cache/torch_extensions/py310_cu118 as PyTorch extensions root...",
    ),
    means: {
      weight: weights.hint + 1,
      unless: (facts) => facts.notices("hangs-told").length === 0 || facts.has("undefined-symbol"),
      about: (facts, _context, [fact]) => ({
        name: fact!.subject!,
        required: "a folder without a lock of a build that is over",
        found: "one with the lock of a build that was killed",
        evidence: [fact!, ...facts.notices("hangs-told").slice(0, 1)],
        next: [`find ${fact!.subject} -name lock`],
      }),
      may: [
        {
          cause: "stale-artefact",
          certainty: "likely",
          message: "PyTorch waits for a build of an extension that was killed: it left its lock file in the folder of extensions",
          fixes: (_facts, _context, [fact]) => [
            fix("end the processes that wait, and delete the folder: it is made again at the next start", `rm -r ${fact!.subject}`),
          ],
        },
        { cause: "not-a-mismatch", message: "or it still compiles, which takes minutes: `ninja` and `nvcc` run then", fixes: [] },
      ],
    },
  },
  {
    // Somebody tells that his program works once its cache is gone.
    ...notice(
      "cache-told",
      ["cache", "caching", "torch_extensions", ".triton", "build folder", "build directory"],
      /\b(?:delet|remov|clear|clean|wip|purg)(?:e|ed|es|ing)(?: (?:up|out))? (?:the |my |all |both |everything in |files in |contents of )?(?:\w{2,14} ){0,3}?[`'"]?(?:\S{0,80}(?:\.triton|torch_extensions|torchinductor|ComputeCache|\.nv\b|\.cache|__pycache__)\S{0,60}|(?:\w{2,12} )?cach(?:e|es)(?: (?:folder|directory|files?))?|build (?:folder|directory))[^\n.]{0,60}\b(?:fix(?:es|ed)?|solv(?:es|ed)|help(?:s|ed)|work(?:s|ed)?(?: around)?|resolv(?:es|ed)|makes? it work)\b|\bcach(?:e|es|ing)\b[^\n.]{0,80}\b(?:is (?:invalid|stale|outdated|not invalidated)|fails? to (?:detect|notice|invalidate)|not (?:invalidated|detected|updated))\b/i,
      "This can be worked around by deleting ~/.triton/torch, and deleting the cache folder fixed it",
      "Triton's caching mechanism fails to detect when Torch has been upgraded.",
    ),
    means: {
      weight: weights.hint + 2,
      name: "the cache",
      required: "what is compiled anew with the releases that are installed",
      found: "what was kept from before",
      unless: (facts) => facts.has("undefined-symbol"),
      may: [
        {
          cause: "stale-artefact",
          certainty: "likely",
          message: "what a cache kept was compiled for other releases than those that run now",
          fixes: [fix("delete what is kept: it is made again at the next start", "rm -rf ~/.triton ~/.cache/torch_extensions")],
        },
        { cause: "upstream-bug", message: "or the program does not notice that its cache is out of date", fixes: [] },
      ],
    },
  },
] satisfies Signature[];
