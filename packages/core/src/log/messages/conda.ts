import type { Context } from "../context.ts";
import type { Facts } from "../fact.ts";
import { newerThanDriver } from "../newer-than-driver.ts";
import { libcuda } from "../meaning.ts";
import { fix } from "../fixes.ts";
import { saysMore } from "../conda-says-more.ts";
import { weights } from "../cause.ts";
import { notice, type Signature } from "../signature.ts";

const isDriversOwn = (facts: Facts, { driverCuda }: Context) =>
  driverCuda === undefined || driverCuda.version === facts.notices("conda-lists-driver")[0]?.found;

/** conda, mamba and libmamba (libmamba/src/solver/problems_graph.cpp; libsolv in lines that begin with a dash). */
export default [
  notice(
    "conda-conflict",
    [
      "unsatisfiableerror",
      "the following packages are incompatible",
      "could not solve for environment specs",
      "encountered problems while solving",
      "resolvepackagenotfound",
    ],
    /UnsatisfiableError|The following packages are incompatible|Could not solve for environment specs|Encountered problems while solving|ResolvePackageNotFound/,
    "UnsatisfiableError: The following specifications were found to be incompatible with each other:",
    "Could not solve for environment specs",
  ),
  {
    // libmamba's problem lines and its tree of reasons.
    literals: ["but none of the providers can be installed", "nothing provides"],
    pattern:
      /package (?<by>[\w.-]{3,80}) requires (?<name>[\w-]{2,60})(?: (?<wanted>[^\s,][^,\n]{0,60}))?, but none of the providers can be installed|nothing provides (?<absent>[\w-]{2,60})(?: (?<version>\S{1,40}))? needed by (?<user>[\w.-]{3,80})/,
    examples: [
      "  - package torchaudio-2.0.2-py310_cu117 requires pytorch-cuda 11.7.*, but none of the providers can be installed",
      "  - nothing provides cudatoolkit 11.1.* needed by pytorch3d-0.5.0-py38_cu111",
    ],
    facts: ({ by, name, wanted, absent, version, user }) => [
      { kind: "requested", by: (by ?? user)!, name: (name ?? absent)!, wanted: wanted ?? version ?? "" },
      ...(absent === undefined || absent.startsWith("__") ? [] : [{ kind: "notice" as const, id: "conda-conflict" }]),
    ],
  },
  {
    literals: ["is requested and can be installed", "which conflicts with any installable", "is not installable because"],
    pattern:
      /[\u251c\u2514]\u2500 (?<name>[a-z][\w-]{1,60})(?: (?<wanted>[\d=<>[][^,\n]{0,60}?))? {0,3}(?:(?<user>is requested and can be installed|is not installable because)|, which conflicts with any installable)/,
    examples: [
      "\u251c\u2500 pytorch-cuda ==12.1 ha16c6d3_5 is requested and can be installed;",
      "      \u2514\u2500 pytorch-cuda 11.8.* , which conflicts with any installable versions previously reported.",
    ],
    facts: ({ name, wanted, user }) => ({
      kind: "requested",
      by: user === undefined ? "another package" : "you",
      name: name!,
      wanted: wanted ?? "",
    }),
    single: true,
  },
  {
    // conda's old solver: who wants which releases of the package that it named before.
    literals: ["[version='", "conflicts for:"],
    pattern:
      /^Package (?<heading>[\w.-]{2,60}) conflicts for:|^(?<by>[\w.=<>!*-]{3,80})(?: -> [\w.=<>!*-]{3,60}){0,3} -> (?<name>[\w.-]{2,60})\[version='(?<wanted>[^'\n]{1,120})'/,
    examples: ["Package cudatoolkit conflicts for:", "pytorch=1.3.1 -> cudatoolkit[version='>=10.1,<10.2']"],
    facts: ({ heading, by, name, wanted }) =>
      heading === undefined ? { kind: "requested", by: by!, name: name!, wanted: wanted! } : { kind: "notice", id: "conda-conflict" },
    single: true,
  },
  {
    // Its list of specifications: what was asked for, and what one of them asks for in turn.
    literals: ["- cudatoolkit", "- pytorch", "- tensorflow", "- cudnn", "-> cudatoolkit", "-> cudnn", "-> pytorch", "-> cuda"],
    pattern:
      /^\s{0,8}- (?:(?<by>[a-z][\w-]{1,40}[ =]{1,2}\d[\w.*]{0,20}(?:=[\w.]{1,60})?) -> (?<name>cudatoolkit|cudnn|pytorch|cuda-version|pytorch-cuda|cuda)(?: |==?)(?<wanted>[<>=\d][\w.,<>=*]{0,40})|(?<asked>cudatoolkit|cudnn|pytorch|tensorflow(?:-gpu)?|pytorch-cuda)(?: |==?)(?<version>\d[\d.]{0,12})\*?(?:=\w{1,40})?)$/,
    examples: ["  - cudatoolkit 10.1*", "  - pytorch 1.0.1* -> cudatoolkit >=10.0.130,<10.1.0a0", "  - cudatoolkit==8.0=3"],
    facts: ({ by, name, wanted, asked, version }) =>
      by === undefined
        ? { kind: "requested", by: "you", name: asked!, wanted: version! }
        : { kind: "requested", by: by.replace(/\*$|(?<=\d)=\w[\w.]*$/, ""), name: name!, wanted: wanted! },
    single: true,
  },
  {
    // What was asked for itself, in the same list: a specification alone in its line.
    literals: ["cudatoolkit=", "pytorch=", "tensorflow=", "cudnn=", "cuda="],
    pattern: /^(?<name>cudatoolkit|pytorch|pytorch-cuda|tensorflow(?:-gpu)?|cudnn|cuda)==?(?<wanted>\d{1,3}(?:\.\d{1,4}){0,3})$/,
    examples: ["cudatoolkit=10.0"],
    facts: ({ name, wanted }) => ({ kind: "requested", by: "you", name: name!, wanted: wanted! }),
    single: true,
  },
  {
    ...notice(
      "conda-newer-than-driver",
      "has constraint __cuda",
      /has constraint __cuda >=(?<required>\d{1,2}(?:\.\d{1,2})?)[^\n]{0,20} conflicting with __cuda-(?<found>\d{1,2}\.\d{1,2})/,
      "  - package cudatoolkit-11.0.3-h15472ef_6 has constraint __cuda >=11.0 conflicting with __cuda-10.2-0",
    ),
    means: newerThanDriver(weights.said, {
      cause: "package-conflict",
      message: "or the packages are pinned to a newer CUDA than is needed",
    }),
  },
  {
    // conda's old solver lists every virtual package it met; where it names the driver's own CUDA, the driver is not the reason.
    literals: ["your installed cuda driver is"],
    pattern: /Your installed CUDA driver is: (?:(?<found>\d{1,2}\.\d{1,2})|not available)/,
    examples: ["Your installed CUDA driver is: 11.0"],
    facts: ({ found }) =>
      found === undefined ? { kind: "notice", id: "conda-no-driver" } : { kind: "notice", id: "conda-lists-driver", found },
    notice: "conda-lists-driver",
    means: {
      // conda found no solution and prints the driver among what it met: the driver is at fault only where a higher CUDA is asked of it.
      weight: weights.failed,
      name: "conda",
      next: ["conda info | grep __cuda"],
      unless: (facts) => 0 < facts.notices("conda-conflict", "conda-newer-than-driver").length,
      about: (_facts, { driverCuda }, [fact]) => ({ evidence: [fact!, ...(driverCuda ? [driverCuda] : [])] }),
      may: [
        {
          cause: "package-conflict",
          certainty: "likely",
          when: isDriversOwn,
          message: (_facts, _context, [fact]) =>
            `conda finds no set of packages; the CUDA ${fact!.found} that it names is the driver's own, and not the conflict`,
          fixes: saysMore,
        },
        {
          cause: "package-conflict",
          when: (facts, context) => !isDriversOwn(facts, context),
          message: "conda finds no set of packages that fit together",
          fixes: saysMore,
        },
        {
          cause: "driver-too-old",
          message: (_facts, _context, [fact]) => `or the packages want a driver for a newer CUDA than ${fact!.found}`,
        },
      ],
    },
  },
  {
    literals: ["__cuda"],
    pattern: /(?:feature:\/linux-64::)?__cuda==?(?<driver>\d{1,2}\.\d{1,2})(?:=0)? |__cuda(?:[ >=]{1,4})(?<needed>\d{1,2}(?:\.\d{1,2})?)/,
    examples: ["  - feature:/linux-64::__cuda==11.4=0 "],
    facts: ({ driver }) => (driver === undefined ? undefined : { kind: "driver-cuda", version: driver }),
  },
  {
    ...notice(
      "conda-no-driver",
      ["nothing provides __cuda", "is missing on the system"],
      /nothing provides __cuda\b(?: >=?(?<required>\d{1,2}(?:\.\d{1,2})?))?|__cuda(?: [>=]{1,2}(?<wanted>\d{1,2}(?:\.\d{1,2})?)[\w.*]{0,12})? ?,? which is missing on the system|__cuda[^\n]{0,30} is missing on the system/,
      "  - nothing provides __cuda needed by pytorch-gpu-2.1.0-cuda118py310_0",
      "   └─ __cuda, which is missing on the system.",
    ),
    means: {
      // conda asks the driver for the newest CUDA it runs, and calls the answer __cuda.
      ...libcuda,
      weight: weights.said,
      unless: (facts) => 0 < facts.notices("toolkit-newer-than-driver", "conda-newer-than-driver").length,
      next: ["nvidia-smi", "conda info | grep __cuda"],
      about: (_facts, _context, [fact]) => ({
        evidence: [fact!],
        required: fact!.required === undefined ? "an NVIDIA driver" : `a driver for CUDA ${fact!.required}`,
      }),
      may: [
        {
          cause: "driver-not-exposed",
          certainty: "likely",
          found: "none that conda sees",
          message: "packages for the GPU are asked for, and conda sees no driver on this machine",
          fixes: (_facts, _context, [fact]) => [
            fix(
              "on a machine without a GPU, say for which CUDA the environment is, then install again",
              `export CONDA_OVERRIDE_CUDA=${fact!.required ?? "12.4"}`,
            ),
            fix("where there is a GPU: install its driver"),
          ],
        },
        { cause: "driver-too-old", message: "or the driver is older than these packages want" },
        { cause: "package-conflict", message: "or packages for the CPU are meant" },
      ],
    },
  },
] satisfies Signature[];
