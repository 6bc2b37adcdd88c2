import { fix } from "../fixes.ts";
import { weights } from "../cause.ts";
import { notice, type Signature } from "../signature.ts";

// Packages whose wheels are for Linux alone (the files of their releases).
const linuxAlone = /dali|cudf|cuml|cugraph|rapids|cuvs|raft|nccl|nvshmem|triton|vllm|jax|tensorrt[-_]llm/i;

/** Placeholders on PyPI whose real wheels lie on NVIDIA's own index (wheel-stub, nvidia-pyindex). */
export default [
  {
    // R's torch, libtorch and others fetch a build by its CUDA: the address of one that was never published.
    literals: ["cannot open url", "unable to download", "404"],
    pattern:
      /(?:cannot open URL|[Uu]nable to download from|HTTP (?:status was|error|Error)[^\n]{0,12}404|404 (?:Client Error|Not Found))[^\n]{0,40}?[<'"]?https?:\/\/[^\s'">]{0,120}\/(?:cu(?<cuda>\d{2,3})\/|[\w.-]{0,40}(?:gpu-|cu|cuda[-_]?)(?<named>\d{2,3})\.(?:zip|tar|whl))[^\s'">]{0,160}/,
    examples: [
      "! cannot open URL 'https://download.pytorch.org/libtorch/cu113/libtorch-win-shared-with-deps-2.5.1%2Bcu113.zip'",
      "cannot open URL 'https://example.org/libtorch-v1.8/latest/Linux-gpu-101.zip': HTTP status was '404 Not Found'",
    ],
    facts: ({ cuda, named }, { 0: whole }) => {
      const digits = (cuda ?? named)!;
      const release = /libtorch-(?:[a-z]\w*-)*v?(\d\.\d{1,2}(?:\.\d{1,2})?)|torch-(\d\.\d{1,2}\.\d{1,2})/.exec(whole);
      return {
        kind: "notice",
        id: "no-such-build",
        found: `${digits.slice(0, -1)}.${digits.slice(-1)}`,
        ...(release ? { required: (release[1] ?? release[2])! } : {}),
      };
    },
    notice: "no-such-build",
    means: {
      weight: weights.refused,
      name: "libtorch",
      about: (_facts, _context, all) => ({
        required: `a CUDA for which ${all[0]!.required === undefined ? "it" : `libtorch ${all[0]!.required}`} is published`,
        found: `CUDA ${all[0]!.found}`,
        evidence: all.slice(0, 2),
      }),
      next: ["nvcc --version"],
      may: [
        {
          cause: "wrong-wheel-cuda-version",
          certainty: "likely",
          message: (_facts, _context, [fact]) =>
            `there is no build for CUDA ${fact!.found} at that address: the installer takes the CUDA that it finds here, and this release was not published for it`,
          fixes: [
            fix(
              'choose a CUDA that it is published for, or the CPU: R\'s torch takes it from the variable `CUDA` (such as "12.4" or "cpu")',
            ),
            fix("or install a toolkit of such a CUDA, and let it be found first"),
          ],
        },
        { cause: "not-a-mismatch", name: "the network", message: "or the server cannot be reached from here", fixes: [] },
        { cause: "package-conflict", message: "or the package is newer, or older, than the builds that it asks for", fixes: [] },
        { cause: "upstream-bug", message: "or that build was promised, and is not there", fixes: [] },
      ],
    },
  },
  {
    ...notice(
      "nvidia-placeholder",
      ["special placeholder package", "is a placeholder package", "nvidia-pyindex", "installation of"],
      /(?:The installation of (?<subject>[\w.-]{3,60}) for version (?<found>[\w.]{1,20}) failed|This is a special placeholder package which downloads a real wheel|project in the PyPI repository is a placeholder|package is a placeholder[^\n]{0,60}nvidia-pyindex)/i,
      "The installation of nvidia-dali-cuda120 for version 1.44.0 failed.",
      "This is a special placeholder package which downloads a real wheel package from https://pypi.nvidia.com/.",
    ),
    means: {
      weight: weights.refused,
      about: (facts, _context, all) => ({
        name: all.find(({ subject }) => subject !== undefined)?.subject ?? "the package",
        evidence: all.slice(0, 2),
        ...(facts.on("windows") && !facts.on("wsl2") ? { required: "Linux, or WSL 2", found: "Windows" } : {}),
      }),
      next: ["python --version; pip debug --verbose | head -20"],
      may: [
        {
          cause: "wrong-wheel-platform",
          certainty: "likely",
          when: (facts) => facts.on("windows") && facts.everything().some(({ at }) => linuxAlone.test(at.text)),
          message: "its wheels are for Linux alone: on Windows there is none to install",
          fixes: [fix("install it in WSL 2, where the Windows driver serves, or on Linux")],
        },
        {
          cause: "wrong-wheel-platform",
          certainty: "likely",
          when: (facts) => !facts.on("windows"),
          message: "no wheel for this Python and system is on NVIDIA's index, where the package on PyPI looks for it",
          fixes: [
            fix(
              "install it from there, with a Python for which it has wheels",
              "pip install --extra-index-url https://pypi.nvidia.com nvidia-dali-cuda120",
            ),
          ],
        },
        { cause: "not-a-mismatch", name: "the network", message: "or NVIDIA's index cannot be reached from here", fixes: [] },
        { cause: "package-conflict", message: "or this Python is newer, or older, than its wheels", fixes: [] },
      ],
    },
  },
] satisfies Signature[];
