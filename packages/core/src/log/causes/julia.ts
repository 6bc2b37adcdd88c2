import { weights, type Problem, type Suspect } from "../cause.ts";
import type { Facts } from "../fact.ts";
import { fix, withoutSearchPath } from "../fixes.ts";
import { objectNamed } from "../objects.ts";

/** CUDA.jl brings libraries of its own and is compiled for one release of them. */
export default function julia(facts: Facts): Problem[] {
  const problems: Problem[] = [];
  const [other] = facts.notices("julia-other-runtime");
  const [system] = facts.notices("julia-system-library");
  const [none] = facts.notices("julia-no-runtime");
  if (other) {
    const base = {
      name: "CUDA_Runtime_jll",
      required: `CUDA ${other.required}`,
      found: `CUDA ${other.found}`,
      evidence: [other, ...(system ? [system] : [])],
      next: ["julia -e 'using CUDA; CUDA.versioninfo()'", "echo $LD_LIBRARY_PATH"],
      fixes: [
        fix(
          "tell CUDA.jl which release to use, then start Julia again",
          `julia -e 'using CUDA; CUDA.set_runtime_version!(v"${other.found}")'`,
        ),
        withoutSearchPath(),
      ],
    };
    problems.push({
      weight: weights.said,
      suspects: [
        {
          ...base,
          cause: "library-wrong-version",
          certainty: "certain",
          message: `CUDA.jl was compiled for CUDA ${other.required}, and CUDA ${other.found} is loaded`,
        },
        {
          ...base,
          cause: "library-shadowed",
          certainty: system ? "likely" : "possible",
          message: "or the libraries of a folder of LD_LIBRARY_PATH are loaded in place of its own",
        },
        { ...base, cause: "toolkit-vs-framework-at-build", certainty: "possible", message: "or it was compiled beside another toolkit" },
      ],
    });
  } else if (system)
    problems.push({
      weight: weights.warned,
      suspects: [
        {
          cause: "library-shadowed",
          name: system.subject!,
          ...(objectNamed(system.subject!) ? { library: objectNamed(system.subject!)!.library } : {}),
          required: "the copy that CUDA.jl brings",
          found: system.found!,
          certainty: "certain",
          message: `\`${system.subject}\` is loaded from \`${system.found}\` in place of the copy that CUDA.jl brings`,
          evidence: [system],
          next: ["echo $LD_LIBRARY_PATH"],
          fixes: [withoutSearchPath()],
        },
      ],
    });
  problems.push(...ownParts(facts));
  if (none) {
    const base = { name: "CUDA_Runtime_jll", evidence: [none], next: ["JULIA_DEBUG=CUDA_Runtime_Discovery julia -e 'using CUDA'"] };
    const missing: Suspect = {
      ...base,
      cause: "library-missing",
      certainty: "possible",
      message: "CUDA.jl has no CUDA runtime: a local toolkit was asked for and is not complete",
      fixes: [fix("let CUDA.jl install its own", "julia -e 'using CUDA; CUDA.set_runtime_version!(local_toolkit=false)'")],
    };
    problems.push({
      weight: weights.failed,
      suspects: [
        missing,
        {
          ...missing,
          cause: "driver-not-exposed",
          certainty: "possible",
          message: "or it was installed where no driver was seen, on a log-in node or in a container",
          fixes: [fix("name the release to use", `julia -e 'using CUDA; CUDA.set_runtime_version!(v"12.6")'`)],
        },
      ],
    });
  }
  return problems;
}

/** The libraries that CUDA.jl downloads for itself, and what it knows of toolkits and drivers. */
const ownParts = (facts: Facts): Problem[] => [...cutArtifact(facts), ...unknownToolkit(facts), ...slowDriver(facts)];

function cutArtifact(facts: Facts): Problem[] {
  const [cut] = facts.notices("julia-artifact");
  if (!cut) return [];
  const base = {
    name: cut.subject ?? cut.found ?? "an artifact",
    required: "a whole artifact",
    evidence: [cut],
    next: ["julia -e 'using CUDA; CUDA.versioninfo()'"],
    fixes: [
      fix(
        "let Julia delete what is not whole and download it again",
        `julia -e 'using Pkg; Pkg.gc(); Pkg.update("CUDA"); Pkg.instantiate()'`,
      ),
    ],
  };
  return [
    {
      weight: weights.refused,
      suspects: [
        {
          ...base,
          cause: "library-damaged",
          certainty: "likely",
          message: "what CUDA.jl downloaded is not whole: the download was cut off",
        },
        { ...base, cause: "library-missing", certainty: "possible", message: "or a virus scanner or a cleaner removed files of it" },
        {
          ...base,
          cause: "upstream-bug",
          certainty: "possible",
          message: "or this release of CUDA.jl looks for the file under another name",
        },
      ],
    },
  ];
}

function unknownToolkit(facts: Facts): Problem[] {
  const [unknown] = facts.notices("julia-unknown-toolkit");
  if (!unknown) return [];
  return [
    {
      weight: weights.said,
      suspects: [
        {
          cause: "package-conflict",
          name: "CUDA.jl",
          required: "a toolkit that this release of CUDA.jl knows",
          found: `CUDA ${unknown.found}`,
          certainty: "likely",
          message: `this release of CUDA.jl is older than the CUDA ${unknown.found} toolkit that it found`,
          evidence: [unknown],
          next: ["julia -e 'using CUDA; CUDA.versioninfo()'"],
          fixes: [
            fix("let CUDA.jl take its own toolkit", "julia -e 'using CUDA; CUDA.set_runtime_version!(local_toolkit=false)'"),
            fix("or bring it up to date", `julia -e 'using Pkg; Pkg.update("CUDA")'`),
          ],
        },
      ],
    },
  ];
}

function slowDriver(facts: Facts): Problem[] {
  const [driver] = facts.notices("julia-driver");
  if (!driver) return [];
  return [
    {
      weight: weights.warned,
      suspects: [
        {
          cause: "driver-too-old",
          name: "libcuda.so.1",
          library: "libcuda",
          required: driver.required === undefined ? "a driver for a newer CUDA" : `a driver for CUDA ${driver.required} or newer`,
          found: `a driver for CUDA ${driver.found}`,
          certainty: "likely",
          message: `the driver ends with CUDA ${driver.found}, which CUDA.jl still takes and calls slow`,
          evidence: [driver],
          next: ["nvidia-smi"],
          fixes: [fix("install a newer NVIDIA driver; until then CUDA.jl takes an older toolkit by itself")],
        },
        {
          cause: "benign-warning",
          name: "the driver",
          certainty: "possible",
          message: "or nothing is wrong: it is a warning, and what is installed works",
          evidence: [driver],
          fixes: [],
        },
      ],
    },
  ];
}
