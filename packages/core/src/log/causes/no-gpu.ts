import { amdGpuIn, gone, isServed, smallRdna2, targetFixes } from "../amd-targets.ts";
import { weights, type Problem, type Suspect } from "../cause.ts";
import { isTooOld, type Context } from "../context.ts";
import type { Fact, FactKind, Facts } from "../fact.ts";
import { fix, gpuAccess } from "../fixes.ts";
import { withGpuAge } from "../gpu-age.ts";
import { persons } from "../sentence.ts";
import { hasNvidia, rocmBuildIn } from "../vendor.ts";
import { jaxWithoutCuda } from "./cpu-machine.ts";
import { startedBare } from "./torch-sees-no-gpu.ts";

// What says more than that no GPU is seen.
const deeper: FactKind[] = [
  "cuda-error",
  "not-found",
  "unable-to-load",
  "container",
  "version-pair",
  "gpu-unsupported",
  "needs-has",
  "undefined-symbol",
  "damaged",
  "error-code",
];

/** What a framework says of itself; where it sees the GPU, driver and machine are well, and another program's build is not. */
const saysMore = (facts: Facts): boolean => deeper.some((kind) => facts.has(kind)) || facts.all("available").some(({ value }) => !value);
const isSeenElsewhere = (facts: Facts): boolean => facts.all("available").some(({ value }) => value);

/** A program sees no GPU, in whatever words, and nothing in the text says why: what it can be, by where it runs. */
export default function noGpu(facts: Facts, context: Context): Problem[] {
  return [...unseen(facts, context), ...builtWithout(facts), ...unused(facts, context)];
}

// The GPU is not used, and a package is named that PyPI has without CUDA only.
function builtWithout(facts: Facts): Problem[] {
  const [complaint] = facts.notices("gpu-not-seen", "gpu-unused", "gpu-idle", "no-gpu-seen");
  const [package_] = facts.notices("pypi-without-cuda");
  if (!complaint || !package_) return [];
  const name = package_.subject!.toLowerCase().replaceAll("_", "-");
  const suspect: Suspect = {
    cause: "wrong-wheel-cpu-only",
    name,
    required: `a build of ${name} with CUDA`,
    found: "the build of PyPI, which has none",
    certainty: "likely",
    message: `\`${name}\` of PyPI is built without CUDA: its settings for a GPU then do nothing`,
    evidence: [complaint, package_],
    next: [`pip show -f ${name}`],
    fixes: [withCuda[name] ?? fix("build it from source with CUDA, or take the build that its project publishes for CUDA")],
  };
  return [{ weight: weights.concluded, suspects: [suspect] }];
}

const withCuda: { [package_: string]: ReturnType<typeof fix> } = {
  "llama-cpp-python": fix(
    "build it with CUDA, which needs the CUDA toolkit and a compiler; its project also publishes wheels for CUDA",
    'CMAKE_ARGS="-DGGML_CUDA=on" pip install --force-reinstall --no-cache-dir llama-cpp-python',
  ),
  "faiss-cpu": fix("install the build for GPUs, which conda has", "conda install -c pytorch -c nvidia faiss-gpu"),
};

// Somebody asks why the GPU is idle, and shows nothing that a program said.
function unused(facts: Facts, context: Context): Problem[] {
  const evidence = facts.notices("gpu-unused");
  const told = 0 < facts.notices("no-gpu-seen", "gpu-idle", "pypi-without-cuda", "jax-cpu", "no-driver").length;
  if (evidence.length === 0 || told || saysMore(facts) || context.framework("torch").cpuOnly) return [];
  const [exposed, old, hidden, cpu] = everyReason(evidence, facts, context);
  const data: Suspect = {
    ...hidden!,
    name: "the program",
    message: "or the program was not told to use it: the model or its data stay on the CPU, or a setting for the device is missing",
    fixes: [],
  };
  const built: Suspect = {
    ...cpu!,
    message: "the program or its framework was built without CUDA",
    next: ["pip list", "nvidia-smi"],
  };
  return [
    {
      weight: weights.hint - 1,
      symptom: "the CPU works, and the GPU does not",
      suspects: withGpuAge(
        isSeenElsewhere(facts)
          ? // The framework has the GPU: what stays away from it is the program.
            [data, { ...built, message: `or ${built.message}` }]
          : // In a container, what keeps the GPU back is first of all how that was started.
            facts.on("container") && facts.notices("smi-works").length === 0
            ? [exposed!, { ...built, message: `or ${built.message}` }, old!, data]
            : [
                built,
                { ...exposed!, message: `or ${exposed!.message}` },
                ...(0 < facts.notices("driver-updated").length ? [] : [old!]),
                data,
              ],
        evidence,
        facts,
        context,
      ),
    },
  ];
}

function unseen(facts: Facts, context: Context): Problem[] {
  const evidence = facts.notices("no-gpu-seen", ...(isComplaint(facts, context) ? ["gpu-not-seen"] : []));
  if (
    evidence.length === 0 ||
    facts.on("macos") ||
    saysMore(facts) ||
    0 < facts.notices("no-devices", "jax-cpu", "no-driver", "pids-unseen").length
  )
    return [];
  const wanted = isWanted(facts, context) || isComplaint(facts, context);
  const [none] = facts.notices("no-gpu-here");
  if (none) return [withoutGpu([...evidence.slice(0, 1), none])];
  // Who goes on without a GPU, and has none, is well.
  if (!wanted && evidence.every(({ found }) => found !== undefined)) return [];
  const amd = 0 < facts.notices("amd-gpu").length || evidence.some(({ subject }) => subject === "amd" || subject === "hip");
  // Where HIP itself speaks, ROCm is there.
  const spoke = evidence.some(({ subject }) => subject === "hip");
  if (spoke && rocmBuildIn(facts) && !hasNvidia(facts)) return [];
  const suspects = amd
    ? spoke
      ? withRocm(evidence, facts)
      : ofAmd(evidence, facts)
    : withGpuAge(ofNvidia(evidence, facts, context), evidence, facts, context);
  return [{ weight: weights.hint, symptom: "the program sees no GPU", suspects }];
}

// Somebody misses his GPU; where the release of his framework is known, more is concluded from that.
const isComplaint = (facts: Facts, context: Context): boolean =>
  ["torch", "tensorflow"].every((id) => context.framework(id).version === undefined) &&
  facts.notices("gpu-not-seen").some(({ at }) => persons.test(at.text));

// A GPU, a driver or a toolkit is spoken of, or a container that was to have one.
const isWanted = (facts: Facts, context: Context): boolean =>
  (["gpu", "driver", "driver-cuda", "toolkit"] as const).some((kind) => facts.has(kind)) ||
  0 < facts.notices("gpu-said", "amd-gpu").length ||
  context.containers !== undefined;

function ofNvidia(evidence: Fact[], facts: Facts, context: Context): Suspect[] {
  const [exposed, old, hidden, cpu] = everyReason(evidence, facts, context);
  // JAX without CUDA is what pip installs unasked.
  if (context.speaker === "jax" && !facts.on("container"))
    return [jaxWithoutCuda(facts, cpu), { ...exposed, message: `or ${exposed.message}` }, old, hidden];
  const without: Suspect = { ...cpu, message: "the program, or the framework that it uses, was built without CUDA" };
  if (isSeenElsewhere(facts)) return [without, hidden];
  // Where nvidia-smi shows the GPU on the host, the container is what keeps it back; elsewhere the build is.
  if (0 < facts.notices("smi-works").length && !facts.on("container"))
    return [{ ...cpu, message: "the program was built without CUDA" }, old, hidden];
  // Who says in his own words that the GPU is idle has mostly a build without CUDA; a program that says so itself asked CUDA.
  const people = 0 < facts.notices("driver-updated").length || evidence.some(({ grammar }) => grammar === "people-see-no-gpu");
  const later = 0 < facts.notices("driver-updated").length || (context.driver && !isOldEnough(facts, context)) ? [] : [old];
  // Where the driver is shown, it is there: what is left is the container, the variable and the build.
  if (context.driver && !facts.on("container")) return people ? [without, ...later, hidden] : [hidden, ...later, cpu];
  return people && !facts.on("container")
    ? [without, { ...exposed, message: `or ${exposed.message}` }, ...later, hidden]
    : [exposed, ...later, hidden, cpu];
}

// A driver of today runs every CUDA of today; of the CUDA that is spoken of it runs what its release says.
function isOldEnough(facts: Facts, { driver, framework, toolkits }: Context): boolean {
  const cuda = framework("torch").cuda ?? framework("tensorflow").cuda ?? toolkits[0]?.version;
  return (
    driver !== undefined &&
    (cuda === undefined ? Number.parseInt(driver.version) < 580 : isTooOld(driver.version, cuda, facts.on("windows")) === true)
  );
}

function everyReason(evidence: Fact[], facts: Facts, context: Context): [Suspect, Suspect, Suspect, Suspect] {
  const base = {
    name: "libcuda.so.1",
    library: "libcuda",
    required: "a driver and a GPU that the process can see",
    evidence,
    certainty: "possible" as const,
    next: ["nvidia-smi", "echo $CUDA_VISIBLE_DEVICES; ls -l /dev/nvidia*"],
  };
  const reach: Suspect = {
    ...base,
    cause: "driver-not-exposed",
    message: "no driver reaches the program",
    fixes: [
      ...(facts.on("container") ? [] : [fix("on a machine: install the NVIDIA driver, and see that nvidia-smi shows the GPU")]),
      gpuAccess(context, facts.on("container") ? "start it with" : "in a container: start it with"),
    ],
  };
  const exposed = facts.on("container") ? startedBare(reach, facts, context) : reach;
  const hidden: Suspect = {
    ...base,
    cause: "not-a-mismatch",
    name: "CUDA_VISIBLE_DEVICES",
    message: "or the GPUs are hidden from the process, or none was allotted",
    fixes: [fix("show the process a GPU", "unset CUDA_VISIBLE_DEVICES")],
  };
  const old: Suspect = {
    ...base,
    cause: "driver-too-old",
    message: "or the driver is older than the CUDA that the program was built with: then it answers as if there were no GPU",
    fixes: [fix("install a newer NVIDIA driver, or a build of the program for an older CUDA")],
  };
  const cpu: Suspect = {
    ...base,
    cause: "wrong-wheel-cpu-only",
    name: "the program",
    message: "or the program was built without CUDA",
    fixes: [fix("install its build for CUDA, or build it with CUDA switched on")],
  };
  return [exposed, old, hidden, cpu];
}

const withoutGpu = (evidence: Fact[]): Problem => ({
  weight: weights.hint,
  suspects: [
    {
      cause: "not-a-mismatch",
      name: "the machine",
      certainty: "likely",
      message: "the text says that there is no GPU in this machine: what runs there runs on the CPU, and a profile of it has no GPU",
      evidence,
      next: [],
      fixes: [fix("run it on a machine with a GPU, or leave it on the CPU")],
    },
  ],
});

const withRocm = (evidence: Fact[], facts: Facts): Suspect[] =>
  ofAmd(evidence, facts)
    .filter(({ cause }) => cause !== "library-missing")
    .sort((a, b) => Number(b.cause === "driver-not-exposed") - Number(a.cause === "driver-not-exposed"));

function ofAmd(evidence: Fact[], facts: Facts): Suspect[] {
  const { target, model } = amdGpuIn(facts);
  const unserved = target === undefined ? smallRdna2.test(model ?? "") || gone.test(model ?? "") : !isServed(target);
  const base = {
    name: "ROCm",
    required: "ROCm's libraries, and a build of the program for them",
    evidence,
    certainty: "possible" as const,
    next: ["rocminfo | grep gfx", "ls -l /dev/kfd /dev/dri"],
  };
  const code: Suspect = {
    ...base,
    cause: "arch-unsupported",
    name: target ?? model ?? "the GPU",
    message: `${unserved ? "" : "or "}this release of ROCm does not know ${unserved ? (target ?? model) : "the GPU"}`,
    ...(unserved ? { required: `code for ${target ?? model}`, found: "a ROCm whose libraries hold none" } : {}),
    fixes: unserved ? targetFixes(target, model, facts) : [],
  };
  const others: Suspect[] = [
    {
      ...base,
      cause: "library-missing",
      message: `${unserved ? "or " : ""}ROCm is not installed where the program looks`,
      fixes: [fix("install ROCm for this system, as AMD's guide says, or use the image of the program for ROCm")],
    },
    {
      ...base,
      cause: "wrong-vendor",
      name: "the program",
      message: "or this build of the program is for NVIDIA, or for no GPU",
      fixes: [fix("take its build for ROCm")],
    },
    {
      ...base,
      cause: "driver-not-exposed",
      message: "or the container, or this user, has no access to the GPU's device files",
      fixes: [fix("give the container `--device /dev/kfd --device /dev/dri`, and the user the groups `render` and `video`")],
    },
  ];
  // On Windows there are no device files, and ollama is one program for all makers.
  const here = others.filter(
    ({ cause }) =>
      !(facts.on("windows") && cause === "driver-not-exposed") &&
      !(cause === "wrong-vendor" && unserved && evidence.some(({ at }) => /\bollama\b/i.test(at.text))),
  );
  return unserved ? [code, ...here] : [...here, code];
}
