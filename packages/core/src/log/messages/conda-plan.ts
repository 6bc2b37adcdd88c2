import { fix } from "../fixes.ts";
import { weights } from "../cause.ts";
import type { Signature } from "../signature.ts";

/** What conda is about to install, in its plan; and packages that no channel has. */
export default [
  {
    literals: ["/linux-64::", "/win-64::", "/osx-64::", "/linux-aarch64::", "/noarch::"],
    pattern:
      /\b[\w.-]{2,40}\/(?:linux-64|win-64|linux-aarch64|osx-64|noarch)::(?<name>pytorch|tensorflow|cpuonly|jaxlib)-(?<version>\d[\w.]{0,30})-(?<build>[\w.]{1,60})/,
    examples: ["  pytorch            pytorch/win-64::pytorch-1.10.0-py3.6_cpu_0", "  cpuonly            pytorch/noarch::cpuonly-2.0-0"],
    facts: ({ name, version, build }) => {
      const cpu = /cpu/.test(`${name} ${build}`);
      const id = name === "cpuonly" || name === "pytorch" ? "torch" : name === "jaxlib" ? "jax" : name!;
      return [
        { kind: "package", manager: "conda", name: name!, version: version!, build: build! },
        ...(cpu || /cuda/.test(build!)
          ? [{ kind: "framework" as const, id, ...(name === "cpuonly" ? {} : { version: version! }), cpuOnly: cpu }]
          : []),
      ];
    },
    single: true,
  },
  {
    // An update that takes the CUDA build away.
    literals: [" --> "],
    pattern:
      /(?<![\w-])(?<name>pytorch|tensorflow|jaxlib) {1,40}\S{0,60}cuda\S{0,40} --> (?:\S{1,40}::)?(?:\k<name>-)?(?<version>\d[\d.]{1,20})-(?<build>\S{0,20}cpu\S{0,40})/,
    examples: ["  pytorch            pytorch::pytorch-1.12.1-py3.10_cuda11~ --> pkgs/main::pytorch-1.12.1-cpu_py310h9dbd814_1"],
    facts: ({ name, version, build }) => {
      const id = name === "pytorch" ? "torch" : name === "jaxlib" ? "jax" : name!;
      return [
        { kind: "package", manager: "conda", name: name!, version: version!, build: build! },
        { kind: "framework", id, version: version!, cpuOnly: true },
        { kind: "notice", id: "cpu-build-chosen", subject: id, found: "conda" },
      ];
    },
    single: true,
  },
  {
    literals: ["packagesnotfounderror"],
    pattern:
      /PackagesNotFoundError: The following packages are (?:not available from current channels|missing from the target environment):?\s{1,8}- (?<subject>[\w.=<>*-]{2,60})/,
    examples: ["PackagesNotFoundError: The following packages are not available from current channels:   - cudatoolkit=11.1"],
    facts: ({ subject }) => ({ kind: "notice", id: "conda-no-package", subject: subject! }),
    notice: "conda-no-package",
    means: {
      // conda's channels that were named do not have it; others may.
      weight: weights.refused,
      unless: (facts) => 0 < facts.notices("no-such-version", "pip-no-version").length,
      about: (_facts, _context, [fact]) => ({
        name: fact!.subject!.replace(/[=<>].*$/, ""),
        required: fact!.subject!,
        evidence: [fact!],
        next: [`conda search -c conda-forge ${fact!.subject!.replace(/[=<>].*$/, "")}`],
      }),
      may: [
        {
          cause: "package-conflict",
          certainty: "likely",
          found: "in none of the channels that were asked",
          message: (_facts, _context, [fact]) => `no channel that was asked has \`${fact!.subject}\` for this system`,
          fixes: (_facts, _context, [fact]) => {
            const name = fact!.subject!.replace(/[=<>].*$/, "");
            const isOld = name === "cudatoolkit" && Number(/=(\d{1,2})/.exec(fact!.subject!)?.[1] ?? 0) < 12;
            return [
              isOld
                ? fix("ask conda-forge too, which has all releases of it", `conda install -c conda-forge "${fact!.subject}"`)
                : fix("take a release that `conda search` shows, and name the channel that has it"),
            ];
          },
        },
        {
          cause: "library-missing",
          message: "or it is spelled otherwise there: since CUDA 12 conda has `cuda-toolkit` and `cuda-version` in its place",
        },
      ],
    },
  },
] satisfies Signature[];
