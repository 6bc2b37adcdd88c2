import { frameworkRelease } from "../../knowledge/frameworks.ts";
import { fitOf } from "../../knowledge/gpu-code.ts";
import { gpuNamed } from "../../knowledge/gpus.ts";
import { leastDriver } from "../../knowledge/goes-together.ts";
import { smOf } from "../../knowledge/toolkits.ts";
import { weights, type Problem, type Suspect } from "../cause.ts";
import { isTooOld, type Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix, gpuAccess, toolkitLine, torchBuildIn } from "../fixes.ts";
import { smIn } from "./architecture.ts";

/** The build of a framework: without CUDA, for another CUDA, for another system; and what a dump says about a GPU that is not used. */
export default function wheel(facts: Facts, context: Context): Problem[] {
  const found = [
    ...withoutCuda(facts, context),
    ...cpuAlone(facts, context),
    ...bitsandbytes(facts, context),
    ...platform(facts),
    ...dump(facts, context),
  ];
  return 0 < found.length ? found : unavailable(facts, context);
}

// ONNX Runtime or JAX shows that it can only use the CPU, where a GPU is spoken of.
function cpuAlone(facts: Facts, context: Context): Problem[] {
  const wanted = facts.has("gpu") || facts.has("driver") || facts.has("driver-cuda") || 0 < facts.notices("gpu-said").length;
  const alone = (by: string) => facts.all("available").filter((fact) => fact.by === by && !fact.value);
  const problems: Problem[] = [];
  const ort = alone("onnxruntime");
  const packages = context.packages(/^onnxruntime(?:-gpu)?$/);
  const told = facts.notices("ort-both");
  const both = new Set(packages.map(({ name }) => name.toLowerCase())).size === 2 || 0 < told.length;
  if (0 < ort.length && (wanted || both || packages.some(({ name }) => name.endsWith("-gpu")))) {
    const how = fix("keep only the GPU package", "pip uninstall -y onnxruntime onnxruntime-gpu", "pip install onnxruntime-gpu");
    const cpu = cpuOnly("onnxruntime", "a build without CUDA", [...ort, ...packages, ...told], "likely", [how]);
    problems.push({
      weight: weights.concluded,
      suspects: both
        ? [
            {
              ...cpu,
              cause: "package-conflict",
              found:
                packages.length < 2
                  ? "onnxruntime and onnxruntime-gpu"
                  : packages.map(({ name, version }) => `${name} ${version}`).join(" and "),
              message: "onnxruntime and onnxruntime-gpu are both installed, write into one folder, and the one for the CPU stayed",
            },
            { ...cpu, certainty: "possible" },
          ]
        : [cpu],
    });
  }
  const jax = alone("jax");
  if (
    0 < jax.length &&
    wanted &&
    context.packages(/^jax-cuda\d{2}-plugin$/).length === 0 &&
    !/\+cuda/.test(context.framework("jax").version ?? "")
  )
    problems.push({
      weight: weights.hint,
      suspects: [
        cpuOnly("jax", "a build without CUDA", [...jax, ...context.framework("jax").facts.slice(0, 1)], "possible", [
          fix("install JAX with CUDA", `pip install -U "jax[cuda12]"`),
        ]),
      ],
    });
  return problems;
}

// PyTorch says that it cannot use a GPU, and the text says no more about it.
function unavailable(facts: Facts, context: Context): Problem[] {
  const evidence = facts.all("available").filter(({ by, value }) => by === "torch" && !value);
  if (evidence.length === 0 || facts.has("cuda-error")) return [];
  if (facts.on("jetson")) return [onJetson(evidence, context)];
  // What a container or WSL lacks is said by the steps of the driver.
  if (facts.on("wsl2") || (facts.on("container") && 0 < facts.notices("smi-absent", "no-uvm-device", "smi-missing").length)) return [];
  const torch = context.framework("torch");
  const base = {
    name: "libcuda.so.1",
    library: "libcuda",
    evidence,
    next: ["nvidia-smi", 'python -c "import torch; print(torch.__version__, torch.version.cuda)"'],
  };
  const cpu = cpuOnly("torch", torch.version ?? "perhaps a build without CUDA", evidence, "possible", [torchFix(context)]);
  const exposed: Suspect = {
    ...base,
    cause: "driver-not-exposed",
    certainty: "possible",
    message: "no driver reaches PyTorch",
    fixes: [fix("on a machine: install the NVIDIA driver"), gpuAccess(context, "in a container: start it with")],
  };
  const old: Suspect = {
    ...base,
    cause: "driver-too-old",
    certainty: "possible",
    message: "or the driver is older than the CUDA that PyTorch was built with",
    fixes: [fix("install a newer NVIDIA driver, or a PyTorch for an older CUDA")],
  };
  const hidden: Suspect = {
    ...base,
    cause: "not-a-mismatch",
    name: "CUDA_VISIBLE_DEVICES",
    certainty: "possible",
    message: "or the GPUs are hidden from the process, or none was allotted",
    fixes: [],
  };
  return [
    {
      weight: weights.hint,
      symptom: "PyTorch sees no GPU",
      suspects: torch.cuda === undefined ? [cpu, exposed, old, hidden] : context.driver ? [exposed, hidden, old] : [exposed, old, hidden],
    },
  ];
}

// PyTorch's own wheels for ARM are for servers; those for Jetson come from NVIDIA, one for each JetPack.
function onJetson(evidence: Fact[], context: Context): Problem {
  const { version } = context.framework("torch");
  const how = fix(
    'install the PyTorch that NVIDIA publishes for this JetPack (its page "PyTorch for Jetson" names the wheel), with the Python of that JetPack; or use the container l4t-pytorch',
    "cat /etc/nv_tegra_release; python3 --version",
  );
  const base = {
    name: "torch",
    required: "a PyTorch built for this JetPack",
    ...(version === undefined ? {} : { found: version }),
    evidence,
    next: ['python3 -c "import torch; print(torch.__version__, torch.version.cuda)"', "cat /etc/nv_tegra_release"],
    fixes: [how],
  };
  return {
    weight: weights.hint,
    symptom: "PyTorch sees no GPU on the Jetson",
    suspects: [
      {
        ...base,
        cause: "wrong-wheel-cpu-only",
        certainty: "possible",
        message: "the wheel was built without CUDA: `pip install torch` takes PyPI's build for ARM processors",
      },
      {
        ...base,
        cause: "wrong-wheel-platform",
        certainty: "possible",
        message: "or it was built for ARM servers or for another JetPack: Jetson has a driver and CUDA of its own",
      },
      {
        ...base,
        cause: "driver-not-exposed",
        name: "libcuda.so.1",
        certainty: "possible",
        message: "or the container was started without `--runtime nvidia`",
        fixes: [fix("start the container with `--runtime nvidia`")],
      },
    ],
  };
}

function torchFix(context: Context, windows = false): ReturnType<typeof fix> {
  if (context.conda && context.packages(/^(?:pytorch|cpuonly)$/).some(({ manager }) => manager === "conda") && !windows)
    return fix(
      "take the package that asks for the CPU out of the environment, and name a CUDA build outright",
      "conda remove cpuonly",
      'conda install -c conda-forge "pytorch=*=cuda*"',
    );
  const build = torchBuildIn(context);
  if (!build) return fix("install a newer NVIDIA driver: no CUDA build of PyTorch that is known here runs with this one");
  return fix(
    "install a CUDA build of PyTorch, and take a plain `torch` out of requirements that would replace it",
    "pip uninstall -y torch torchvision torchaudio",
    `pip install torch torchvision torchaudio --index-url https://download.pytorch.org/whl/${build.variant}`,
  );
}

function cpuOnly(name: string, found: string, evidence: Fact[], certainty: Suspect["certainty"], fixes: Suspect["fixes"]): Suspect {
  return {
    cause: "wrong-wheel-cpu-only",
    name,
    required: `a CUDA build of ${name}`,
    found,
    certainty,
    message: `${name === "the program" ? name : `the ${name} that is installed`} was built without CUDA: no driver and no toolkit can change that`,
    evidence,
    next: buildLines[name] ?? [`pip list | grep -i ${name}`],
    fixes: fixes ?? [],
  };
}

// How to ask an installed build for its CUDA.
const buildLines: { [name: string]: string[] } = {
  torch: ['python -c "import torch; print(torch.__version__, torch.version.cuda)"'],
  tensorflow: ['python -c "import tensorflow as tf; print(tf.__version__, tf.test.is_built_with_cuda())"'],
  "the program": [],
};

function describeTorch(version: string | undefined, context: Context): string {
  const wheelFile = context.packages(/^torch$/).find(({ manager, build }) => manager === "wheel" && build !== undefined);
  return wheelFile ? `torch ${wheelFile.version} for ${wheelFile.build}, a wheel without CUDA` : (version ?? "a build without CUDA");
}

function withoutCuda(facts: Facts, context: Context): Problem[] {
  const problems: Problem[] = [];
  const torch = context.framework("torch");
  const said = facts.notices("torch-without-cuda");
  const cpuFacts = torch.facts.filter((fact) => fact.cpuOnly);
  // A CPU build is a fault only where someone wants a GPU.
  const wanted =
    facts.has("gpu") ||
    facts.all("available").some(({ by, value }) => by === "torch" && !value) ||
    facts.has("driver") ||
    facts.has("toolkit");
  const withoutGpu = cpuOnly("torch", describeTorch(torch.version, context), [...said, ...cpuFacts], "certain", [torchFix(context)]);
  if (0 < said.length && facts.on("macos"))
    problems.push({
      weight: weights.said,
      suspects: [
        {
          cause: "not-a-mismatch",
          name: "macOS",
          certainty: "likely",
          message:
            "PyTorch for macOS has no CUDA, as Macs have no NVIDIA GPU: the program asks for `cuda` where it should ask for `mps` or `cpu`",
          evidence: said,
          next: [],
          fixes: [fix("choose the device that is there: `torch.device('mps' if torch.backends.mps.is_available() else 'cpu')`")],
        },
        { ...withoutGpu, certainty: "possible" },
      ],
    });
  else if (0 < said.length) problems.push({ weight: weights.said, suspects: [withoutGpu] });
  else if (0 < cpuFacts.length && wanted)
    problems.push({
      weight: weights.concluded + 2,
      suspects: [cpuOnly("torch", torch.version ?? "a build without CUDA", cpuFacts, "likely", [torchFix(context)])],
    });
  else if (0 < cpuFacts.length)
    problems.push({
      weight: weights.hint,
      suspects: [cpuOnly("torch", torch.version ?? "a build without CUDA", cpuFacts, "possible", [torchFix(context)])],
    });

  const tensorflow = context.framework("tensorflow");
  // A label that only says "built with CUDA" is TensorFlow's where the text speaks of TensorFlow.
  const labelled = 0 < tensorflow.facts.length ? facts.notices("built-without-cuda") : [];
  const tfFacts = [...tensorflow.facts.filter((fact) => fact.cpuOnly), ...labelled];
  // TensorFlow names no library since 2.12: it only says that some were not opened.
  const skipped = facts.notices("tf-skipped-gpus");
  const none = [...facts.all("available").filter(({ by, value }) => by === "tensorflow" && !value), ...skipped];
  const windows = facts.on("windows");
  const lateOnWindows =
    windows &&
    tensorflow.version !== undefined &&
    !facts.on("wsl2") &&
    (Number(tensorflow.version.split(".")[0]) > 2 || Number(tensorflow.version.split(".")[1]) > 10);
  const windowsFix = fix(
    "TensorFlow 2.10 was the last with GPU support on Windows itself: use WSL 2 with `tensorflow[and-cuda]`, or 2.10",
    `pip install "tensorflow<2.11"`,
  );
  // What people and tutorials say where TensorFlow sees no GPU is enough where it cannot see one.
  const seen = facts.all("available").some(({ by, value }) => by === "tensorflow" && value);
  const unseen = lateOnWindows && !seen ? [...none, ...facts.notices("gpu-not-seen", "tf-lists-cpu")] : [];
  const known = tensorflow.version === undefined ? undefined : frameworkRelease("tensorflow", tensorflow.version)?.release;
  const other = known && context.toolkits.find(({ version }) => version !== known.cuda);
  // A list of devices without a GPU says something where the toolkit is not the one that TensorFlow was built for.
  const listed = other && !seen ? facts.notices("tf-lists-cpu") : [];
  if (0 < tfFacts.length || 0 < unseen.length) {
    const evidence = [
      ...tfFacts,
      ...(0 < unseen.length ? unseen : none),
      ...facts
        .all("platform")
        .filter(({ is }) => is === "windows")
        .slice(0, 1),
    ];
    problems.push({
      weight: weights.refused,
      suspects: [
        cpuOnly(
          "tensorflow",
          tensorflow.version === undefined ? "a build without CUDA" : `${tensorflow.version}, built without CUDA`,
          evidence,
          0 < tfFacts.length + none.length ? "certain" : "likely",
          [windows ? windowsFix : fix("install TensorFlow with CUDA", `pip install "tensorflow[and-cuda]"`)],
        ),
        ...(windows
          ? [
              {
                ...cpuOnly("tensorflow", tensorflow.version ?? "", evidence, "possible", [windowsFix]),
                cause: "wrong-wheel-platform" as const,
                message: "the wheels for Windows have no CUDA since TensorFlow 2.11",
              },
            ]
          : []),
      ],
    });
  } else if ((0 < none.length || 0 < listed.length) && !facts.has("not-found") && !facts.has("cuda-error")) {
    const evidence: Fact[] = [...none, ...listed, ...tensorflow.facts.slice(0, 1)];
    const base = {
      name: "tensorflow",
      evidence,
      next: [
        "culprit list",
        "culprit loads tensorflow --do device",
        'python -c "import tensorflow as tf; print(tf.test.is_built_with_cuda())"',
      ],
    };
    const built = tensorflow.cpuOnly === false;
    const cpu = cpuOnly("tensorflow", "perhaps a build without CUDA", evidence, "possible", [
      fix("install TensorFlow with CUDA", `pip install "tensorflow[and-cuda]"`),
    ]);
    const library: Suspect[] = [
      {
        ...base,
        cause: "library-missing",
        certainty: "possible",
        message: "a CUDA library may be missing; the log at the first import names it",
        fixes: [fix("install TensorFlow with its CUDA packages", `pip install "tensorflow[and-cuda]"`)],
      },
      {
        ...base,
        cause: "library-not-on-path",
        certainty: "possible",
        message: "or CUDA libraries lie where the loader does not look",
        fixes: [],
      },
      {
        ...base,
        cause: "library-wrong-version",
        certainty: "possible",
        message: "or the CUDA or cuDNN here is of another release than TensorFlow was built for",
        fixes: [],
      },
    ];
    if (other && known)
      library[2] = {
        ...library[2]!,
        certainty: "likely",
        required: `CUDA ${known.cuda}, cuDNN ${known.cudnn}`,
        found: `CUDA ${other.version}`,
        message: `TensorFlow ${tensorflow.version} was built for CUDA ${known.cuda}, and CUDA ${other.version} is here`,
        evidence: [...evidence, other],
        fixes: [
          fix(
            "take a release that brings its own CUDA, whatever toolkit is here (2.14 and newer)",
            `pip install --upgrade "tensorflow[and-cuda]"`,
          ),
          fix(`or install CUDA ${known.cuda} and cuDNN ${known.cudnn} beside the other, and name the folders of both in LD_LIBRARY_PATH`),
        ],
      };
    // TensorFlow 2.16 and 2.17 do not find the libraries that their own extra brings (tensorflow issue 63362).
    if (0 < skipped.length && /^2\.1[67]/.test(tensorflow.version ?? ""))
      library.push({
        ...base,
        cause: "upstream-bug",
        certainty: "possible",
        message: `TensorFlow ${tensorflow.version} does not find the libraries that \`tensorflow[and-cuda]\` brings: a defect of that release`,
        fixes: [
          fix("take a newer release", `pip install --upgrade "tensorflow[and-cuda]"`),
          fix("or let the loader look in the folders of the nvidia packages"),
        ],
      });
    const driver: Suspect = {
      ...base,
      cause: "driver-not-exposed",
      certainty: "possible",
      message: "or no driver reaches the process",
      fixes: [],
    };
    problems.push({
      weight: 0 < skipped.length ? weights.refused : weights.hint,
      symptom: "TensorFlow sees no GPU",
      suspects: other
        ? [library[2]!, library[0]!, library[1]!, cpu]
        : 0 < skipped.length
          ? library
          : built
            ? [...library, driver]
            : [cpu, ...library, driver],
    });
  }

  const notice = (id: string, name: string, how: ReturnType<typeof fix>, weight = weights.refused) => {
    const found = facts.notices(id);
    if (0 < found.length) problems.push({ weight, suspects: [cpuOnly(name, "a build without CUDA", found, "likely", [how])] });
  };
  notice(
    "ort-without-cuda",
    "onnxruntime",
    fix("keep only the GPU package", "pip uninstall -y onnxruntime onnxruntime-gpu", "pip install onnxruntime-gpu"),
  );
  notice(
    "bnb-without-gpu",
    "bitsandbytes",
    fix("install a bitsandbytes with CUDA for this system", "pip install --upgrade bitsandbytes"),
    weights.warned,
  );
  const catboost = facts.notices("catboost-gpu-module");
  if (0 < catboost.length) {
    const base = { name: "catboost", evidence: catboost, next: ["pip list | grep -i catboost", "nvidia-smi"] };
    const newer = fix(
      "install a published wheel of CatBoost, and a driver for the CUDA that it was built with",
      "pip install --upgrade catboost",
    );
    problems.push({
      weight: weights.refused,
      symptom: "CatBoost cannot use the GPU",
      suspects: [
        {
          ...base,
          cause: "wrong-wheel-cuda-version",
          certainty: "possible",
          message: "CatBoost was built for another CUDA than is here",
          fixes: [newer],
        },
        {
          ...base,
          cause: "wrong-wheel-cpu-only",
          certainty: "possible",
          message: "or it was built without its part for the GPU",
          fixes: [newer],
        },
        { ...base, cause: "driver-too-old", certainty: "possible", message: "or the driver is older than that CUDA needs", fixes: [newer] },
      ],
    });
  }
  // JAX says this also when its plugin is there and could not start.
  const jaxTried =
    0 < facts.notices("jax-plugin-failed").length ||
    facts.has("unable-to-load") ||
    facts.all("version-pair").some(({ by }) => by === "jax");
  if (!jaxTried) notice("jax-no-cuda-plugin", "jax", fix("install JAX with CUDA", `pip install -U "jax[cuda12]"`));
  notice(
    "paddle-without-cuda",
    "paddlepaddle",
    fix("install the GPU package alone", "pip uninstall -y paddlepaddle", "pip install paddlepaddle-gpu"),
  );
  if (!jaxTried) notice("jax-cpu-jaxlib", "jaxlib", fix("install JAX with CUDA", `pip install -U "jax[cuda12]"`), weights.warned);
  notice("ct2-without-cuda", "ctranslate2", fix("install a CTranslate2 with CUDA for this system"));
  notice("mxnet-without-cuda", "mxnet", fix("install the MXNet package of your CUDA", "pip install mxnet-cu112"));
  notice("torchvision-without-cuda", "torchvision", torchFix(context));
  const without = facts.notices("built-without-cuda");
  if (0 < without.length && said.length === 0)
    problems.push({
      weight: weights.failed,
      suspects: [
        cpuOnly("the program", "a build without CUDA", without, "likely", [fix("install or build it with CUDA")]),
        // An extension that was compiled where no toolkit or no GPU was seen has only its part for the CPU.
        ...(without.some(({ at }) => /compiled with GPU support/i.test(at.text))
          ? [
              {
                cause: "toolkit-vs-framework-at-build" as const,
                name: "nvcc",
                certainty: "possible" as const,
                message: "or an extension was built where no fitting CUDA toolkit was found, and so without its part for the GPU",
                evidence: without,
                next: ["echo $CUDA_HOME; nvcc --version", 'python -c "import torch; print(torch.version.cuda)"'],
                fixes: [
                  fix(
                    "build it again with the toolkit of PyTorch's CUDA; in the folder of its sources:",
                    ...(torch.cuda === undefined ? [] : [toolkitLine(torch.cuda)]),
                    "FORCE_CUDA=1 pip install --no-build-isolation .",
                  ),
                ],
              },
            ]
          : []),
      ],
    });
  problems.push(...loadedWithoutGpu(facts, context));
  return problems;
}

// A model that was saved on a GPU is opened where PyTorch sees none: a CPU machine, most often, and no fault.
function loadedWithoutGpu(facts: Facts, context: Context): Problem[] {
  const evidence = facts.notices("torch-cuda-load");
  if (evidence.length === 0) return [];
  const fine: Suspect = {
    cause: "not-a-mismatch",
    name: "torch.load",
    certainty: "likely",
    message: "the file was saved on a GPU and is opened where PyTorch sees none",
    evidence,
    next: ['python -c "import torch; print(torch.__version__, torch.cuda.is_available())"', "nvidia-smi"],
    fixes: [fix("without a GPU, open it with `map_location=torch.device('cpu')`")],
  };
  const cpu = cpuOnly("torch", context.framework("torch").version ?? "perhaps a build without CUDA", evidence, "possible", [
    torchFix(context),
  ]);
  const hidden: Suspect = {
    ...fine,
    cause: "driver-not-exposed",
    name: "libcuda.so.1",
    certainty: "possible",
    message: "where there is a GPU: no driver reaches the process",
    fixes: [],
  };
  const wanted = facts.has("gpu") || facts.has("driver") || facts.has("driver-cuda");
  return [{ weight: wanted ? weights.failed : weights.other + 2, suspects: wanted ? [cpu, hidden, fine] : [fine, cpu, hidden] }];
}

// Builds that bitsandbytes has published; one of the same major serves.
const publishedBuilds = [118, 120, 121, 122, 123, 124, 125, 126, 128, 129, 130];

function nearestBuild(cuda: string): number {
  const [major = 0, minor = 0] = cuda.split(".").map(Number);
  // The very build that is wanted is the one that is not there.
  const same = publishedBuilds.filter((build) => Math.floor(build / 10) === major && build % 10 !== minor);
  return same.findLast((build) => build % 10 <= minor) ?? same[0] ?? publishedBuilds.at(-1)!;
}

function bitsandbytes(facts: Facts, context: Context): Problem[] {
  const build = facts.notices("bnb-no-build")[0];
  if (!build) {
    const failed = facts.notices("bnb-setup-failed")[0];
    if (!failed || facts.all("not-found").some(({ by }) => by === "bitsandbytes")) return [];
    const base = {
      name: "libbitsandbytes",
      evidence: [failed],
      required: "a CUDA runtime that bitsandbytes has a build for",
      next: ["python -m bitsandbytes", "culprit loads bitsandbytes"],
    };
    return [
      {
        weight: weights.failed,
        symptom: "bitsandbytes found the GPU and could not set up CUDA",
        suspects: [
          {
            ...base,
            name: "libcudart.so",
            library: "cudart",
            cause: "library-not-on-path",
            certainty: "possible",
            message: "the CUDA runtime lies where bitsandbytes does not look",
            fixes: [fix("let it find the runtime", "export LD_LIBRARY_PATH=/usr/local/cuda/lib64:$LD_LIBRARY_PATH")],
          },
          {
            ...base,
            name: "libcudart.so",
            library: "cudart",
            cause: "library-missing",
            certainty: "possible",
            message: "or no CUDA runtime is installed",
            fixes: [fix("install one", "conda install cudatoolkit")],
          },
          {
            ...base,
            cause: "wrong-wheel-cuda-version",
            certainty: "possible",
            message: "or it has no build for this CUDA",
            fixes: [fix("upgrade bitsandbytes", "pip install --upgrade bitsandbytes")],
          },
          { ...base, cause: "library-shadowed", certainty: "possible", message: "or another CUDA is found first", fixes: [] },
        ],
      },
    ];
  }
  const digits = /cuda(\d{2})(\d)/.exec(build.subject ?? "");
  const cuda = digits ? `${digits[1]}.${digits[2]}` : undefined;
  const cpu = /_cpu\.so/.test(build.subject ?? "");
  const torch = context.framework("torch");
  const base = {
    name: build.subject?.split("/").at(-1) ?? "libbitsandbytes",
    evidence: [build, ...torch.facts.slice(0, 1)],
    next: ["python -m bitsandbytes", "pip list | grep -i 'bitsandbytes\\|torch'"],
  };
  const wheelSuspect: Suspect = {
    ...base,
    cause: "wrong-wheel-cuda-version",
    ...(cuda === undefined ? {} : { required: `a bitsandbytes built for CUDA ${cuda}`, found: `CUDA ${cuda} here` }),
    certainty: "likely",
    message: `bitsandbytes has no build for ${cuda === undefined ? "the CUDA" : `CUDA ${cuda}`} that it found`,
    fixes: [
      fix("upgrade bitsandbytes", "pip install --upgrade bitsandbytes"),
      ...(cuda === undefined
        ? []
        : [
            fix(
              "or let it use the nearest other build of the same major, where that is among its files",
              `export BNB_CUDA_VERSION=${nearestBuild(cuda)}`,
            ),
          ]),
    ],
  };
  return [
    {
      weight: weights.refused,
      suspects: cpu
        ? [
            {
              ...wheelSuspect,
              cause: facts.on("windows") ? "wrong-wheel-platform" : "wrong-wheel-cpu-only",
              message: "bitsandbytes has no build for this system and falls back to one for the CPU",
            },
            { ...wheelSuspect, certainty: "possible" },
          ]
        : [
            wheelSuspect,
            {
              ...wheelSuspect,
              cause: "library-missing",
              certainty: "possible",
              message: "or it was built from source, and the library for the GPU was not made or not installed",
            },
            {
              ...wheelSuspect,
              cause: "library-wrong-version",
              certainty: "possible",
              message: "or the CUDA runtime that it found is not the one that PyTorch uses",
            },
            {
              ...wheelSuspect,
              cause: "library-shadowed",
              certainty: "possible",
              message: "or another CUDA runtime is found before the right one",
            },
          ],
    },
  ];
}

function platform(facts: Facts): Problem[] {
  return facts
    .notices("wheel-platform")
    .slice(0, 1)
    .map((fact) => ({
      weight: weights.refused,
      suspects: [
        {
          cause: "wrong-wheel-platform",
          name: fact.subject ?? "the wheel",
          required: "a wheel for this Python and system",
          found: fact.subject ?? "",
          certainty: "likely",
          message: "the wheel is for another Python release or operating system",
          evidence: [fact],
          next: ["python --version; pip debug --verbose | head -20"],
          fixes: [fix("take the wheel with the tags of this Python and system")],
        },
      ],
    }));
}

// What a report of the environment says when nothing else speaks: does the driver serve the CUDA, the build the GPU?
function dump(facts: Facts, context: Context): Problem[] {
  const torch = context.framework("torch");
  const unavailable = facts.all("available").find(({ by, value }) => by === "torch" && !value);
  if (torch.cpuOnly || (torch.cuda === undefined && torch.version === undefined)) return [];
  const driver = context.driver;
  const windows = facts.on("windows");
  const problems: Problem[] = [];
  const cuda = torch.cuda;
  if (
    driver &&
    cuda !== undefined &&
    isTooOld(driver.version, cuda, windows) &&
    (unavailable || facts.has("available") === false) &&
    !facts.notices("image-compat-mode").length
  ) {
    const floor = leastDriver([{ cuda }], [smIn(facts)?.sm ?? []].flat());
    problems.push({
      weight: unavailable ? weights.concluded : weights.hint,
      suspects: [
        {
          cause: "driver-too-old",
          name: "libcuda.so.1",
          library: "libcuda",
          required: `${floor?.driver ?? "a driver"} or newer for CUDA ${cuda}`,
          found: driver.version,
          certainty: "likely",
          message: `PyTorch was built with CUDA ${cuda}, and needs driver ${floor?.driver} or newer here; there is ${driver.version}`,
          evidence: [driver, ...torch.facts.slice(0, 2)],
          next: ["nvidia-smi"],
          fixes: [fix("install a newer NVIDIA driver"), fix("or a PyTorch for an older CUDA")],
        },
      ],
    });
  }
  const release = torch.version === undefined ? undefined : frameworkRelease("torch", torch.version);
  const gpu = facts.all("gpu").find((fact) => fact.name !== undefined || fact.capability !== undefined);
  const sm =
    gpu &&
    ((gpu.capability === undefined ? undefined : smOf(gpu.capability)) ?? (gpu.name === undefined ? undefined : gpuNamed(gpu.name)?.sm));
  const listed = release?.exact ? release.release.architectures : undefined;
  if (sm !== undefined && listed && 0 < listed.length && fitOf(sm, listed) === undefined)
    problems.push({
      weight: weights.hint + 1,
      suspects: [
        {
          cause: "arch-unsupported",
          name: gpu!.name ?? sm,
          required: `code for ${sm}`,
          found: listed.join(" "),
          certainty: "likely",
          message: `PyTorch ${torch.version} holds no code for ${gpu!.name ?? sm} (${sm})`,
          evidence: [gpu!, ...torch.facts.slice(0, 1)],
          fixes: [torchFix(context)],
        },
      ],
    });
  const unseen = facts.notices("driver-not-seen", "gpu-not-seen");
  if (unavailable && !driver && 0 < unseen.length)
    problems.push({
      weight: weights.concluded,
      suspects: [
        {
          cause: "driver-not-exposed",
          name: "libcuda.so.1",
          library: "libcuda",
          required: "a driver that the process can reach",
          found: "none",
          certainty: "likely",
          message: `PyTorch${cuda === undefined ? "" : ` (CUDA ${cuda})`} is a CUDA build, and no driver and no GPU is seen`,
          evidence: [unavailable, ...unseen],
          next: ["nvidia-smi", "ls -l /dev/nvidia*"],
          fixes: [fix("on a machine: install the NVIDIA driver"), gpuAccess(context, "in a container: start it with")],
        },
        {
          cause: "kernel-module-missing",
          name: "nvidia kernel module",
          certainty: "possible",
          message: "or the driver is installed and its kernel module is not loaded",
          evidence: unseen,
          next: ["lsmod | grep nvidia"],
          fixes: [],
        },
      ],
    });
  return problems;
}
