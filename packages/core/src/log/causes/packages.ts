import { frameworkRelease } from "../../knowledge/frameworks.ts";
import { isWithin } from "../../lib/pep440.ts";
import { weights, type Problem, type Suspect } from "../cause.ts";
import { majorOf, type Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix, togetherLine } from "../fixes.ts";
import { nameOf } from "../../lib/path.ts";
import { objectNamed } from "../objects.ts";

const ofStack =
  /^(?:torch|pytorch|torchvision|torchaudio|torchtext|torchdata|triton|xformers|tensorflow|keras|tensorboard|tf-|jax|jaxlib|flax|nvidia-|cuda|cudnn|cudatoolkit|cupy|onnxruntime|tensorrt|vllm|flash|bitsandbytes|numba|protobuf|mxnet|paddle|rapids|cudf|cuml|ctranslate2|kmod-nvidia|libnvidia|libcudnn|libnccl)/i;

/** A list of packages in which a library is not the one that the framework beside it pins. Said last: pip itself would complain. */
function unpinned(context: Context): Problem[] {
  const problems: Problem[] = [];
  for (const id of ["torch", "tensorflow"] as const) {
    const own = context.packages(new RegExp(`^${id}$`)).find(({ manager }) => manager === "pip");
    const known = own && frameworkRelease(id, own.version);
    if (!own || !known?.exact || !known.release.pins) continue;
    for (const [name, wanted] of Object.entries(known.release.pins)) {
      const has = context.packages(new RegExp(`^${name}$`)).find(({ manager }) => manager === "pip");
      if (!has || isWithin(has.version, wanted) !== false) continue;
      problems.push({
        weight: weights.other - 1,
        suspects: [
          {
            cause: "package-conflict",
            name,
            required: `${own.name} ${own.version} requires ${name}${wanted}`,
            found: `${name} ${has.version}`,
            certainty: "likely",
            message: `${own.name} ${own.version} pins ${name}${wanted}, and ${has.version} is in the list`,
            evidence: [own, has],
            next: ["pip check"],
            fixes: [fix("put back what the framework pins", `pip install "${name}${wanted}"`)],
          },
        ],
      });
    }
  }
  return problems.slice(0, 2);
}

/** Package managers that could not, or did not, make everything fit. */
export default function packages(facts: Facts, context: Context): Problem[] {
  const problems: Problem[] = [];
  // Half of all packages want some protobuf: that is of this stack only where the one who asks is.
  const conflicts = facts
    .all("conflict")
    .filter(({ dependency, package: name }) => ofStack.test(name) || (ofStack.test(dependency) && dependency !== "protobuf"));
  if (0 < conflicts.length) {
    const main = conflicts.find(({ dependency }) => /^(?:torch|tensorflow|jax|nvidia)/i.test(dependency)) ?? conflicts[0]!;
    const strict =
      conflicts.find(({ package: name, dependency }) => dependency === main.dependency && /^(?:torch|tensorflow|jax)/.test(name)) ?? main;
    problems.push({
      weight: weights.failed,
      suspects: [
        {
          cause: "package-conflict",
          name: main.dependency,
          required: `${strict.package} requires ${strict.dependency}${strict.wanted}`,
          found: `${main.dependency} ${main.found}`,
          certainty: "certain",
          message: `${strict.package} wants ${strict.dependency}${strict.wanted}, and ${main.found === "not installed" ? "it is not installed" : `${main.found} is installed`}`,
          evidence: conflicts.slice(0, 5),
          next: ["pip check"],
          fixes: [
            fix(
              "install packages of one release in one step, from one source",
              `pip install "${strict.dependency}${strict.wanted}" ${[...new Set(conflicts.map(({ package: name }) => name.split(" ")[0]))].join(" ")}`,
            ),
          ],
        },
      ],
    });
  }
  const impossible = [...facts.notices("pip-conflict", "uv-conflict", "conda-conflict", "dnf-conflict")];
  if (0 < impossible.length) {
    const requested = facts.all("requested");
    const byName = new Map<string, Fact<"requested">[]>();
    for (const fact of requested) byName.set(fact.name, [...(byName.get(fact.name) ?? []), fact]);
    const clash = [...byName.values()].find((list) => 1 < new Set(list.map(({ wanted }) => wanted)).size) ?? requested.slice(0, 2);
    const gpu =
      impossible.length > 0 &&
      (clash.some(({ name, by }) => ofStack.test(name) || ofStack.test(by)) ||
        context.packages(ofStack).length > 0 ||
        facts.has("driver-cuda"));
    if (gpu) {
      const wanted = clash.map(({ wanted: text }) => text.replace(/^[=<>!~]{1,3}/, "")).filter((text) => text !== "");
      problems.push({
        weight: weights.refused,
        suspects: [
          {
            cause: "package-conflict",
            name: clash[0]?.name ?? "packages",
            ...(wanted.length === 0
              ? {}
              : {
                  required: wanted.length === 1 ? `${clash[0]!.name} ${wanted[0]}` : `one version of ${clash[0]!.name} (${wanted[0]})`,
                  ...(wanted.length === 1 ? {} : { found: wanted.join(" and ") }),
                }),
            certainty: "certain",
            message:
              clash.length < 2
                ? "the package manager finds no set of versions that fit together"
                : `${clash[0]!.name} is wanted in versions that exclude each other: ${clash.map(({ by, wanted: text }) => `${text || "any"} by ${by}`).join(", ")}`,
            evidence: [...impossible.slice(0, 1), ...clash.slice(0, 4)],
            next: ["pip check"],
            fixes: [fix("drop the pin that is not needed, or give the two frameworks environments of their own")],
          },
          // One alone asks for it, and nobody else forbids it: then no index has it.
          ...(clash.length === 1 && clash[0]!.by !== "you" && clash[0]!.wanted.startsWith("==")
            ? [
                {
                  cause: "upstream-bug" as const,
                  name: clash[0]!.name,
                  required: `${clash[0]!.name} ${wanted[0]}`,
                  found: "no such release on the index that was asked",
                  certainty: "possible" as const,
                  message: `only ${clash[0]!.by} asks for ${clash[0]!.name}${clash[0]!.wanted}: the index that was asked may not hold what its own package pins`,
                  evidence: clash,
                  next: [`pip index versions ${clash[0]!.name}`],
                  fixes: [fix("let pip look at PyPI too", "export PIP_EXTRA_INDEX_URL=https://pypi.org/simple")],
                },
              ]
            : []),
        ],
      });
    }
  }
  problems.push(
    ...twoMajors(facts),
    ...condaLists(facts, context),
    ...unpinned(context),
    ...systemPackages(facts),
    ...noSuchVersion(facts),
    ...brokenCupy(facts),
  );
  const vision = facts.notices("torchvision-mismatch");
  const [torchTag, visionTag] = ["torch", "torchvision"].map(
    (name) =>
      /\+(cu\d{2,3}|cpu)/.exec(context.packages(new RegExp(`^${name}$`)).find(({ version }) => version.includes("+"))?.version ?? "")?.[1],
  );
  const otherTag = torchTag !== undefined && visionTag !== undefined && torchTag !== visionTag;
  if (0 < vision.length)
    problems.push({
      weight: weights.refused,
      suspects: [
        ...(otherTag
          ? [
              {
                cause:
                  visionTag === "cpu" || torchTag === "cpu" ? ("wrong-wheel-cpu-only" as const) : ("wrong-wheel-cuda-version" as const),
                name: "torchvision",
                required: torchTag,
                found: visionTag,
                certainty: "likely" as const,
                message: `torch is built for ${torchTag} and torchvision for ${visionTag}`,
                evidence: vision,
                next: ["pip list | grep torch"],
                fixes: [fix("install both in one step from one index", togetherLine(context, facts.on("windows"), "torch", "torchvision"))],
              },
            ]
          : []),
        {
          cause: "package-conflict",
          name: "torchvision",
          required: "the torchvision of this torch",
          found:
            context
              .packages(/^torch(?:vision)?$/)
              .map(({ name, version }) => `${name} ${version}`)
              .join(", ") || "another",
          certainty: "likely",
          message: "torch and torchvision are of different releases or builds",
          evidence: vision,
          next: ["pip list | grep torch"],
          fixes: [fix("install both in one step from one index", togetherLine(context, facts.on("windows"), "torch", "torchvision"))],
        },
        {
          cause: "wrong-wheel-cuda-version",
          name: "torchvision",
          certainty: "possible",
          message: "or the two are builds for different CUDA releases",
          evidence: vision,
          fixes: [],
        },
        {
          cause: "wrong-wheel-cpu-only",
          name: "torchvision",
          certainty: "possible",
          message: "or one of the two is a CPU build",
          evidence: vision,
          fixes: [],
        },
      ],
    });
  problems.push(...extensionOfOtherTorch(facts, context), ...lostTorch(facts), ...partsOfOneJax(facts));
  const dali = facts.notices("dali-plugin");
  if (0 < dali.length)
    problems.push({
      weight: weights.refused,
      suspects: [
        {
          cause: "package-conflict",
          name: "nvidia-dali-tf-plugin",
          required: "the DALI plugin of the TensorFlow that is installed",
          certainty: "likely",
          message: "DALI's plugin for TensorFlow is not installed, or was built for other releases of TensorFlow",
          evidence: dali,
          next: ["pip list | grep -i 'dali\\|tensorflow'"],
          fixes: [fix("install the plugin after TensorFlow, in the same release as DALI")],
        },
        {
          cause: "library-missing",
          name: "nvidia-dali-tf-plugin",
          certainty: "possible",
          message: "or it is not installed",
          evidence: dali,
          fixes: [],
        },
      ],
    });
  const cupy = facts.notices("cupy-two-packages");
  if (0 < cupy.length)
    problems.push({
      weight: weights.warned,
      suspects: [
        {
          cause: "package-conflict",
          name: "cupy",
          required: "one CuPy package",
          found: "several",
          certainty: "certain",
          message: "several CuPy packages are installed over each other",
          evidence: cupy,
          next: ["pip list | grep cupy"],
          fixes: [fix("remove all of them and install one", "pip uninstall -y cupy cupy-cuda11x cupy-cuda12x", "pip install cupy-cuda12x")],
        },
      ],
    });
  return problems;
}

/** Wheels of NVIDIA for two majors of CUDA in one environment, of which a program took parts of both. */
function twoMajors(facts: Facts): Problem[] {
  const older = facts.notices("nvjitlink-older");
  const majors = new Map<string, Fact<"file">>();
  for (const fact of facts.all("file")) {
    const folder = /(?:site|dist)-packages\/nvidia\/([\w-]{2,30})\//.exec(fact.path)?.[1];
    const cuda = objectNamed(fact.path)?.cuda?.first;
    const major = /^cu(\d{2})$/.exec(folder ?? "")?.[1] ?? (folder === undefined || cuda === undefined ? undefined : majorOf(cuda));
    if (major !== undefined && !majors.has(major)) majors.set(major, fact);
  }
  if (majors.size < 2 && older.length === 0) return [];
  const files = [...majors.values()];
  const base = {
    name: files[0] ? nameOf(files[0].path) : "libnvJitLink.so",
    required: "NVIDIA's packages for one major of CUDA",
    evidence: [...older, ...files],
    next: ["pip list | grep -i 'nvidia\\|cuda'"],
  };
  const conflict: Suspect = {
    ...base,
    cause: "package-conflict",
    ...(1 < majors.size ? { found: [...majors].map(([major, { path }]) => `CUDA ${major}: ${path}`).join("; ") } : {}),
    certainty: 1 < majors.size ? "likely" : "possible",
    message:
      1 < majors.size
        ? `packages for CUDA ${[...majors.keys()].sort().join(" and ")} lie in one environment, and the program takes parts of both`
        : "nvJitLink is older than the compiler whose output it is given: packages of two CUDA releases meet",
    fixes: [fix("keep the packages of one major: remove those of the other, then install again what needs them")],
  };
  return [
    {
      weight: 0 < older.length ? weights.refused : weights.concluded,
      symptom: "nvJitLink refuses what it is given",
      suspects: [
        conflict,
        {
          ...base,
          name: "libnvJitLink.so",
          library: "nvjitlink",
          cause: "library-wrong-version",
          certainty: "possible",
          message: "or an older nvJitLink is found than the one that belongs to the compiler",
          fixes: [fix("bring it up to date", "pip install --upgrade nvidia-nvjitlink-cu12")],
        },
      ],
    },
  ];
}

// conda found no solution and prints the driver among what it met: the driver is at fault only where a higher CUDA is asked of it.
function condaLists(facts: Facts, context: Context): Problem[] {
  const [fact] = facts.notices("conda-lists-driver");
  if (!fact || 0 < facts.notices("conda-conflict", "conda-newer-than-driver").length) return [];
  const named = context.driverCuda?.version;
  const same = named === undefined || named === fact.found;
  const base = { name: "conda", evidence: [fact, ...(context.driverCuda ? [context.driverCuda] : [])], next: ["conda info | grep __cuda"] };
  return [
    {
      weight: weights.failed,
      suspects: [
        {
          ...base,
          cause: "package-conflict",
          certainty: same ? "likely" : "possible",
          message: same
            ? `conda finds no set of packages; the CUDA ${fact.found} that it names is the driver's own, and not the conflict`
            : "conda finds no set of packages that fit together",
          fixes: [
            fix("solve into a new environment, with all channels named at once, so that conda says what excludes what"),
            fix(
              "the newer solver says more about the reason",
              "conda install -n base conda-libmamba-solver",
              "conda config --set solver libmamba",
            ),
          ],
        },
        {
          ...base,
          cause: "driver-too-old",
          certainty: "possible",
          message: `or the packages want a driver for a newer CUDA than ${fact.found}`,
          fixes: [],
        },
      ],
    },
  ];
}

// The system's own package managers, which keep the driver, CUDA and cuDNN of one origin and one release together.
function systemPackages(facts: Facts): Problem[] {
  const unmet = facts.notices("apt-unmet", "pacman-breaks", "spack-conflict");
  const overwrite = facts.notices("dpkg-overwrite");
  const evidence = [...unmet, ...overwrite];
  if (evidence.length === 0) return [];
  // A line that names both sides says more than one that only says no.
  const told = unmet.find(({ required, found }) => required !== undefined && found !== undefined) ?? evidence[0]!;
  const both = told.id !== "dpkg-overwrite";
  return [
    {
      weight: weights.refused,
      suspects: [
        {
          cause: "package-conflict",
          name: told.subject ?? "packages",
          ...(both && told.required !== undefined ? { required: `${told.subject ?? ""} ${told.required}`.trim() } : {}),
          ...(told.found === undefined ? {} : { found: `${told.subject ?? ""} ${told.found}`.trim() }),
          certainty: "certain",
          message: both
            ? "packages of the driver or of CUDA from two sources or two releases exclude each other"
            : `two packages bring \`${told.required}\`: the driver or CUDA is installed from two sources`,
          evidence: evidence.slice(0, 5),
          ...(told.id === "apt-unmet" || told.id === "dpkg-overwrite"
            ? {
                next: ["apt list --installed 2>/dev/null | grep -i 'nvidia\\|cuda\\|cudnn'", `apt-cache policy ${told.subject ?? "cuda"}`],
                fixes: [
                  fix(
                    "keep one source for the driver and for CUDA: remove the packages of the other, then install again",
                    "sudo apt-get --fix-broken install",
                  ),
                ],
              }
            : { next: [], fixes: [fix("take packages of one release and one source for the driver and for CUDA, updated in one step")] }),
        },
      ],
    },
  ];
}

// A package manager found no release that it was told to install.
function noSuchVersion(facts: Facts): Problem[] {
  const [fact] = facts.notices("no-such-version", "pip-no-version");
  if (!fact) return noSuchPackage(facts);
  const base = {
    name: fact.subject!.replace(/[=<>!~].*$/, ""),
    required: fact.required ?? fact.subject!,
    found: "no such release for this Python, system and index",
    evidence: [fact],
    next: ["python --version; pip --version", `pip index versions ${fact.subject!.replace(/[=<>!~+].*$/, "")}`],
  };
  return [
    {
      weight: weights.refused,
      suspects: [
        {
          ...base,
          cause: "package-conflict",
          certainty: "likely",
          message: `no index that was asked has \`${fact.subject}\` for this Python and system`,
          fixes: [
            /^torch(?:vision|audio)?$/.test(base.name)
              ? fix(
                  "take a release that is published for this Python, and name the index that has it",
                  `pip install ${base.name} --index-url https://download.pytorch.org/whl/cu126`,
                )
              : fix("take a release that is published for this Python, or the Python that this release was published for"),
          ],
        },
        {
          ...base,
          cause: "wrong-wheel-platform",
          certainty: "possible",
          message: "or it is published for other systems or other releases of Python only",
          fixes: [fix("use a Python for which wheels exist, or build it")],
        },
      ],
    },
  ];
}

// conda's channels that were named do not have it; others may.
function noSuchPackage(facts: Facts): Problem[] {
  const [fact] = facts.notices("conda-no-package");
  if (!fact) return [];
  const name = fact.subject!.replace(/[=<>].*$/, "");
  const old = name === "cudatoolkit" && Number(/=(\d{1,2})/.exec(fact.subject!)?.[1] ?? 0) < 12;
  return [
    {
      weight: weights.refused,
      suspects: [
        {
          cause: "package-conflict",
          name,
          required: fact.subject!,
          found: "in none of the channels that were asked",
          certainty: "likely",
          message: `no channel that was asked has \`${fact.subject}\` for this system`,
          evidence: [fact],
          next: [`conda search -c conda-forge ${name}`],
          fixes: [
            old
              ? fix("ask conda-forge too, which has all releases of it", `conda install -c conda-forge "${fact.subject}"`)
              : fix("take a release that `conda search` shows, and name the channel that has it"),
          ],
        },
        {
          cause: "library-missing",
          name,
          certainty: "possible",
          message: "or it is spelled otherwise there: since CUDA 12 conda has `cuda-toolkit` and `cuda-version` in its place",
          evidence: [fact],
          fixes: [],
        },
      ],
    },
  ];
}

// CuPy says only that it could not be imported, or that a function is not where it should be.
function brokenCupy(facts: Facts): Problem[] {
  const lacks = facts.notices("cupy-function-missing");
  const failed = facts.notices("cupy-import");
  const evidence = [...lacks, ...failed];
  if (evidence.length === 0) return [];
  const base = { name: "cupy", evidence, next: ["python -c 'import cupy; cupy.show_config()'", "pip list | grep -i cupy"] };
  const wheel: Suspect = {
    ...base,
    cause: "wrong-wheel-cuda-version",
    certainty: "possible",
    message: "CuPy is built for another CUDA than the one here",
    fixes: [
      fix("install the CuPy of the CUDA that is here", "pip uninstall -y cupy cupy-cuda11x cupy-cuda12x", "pip install cupy-cuda12x"),
    ],
  };
  const missing: Suspect = {
    ...base,
    cause: "library-missing",
    certainty: "possible",
    message: "or a CUDA library that it opens is not installed",
    fixes: [],
  };
  const path: Suspect = {
    ...base,
    cause: "library-not-on-path",
    certainty: "possible",
    message: "or it lies where CuPy does not look",
    fixes: [],
  };
  const wrong: Suspect = {
    ...base,
    cause: "library-wrong-version",
    certainty: "likely",
    message: "a CUDA library that CuPy opened lacks a function: it is of another release than CuPy was built for",
    fixes: wheel.fixes!,
  };
  return [{ weight: weights.hint, suspects: 0 < lacks.length ? [wrong, wheel] : [wheel, missing, path] }];
}

// xFormers holds code for one release and build of PyTorch, and goes on without it beside another.
function extensionOfOtherTorch(facts: Facts, context: Context): Problem[] {
  const fact = facts.notices("xformers-other-torch").find(({ required, found }) => required !== found);
  if (!fact) return [];
  const [wanted = "", wantedBuild] = fact.required!.split("+");
  const [has = "", hasBuild] = fact.found!.split("+");
  const base = {
    name: "xformers",
    required: `PyTorch ${fact.required}`,
    found: `PyTorch ${fact.found}`,
    evidence: [fact],
    next: ["python -m xformers.info"],
  };
  const match = fix(
    "install both in one step from one index, so that they fit",
    togetherLine(context, facts.on("windows"), "torch", "xformers"),
  );
  const conflict: Suspect = {
    ...base,
    cause: "package-conflict",
    certainty: "likely",
    message: `xFormers was built for PyTorch ${fact.required}, and PyTorch ${fact.found} is installed`,
    fixes: [match],
  };
  const cuda: Suspect = {
    ...base,
    cause: "wrong-wheel-cuda-version",
    certainty: wanted === has ? "certain" : "likely",
    message: `xFormers was built for a PyTorch with ${wantedBuild}, and one with ${hasBuild} is installed`,
    fixes: [match],
  };
  const cpu: Suspect = {
    ...base,
    name: "torch",
    cause: "wrong-wheel-cpu-only",
    certainty: "certain",
    message: `PyTorch ${fact.found} was built without CUDA, and xFormers wants ${fact.required}`,
    fixes: [match],
  };
  const suspects =
    hasBuild === "cpu"
      ? [cpu, conflict]
      : wantedBuild !== undefined && hasBuild !== undefined && wantedBuild !== hasBuild
        ? [cuda, conflict]
        : [conflict, { ...cuda, certainty: "possible" as const, message: "or the two are builds for different CUDA releases" }];
  return [{ weight: weights.warned, suspects }];
}

// jax, jaxlib and the CUDA plugin are three packages of one release.
function partsOfOneJax(facts: Facts): Problem[] {
  const parts = facts.notices("jax-parts");
  if (parts.length === 0) return [];
  const told = parts.find(({ required }) => required !== undefined) ?? parts[0]!;
  const base = {
    name: told.subject ?? "jaxlib",
    ...(told.required === undefined ? {} : { required: told.required }),
    ...(told.found === undefined ? {} : { found: told.found }),
    evidence: parts.slice(0, 4),
    next: ["pip list | grep -i jax"],
    fixes: [fix("install all parts in one step", `pip install -U "jax[cuda12]"`)],
  };
  return [
    {
      weight: weights.said,
      suspects: [
        { ...base, cause: "package-conflict", certainty: "likely", message: "jax, jaxlib and the CUDA plugin are of different releases" },
        {
          ...base,
          cause: "library-wrong-version",
          certainty: "possible",
          message: "one part of JAX is older or newer than the others accept",
        },
      ],
    },
  ];
}

// PyTorch divides its libraries differently from release to release; an extension asks for those of the release it was built with.
function lostTorch(facts: Facts): Problem[] {
  const lost = facts.all("not-found").filter(({ name }) => /^lib(?:torch|c10|caffe2)[\w]{0,30}\.so/.test(name));
  if (lost.length === 0) return [];
  const base = {
    name: lost[0]!.name,
    evidence: lost.slice(0, 3),
    next: ["pip list | grep -i torch"],
    fixes: [fix("install the extension again, built for the PyTorch that is installed")],
  };
  return [
    {
      weight: weights.refused,
      suspects: [
        {
          ...base,
          cause: "package-conflict",
          certainty: "likely",
          message: `an extension was built for another release of PyTorch: this one has no \`${lost[0]!.name}\``,
        },
        { ...base, cause: "library-not-on-path", certainty: "possible", message: "or PyTorch was not imported before the extension" },
      ],
    },
  ];
}
