import { frameworkRelease } from "../../knowledge/frameworks.ts";
import { fitOf } from "../../knowledge/gpu-code.ts";
import { gpuNamed } from "../../knowledge/gpus.ts";
import { leastDriver } from "../../knowledge/goes-together.ts";
import { smOf, toolkitOf } from "../../knowledge/toolkits.ts";
import { weights, type Problem, type Suspect } from "../cause.ts";
import { isTooOld, type Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix, driverReachesFixes, torchFix } from "../fixes.ts";
import { cpuOnly } from "../meaning.ts";
import { persons } from "../sentence.ts";
import { withGpuAge } from "../gpu-age.ts";
import { torchBuildLine, torchForDriver, torchForGpu } from "../torch-lines.ts";
import { madeBy, smIn } from "./architecture.ts";
import bitsandbytes from "./bitsandbytes-build.ts";
import builtWithout from "./built-without-cuda.ts";
import condaWithoutBuild from "./conda-without-build.ts";
import cpuAlone from "./cpu-alone.ts";
import loadedWithoutGpu from "./saved-on-gpu.ts";
import tensorflowWithoutGpu from "./tensorflow-without-gpu.ts";
import torchWithoutCuda from "./torch-without-cuda.ts";

/** PyTorch sees no GPU: what the report of an environment says of it, or else all that may be. */
export default function torchSeesNoGpu(facts: Facts, context: Context): Problem[] {
  const told = dump(facts, context);
  const others = [torchWithoutCuda, tensorflowWithoutGpu, builtWithout, loadedWithoutGpu, cpuAlone, bitsandbytes, condaWithoutBuild];
  return 0 < told.length || others.some((step) => 0 < step(facts, context).length) ? told : unavailable(facts, context);
}

const hiddenGpus = {
  cause: "not-a-mismatch" as const,
  name: "CUDA_VISIBLE_DEVICES",
  certainty: "possible" as const,
  message: "or the GPUs are hidden from the process, or none was allotted",
  fixes: [fix("show the process a GPU", "unset CUDA_VISIBLE_DEVICES")],
};

// PyTorch says that it cannot use a GPU, and the text says no more about it.
function unavailable(facts: Facts, context: Context): Problem[] {
  const evidence = facts.all("available").filter(({ by, value }) => by === "torch" && !value);
  if (evidence.length === 0 || facts.has("cuda-error")) return [];
  if (facts.on("jetson")) return [onJetson(evidence, facts, context)];
  if (facts.on("macos")) return []; // Macs have a step of their own.
  // What a container or WSL lacks is said by the steps of the driver.
  if (facts.on("wsl2") || (facts.on("container") && 0 < facts.notices("smi-absent", "no-uvm-device", "smi-missing").length)) return [];
  const inBuild = facts.notices("asked-in-build");
  if (0 < inBuild.length) return [whileBuilding([...evidence.slice(0, 2), ...inBuild.slice(0, 1)])];
  const torch = context.framework("torch");
  const base = {
    name: "libcuda.so.1",
    library: "libcuda",
    evidence,
    // PyTorch keeps the reason to itself until it is asked to begin.
    next: ["nvidia-smi", 'python -c "import torch; print(torch.__version__, torch.version.cuda); torch.cuda.init()"'],
  };
  const cpu = cpuOnly("torch", torch.version ?? "perhaps a build without CUDA", evidence, "possible", [torchFix(context)]);
  const exposed: Suspect = {
    ...base,
    cause: "driver-not-exposed",
    certainty: "possible",
    message: "no driver reaches PyTorch",
    fixes: driverReachesFixes(context),
  };
  const old: Suspect = {
    ...base,
    cause: "driver-too-old",
    certainty: "possible",
    message: "or the driver is older than the CUDA that PyTorch was built with",
    fixes: [fix("install a newer NVIDIA driver, or a PyTorch for an older CUDA")],
  };
  const hidden: Suspect = { ...base, ...hiddenGpus };
  return [
    {
      weight: weights.hint,
      symptom: "PyTorch sees no GPU",
      suspects:
        torch.cuda !== undefined
          ? context.driver
            ? withDriver(torch.cuda, exposed, hidden, old, facts, context)
            : [exposed, old, hidden]
          : withGpuAge(unbuilt({ cpu, exposed, old, hidden, base, evidence }, facts, context), evidence, facts, context),
    },
  ];
}

/** Of a PyTorch whose build nobody names: by where it runs, and what was asked for. */
function unbuilt({ cpu, exposed, old, hidden, base, evidence }: Open, facts: Facts, context: Context): Suspect[] {
  const orCpu = { ...cpu, message: `or ${cpu.message}` };
  const works = 0 < facts.notices("smi-works").length;
  if (facts.on("container") && (context.gpusAsked || smiWorksInside(facts)))
    return [cpu, old, { ...exposed, message: "or the container gets the GPU, and not all of its driver" }, hidden];
  if (facts.on("container")) return [startedBare(exposed, facts, context), orCpu, old, ...otherThanImage(facts, base), hidden];
  if (0 < facts.notices("scheduler").length && !asksForGpu(facts)) return [notAllotted(hidden), orCpu, old];
  if (belowToday(facts, context)) return [belowAll(old, evidence, context), orCpu, hidden];
  return works ? [cpu, old, hidden] : [cpu, exposed, old, hidden];
}

interface Open {
  cpu: Suspect;
  exposed: Suspect;
  old: Suspect;
  hidden: Suspect;
  base: Pick<Suspect, "evidence" | "next">;
  evidence: Fact[];
}

const notAllotted = (hidden: Suspect): Suspect => ({
  ...hidden,
  message: "the job was given no GPU: a scheduler gives one only to who asks for it (`--gres=gpu:1`)",
  fixes: [fix("ask the scheduler for a GPU; this shows whether it gives one:", "srun --gres=gpu:1 nvidia-smi")],
});

// `docker build` hands no GPU on, whatever the daemon's default for `docker run` is.
const whileBuilding = (evidence: Fact[]): Problem => ({
  weight: weights.concluded,
  suspects: [
    {
      cause: "driver-not-exposed",
      name: "libcuda.so.1",
      library: "libcuda",
      required: "a container that was started with a GPU",
      found: "a step of a build, which has none",
      certainty: "likely",
      message: "PyTorch is asked while the image is built: no step of a build sees a GPU or its driver",
      evidence,
      next: ["docker info | grep -i runtime"],
      fixes: [
        fix(
          "ask when the image runs, with a GPU handed on: `docker run --gpus all …`; this shows whether the host gives one:",
          "docker run --rm --gpus all ubuntu nvidia-smi",
        ),
        fix("what is compiled in the build must be told for which GPU, since none is there to ask (TORCH_CUDA_ARCH_LIST)"),
      ],
    },
    {
      cause: "not-a-mismatch",
      name: "the build",
      certainty: "possible",
      message: "the answer of a build says nothing of the image: it may well see the GPU when it runs",
      evidence,
      fixes: [],
    },
  ],
});

/** Where the command that started the container is shown, nothing is left to suppose. */
export function startedBare(exposed: Suspect, facts: Facts, { containers }: Context): Suspect {
  const [bare] = facts.notices("docker-run-bare");
  const said = { ...exposed, message: "the container was started without GPU access" };
  return bare
    ? {
        ...said,
        certainty: "likely",
        required: `\`${containers === "singularity" ? "--nv" : "--gpus all"}\` when the container is started`,
        found: "a command without it",
        evidence: [...said.evidence, bare],
      }
    : said;
}

const asksForGpu = (facts: Facts): boolean =>
  facts
    .everything()
    .some(
      ({ at }) =>
        /--gres[= ]\S{0,20}gpu|--gpus[= -]|-l [^\n]{0,40}n?gpus?=/.test(at.text) && !/\bno --gres|\bwithout --gres/i.test(at.text),
    );

// "On the host nvidia-smi works": then it is the container that keeps the GPU back.
const smiWorksInside = (facts: Facts): boolean =>
  facts.notices("smi-works").some(({ at }) => !/\b(?:host|node|outside|server|machine)\b/i.test(at.text)) &&
  facts.notices("no-device-files").length === 0;

// The oldest CUDA for which PyTorch was built in the last years: since 2.0 there is none for an older one.
const oldestOfToday = "11.7";
const belowToday = (facts: Facts, { driver }: Context): boolean =>
  driver !== undefined && isTooOld(driver.version, oldestOfToday, facts.on("windows")) === true;

function belowAll(old: Suspect, evidence: Fact[], { driver, framework }: Context): Suspect {
  const floor = leastDriver([{ cuda: oldestOfToday }], []);
  const { version } = framework("torch");
  return {
    ...old,
    required: `${floor?.driver ?? "a driver"} or newer for PyTorch ${version ?? "of today"}`,
    found: driver!.version,
    message: `driver ${driver!.version} runs no PyTorch since 2.0: each of them is built for CUDA ${oldestOfToday} or newer`,
    evidence: [...evidence, driver!],
  };
}

/** An image for one CUDA, into which pip installs whatever PyTorch is the newest. */
function otherThanImage(facts: Facts, base: Pick<Suspect, "evidence" | "next">): Suspect[] {
  const [image] = facts.notices("image-cuda");
  const [pip] = facts.notices("pip-newest-torch");
  if (!image || !pip) return [];
  return [
    {
      ...base,
      cause: "wrong-wheel-cuda-version",
      name: "torch",
      required: `a PyTorch built for CUDA ${image.found}, as the image`,
      found: "the one that is PyPI's newest",
      certainty: "possible",
      message: `or pip put PyPI's newest PyTorch into an image for CUDA ${image.found}: it is built for another CUDA, which the driver may not run`,
      evidence: [...base.evidence, image],
      fixes: [fix("install the PyTorch of the image's CUDA: name its release and index")],
    },
  ];
}

// The driver is shown: what is left is who cannot reach it, and an age that the two numbers do not refute.
function withDriver(cuda: string, exposed: Suspect, hidden: Suspect, old: Suspect, facts: Facts, { driver }: Context): Suspect[] {
  const fine = isTooOld(driver!.version, cuda, facts.on("windows")) === false;
  if (facts.on("container")) return fine ? [exposed, hidden] : [exposed, hidden, old];
  const reach: Suspect = {
    ...exposed,
    message: `or driver ${driver!.version} does not answer this process: it was updated and the machine not restarted, or a module of it is not loaded`,
    fixes: [fix("restart the machine", "sudo reboot")],
  };
  return fine ? [hidden, reach] : [old, hidden, reach];
}

/** "JetPack 5.1.2", "L4T R35.4.1": where the text names it. */
function jetpackIn(evidence: Fact[], facts: Facts): string | undefined {
  const lines = [...facts.all("platform"), ...facts.all("toolkit"), ...facts.all("python"), ...evidence].map(({ at }) => at.text);
  return lines
    .map((text) => /\bJetPack[ -]?v?(?:SDK )?\d(?:\.\d){1,2}|\bL4T R?\d{2}\.\d(?:\.\d)?/i.exec(text)?.[0])
    .find((each) => each !== undefined);
}

// PyTorch's own wheels for ARM are for servers; those for Jetson come from NVIDIA, one for each JetPack.
function onJetson(evidence: Fact[], facts: Facts, context: Context): Problem {
  const { version } = context.framework("torch");
  const how = fix(
    'install the PyTorch that NVIDIA publishes for this JetPack (its page "PyTorch for Jetson" names the wheel), with the Python of that JetPack; or use the container l4t-pytorch',
    "cat /etc/nv_tegra_release; python3 --version",
  );
  const base = {
    name: "torch",
    required: `a PyTorch built for ${jetpackIn(evidence, facts) ?? "this JetPack"}`,
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

/** The newest PyTorch that a driver runs, where its CUDA is known; Windows numbers its drivers otherwise. */
function torchForIt(driver: string, facts: Facts): ReturnType<typeof fix> {
  const cuda = facts.on("windows") ? undefined : toolkitOf({ driver })?.newest.cuda;
  const build = cuda === undefined ? undefined : torchForDriver(cuda, facts);
  return build
    ? fix(`or take the newest PyTorch that this driver runs: ${build.version} for CUDA ${build.cuda}`, torchBuildLine(build))
    : fix("or a PyTorch for an older CUDA");
}

// In a line with the release, somebody says that it does not use his GPU.
const saysUnused = (facts: Facts): boolean =>
  facts
    .all("framework")
    .some(
      ({ at }) =>
        persons.test(at.text) &&
        /\b(?:can(?:not|['\u2019]?t)|not|n['\u2019]t|never|unable)\b[^\n]{0,24}\b(?:use|see|find|detect|run)/i.test(at.text),
    );

// Who names no build has mostly PyPI's; of conda's nothing is supposed.
function supposedCuda(facts: Facts, context: Context): string | undefined {
  const { version, cuda } = context.framework("torch");
  return cuda === undefined && !context.conda && !facts.on("windows") && version !== undefined && saysUnused(facts)
    ? frameworkRelease("torch", version)?.release.cuda
    : undefined;
}

// What a report of the environment says when nothing else speaks: does the driver serve the CUDA, the build the GPU?
function dump(facts: Facts, context: Context): Problem[] {
  const torch = context.framework("torch");
  const unavailable = facts.all("available").find(({ by, value }) => by === "torch" && !value);
  if (torch.cpuOnly || (torch.cuda === undefined && torch.version === undefined)) return [];
  const driver = context.driver;
  const windows = facts.on("windows");
  const problems: Problem[] = [];
  const supposed = supposedCuda(facts, context);
  const cuda = torch.cuda ?? supposed;
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
          message: `${supposed === undefined ? "PyTorch was" : `PyPI's PyTorch ${torch.version} is`} built with CUDA ${cuda}, and needs driver ${floor?.driver} or newer here; there is ${driver.version}`,
          evidence: [driver, ...torch.facts.slice(0, 2)],
          next: ["nvidia-smi"],
          fixes: [fix("install a newer NVIDIA driver"), torchForIt(driver.version, facts)],
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
          required: `code for ${sm}${madeBy(sm)}`,
          found: `PyTorch ${torch.version} with ${listed.join(" ")}`,
          certainty: "likely",
          message: `PyTorch ${torch.version} holds no code for ${gpu!.name ?? sm} (${sm})`,
          evidence: [gpu!, ...torch.facts.slice(0, 1)],
          fixes: [torchWithCode(sm, facts) ?? torchFix(context)],
        },
      ],
    });
  const unseen = facts.notices("driver-not-seen", "gpu-not-seen", "gpu-unused");
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
          fixes: driverReachesFixes(context),
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

function torchWithCode(sm: string, facts: Facts): ReturnType<typeof fix> | undefined {
  const build = torchForGpu(sm, facts);
  return build && fix(`install PyTorch for CUDA ${build.cuda}, which has code for this GPU`, torchBuildLine(build));
}
