import { noSuchVersion } from "../no-such-version.ts";
import { fix } from "../fixes.ts";
import { weights } from "../cause.ts";
import { notice, type Signature } from "../signature.ts";

/** `117` of a name: CUDA 11.7; `12` alone is a major. */
const ofLabel = (digits: string) => (digits.length === 2 ? digits : `${digits.slice(0, -1)}.${digits.at(-1)}`);

/** pip. */
export default [
  {
    // pip/_internal/build_env.py and uv's builds-v0: the folders of an environment that is made for one build.
    literals: ["pip-build-env-", "builds-v0", "getting requirements to build", "get_requires_for_build_wheel"],
    pattern:
      /\/pip-build-env-\w{4,12}\/|\/builds-v0\/|\\pip-build-env-\w{4,12}\\|Getting requirements to build (?:wheel|editable) did not run successfully|get_requires_for_build_(?:wheel|editable)/,
    examples: ['  File "/tmp/pip-build-env-j0k5gf0x/overlay/lib/python3.13/site-packages/setuptools/build_meta.py", line 331'],
    facts: () => ({ kind: "notice", id: "isolated-build" }),
  },
  {
    literals: ["collecting ", "failed to build `", "failed to build '", "failed building wheel for"],
    pattern:
      /^\s{0,8}(?:Collecting|.{0,8}Failed to build) [`']?(?<subject>flash[-_]attn|deepspeed|apex|xformers|detectron2|mamba[-_]ssm|causal[-_]conv1d|torch[-_](?:scatter|sparse|cluster|spline-conv)|transformer[-_]engine(?:[-_]torch)?|sageattention|auto[-_]gptq|pytorch3d|mmcv(?:-full)?|groundingdino(?:-py)?|gsplat|nvdiffrast|tiny-?cuda-?nn|vllm|natten|spconv)(?![\w-])/i,
    examples: ["Collecting flash_attn", "  × Failed to build `flash-attn==2.7.4.post1`"],
    facts: ({ subject }) => ({ kind: "notice", id: "isolated-build-of", subject: subject!.replaceAll("_", "-").toLowerCase() }),
  },
  {
    literals: ["which is not installed"],
    pattern:
      /(?<![\w.-])(?<package>[\w.-]{2,60}) (?<own>[\w.+!-]{1,40}) requires (?<dependency>[\w.-]{2,60})(?:\[[\w,-]{1,60}\])?(?<wanted>[<>=!~][^\s;,]{1,60})?[^\n]{0,120}, which is not installed/,
    examples: [
      'torch 2.2.1+cu121 requires nvidia-cublas-cu12==12.1.3.1; platform_system == "Linux" and platform_machine == "x86_64", which is not installed.',
    ],
    facts: ({ package: name, own, dependency, wanted }) => ({
      kind: "conflict",
      package: `${name} ${own}`,
      dependency: dependency!,
      wanted: wanted ?? "",
      found: "not installed",
    }),
  },
  {
    literals: ["which is incompatible"],
    pattern:
      /(?<package>[\w.-]{2,60}) (?<own>[\w.+!-]{1,40}) (?:requires|has requirement) (?<dependency>[\w.-]{2,60})(?:\[[\w,-]{1,60}\])?(?<wanted>[<>=!~][^\n]{1,80}?), but you(?:'ll)? have \k<dependency> (?<found>[\w.+!-]{1,40}) which is incompatible/,
    examples: [
      "torchaudio 2.0.2+cu118 requires torch==2.0.1, but you have torch 1.13.1+cu117 which is incompatible.",
      "ERROR: torchvision 0.9.1 has requirement torch==1.8.1, but you'll have torch 1.11.0 which is incompatible.",
    ],
    facts: ({ package: name, own, dependency, wanted, found }) => ({
      kind: "conflict",
      package: `${name} ${own}`,
      dependency: dependency!,
      wanted: wanted!.replace(/;.*/, "").trim(),
      found: found!,
    }),
  },
  {
    literals: ["the user requested", "depends on"],
    pattern:
      /^\s{0,8}(?:(?<user>The user requested)(?: \(constraint\))?|(?<by>[\w.-]{2,60} [\w.+-]{1,30}) depends on) (?<name>[\w.-]{2,60})(?:\[[\w,-]{1,60}\])?(?<wanted>[<>=!~][^\s;]{1,80})?/,
    examples: [
      "    The user requested nvidia-cudnn-cu12==9.1.0.70",
      '    torch 2.5.1 depends on nvidia-cudnn-cu12==9.1.0.70; platform_system == "Linux"',
    ],
    facts: ({ user, by, name, wanted }) => ({ kind: "requested", by: user === undefined ? by! : "you", name: name!, wanted: wanted ?? "" }),
    single: true,
  },
  {
    ...notice(
      "index-lacks",
      ["no longer serves", "no longer hosts", "no longer has", "removed from", "missing from", "yanked", "does not serve", "doesn't have"],
      /\bindex (?:no longer|does not|doesn['’]t) (?:serves?|hosts?|ha(?:s|ve)|contains?|provides?) (?:the )?["'`]?(?<subject>[a-z][\w.-]{2,60}(?:==[\w.+]{1,30})?)|\b(?<required>(?:nvidia|torch|triton|jax|tensorflow|cuda)[\w.-]{0,50}==[\w.+]{1,30})["'`]? (?:was|is|were|has been) (?:removed|missing|yanked|deleted|gone) from (?:the )?(?:[\w.-]{2,30} )?(?:index|PyPI)/i,
      "cu124 index no longer serves nvidia-cudnn-cu12==9.1.0.70, which all torch cu124 wheels pin",
    ),
    means: {
      weight: weights.refused + 1,
      about: (_facts, _context, [fact]) => ({
        name: (fact!.subject ?? fact!.required)!.split("==")[0]!,
        required: (fact!.subject ?? fact!.required)!.replace("==", " "),
        found: "not on that index",
      }),
      next: ["pip download --no-deps -v torch"],
      may: [
        {
          cause: "upstream-bug",
          certainty: "likely",
          message: "the index does not hold what its own packages pin: whoever publishes it has to repair it",
          fixes: [fix("let pip look at PyPI as well until then", "export PIP_EXTRA_INDEX_URL=https://pypi.org/simple")],
        },
        { cause: "package-conflict", message: "or the pins of two packages exclude each other", fixes: [] },
      ],
    },
  },
  {
    // As people and uv tell it: who asks for what, and what else is asked for.
    literals: [" requires ", " require "],
    pattern:
      /(?<![\w.-])(?<by>[a-z][\w.+=-]{1,60}(?:\[[\w,-]{1,30}\])?(?:==[\w.+]{1,30})?) {1,3}requires? {1,3}["'`]?(?<name>nvidia-[\w-]{3,40}|torch(?:vision|audio)?|triton|jax(?:lib)?|tensorflow|protobuf|numpy|transformers|cuda-[\w-]{3,30})(?<wanted>(?:==|>=|<=|~=|<|>)\d[\w.*]{0,30}(?:,(?:==|>=|<=|~=|<|>|!=)\d[\w.*]{0,30})?)/i,
    examples: ["simpletuner[cuda13] requires nvidia-cublas>=13.3.0.5", "torch==2.13.0+cu130 require nvidia-cublas==13.1.x"],
    facts: ({ by, name, wanted }, { input }) =>
      /\bbut\b|which is incompatible|is not installed/i.test(input)
        ? undefined
        : [
            { kind: "requested", by: by!, name: name!, wanted: wanted! },
            { kind: "notice", id: "asked-by", subject: name! },
          ],
    every: true,
  },
  notice(
    "pip-newest-torch",
    ["install"],
    /\bpip3? install (?:-{1,2}[\w-]{1,20} ){0,4}torch(?![=<>~+\w-])(?![^\n]{0,120}(?:--index-url|-i |--extra-index-url|-f |--find-links))/,
    "RUN pip install --no-cache-dir torch torchvision",
  ),
  notice(
    // A build of the day, which nobody has tried.
    "nightly",
    ["nightly", ".dev20"],
    /\b(?:pytorch|torch|tf|tensorflow|jax|xla|rapids\w{0,4})[-_ ]nightly\b|-c pytorch-nightly|\/whl\/nightly\/|\bnightly (?:build|release|wheel|version)s?\b|\d\.dev20\d{6}/i,
    "conda install pytorch torchvision -c pytorch-nightly",
    "torch 2.6.0.dev20241015+cu124",
  ),
  notice("pip-conflict", "the conflict is caused by", /The conflict is caused by/, "The conflict is caused by:"),
  notice(
    "pip-conflict",
    ["resolutionimpossible", "have conflicting dependencies"],
    /ResolutionImpossible|Cannot install .{3,200} because these package versions have conflicting dependencies/,
    "ERROR: Cannot install torch==2.1.0 and torchvision==0.15.0 because these package versions have conflicting dependencies.",
    "ERROR: ResolutionImpossible: for help visit https://pip.pypa.io/en/latest/topics/dependency-resolution/#dealing-with-dependency-conflicts",
  ),
  {
    ...notice(
      "wheel-platform",
      "is not a supported wheel on this platform",
      /(?<subject>[\w.+-]{5,120}\.whl) is not a supported wheel on this platform/,
      "ERROR: torch-2.1.0+cu118-cp310-cp310-win_amd64.whl is not a supported wheel on this platform.",
    ),
    means: {
      weight: weights.refused,
      required: "a wheel for this Python and system",
      next: ["python --version; pip debug --verbose | head -20"],
      about: (_facts, _context, [fact]) => ({ name: fact!.subject ?? "the wheel", found: fact!.subject ?? "", evidence: [fact!] }),
      may: [
        {
          cause: "wrong-wheel-platform",
          certainty: "likely",
          message: "the wheel is for another Python release or operating system",
          fixes: [fix("take the wheel with the tags of this Python and system")],
        },
      ],
    },
  },
  {
    // PyTorch's own index has a folder for each CUDA.
    literals: ["/whl/cu"],
    pattern: /\/whl\/(?:nightly\/)?cu(?<cuda>\d{2,3})\/torch-(?<version>\d[\w.]{2,30}?)(?:%2B\w{2,8}|\+\w{2,8})?-cp/,
    examples: ["pip install https://download.pytorch.org/whl/cu100/torch-1.1.0-cp36-cp36m-linux_x86_64.whl"],
    facts: ({ cuda, version }) => ({
      kind: "framework",
      id: "torch",
      version: version!,
      cuda: cuda!.length === 2 ? `${cuda![0]}.${cuda![1]}` : `${cuda!.slice(0, 2)}.${cuda!.slice(2)}`,
    }),
  },
  {
    literals: [".whl"],
    pattern:
      /\b(?<name>torch|tensorflow|tensorflow_gpu|jaxlib|onnxruntime_gpu|cupy_cuda\w{2,4}|nvidia_[\w]{4,40}|tensorflow_intel)-(?<version>[\w.+]{2,40})-(?:cp|py)[\w]{1,8}-[\w]{2,8}-(?<platform>[\w.]{4,60})\.whl(?: \((?<size>[\d.]{1,8}) (?<unit>[kMG]B)\))?/,
    examples: ["  Using cached torch-2.3.1-cp310-cp310-win_amd64.whl (159.8 MB)"],
    facts: ({ name, version, platform, size, unit }) => {
      const plain = name!.replaceAll("_", "-");
      const megabytes = size === undefined ? undefined : Number(size) * (unit === "GB" ? 1000 : unit === "kB" ? 0.001 : 1);
      const small = plain === "torch" && megabytes !== undefined && megabytes < 400 && !/\+cu/.test(version!);
      return [
        {
          kind: "package",
          manager: "wheel",
          name: plain,
          version: version!,
          ...(size === undefined ? {} : { build: `${platform} ${size} ${unit}` }),
        },
        ...(small ? ([{ kind: "framework", id: "torch", version: version!, cpuOnly: true }] as const) : []),
        ...(/win_amd64/.test(platform!) ? ([{ kind: "platform", is: "windows" }] as const) : []),
      ];
    },
  },
  {
    literals: ["no matching distribution found for", "could not find a version that satisfies"],
    pattern:
      /(?:No matching distribution found for|Could not find a version that satisfies the requirement) (?<subject>(?:torch(?:vision|audio)?|tensorflow(?:-gpu)?|jax(?:lib)?|cupy-cuda\w{2,4}|onnxruntime-gpu|paddlepaddle-gpu|mxnet-cu\w{2,8}|nvidia-[\w-]{3,40}|tensorrt|detectron2|(?:spconv|cumm)(?![\w-])|flash[-_]attn|xformers|mmcv(?:-full|-lite)?|pytorch3d|torch[-_](?:scatter|sparse|cluster|geometric|tensorrt)|torchcodec|torchtext|torchdata|vllm|sgl[-_]kernel|bitsandbytes|triton(?:-windows)?|auto[-_]gptq|deepspeed|apex|ctranslate2)\b[\w.+=<>!~*,-]{0,40})/,
    examples: [
      "ERROR: No matching distribution found for cumm<0.5.0,>=0.4.5",
      "ERROR: Could not find a version that satisfies the requirement torch==1.7.1+cu110 (from versions: 1.13.0, 1.13.1, 2.0.0)",
      "ERROR: No matching distribution found for tensorflow-gpu==1.15",
    ],
    facts: ({ subject }) => ({ kind: "notice", id: "pip-no-version", subject: subject! }),
    notice: "pip-no-version",
    means: noSuchVersion,
  },
  {
    ...notice(
      "no-package-for-cuda",
      ["no matching distribution found for", "could not find a version that satisfies"],
      /(?:No matching distribution found for|Could not find a version that satisfies the requirement) (?<subject>[a-z][\w.]{0,30}(?:-[a-z][\w.]{0,20}){0,3}-(?:cu|cuda)(?<found>\d{2,3})x?)(?![\w.])/,
      "ERROR: No matching distribution found for cumm-cu100",
    ),
    means: {
      weight: weights.refused,
      symptom: (_facts, _context, [fact]) => `pip finds no \`${fact!.subject}\``,
      about: (_facts, _context, [fact]) => ({
        name: fact!.subject!,
        required: `a package for a CUDA that the project publishes`,
        found: `CUDA ${ofLabel(fact!.found!)}`,
      }),
      may: [
        {
          cause: "wrong-wheel-cuda-version",
          message: (_facts, _context, [fact]) => `the project publishes no package for CUDA ${ofLabel(fact!.found!)}`,
          fixes: (_facts, _context, [fact]) => [
            fix(`see on PyPI which names end otherwise than \`cu${fact!.found}\`, and take the one for the CUDA of the framework`),
          ],
        },
        { cause: "toolkit-too-old", message: "or that CUDA is no longer served: a newer one is needed", fixes: [] },
        { cause: "package-conflict", message: "or what asks for it is of a release whose partners are gone", fixes: [] },
      ],
    },
  },
  {
    // The same in somebody's words.
    literals: ["pip"],
    pattern:
      /\bpip3?\b (?:can(?:not|['\u2019]?t| not)|could(?: not|n['\u2019]t)|does(?: not|n['\u2019]t)|fails? to|is unable to) (?:find|install|see|offer|download) (?<name>torch|tensorflow|torchvision|jaxlib|onnxruntime-gpu|tensorflow-gpu)(?:==| version | v| )(?<version>\d{1,2}\.\d{1,2}(?:\.\d{1,2})?(?:\+cu\d{2,3})?)\b/i,
    examples: ["pip can't find torch 1.7.1 - I use python 3.10"],
    facts: ({ name, version }) => ({ kind: "notice", id: "pip-no-version", subject: `${name!.toLowerCase()}==${version}` }),
    notice: "pip-no-version",
  },
] satisfies Signature[];
