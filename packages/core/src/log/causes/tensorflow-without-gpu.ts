import { frameworkRelease } from "../../knowledge/frameworks.ts";
import { weights, type Problem, type Suspect } from "../cause.ts";
import { type Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix, withWheelFolders } from "../fixes.ts";
import { cpuOnly } from "../meaning.ts";

/** A TensorFlow that sees no GPU: built without CUDA, or without its libraries. */
export default function tensorflowWithoutGpu(facts: Facts, context: Context): Problem[] {
  const twice = oldPackages(facts, context);
  if (twice) return [twice];
  const problems: Problem[] = [];
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
  const windowsFixes = [
    fix("TensorFlow 2.10 was the last with GPU support on Windows itself: use WSL 2 with `tensorflow[and-cuda]`"),
    fix("or TensorFlow 2.10, which has wheels for Python 3.7 to 3.10", `pip install "tensorflow<2.11"`),
  ];
  // What people and tutorials say where TensorFlow sees no GPU is enough where it cannot see one.
  const seen = facts.all("available").some(({ by, value }) => by === "tensorflow" && value);
  const unseen = lateOnWindows && !seen ? [...none, ...facts.notices("gpu-not-seen", "gpu-unused", "tf-lists-cpu")] : [];
  const known = tensorflow.version === undefined ? undefined : frameworkRelease("tensorflow", tensorflow.version)?.release;
  const other = known && context.toolkits.find(({ version }) => version !== known.cuda);
  // A list of devices without a GPU says something where the toolkit is not the one that TensorFlow was built for.
  // So does it on a machine of others, where CUDA is of the day and not of the release that was installed.
  const hosted = (facts.on("colab") || facts.on("kaggle")) && tensorflow.version !== undefined;
  const listed =
    (other || hosted) && !seen
      ? facts.notices("tf-lists-cpu", "gpu-not-seen", "gpu-unused", ...(facts.has("gpu") ? ["tf-no-cuda-drivers"] : []))
      : [];
  if (0 < tfFacts.length || 0 < unseen.length) {
    const evidence = [
      ...tfFacts,
      ...(0 < unseen.length ? unseen : none),
      ...facts
        .all("platform")
        .filter(({ is }) => is === "windows")
        .slice(0, 1),
    ];
    const asked = windows ? { required: "TensorFlow 2.10 or older on Windows, or WSL 2" } : {};
    problems.push({
      weight: weights.refused,
      suspects: [
        {
          ...cpuOnly(
            "tensorflow",
            tensorflow.version === undefined ? "a build without CUDA" : `${tensorflow.version}, built without CUDA`,
            evidence,
            0 < tfFacts.length + none.length ? "certain" : "likely",
            windows ? windowsFixes : [fix("install TensorFlow with CUDA", `pip install "tensorflow[and-cuda]"`)],
          ),
          ...asked,
        },
        ...(windows
          ? [
              {
                ...cpuOnly("tensorflow", tensorflow.version ?? "", evidence, "possible", windowsFixes),
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
      next: ["culprit list", "culprit loads tensorflow --do device"],
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
    else if (hosted && known)
      library[2] = {
        ...library[2]!,
        required: `CUDA ${known.cuda}, cuDNN ${known.cudnn}`,
        found: "the CUDA of the hosted machine",
        message: `TensorFlow ${tensorflow.version} was built for CUDA ${known.cuda} and cuDNN ${known.cudnn}, and the hosted machine has those of today`,
        fixes: [
          fix(
            "take the TensorFlow that the machine has, or a release that brings its own CUDA",
            `pip install --upgrade "tensorflow[and-cuda]"`,
          ),
        ],
      };
    // What somebody has installed already is there: then it is not found.
    const [own] = facts.notices("tf-cuda-extra");
    if (0 < skipped.length && own && !other && !hosted)
      library.splice(0, 2, ofWheels(base, own), { ...library[0]!, message: `or ${library[0]!.message}` });
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
      suspects:
        other || hosted
          ? [library[2]!, library[0]!, library[1]!, cpu]
          : 0 < skipped.length
            ? library
            : built
              ? [...library, driver]
              : [cpu, ...library, driver],
    });
  }
  return problems;
}

const ofWheels = (base: Pick<Suspect, "name" | "next" | "evidence">, own: Fact): Suspect => ({
  ...base,
  cause: "library-not-on-path",
  certainty: "likely",
  required: "the folders of NVIDIA's wheels among those that the loader searches",
  found: "tensorflow[and-cuda], whose libraries were not opened",
  message: "TensorFlow's CUDA packages are installed, and it does not find what lies in them",
  evidence: [...base.evidence, own],
  fixes: [
    fix("let the loader look in the folders of all of them, before Python starts", withWheelFolders),
    fix("or take a newer release of TensorFlow", `pip install --upgrade "tensorflow[and-cuda]"`),
  ],
});

/** Before 1.15 and in 2.0 the package for GPUs had a name of its own, and shared its folder with the other. */
function oldPackages(facts: Facts, { framework, packages }: Context): Problem | undefined {
  const { version, facts: own } = framework("tensorflow");
  const unseen: Fact[] = [
    ...facts.all("available").filter(({ by, value }) => by === "tensorflow" && !value),
    ...facts.notices("tf-lists-cpu", "gpu-not-seen", "gpu-unused", "no-gpu-seen"),
  ];
  if (!/^(?:1\.(?:\d|1[0-4])|2\.0)(?:\.|$)/.test(version ?? "") || unseen.length === 0 || facts.has("not-found") || facts.has("cuda-error"))
    return undefined;
  const [gpu] = packages(/^tensorflow[-_]gpu$/);
  const [plain] = packages(/^tensorflow$/);
  if ((gpu && !plain) || (!gpu && !isPlain(plain, own, facts))) return undefined;
  const evidence = [...unseen.slice(0, 2), ...(gpu && plain ? [plain, gpu] : own.slice(0, 1))];
  const base = {
    name: "tensorflow",
    required: `tensorflow-gpu ${version}${gpu ? " alone" : ""}`,
    found: gpu ? `tensorflow ${plain!.version} beside it` : `tensorflow ${version}, which is built for the CPU`,
    evidence,
    next: ["pip list | grep -i tensorflow"],
    fixes: [
      fix(
        "keep only the package for GPUs",
        "pip uninstall -y tensorflow tensorflow-gpu",
        `pip install "tensorflow-gpu==${gpu?.version ?? `${version}${/\d\.\d+\.\d/.test(version!) ? "" : ".*"}`}"`,
      ),
    ],
  };
  const cpu: Suspect = {
    ...base,
    cause: "wrong-wheel-cpu-only",
    certainty: "likely",
    message: gpu
      ? "so what is imported is the build for the CPU"
      : `\`tensorflow\` ${version} is the build for the CPU: the one for GPUs was called \`tensorflow-gpu\` then`,
  };
  const both: Suspect = {
    ...base,
    cause: "package-conflict",
    certainty: "likely",
    message:
      "`tensorflow` and `tensorflow-gpu` are both installed: they share one folder, and the files of the build for the CPU may have won",
  };
  return { weight: weights.concluded, suspects: gpu ? [both, { ...cpu, certainty: "possible" }] : [cpu] };
}

/** "TensorFlow 1.14" is what people call both packages: only its own name, as pip lists or takes it, is the one without CUDA. */
const isPlain = (plain: Fact<"package"> | undefined, own: Fact[], facts: Facts): boolean =>
  ((plain !== undefined && plain.manager !== "said") ||
    own.some(({ at }) => /\binstall (?:-{1,2}\S{1,12} ){0,2}tensorflow\b(?![-_]gpu)/.test(at.text))) &&
  !facts.everything().some(({ at }) => /tensorflow[-_]gpu/i.test(at.text));
