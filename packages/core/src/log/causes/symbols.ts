import { torchBuildFor } from "../../knowledge/torch-builds.ts";
import { compareDotted } from "../../knowledge/dotted.ts";
import { libraryOf } from "../../knowledge/libraries.ts";
import { nameOf } from "../../lib/path.ts";
import { weights, type Problem, type Suspect } from "../cause.ts";
import type { Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { compiledAgain } from "../compiled-for-torch.ts";
import { buildLine, fix, selectToolkit, whyLine, withoutSearchPath } from "../fixes.ts";

// By how a symbol begins: which library should have it.
const owners: [RegExp, string, string][] = [
  [/^_{0,2}nvJitLink/, "nvjitlink", "libnvJitLink.so.12"],
  [/^cublasLt/, "cublaslt", "libcublasLt.so"],
  [/^cublas/, "cublas", "libcublas.so"],
  [/^cusparse/, "cusparse", "libcusparse.so"],
  [/^cusolver/, "cusolver", "libcusolver.so"],
  [/^nccl/, "nccl", "libnccl.so.2"],
  [/^cufft/, "cufft", "libcufft.so"],
  [/^nvrtc/, "nvrtc", "libnvrtc.so"],
  [/^cupti/, "cupti", "libcupti.so"],
  [/^curand/, "curand", "libcurand.so"],
  [/^nvjpeg/, "nvjpeg", "libnvjpeg.so"],
  [/^nvtx/, "nvtx", "libnvToolsExt.so.1"],
  [/^cudnn[A-Z]/, "cudnn", "libcudnn.so"],
  [/^cuda[A-Z]/, "cudart", "libcudart.so"],
];

/** A symbol that its user expects and the copy that was found lacks. */
export default function symbols(facts: Facts, context: Context): Problem[] {
  const problems: Problem[] = [];
  for (const fact of facts.all("undefined-symbol")) {
    const { file, symbol, version } = fact;
    // A title repeats what the error says in full.
    if (
      file === "" &&
      facts.all("undefined-symbol").some((other) => other.file !== "" && /^cu[A-Z]/.test(other.symbol) === /^cu[A-Z]/.test(symbol))
    )
      continue;
    if (/\/stubs\/libcuda\.so/.test(file)) {
      problems.push({ weight: weights.said, suspects: [stub(fact, file)] });
      continue;
    }
    if (/\/lib(?:cuda|cudart|nvml|nvidia-ml|nvrtc)_stub\w{0,10}\.so/.test(file)) {
      problems.push({ weight: weights.said, suspects: ofPackage(fact, file) });
      continue;
    }
    if (/^__cuda[A-Z]/.test(symbol)) {
      problems.push({ weight: weights.refused, suspects: ofOtherLaunch(fact, file === "" ? "the extension" : nameOf(file), context) });
      continue;
    }
    // Without its beginning, a message does not say which library asked.
    const user = file === "" ? "a library" : nameOf(file);
    const owner =
      version !== undefined && libraryOf(version) ? { library: libraryOf(version)!.id, name: nameOf(version) } : ownerOf(symbol);
    // Parts of cuDNN that do not fit each other have a step of their own.
    if (libraryOf(user)?.id === "cudnn" && (!owner || owner.library === "cudnn")) continue;
    if (/^cu[A-Z]/.test(symbol) && !owner) {
      problems.push({ weight: weights.refused, suspects: ofDriver(fact, user, context) });
      continue;
    }
    if (owner)
      problems.push({ weight: weights.refused, suspects: [...foreign(fact, user, owner, context), ...mixedParts(fact, owner.name)] });
    else problems.push(...ofNoLibrary(fact, user, facts, context));
  }
  const [reference] = facts.notices("linker-reference");
  if (reference) problems.push(unlinked(reference, context));
  for (const fact of facts.notices("symbol-version-missing")) problems.push(missingVersion(fact, facts, context));
  return problems;
}

/** A symbol of C++ that no library of CUDA has: its namespace, or the file that wants it, tells whose it is. */
function ofNoLibrary(fact: Fact<"undefined-symbol">, user: string, facts: Facts, context: Context): Problem[] {
  const { file, symbol } = fact;
  const refused = (suspects: Suspect[]): Problem[] => [{ weight: weights.refused, suspects }];
  if (ofRapids.test(symbol) || rapidsFile.test(file)) return refused(otherRapids(fact, user));
  if (symbol === "iJIT_NotifyEvent") return refused([withoutItt(fact, user)]);
  if (/^_ZN(?:K?[23]at|K?3c10|K?5torch|K?2at|K?6caffe2)|torch|^_Py|^Py[A-Z]|tensorflow/.test(symbol))
    return refused(otherBuild(fact, user, facts, context));
  if (/^_ZN?K?St|^_ZNK?S[ost]|^_ZNK?9__gnu_cxx|^__cxa_/.test(symbol)) return refused(olderRuntime(fact, user, facts));
  // A package of the stack that lacks a symbol of its own: its parts are of different builds. Where nobody says which, it is PyTorch's mostly.
  return (symbol.startsWith("_Z") && ofStack.test(file)) || (symbol === "" && (ofStack.test(file) || extension.test(user)))
    ? [{ weight: weights.failed, suspects: otherBuild(fact, user, facts, context) }]
    : isCached(file) && symbol !== ""
      ? refused([leftFor(fact, user)])
      : [];
}

/** Modules that are compiled against PyTorch, by the names that their files have. */
const extension =
  /^(?:flash_attn|vllm|xformers|apex|amp_C|fused_|torch_|torchvision|torchaudio|lib?torch|mmcv|selective_scan|causal_conv1d|exllama|awq|quant_cuda|pointnet|deform|_C\.|_ext\.)/;

const ofStack =
  /(?:site|dist)-packages\/(?:\w{0,30}cuda|torch|flash_attn|transformer_engine|apex|vllm|xformers|deepspeed|detectron2|mmcv|spconv|pytorch3d|tensorrt|cupy|jax|triton|bitsandbytes|causal_conv1d|mamba_ssm)/;

/** A symbol of the C++ runtime itself: the compiler that built its user was newer than the libstdc++ that is found. */
function olderRuntime(fact: Fact<"undefined-symbol">, user: string, facts: Facts): Suspect[] {
  const package_ = distributionOf(fact, facts);
  const filesystem = fact.symbol.includes("10filesystem");
  const base = {
    name: user,
    required: `a libstdc++ with ${fact.symbol}`,
    found: "an older libstdc++",
    evidence: [fact],
    next: ["gcc --version; which -a g++", "strings $(gcc -print-file-name=libstdc++.so.6) | grep GLIBCXX | tail -1"],
  };
  return [
    {
      ...base,
      cause: "library-wrong-version",
      certainty: "likely",
      message: `\`${user}\` needs a part of the C++ runtime that the libstdc++ here does not have: it was built by another compiler${filesystem ? " (before gcc 9, std::filesystem had to be linked by itself)" : ""}`,
      fixes: [
        package_ === undefined
          ? fix("build it again with gcc 9 or newer, and let it find that compiler's libstdc++")
          : fix("build it again with gcc 9 or newer first on PATH", buildLine(package_)),
        fix("in a conda environment: bring the newer runtime", "conda install -c conda-forge libstdcxx-ng"),
      ],
    },
    {
      ...base,
      cause: "library-shadowed",
      certainty: "possible",
      message: "or an older libstdc++, such as that of a conda environment, is found before the system's",
      fixes: [withoutSearchPath()],
    },
    { ...base, cause: "package-conflict", certainty: "possible", message: "or its parts are of two builds", fixes: [] },
  ];
}

// RAPIDS is a dozen packages of C++ that are released together; a mangled name holds the namespace of the one that should have it.
const ofRapids = /^_ZN?K?\d{1,2}(?:cudf|rmm|raft|cugraph|cuml|cuvs|kvikio|ucxx)/;
const rapidsFile = /(?:site|dist)-packages\/(?:cudf|rmm|pylibraft|raft_dask|cuml|cugraph|pylibcudf|cuvs)\//;

function otherRapids(fact: Fact<"undefined-symbol">, user: string): Suspect[] {
  const owner = /^_ZN?K?\d{1,2}([a-z]+)/.exec(fact.symbol)?.[1];
  const base = {
    name: owner === undefined ? user : `lib${owner}.so`,
    required: "all parts of RAPIDS of one release and one CUDA",
    evidence: [fact],
    next: ["conda list | grep -i 'cudf\\|rmm\\|raft\\|cuml'", "pip list | grep -i 'cudf\\|rmm\\|raft\\|cuml'"],
    fixes: [
      fix(
        "make a new environment with RAPIDS as a whole: updating one part of it leaves the others behind",
        'conda create -n rapids -c rapidsai -c conda-forge rapids "cuda-version>=12.0,<13"',
      ),
    ],
  };
  const message = `\`${user}\` was built for another release of ${owner === undefined ? "its libraries" : `lib${owner}`} than the one that is loaded`;
  return [
    { ...base, cause: "package-conflict", certainty: "likely", message },
    { ...base, cause: "library-wrong-version", certainty: "possible", message: "or only the library is of another release", fixes: [] },
    {
      ...base,
      cause: "upstream-bug",
      certainty: "possible",
      message: "or packages of one day (nightlies) were published that do not fit together",
      fixes: [],
    },
    { ...base, cause: "library-shadowed", certainty: "possible", message: "or another copy of it is found first", fixes: [] },
  ];
}

/** Intel's notifications for profilers, which MKL had until 2024.0: conda's PyTorch takes them from there (pytorch/pytorch#123097). */
function withoutItt(fact: Fact<"undefined-symbol">, user: string): Suspect {
  return {
    cause: "package-conflict",
    name: user,
    required: "MKL below 2024.1",
    found: "MKL of 2024.1 or later",
    certainty: "likely",
    message: "MKL is newer than conda's PyTorch allows: since 2024.1 it lacks `iJIT_NotifyEvent`",
    evidence: [fact],
    next: ["conda list mkl"],
    fixes: [
      fix("take an older MKL", 'conda install "mkl<2024.1"'),
      fix("or PyTorch as a wheel of PyPI, which brings its own", "pip install --force-reinstall torch"),
    ],
  };
}

// A part of cuDNN that lacks a symbol was found in another folder than the rest of its release.
function mixedParts(fact: Fact<"undefined-symbol">, name: string): Suspect[] {
  if (!/^libcudnn_(?:ops|cnn|adv|graph|engines|heuristic)/.test(name)) return [];
  return [
    {
      cause: "mixed-cudnn-sublibraries",
      name,
      library: "cudnn",
      required: "all parts of one cuDNN release",
      certainty: "possible",
      message: "or parts of two cuDNN releases meet in one process, each from a folder of its own",
      evidence: [fact],
      next: ["culprit why libcudnn"],
      fixes: [],
    },
  ];
}

// The linker found no library with this function: none was named, or an older one answered.
function unlinked(fact: Fact<"notice">, context: Context): Problem {
  const owner = ownerOf(fact.subject!) ?? { library: "cudnn", name: "libcudnn.so" };
  const base = {
    name: owner.name,
    library: owner.library,
    required: `${owner.name} with ${fact.subject}`,
    evidence: [fact],
    next: [`find / -name '${owner.name}*' 2>/dev/null`, "echo $CUDA_HOME $LIBRARY_PATH"],
  };
  // An object of the program asks for a function that every release has: its library was not named.
  if (fact.found === "own" && fact.required === undefined && owner.library !== "cupti") return unnamed(fact, base);
  return {
    weight: weights.hint,
    suspects: [
      ...(owner.library === "cupti"
        ? [
            {
              ...base,
              cause: "library-not-on-path" as const,
              certainty: "possible" as const,
              message: "CUPTI is not on the linker's line: the toolkit keeps it apart from its other libraries",
              fixes: [fix("name it and its folder to the linker: `-L/usr/local/cuda/extras/CUPTI/lib64 -lcupti`, behind what uses it")],
            },
          ]
        : []),
      {
        ...base,
        cause: "library-wrong-version",
        ...linkedWith(fact.subject!, context),
      },
      {
        ...base,
        cause: "library-missing",
        certainty: "possible",
        message: "or the library was not named to the linker, or is not installed",
        fixes: [],
      },
      ...(fact.required === undefined
        ? []
        : [
            {
              ...base,
              cause: "library-shadowed" as const,
              certainty: "possible" as const,
              message: `or the linker found another \`${fact.required}\` before the one of this toolkit: of LD_LIBRARY_PATH, or of the system's folders`,
              fixes: [withoutSearchPath()],
            },
          ]),
      { ...base, cause: "cuda-home-wrong", certainty: "possible", message: "or headers and libraries of two toolkits meet", fixes: [] },
    ],
  };
}

function unnamed(
  fact: Fact<"notice">,
  base: Pick<Suspect, "name" | "library" | "required" | "evidence" | "next"> & { name: string },
): Problem {
  const option = `-l${base.name.replace(/^lib/, "").replace(/\.so.*$/, "")}`;
  return {
    weight: weights.hint,
    symptom: `the linker finds no \`${fact.subject}\``,
    suspects: [
      {
        ...base,
        cause: "not-a-mismatch",
        certainty: "possible",
        message: `the linker is not told of \`${base.name}\`: the objects of the program use it, and their build file does not name it behind them`,
        fixes: [
          fix(
            `name it behind the objects that use it: \`-L/usr/local/cuda/lib64 ${option}\`; with CMake, link \`CUDA::${option.slice(2)}\``,
          ),
        ],
      },
      { ...base, cause: "library-missing", certainty: "possible", message: "or it is not installed", fixes: [] },
      {
        ...base,
        cause: "library-not-on-path",
        certainty: "possible",
        message: "or it lies where the linker does not look",
        fixes: [],
      },
      {
        ...base,
        cause: "library-wrong-version",
        certainty: "possible",
        message: "or the one that it found is of a release without this function",
        fixes: [],
      },
    ],
  };
}

/** libtorch says with which CUDA it was built: that one has what it asks for. */
function linkedWith(
  symbol: string,
  context: Context,
): Pick<Suspect, "message" | "certainty" | "fixes"> & { required?: string; found?: string } {
  const built = context.framework("torch").cuda;
  const here = context.toolkits.find(({ version }) => built === undefined || !built.startsWith(version))?.version;
  if (built === undefined || here === undefined)
    return {
      certainty: "possible",
      message: `the linker finds no \`${symbol}\`: the library that it found is of another release`,
      fixes: [selectToolkit("build with one toolkit throughout", built ?? context.toolkits[0]?.version)],
    };
  const other = torchBuildFor(here);
  return {
    certainty: "likely",
    required: `CUDA ${built}, with which libtorch was built`,
    found: `CUDA ${here}`,
    message: `libtorch was built with CUDA ${built}, and the linker takes CUDA ${here}, which has no \`${symbol}\``,
    fixes: [
      selectToolkit(`build with CUDA ${built}, in an empty build folder`, built),
      ...(other ? [fix(`or take a libtorch for CUDA ${other.cuda} (${other.variant}), which a toolkit of CUDA ${here} can serve`)] : []),
    ],
  };
}

const ownerOf = (symbol: string) => {
  const [, library, name] = owners.find(([pattern]) => pattern.test(symbol)) ?? [];
  return library === undefined || name === undefined ? undefined : { library, name };
};

function stub(fact: Fact, file: string): Suspect {
  const folder = file.slice(0, file.lastIndexOf("/"));
  return {
    cause: "stub-library",
    name: "libcuda.so.1",
    library: "libcuda",
    required: "the driver's libcuda.so.1",
    found: file,
    certainty: "certain",
    message: `\`${file}\` is the stub for the linker, not the driver's library`,
    evidence: [fact],
    next: ["culprit why libcuda.so.1"],
    fixes: [fix(`take \`${folder}\` out of LD_LIBRARY_PATH`)],
  };
}

/** A package's own stand-in, which opens the real library when it is called, and has only the functions that the package uses. */
function ofPackage(fact: Fact<"undefined-symbol">, file: string): Suspect[] {
  const package_ = /(?:site|dist)-packages\/([\w.-]{2,60})\//.exec(file)?.[1];
  const real = nameOf(file).replace(/_stub\w{0,10}/, "");
  const base = {
    name: nameOf(file),
    required: `the real ${real} with ${fact.symbol}`,
    found: file,
    evidence: [fact],
    next: [`grep ${real.split(".")[0]} /proc/self/maps`],
  };
  return [
    {
      ...base,
      cause: "stub-library",
      certainty: "likely",
      message: `\`${file}\` is a stand-in for \`${real}\` that ${package_ === undefined ? "a package" : `\`${package_}\``} brings: another package took it for the real one, and it lacks \`${fact.symbol}\``,
      fixes: [fix(`bring ${package_ === undefined ? "that package" : `\`${package_}\``} up to date, or import the other package first`)],
    },
    { ...base, cause: "library-shadowed", certainty: "possible", message: "so the real library is hidden behind it", fixes: [] },
    {
      ...base,
      cause: "upstream-bug",
      certainty: "possible",
      message: "or this release of one of the two does not go with the other",
      fixes: [],
    },
  ];
}

// An interpreter that is asked for a function of the driver: the driver's library was not loaded into it at all.
const ofNoDriver = /^(?:julia|python[\d.]{0,5})$/;

const notThere = (fact: Fact<"undefined-symbol">, user: string, certainty: Suspect["certainty"] = "likely"): Suspect => ({
  cause: "driver-not-exposed",
  name: "libcuda.so.1",
  library: "libcuda",
  required: "the driver's libcuda.so.1 within the process",
  found: "none",
  certainty,
  message: `${certainty === "likely" ? "" : "or "}\`${fact.symbol}\` was looked for in \`${user}\` itself: no libcuda was loaded, so no driver reaches the process`,
  evidence: [fact],
  next: ["nvidia-smi", "ldconfig -p | grep libcuda"],
  fixes: [fix("on a machine: install the NVIDIA driver; on one without a GPU the program must not ask for it")],
});

const ofDriver = (fact: Fact<"undefined-symbol">, user: string, context: Context): Suspect[] =>
  isCached(fact.file) ? [...leftInCache(fact, user), notThere(fact, user, "possible")] : ofDriverItself(fact, user, context);

/** What a compiler keeps for the next run: Triton's and Inductor's folders, caches of a home, PyTorch's of extensions. */
const isCached = (file: string) => /\/\.cache\/|\/torch_extensions\/|\/torchinductor_|\/\.triton\/|\/triton\/cache\//.test(file);

// Every libcuda has these functions: what asks for them was linked where there was none, and kept.
function leftInCache(fact: Fact<"undefined-symbol">, user: string): Suspect[] {
  const folder = /^(\S{1,200}?\/(?:torchinductor_[^/]{1,40}|\.triton\/cache|torch_extensions|\.cache\/[^/]{1,40}))\//.exec(fact.file)?.[1];
  const base = {
    name: user,
    evidence: [fact],
    next: [`ls -l ${folder ?? fact.file}`],
    required: "a file that was made in this environment",
  };
  return [
    {
      ...base,
      cause: "stale-artefact",
      found: "one that was kept from another run",
      certainty: "likely",
      message: `\`${user}\` was compiled in another run and kept: it asks for \`${fact.symbol}\` of a libcuda that it is not linked with`,
      fixes: [fix("delete what was kept: it is made anew", ...(folder === undefined ? [] : [`rm -r ${folder}`]))],
    },
    {
      ...base,
      cause: "stub-library",
      name: "libcuda.so.1",
      library: "libcuda",
      certainty: "possible",
      message: "or it was linked with a stub of libcuda, or with none",
      fixes: [],
    },
  ];
}

const ofDriverItself = (fact: Fact<"undefined-symbol">, user: string, context: Context): Suspect[] =>
  ofNoDriver.test(user) ? [notThere(fact, user), ...withoutFunction(fact, user)] : withoutFunction(fact, user, context);

function withoutFunction(fact: Fact<"undefined-symbol">, user: string, context?: Context): Suspect[] {
  const base = {
    ...(context?.driver ? { found: `driver ${context.driver.version}` } : {}),
    name: "libcuda.so.1",
    library: "libcuda",
    required: `a driver with ${fact.symbol}`,
    evidence: [fact],
    next: ["nvidia-smi", "culprit why libcuda.so.1"],
  };
  return [
    {
      ...base,
      cause: "driver-too-old",
      certainty: "likely",
      message: `\`${user}\` asks libcuda for \`${fact.symbol}\`, which this driver does not have`,
      fixes: [fix("install a newer NVIDIA driver")],
    },
    {
      ...base,
      cause: "wrong-wheel-cuda-version",
      name: user,
      certainty: "possible",
      message: `or \`${user}\` was built with headers of a newer CUDA than the one here`,
      fixes: [fix("build it again with the toolkit that is here")],
    },
    {
      ...base,
      cause: "stub-library",
      certainty: "possible",
      message: "or a stub or an old copy of libcuda is found before the driver's own",
      fixes: [withoutSearchPath()],
    },
  ];
}

/** NVIDIA's wheels with more than one library: what one of them misses in another, its own wheel has. */
const isOfOneWheel = (file: string, library: string): boolean =>
  (/(?:site|dist)-packages\/nvidia\/cublas\/lib\/libcublas\.so/.test(file) && library === "cublaslt") ||
  (/(?:site|dist)-packages\/nvidia\/cudnn\/lib\/libcudnn/.test(file) && library === "cudnn");

function foreign(fact: Fact<"undefined-symbol">, user: string, owner: { library: string; name: string }, context: Context): Suspect[] {
  const release = /_(\d{1,2})_(\d{1,2})$/.exec(fact.symbol);
  // The folder of a toolkit says of which release the user is; a wheel's user met a copy of the toolkit that is installed.
  const of = /\/cuda-(\d{1,2}\.\d{1,2})\//.exec(fact.file)?.[1];
  const installed = /(?:site|dist)-packages/.test(fact.file)
    ? context.toolkits.find(
        ({ version, from }) =>
          (from === "nvcc" || from === "package") && (!release || compareDotted(version, `${release[1]}.${release[2]}`) < 0),
      )
    : undefined;
  const base = {
    name: owner.name,
    library: owner.library,
    required:
      release && owner.library === "nvjitlink"
        ? `${owner.name} of CUDA ${release[1]}.${release[2]} or newer`
        : `${owner.name} with ${fact.symbol}${of === undefined ? "" : `, of CUDA ${of} like ${user}`}`,
    found: installed ? `an older copy, perhaps that of CUDA ${installed.version}` : "an older copy",
    evidence: [fact, ...(installed ? [installed] : []), ...(context.searched[0] ? [context.searched[0].fact] : [])],
    next: [whyLine(owner.name, context), "echo $LD_LIBRARY_PATH", "pip list | grep nvidia"],
    fixes: [
      withoutSearchPath(),
      fix("install the framework with all its NVIDIA packages again", "pip install --force-reinstall torch"),
      ...(owner.library === "nvjitlink"
        ? [fix(`bring nvJitLink to the release of ${user}`, `pip install --upgrade nvidia-nvjitlink-cu12`)]
        : []),
      ...(context.conda
        ? [fix("where conda brought CUDA libraries beside pip's: keep one of the two", "conda list | grep -i 'cuda\\|cublas'")]
        : []),
    ],
  };
  const who = fact.file === "" ? user : `\`${user}\``;
  const message = `${who} needs \`${fact.symbol}\` of \`${owner.name}\`, and the copy that was found does not have it`;
  const shadowed: Suspect = {
    ...base,
    cause: "library-shadowed",
    certainty: "likely",
    message,
    because: ["an older copy in another folder is found before the one that belongs to it"],
  };
  const conflict: Suspect = {
    ...base,
    cause: "package-conflict",
    certainty: "possible",
    message,
    because: ["two packages (pip and conda, or two frameworks) brought releases that do not fit together"],
  };
  const wrong: Suspect = {
    ...base,
    cause: "library-wrong-version",
    certainty: "possible",
    message,
    because: ["the only copy is of another release"],
  };
  // The packages of two CUDA releases lie in one folder: the one that was installed last wrote over the other.
  const twins = context.packages(new RegExp(`^nvidia-${owner.library}-cu\\d{2}$`));
  if (1 < new Set(twins.map(({ name: each }) => each)).size) {
    const older = [...twins].sort((a, b) => compareDotted(a.version, b.version))[0]!;
    return [
      {
        ...conflict,
        certainty: "likely",
        found: twins.map(({ name: each, version }) => `${each} ${version}`).join(" and "),
        evidence: [fact, ...twins],
        because: ["both packages put their files into one folder of site-packages, and the last one installed stays"],
        fixes: [
          fix(
            "remove the packages of the other CUDA, then put the right one back",
            `pip uninstall -y ${older.name}`,
            `pip install --force-reinstall --no-deps ${twins.find(({ name: each }) => each !== older.name)!.name}`,
          ),
        ],
      },
      { ...shadowed, certainty: "possible" },
      wrong,
    ];
  }
  if (isOfOneWheel(fact.file, owner.library))
    return [
      {
        ...shadowed,
        because: ["both are of one wheel, which fits itself: a copy in another folder is found first, nearly always by LD_LIBRARY_PATH"],
      },
      wrong,
      conflict,
    ];
  // What a package compiles at its first use lies in a cache: the local nvcc made it, for another CUDA than the framework brings.
  if (isCached(fact.file)) {
    const [compiled, left] = compiledHere(fact, user, owner, context);
    const others = [{ ...shadowed, certainty: "possible" as const }, conflict, wrong];
    // A function that every release of its library has: what was kept was linked beside another one, or without it.
    return release || fact.version !== undefined
      ? [compiled, left, ...others]
      : [leftFor(fact, user), { ...compiled, certainty: "possible" }, ...others];
  }
  // A copy of the conda environment that a wheel reaches for: both brought their own.
  const own =
    /\/lib\/(?:python[\d.]{1,5}\/site-packages\/torch\/lib\/\.\.\/\.\.\/\.\.\/\.\.\/)?lib[^/]{1,40}$/.test(fact.file) && context.conda;
  return own ? [conflict, shadowed, wrong] : [shadowed, conflict, wrong];
}

function compiledHere(fact: Fact<"undefined-symbol">, user: string, owner: { name: string }, context: Context): [Suspect, Suspect] {
  const torch = context.framework("torch").cuda;
  const folder = fact.file.slice(0, fact.file.lastIndexOf("/"));
  const base = {
    name: user,
    required: torch === undefined ? "the CUDA of the framework that loads it" : `CUDA ${torch}, as PyTorch`,
    found: "code that a newer nvcc compiled",
    evidence: [fact],
    next: ["nvcc --version", 'python -c "import torch; print(torch.version.cuda)"'],
  };
  return [
    {
      ...base,
      cause: "toolkit-vs-framework-at-build",
      certainty: "likely",
      message: `\`${user}\` was compiled on this machine, by an nvcc that is newer than the \`${owner.name}\` that the framework loads`,
      fixes: [
        selectToolkit("compile with the toolkit of the framework's CUDA", torch),
        fix("and delete what was compiled, so that it is made anew", `rm -r ${folder}`),
      ],
    },
    { ...base, cause: "stale-artefact", certainty: "possible", message: `or it was left in \`${folder}\` by another release`, fixes: [] },
  ];
}

/** A file in a cache that lacks a symbol of whatever library. */
const leftFor = (fact: Fact<"undefined-symbol">, user: string): Suspect => ({
  ...leftInCache(fact, user)[0]!,
  message: `\`${user}\` was compiled in another run and kept: what it asks for, \`${fact.symbol}\`, is not in what is installed now`,
});

// A module of compiled code lies beside the package that brings it; its own name is that of no distribution.
function distributionOf({ file }: Fact<"undefined-symbol">, facts: Facts): string | undefined {
  const folder = /(?:site|dist)-packages\/([\w.-]{2,60})\//.exec(file)?.[1] ?? facts.all("traceback").at(-1)?.package;
  if (folder !== undefined && !folder.includes(".so")) return folder;
  const module_ = /^(\w{2,60})\.cpython-/.exec(nameOf(file))?.[1];
  const listed = facts.all("package").find(({ name }) => module_?.startsWith(name.replaceAll("-", "_")))?.name;
  return listed ?? /^(\w{3,40}?)(?:_\d)?_(?:cuda|C|ext|ops)$/.exec(module_ ?? "")?.[1];
}

/** `flash-attn 2.8.0.post2`, where the text lists it. */
function releaseOf(package_: string | undefined, { packages }: Context): string {
  const same = (name: string) => name.toLowerCase().replaceAll("_", "-");
  const listed = package_ === undefined ? undefined : packages(/./).find(({ name }) => same(name) === same(package_));
  return listed ? `a build of ${listed.name} ${listed.version}` : "a build";
}

function otherBuild(fact: Fact<"undefined-symbol">, user: string, facts: Facts, context: Context): Suspect[] {
  const package_ = distributionOf(fact, facts);
  const torch = context.framework("torch").version;
  const base = {
    name: user,
    required: torch === undefined ? "a build for the installed framework" : `a build for PyTorch ${torch}`,
    ...(torch === undefined ? {} : { found: `${releaseOf(package_, context)} for another release than the PyTorch ${torch} here` }),
    evidence: [fact, ...(torch === undefined ? [] : context.framework("torch").facts.slice(0, 1))],
    next: ["pip list | grep -i torch", "python -m torch.utils.collect_env"],
    fixes: compiledAgain(package_, facts, context),
  };
  const message = `\`${user}\` was built for another release of the framework than the one that is installed${torch === undefined ? "" : ` (PyTorch ${torch})`}`;
  const others: Suspect[] = [
    { ...base, cause: "wrong-wheel-cuda-version", certainty: "possible", message },
    { ...base, cause: "library-wrong-version", certainty: "possible", message },
  ];
  const conflict = { ...base, cause: "package-conflict" as const, message };
  // What lies in a cache was compiled here, and nobody installed it.
  if (isCached(fact.file)) {
    const left = { ...leftFor(fact, user), ...(torch === undefined ? {} : { required: base.required, found: base.found! }) };
    return [left, { ...conflict, certainty: "possible" }, ...others];
  }
  return [
    { ...conflict, certainty: "likely" },
    ...others,
    {
      ...base,
      cause: "stale-artefact",
      certainty: "possible",
      message: `or \`${user}\` was built here, beside a framework that was replaced since`,
    },
  ];
}

/** The file that lacks it; of glibc rather the release, where the text tells it. */
function foundOf(fact: Fact<"notice">, name: string, facts: Facts): Pick<Suspect, "found" | "evidence"> {
  const [here] = name === "libc.so.6" ? facts.notices("glibc-here") : [];
  return here ? { found: `glibc ${here.found}`, evidence: [fact, here] } : { found: fact.subject ?? "", evidence: [fact] };
}

function missingVersion(fact: Fact<"notice">, facts: Facts, context: Context): Problem {
  const name = nameOf(fact.subject ?? "");
  const library = libraryOf(name)?.id;
  const base = {
    name,
    ...(library === undefined ? {} : { library }),
    required: fact.required ?? "",
    ...foundOf(fact, name, facts),
    next: [`culprit why ${name}`, ...(name.startsWith("libstdc++") ? [`strings ${fact.subject} | grep GLIBCXX | tail -1`] : [])],
  };
  // What `--nv` brings of the host is made for the host's glibc, and meets the image's.
  const fromHost = name === "libc.so.6" && (fact.found ?? "").startsWith("/.singularity.d/libs/");
  // cuDNN names the version of its symbols after itself: a file that lacks it has only the name.
  const user = fact.found === undefined ? "the program" : `\`${nameOf(fact.found)}\``;
  const message = fromHost
    ? `\`--nv\` brings the host's ${user} into the container, and it needs \`${fact.required}\`: the image's glibc is older than the host's`
    : name === fact.required
      ? `\`${fact.subject}\` is not what its name says: a file of another release was renamed or linked so, and ${user} needs the real one`
      : `\`${fact.subject}\` lacks \`${fact.required}\`, which ${user} needs`;
  const wrong: Suspect = {
    ...base,
    cause: "library-wrong-version",
    certainty: "likely",
    message,
    fixes: fromHost
      ? leftOut(fact)
      : [
          fix(
            name === "libc.so.6"
              ? "use a package built for this older system, or a newer system"
              : name === fact.required
                ? `remove that file, and install the release that has the name by itself`
                : `install a newer \`${name}\``,
            ...(name.startsWith("libstdc++") && context.conda ? ["conda install -c conda-forge libstdcxx-ng"] : []),
          ),
        ],
  };
  const shadowed: Suspect = { ...base, cause: "library-shadowed", certainty: "possible", message, fixes: [withoutSearchPath()] };
  return { weight: weights.refused, suspects: name === "libc.so.6" ? [wrong] : [wrong, shadowed] };
}

const leftOut = (fact: Fact<"notice">): NonNullable<Suspect["fixes"]> => [
  fix("take an image that is as new as the host: the program's own, built anew on a newer base"),
  fix(
    `or let \`--nv\` leave this library out, where the image has one of its own: administrators take \`${nameOf(fact.found!).replace(/\.so.*$/, ".so")}\` out of nvliblist.conf (in /etc/apptainer or /etc/singularity)`,
  ),
];

/** What nvcc puts around every launch, by the CUDA whose runtime has it first. */
const launchSince: [pattern: RegExp, cuda: string][] = [
  [/^__cuda(?:Push|Pop)CallConfiguration$/, "9.2"],
  [/^__cudaRegisterFatBinaryEnd$/, "10.1"],
];

/** Code that one nvcc made, beside the runtime of an older CUDA. */
function ofOtherLaunch(fact: Fact<"undefined-symbol">, user: string, context: Context): Suspect[] {
  const since = launchSince.find(([pattern]) => pattern.test(fact.symbol))?.[1];
  const built = context.framework("torch").cuda;
  const base = {
    name: "libcudart.so",
    library: "cudart",
    required: `a CUDA runtime with ${fact.symbol}${since === undefined ? "" : ` (CUDA ${since} or newer)`}`,
    found: built === undefined ? "an older one, which the framework brought" : `CUDA ${built}, which PyTorch brought`,
    evidence: [fact],
    next: ["nvcc --version", 'python -c "import torch; print(torch.version.cuda)"'],
  };
  return [
    {
      ...base,
      cause: "toolkit-vs-framework-at-build",
      certainty: "likely",
      message: `\`${user}\` was compiled by an nvcc of another CUDA than the runtime that is loaded: \`${fact.symbol}\` ${since === undefined ? "is not in it" : `came with CUDA ${since}`}`,
      fixes: [
        selectToolkit("build it again with the CUDA of the framework, after its `build` folder and the old .so are removed", built),
        fix("or install the framework for the CUDA of the nvcc that is here"),
      ],
    },
    { ...base, cause: "library-wrong-version", certainty: "possible", message: "or an older libcudart is all that is there", fixes: [] },
    {
      ...base,
      cause: "library-shadowed",
      certainty: "possible",
      message: "or an older one is found before the right one",
      fixes: [withoutSearchPath()],
    },
  ];
}
