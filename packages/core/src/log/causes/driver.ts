import { cudaToolkits } from "../../knowledge/texts/cuda-toolkits.generated.ts";
import { leastDriver } from "../../knowledge/goes-together.ts";
import { toolkitOf } from "../../knowledge/toolkits.ts";
import { driverReaches } from "../../knowledge/dotted.ts";
import { weights, type Problem, type Suspect } from "../cause.ts";
import { isTooOld, majorOf, type Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { containerOption, fix, gpuAccess } from "../fixes.ts";
import { objectNamed } from "../objects.ts";
import { smIn } from "./architecture.ts";

const name = "libcuda.so.1";
const library = "libcuda";

/** The driver's libraries beside libcuda and libnvidia-ml. */
export const furtherDriverLibrary =
  /^lib(?:nvidia-(?:encode|opticalflow|ptxjitcompiler|nvvm|fbc|ngx|cfg)|nvcuvid|nvoptix|cudadebugger)\.so/;

/** The driver: too old, absent, not passed on, or its two halves of different releases. */
export default function driver(facts: Facts, context: Context): Problem[] {
  const coded = (code: number) => facts.all("cuda-error").filter((fact) => fact.code === code);
  const problems: Problem[] = [];
  const mismatch = [
    ...facts.notices("nvml-mismatch", "api-mismatch", "kernel-dso-mismatch"),
    ...facts.all("container").filter(({ what }) => what === "mismatch"),
  ];
  if (0 < mismatch.length) problems.push({ weight: weights.said, suspects: ofTwoReleases(mismatch, facts, context) });
  problems.push(...otherFabric(facts), ...inTheImage(facts), ...encoder(facts, context), ...furtherLibraries(facts));
  const mixed = facts.notices("smi-nvml-mismatch");
  if (0 < mixed.length && mismatch.length === 0)
    problems.push({
      weight: weights.said,
      suspects: [
        {
          cause: "library-wrong-version",
          name: "libnvidia-ml.so.1",
          library: "nvml",
          required: "the libnvidia-ml of nvidia-smi's own release",
          found: "one of another release",
          certainty: "likely",
          message: "nvidia-smi and the libnvidia-ml that it found are of different driver releases: parts of two drivers are installed",
          evidence: mixed,
          next: ["ldconfig -p | grep libnvidia-ml", "LD_DEBUG=libs nvidia-smi 2>&1 | grep libnvidia-ml"],
          fixes: [fix("remove the other driver's libraries, or the folder that holds them from LD_LIBRARY_PATH")],
        },
        {
          ...moduleMismatch(mixed, facts, context),
          certainty: "possible",
          message: "or the driver was updated, and the old module still runs",
        },
      ],
    });
  const insufficient = [...coded(35), ...coded(36)];
  const tooOld = facts.notices("driver-too-old");
  if (0 < insufficient.length || 0 < tooOld.length) problems.push(oldDriver(insufficient, tooOld, facts, context));
  const requirement = facts.all("container").find((fact) => fact.what === "requirement");
  if (requirement) problems.push(containerRequirement(requirement, facts, context));
  problems.push(...imageDriver(facts));
  const forward = [...coded(803), ...coded(804)];
  if (0 < forward.length && mismatch.length === 0) problems.push(compat(forward, facts, context));
  const measured = facts.notices("nvml-stub");
  if (0 < measured.length)
    problems.push({
      weight: weights.said,
      suspects: [{ ...stub(measured, context), name: "libnvidia-ml.so.1", library: "nvml", required: "the driver's libnvidia-ml.so.1" }],
    });
  if (0 < coded(34).length) problems.push({ weight: weights.said, suspects: [stub(coded(34), context)] });
  problems.push(...withoutLibcuda(facts, context), ...newerToolkit(facts));
  problems.push(...lackingFunction(facts), ...linuxDriverInWsl(facts), ...symbolOfDriver(coded(500), facts));
  problems.push(...newerPtx([...coded(222), ...coded(218)], facts, context));
  problems.push(...withoutCompiler(coded(221)));
  const disagree = halves(facts);
  if (disagree.length === 2 && mismatch.length === 0)
    problems.push({ weight: weights.said, suspects: [moduleMismatch(disagree, facts, context)] });
  problems.push(...absent(facts, context));
  return problems;
}

// A compat library, too, is of another release than the kernel module; nvidia-smi betrays it.
function ofTwoReleases(mismatch: Fact[], facts: Facts, context: Context): Suspect[] {
  const module_ = moduleMismatch(mismatch, facts, context);
  if (!showsMore(facts, context)) return [module_];
  const { misuse } = compatSuspects(mismatch, facts, context);
  return [
    { ...misuse, certainty: "likely", required: module_.required!, found: module_.found! },
    { ...module_, certainty: "possible" },
  ];
}

/** nvidia-smi shows a newer CUDA than the driver can give: a compat library is in front. */
export function showsMore(facts: Facts, { driver, driverCuda }: Context): boolean {
  if (!driver || !driverCuda || facts.on("windows")) return false;
  const ceiling = toolkitOf({ driver: driver.version })?.newest.cuda;
  if (ceiling === undefined) return false;
  const [major = 0, minor = 0] = ceiling.split(".").map(Number);
  const [shownMajor = 0, shownMinor = 0] = driverCuda.version.split(".").map(Number);
  // Early drivers of a branch are a little below the number that the toolkit's release notes name.
  return major < shownMajor || (major === shownMajor && minor + 1 < shownMinor);
}

function moduleMismatch(mismatch: Fact[], facts: Facts, context: Context): Suspect {
  // The log of the package manager says what ran before, which the kernel still holds, and what lies on the disk now.
  const upgraded = facts.notices("driver-upgraded").at(-1);
  const told =
    (mismatch.find((fact) => fact.kind === "notice" && fact.required !== undefined) as Fact<"notice"> | undefined) ??
    (facts.all("driver").some(({ of }) => of === "kernel") ? undefined : upgraded);
  const user = facts.all("driver").find(({ of }) => of === "nvml" || of === "libcuda");
  const runfile = facts.notices("driver-runfile")[0];
  const kernel = facts.all("driver").find(({ of }) => of === "kernel");
  // The package manager knows which release the libraries are of.
  const installed = context.packages(
    /^(?:nvidia-smi|nvidia-(?:utils|compute-utils|driver)(?:-\d{3}\w{0,8})?|nvidia-driver-[a-z-]{3,40}|cuda-drivers|libnvidia-(?:ml1|compute)(?:-\d{3}\w{0,8})?)$/,
  )[0];
  const packaged = /^(?:\d:)?(\d{3}\.\d{1,3}(?:\.\d{1,3})?)/.exec(installed?.version ?? "")?.[1];
  const other = runfile?.found ?? user?.version ?? (packaged === kernel?.version ? undefined : packaged);
  const required =
    told?.required ??
    kernel?.version ??
    (runfile && context.driver && context.driver.version !== runfile.found ? context.driver.version : undefined);
  return {
    cause: "kernel-module-mismatch",
    name: mismatch.some((fact) => fact.kind === "notice" && fact.id === "nvml-mismatch") ? "libnvidia-ml.so.1" : name,
    library: mismatch.some((fact) => fact.kind === "notice" && fact.id === "nvml-mismatch") ? "nvml" : library,
    required: required === undefined ? "the release of the loaded kernel module" : `${required} (the loaded kernel module)`,
    found: told?.found ?? other ?? "another release in user space",
    certainty: "certain",
    message:
      "the NVIDIA kernel module that is loaded and the driver's libraries are of different releases: the driver was updated, and the old module still runs",
    evidence: [...mismatch, ...[kernel, user, runfile, upgraded].filter((fact) => fact !== undefined)],
    next: ["cat /proc/driver/nvidia/version", "ls -l /usr/lib/x86_64-linux-gnu/libcuda.so.*"],
    fixes: [
      fix("restart the machine: the new module is loaded with the next start", "sudo reboot"),
      fix(
        "or reload the module where nothing uses the GPU",
        "sudo rmmod nvidia_uvm nvidia_drm nvidia_modeset nvidia",
        "sudo modprobe nvidia",
      ),
      fix("in a container or with a driver installed by hand: make the libraries exactly the release of the module"),
    ],
  };
}

// The fabric manager must be of exactly the driver's release.
function otherFabric(facts: Facts): Problem[] {
  const [fact] = facts.notices("fabric-mismatch");
  if (!fact) return [];
  const base = {
    name: "nvidia-fabricmanager",
    required: `fabric manager ${fact.required}, the release of the driver`,
    found: fact.found!,
    evidence: [fact],
    next: ["nvidia-smi --query-gpu=driver_version --format=csv", "apt list --installed 2>/dev/null | grep fabricmanager"],
    fixes: [
      fix(
        "install the fabric manager of exactly the driver's release",
        `sudo apt-get install nvidia-fabricmanager-${majorOf(fact.required!)}=${fact.required}-1`,
        "sudo systemctl restart nvidia-fabricmanager",
      ),
    ],
  };
  return [
    {
      weight: weights.said,
      suspects: [
        {
          ...base,
          cause: "kernel-module-mismatch",
          certainty: "certain",
          message: `the fabric manager is of release ${fact.found}, and the driver that runs is ${fact.required}`,
        },
        { ...base, cause: "package-conflict", certainty: "possible", message: "the two packages were not updated together" },
      ],
    },
  ];
}

// The driver's interface for video has releases of its own, in step with those of the driver.
function encoder(facts: Facts, context: Context): Problem[] {
  const [api] = facts.notices("nvenc-api");
  if (!api) return [];
  const [least] = facts.notices("nvenc-driver");
  const required = `NVENC ${api.required}${least ? ` (driver ${least.required} or newer)` : ""}`;
  return [
    {
      weight: weights.said,
      suspects: [
        {
          cause: "driver-too-old",
          name: "libnvidia-encode.so.1",
          required,
          found: `NVENC ${api.found}${context.driver ? ` (driver ${context.driver.version})` : ""}`,
          certainty: "certain",
          message: `the program was built for NVENC ${api.required}, and the driver has ${api.found}`,
          evidence: [api, ...(least ? [least] : [])],
          next: ["nvidia-smi"],
          fixes: [
            fix(`install ${least ? `driver ${least.required} or newer` : "a newer NVIDIA driver"}`),
            fix("or take a build of the program with older headers of NVENC"),
          ],
        },
      ],
    },
  ];
}

// Libraries of the driver beside libcuda, which a container gets only when it asks for them.
function furtherLibraries(facts: Facts): Problem[] {
  const lost = facts.all("not-found").filter((fact) => furtherDriverLibrary.test(fact.name));
  if (lost.length === 0) return [];
  const file = lost[0]!.name;
  const base = {
    name: file,
    required: `${file} of the driver's release`,
    found: "not found",
    evidence: lost.slice(0, 3),
    next: [`ldconfig -p | grep ${file}`, "echo $NVIDIA_DRIVER_CAPABILITIES", "nvidia-smi"],
  };
  return [
    {
      weight: weights.refused,
      suspects: [
        {
          ...base,
          cause: "driver-not-exposed",
          certainty: "likely",
          message: `\`${file}\` is a part of the driver and does not reach the process: the container asks for less than it needs, or no driver is there`,
          fixes: [
            containerOption("start the container with all of the driver", "--gpus all -e NVIDIA_DRIVER_CAPABILITIES=all"),
            fix("on a machine: install the driver as a whole; distributions put its video libraries into a package of their own"),
          ],
        },
        { ...base, cause: "library-missing", certainty: "possible", message: "or this part of the driver is not installed", fixes: [] },
        { ...base, cause: "library-not-on-path", certainty: "possible", message: "or it lies where the loader does not look", fixes: [] },
      ],
    },
  ];
}

// The toolkit puts the host's driver libraries into the container, and files of that name are in the image already.
function inTheImage(facts: Facts): Problem[] {
  const evidence = facts.notices("container-file-exists");
  if (evidence.length === 0) return [];
  const file = evidence[0]!.subject!;
  const base = {
    name: file,
    library: file.startsWith("libnvidia-ml") ? "nvml" : library,
    required: "an image without the driver's libraries",
    found: `${file} within the image`,
    evidence,
    next: ["look into the image, started without a GPU: `ls -l /usr/lib/x86_64-linux-gnu/libcuda* /usr/lib/x86_64-linux-gnu/libnvidia*`"],
    fixes: [
      fix(
        "remove the driver's libraries from the image, as its last step",
        "RUN rm -f /usr/lib/x86_64-linux-gnu/libcuda.so* /usr/lib/x86_64-linux-gnu/libnvidia-*.so*",
      ),
    ],
  };
  return [
    {
      weight: weights.said,
      suspects: [
        {
          ...base,
          cause: "library-shadowed",
          certainty: "likely",
          message: `the image holds a copy of the driver's \`${file}\`, where the host's own should go: it was made or committed with a driver inside`,
        },
        { ...base, cause: "driver-not-exposed", certainty: "possible", message: "so the host's driver does not reach the container" },
        { ...base, cause: "two-copies", certainty: "possible", message: "or the host itself has two copies of the driver's libraries" },
      ],
    },
  ];
}

/** What TensorFlow read of libcuda and of the kernel, where the two are of different releases. */
function halves(facts: Facts): Fact<"driver">[] {
  const [libcuda, kernel] = (["libcuda", "kernel"] as const).map((half) => facts.all("driver").find(({ of }) => of === half));
  // It adds zeros: 450.66 is told as 450.66.0, and 450.142.00 as 450.142.0.
  const plain = (version: string) =>
    version
      .split(".")
      .map(Number)
      .slice(0, 3)
      .join(".")
      .replace(/(?<!\.0)(?:\.0)+$/, "");
  return libcuda && kernel && plain(libcuda.version) !== plain(kernel.version) ? [libcuda, kernel] : [];
}

// The driver's compiler for PTX is a library of its own, which containers get only with the right capabilities.
function withoutCompiler(evidence: Fact[]): Problem[] {
  if (evidence.length === 0) return [];
  const base = {
    name: "libnvidia-ptxjitcompiler.so.1",
    library,
    required: "the driver's compiler for PTX, of the release of libcuda",
    evidence,
    next: ["ldconfig -p | grep ptxjitcompiler", "echo $NVIDIA_DRIVER_CAPABILITIES"],
  };
  return [
    {
      weight: weights.refused,
      suspects: [
        {
          ...base,
          cause: "driver-not-exposed",
          certainty: "likely",
          message: "libcuda does not find the driver's compiler for PTX: not all libraries of the driver reach the process",
          fixes: [
            containerOption("start the container with all of the driver", "--gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility"),
          ],
        },
        {
          ...base,
          cause: "library-missing",
          certainty: "possible",
          message: "or the driver is not installed as a whole",
          fixes: [fix("install the driver again")],
        },
        { ...base, cause: "kernel-module-mismatch", certainty: "possible", message: "or it is of another release than libcuda", fixes: [] },
      ],
    },
  ];
}

// What runs: the CUDA that the framework was built with, or the toolkit of which the text speaks.
function runtimeOf(facts: Facts, context: Context): { cuda: string; fact: Fact | undefined } | undefined {
  for (const id of ["torch", "tensorflow", "jax", "paddle", "onnxruntime"]) {
    const { cuda, facts: known } = context.framework(id);
    if (cuda !== undefined) return { cuda, fact: known.find((fact) => fact.cuda === cuda) ?? known[0] };
  }
  const runtime = facts.all("file").find(({ path }) => objectNamed(path)?.library === "cudart" && objectNamed(path)?.cuda !== undefined);
  if (runtime) return { cuda: objectNamed(runtime.path)!.cuda!.first, fact: runtime };
  const toolkit = context.toolkits[0];
  return toolkit && { cuda: toolkit.version, fact: toolkit };
}

const smsIn = (facts: Facts): string[] => [smIn(facts)?.sm ?? []].flat();

function oldDriver(insufficient: Fact[], tooOld: Fact<"notice">[], facts: Facts, context: Context): Problem {
  const runtime = runtimeOf(facts, context);
  const floor = runtime && leastDriver([{ cuda: runtime.cuda }], smsIn(facts));
  const link = facts
    .all("file")
    .flatMap(({ path, target }) => /libcuda\.so\.(\d{3}[\d.]{1,10})/.exec(`${path} ${target ?? ""}`)?.[1] ?? [])[0];
  const has = context.driver?.version ?? link;
  const windows = facts.on("windows");
  const newest = has === undefined || windows ? undefined : toolkitOf({ driver: has })?.newest.cuda;
  const ceiling = tooOld[0]?.found ?? context.driverCuda?.version ?? newest;
  const below = has !== undefined && runtime !== undefined ? isTooOld(has, runtime.cuda, windows) : undefined;
  const evidence = [...insufficient, ...tooOld, context.driver, context.driverCuda, runtime?.fact].filter((fact) => fact !== undefined);
  const old: Suspect = {
    cause: "driver-too-old",
    name: link === undefined ? name : `libcuda.so.${link}`,
    library,
    required: runtime
      ? `${floor ? `driver ${floor.driver} or newer ` : "a driver "}for CUDA ${runtime.cuda}`
      : "a driver for the CUDA that the program was built with",
    ...(has === undefined && ceiling === undefined
      ? {}
      : { found: [has, ceiling === undefined ? undefined : `CUDA ${ceiling}`].filter((part) => part !== undefined).join(", ") }),
    certainty: below ? "certain" : 0 < tooOld.length || has !== undefined ? "likely" : "possible",
    message: `the NVIDIA driver${has === undefined ? "" : ` ${has}`} is older than ${runtime ? `CUDA ${runtime.cuda}` : "the CUDA runtime of the program"} needs`,
    evidence,
    next: ["nvidia-smi", "culprit list"],
    fixes: [
      // Where the GPU is no longer in such a driver, there is none to install.
      ...(floor?.goneAfter === undefined
        ? [fix(`install a newer NVIDIA driver${floor && !windows ? ` (${floor.driver} or newer)` : ""}`)]
        : []),
      fix(
        `${floor?.goneAfter === undefined ? "or " : ""}install a build of the program for an older CUDA${ceiling === undefined ? "" : ` (${majorsOf(ceiling)})`}`,
      ),
    ],
  };
  const hidden: Suspect = {
    cause: "driver-not-exposed",
    name,
    library,
    required: "the driver's libcuda.so.1 within the process",
    found: "no driver that answers",
    certainty: "possible",
    message: "no driver answers in the process; in a container it must be started with GPU access",
    evidence,
    next: ["nvidia-smi", "ls -l /dev/nvidia*"],
    fixes: [gpuAccess(context)],
  };
  const fine = below === false;
  const weight = weights.said;
  if (facts.on("macos") && has === undefined)
    return {
      weight,
      suspects: [
        {
          cause: "not-a-mismatch",
          name: "macOS",
          certainty: "likely",
          message: "Macs have had no NVIDIA GPU since 2014, and macOS no CUDA driver after 10.13: CUDA does not run here",
          evidence,
          next: [],
          fixes: [fix("build or install the program for the CPU, or for Metal where it can")],
        },
        { ...old, certainty: "possible" },
        hidden,
      ],
    };
  if (0 < tooOld.length && !fine) return { weight, suspects: [old] };
  if (0 < tooOld.length) return { weight, symptom: "the program calls the driver too old", suspects: newEnough(old, has!, runtime!.cuda) };
  if (fine || (facts.on("container") && has === undefined))
    return {
      weight,
      suspects: [
        { ...hidden, certainty: "likely" },
        { ...old, certainty: "possible" },
      ],
    };
  return { weight, suspects: [old, hidden] };
}

// NVIDIA's images say at their start for which driver they were built.
// The driver of the text is new enough for the CUDA of the text: one of the two is not the one that ran.
const newEnough = (old: Suspect, has: string, cuda: string): Suspect[] => [
  {
    ...old,
    required: `a driver for the CUDA that the program was built with, which is newer than ${cuda}`,
    certainty: "possible",
    message: `the program was built for a newer CUDA than ${cuda}, for which driver ${has} is new enough`,
    next: ["nvidia-smi", 'python -c "import torch; print(torch.__version__, torch.version.cuda)"'],
    fixes: [fix("install a build of the program for the CUDA that nvidia-smi shows, or a newer driver")],
  },
  {
    ...old,
    cause: "library-shadowed",
    required: `the libcuda.so.1 of driver ${has}`,
    certainty: "possible",
    message: `or another libcuda than that of driver ${has} is loaded: a compat library, or one left over`,
    next: ["culprit why libcuda.so.1"],
    fixes: [],
  },
];

function imageDriver(facts: Facts): Problem[] {
  const fact = facts.notices("image-driver").find(({ required, found }) => !driverReaches(found!, required!));
  if (!fact) return [];
  const base = {
    name,
    library,
    required: `driver ${fact.required} or newer`,
    found: `driver ${fact.found}`,
    evidence: [fact],
    next: ["nvidia-smi"],
  };
  return [
    {
      weight: weights.said,
      suspects: [
        {
          ...base,
          cause: "driver-too-old",
          certainty: "certain",
          message: `the image was built for driver ${fact.required} or newer, and the host has ${fact.found}`,
          fixes: [fix(`install driver ${fact.required} or newer on the host`), fix("or take an older release of the image")],
        },
        {
          ...base,
          cause: "forward-compat-misuse",
          certainty: "possible",
          message: "or the compat library in the image does not serve this GPU or this driver branch",
          fixes: [],
        },
      ],
    },
  ];
}

function containerRequirement(fact: Fact<"container">, facts: Facts, context: Context): Problem {
  const condition = "condition" in fact ? fact.condition : "";
  const wanted = /cuda ?>= ?(\d{1,2}\.\d{1,2})/.exec(condition)?.[1];
  const least = wanted === undefined ? undefined : leastDriver([{ cuda: wanted, makesPtx: true }], smsIn(facts));
  const found = [context.driver?.version, context.driverCuda && `CUDA ${context.driverCuda.version}`]
    .filter((part) => part !== undefined)
    .join(", ");
  return {
    weight: weights.said,
    suspects: [
      {
        cause: "driver-too-old",
        name,
        library,
        required:
          wanted === undefined ? condition : `a driver for CUDA ${wanted}${least === undefined ? "" : ` (${least.driver} or newer)`}`,
        ...(found === "" ? {} : { found }),
        certainty: "certain",
        message: `the image demands ${condition}, and the host's driver does not give it`,
        evidence: [fact, context.driver, context.driverCuda].filter((each) => each !== undefined),
        next: ["nvidia-smi"],
        fixes: [
          fix(`install a newer driver on the host${least === undefined || facts.on("windows") ? "" : ` (${least.driver} or newer)`}`),
          fix(`or take an image for an older CUDA${context.driverCuda ? ` (${context.driverCuda.version} or older)` : ""}`),
          containerOption(
            "or, where the driver is of the same major and the program does not need the newest, switch the image's demand off",
            "-e NVIDIA_DISABLE_REQUIRE=1",
          ),
        ],
      },
    ],
  };
}

function compat(forward: Fact<"cuda-error">[], facts: Facts, context: Context): Problem {
  const { misuse, module_, old, likely } = compatSuspects(forward, facts, context);
  return {
    weight: weights.said,
    suspects: likely ? [misuse, { ...module_, certainty: "possible" }, old] : [module_, misuse, old],
  };
}

function compatSuspects(
  forward: Fact[],
  facts: Facts,
  context: Context,
): { misuse: Suspect; module_: Suspect; old: Suspect; likely: boolean } {
  const compatFolder = [
    ...context.searched.map(({ folder, fact }) => ({ text: folder, fact })),
    ...facts.all("file").map((fact) => ({ text: fact.path, fact })),
  ].find(({ text }) => /\/compat(?:\/|$)|cuda-compat/.test(text));
  const packages = context.packages(/^cuda-compat/)[0];
  const kernel = facts.all("driver").find(({ of }) => of === "kernel");
  const evidence = [...forward, compatFolder?.fact, packages, context.driver].filter((fact) => fact !== undefined);
  const likely = compatFolder !== undefined || packages !== undefined || showsMore(facts, context);
  const shared = { name, library, evidence, next: ["cat /proc/driver/nvidia/version", "culprit why libcuda.so.1", "nvidia-smi"] };
  const module_: Suspect = {
    ...shared,
    cause: "kernel-module-mismatch",
    required: kernel ? `libcuda of the loaded kernel module ${kernel.version}` : "libcuda of the release of the loaded kernel module",
    found: "libcuda of another release",
    certainty: "likely",
    message:
      "libcuda and the kernel module that is loaded are of different releases: most often the driver was updated and the machine not restarted",
    fixes: [
      fix("restart the machine", "sudo reboot"),
      fix("or bring libcuda and the kernel module to one release by installing the driver again"),
    ],
  };
  const misuse: Suspect = {
    ...shared,
    cause: "forward-compat-misuse",
    required: forward.some((fact) => fact.kind === "cuda-error" && fact.code === 804)
      ? "a data-centre GPU for the compat libcuda, or none of it"
      : "no compat library where the host's driver is newer",
    found: compatFolder ? compatFolder.text : packages ? `${packages.name} ${packages.version}` : "perhaps a compat libcuda",
    certainty: likely ? "likely" : "possible",
    message:
      "a libcuda of cuda-compat is found before the driver's own: it works on data-centre GPUs only, and only with an older kernel driver",
    fixes: [
      fix(
        "take the compat folder out of LD_LIBRARY_PATH and ld.so.conf.d, so that the driver's own libcuda is found",
        "ldconfig -p | grep libcuda.so.1",
      ),
    ],
  };
  // A compat library is there because the driver was too old for the image.
  const old: Suspect = {
    ...misuse,
    cause: "driver-too-old",
    required: "a driver for the CUDA of the image, so that no compat library is needed",
    certainty: "possible",
    message: "or the driver is older than the image's CUDA, which brings a compat libcuda for that reason",
    fixes: [fix("install a newer NVIDIA driver on the host")],
  };
  return { misuse, module_, old, likely };
}

function stub(errors: Fact[], context: Context): Suspect {
  const folder = context.searched.find(({ folder: each }) => /\/stubs\/?$/.test(each));
  return {
    cause: "stub-library",
    name,
    library,
    required: "the driver's libcuda.so.1",
    found: folder ? `${folder.folder}/libcuda.so` : "the toolkit's stub",
    certainty: "certain",
    message: "the stub of libcuda, which is made for the linker, was loaded instead of the driver's library",
    evidence: [...errors, ...(folder ? [folder.fact] : [])],
    next: ["culprit why libcuda.so.1", "echo $LD_LIBRARY_PATH"],
    fixes: [
      fix(
        `take ${folder ? `\`${folder.folder}\`` : "every folder that ends in `/stubs`"} out of LD_LIBRARY_PATH and of the program's RPATH`,
      ),
    ],
  };
}

// cuInit failed without a code of CUDA's: libcuda was not opened, or is the stub that people link under its name.
function withoutLibcuda(facts: Facts, context: Context): Problem[] {
  const evidence = facts.notices("cuinit-without-libcuda");
  if (evidence.length === 0) return [];
  const linked = facts
    .all("file")
    .find(({ path, target }) => /libcuda\.so/.test(path) && /\/stubs\/libcuda\.so/.test(`${path} ${target ?? ""}`));
  const stubbed = linked !== undefined || context.searched.some(({ folder }) => /\/stubs\/?$/.test(folder));
  const base = {
    name,
    library,
    required: "the driver's libcuda.so.1 within the process",
    evidence: [...evidence, ...(linked ? [linked] : [])],
    next: ["nvidia-smi", "culprit why libcuda.so.1"],
  };
  const stubs: Suspect = { ...stub(base.evidence, context), certainty: stubbed ? "likely" : "possible" };
  const exposed: Suspect = {
    ...base,
    cause: "driver-not-exposed",
    found: "none",
    certainty: stubbed ? "possible" : "likely",
    message: "the program could not open the driver's library: the container was started without GPU access, or no driver is installed",
    fixes: [gpuAccess(context)],
  };
  const path: Suspect = {
    ...base,
    cause: "library-not-on-path",
    certainty: "possible",
    message: "or it lies where the loader does not look",
    fixes: [],
  };
  return [{ weight: weights.refused + 1, suspects: stubbed ? [stubs, exposed, path] : [exposed, path, stubs] }];
}

// A driver, or what is taken for one, that lacks a function: too old, a stub, or another library under its name.
function lackingFunction(facts: Facts): Problem[] {
  const [fact] = facts.notices("driver-function-missing");
  const problems: Problem[] = [];
  if (fact) {
    const base = { name, library, evidence: [fact], next: ["nvidia-smi", "culprit why libcuda.so.1", "echo $NUMBA_CUDA_DRIVER"] };
    problems.push({
      weight: weights.refused,
      suspects: [
        {
          ...base,
          cause: "driver-too-old",
          required: `a driver with ${fact.subject}${fact.required === undefined ? "" : ` (CUDA ${fact.required} or newer)`}`,
          certainty: "likely",
          message: `the driver does not have \`${fact.subject}\``,
          fixes: [fix("install a newer NVIDIA driver")],
        },
        {
          ...base,
          cause: "library-wrong-version",
          certainty: "possible",
          message: "or another library is loaded in the place of the driver: NUMBA_CUDA_DRIVER must name libcuda itself",
          fixes: [fix("let the driver be found by its name", "unset NUMBA_CUDA_DRIVER NUMBAPRO_CUDA_DRIVER")],
        },
        { ...base, cause: "stub-library", certainty: "possible", message: "or it is the stub that is made for the linker", fixes: [] },
      ],
    });
  }
  return problems;
}

// RAPIDS: what Numba compiles at run time must be read by the driver as it is.
function newerToolkit(facts: Facts): Problem[] {
  const [fact] = facts.notices("toolkit-newer-than-driver", "conda-newer-than-driver");
  if (!fact) return condaWithoutDriver(facts);
  const base = {
    name,
    library,
    required: fact.required === undefined ? "a driver as new as the toolkit" : `a driver for CUDA ${fact.required}`,
    ...(fact.found === undefined ? {} : { found: `a driver for CUDA ${fact.found}` }),
    evidence: [fact],
    next: ["nvidia-smi"],
    fixes: [
      fix("install a newer NVIDIA driver"),
      fix(
        `or packages for ${fact.found === undefined ? "an older CUDA" : `CUDA ${fact.found} or older`}`,
        ...(fact.found === undefined ? [] : [`conda install "cuda-version<=${fact.found}"`]),
      ),
    ],
  };
  const old: Suspect = {
    ...base,
    cause: "driver-too-old",
    certainty: "likely",
    message: `the packages are for ${fact.required === undefined ? "a newer CUDA" : `CUDA ${fact.required}`}, and the driver ends with ${fact.found === undefined ? "an older one" : `CUDA ${fact.found}`}`,
  };
  const second: Suspect =
    fact.id === "conda-newer-than-driver"
      ? { ...base, cause: "package-conflict", certainty: "possible", message: "or the packages are pinned to a newer CUDA than is needed" }
      : {
          ...base,
          cause: "ptx-newer-than-driver",
          certainty: "possible",
          message: "what is compiled at run time is newer than the driver reads",
        };
  return [{ weight: fact.id === "conda-newer-than-driver" ? weights.said : weights.warned, suspects: [old, second] }];
}

// conda asks the driver for the newest CUDA it runs, and calls the answer __cuda.
function condaWithoutDriver(facts: Facts): Problem[] {
  const [fact] = facts.notices("conda-no-driver");
  if (!fact) return [];
  const base = { name, library, evidence: [fact], next: ["nvidia-smi", "conda info | grep __cuda"] };
  const wanted = fact.required === undefined ? "an NVIDIA driver" : `a driver for CUDA ${fact.required}`;
  return [
    {
      weight: weights.said,
      suspects: [
        {
          ...base,
          cause: "driver-not-exposed",
          required: wanted,
          found: "none that conda sees",
          certainty: "likely",
          message: "packages for the GPU are asked for, and conda sees no driver on this machine",
          fixes: [
            fix(
              "on a machine without a GPU, say for which CUDA the environment is, then install again",
              `export CONDA_OVERRIDE_CUDA=${fact.required ?? "12.4"}`,
            ),
            fix("where there is a GPU: install its driver"),
          ],
        },
        {
          ...base,
          cause: "driver-too-old",
          required: wanted,
          certainty: "possible",
          message: "or the driver is older than these packages want",
          fixes: [],
        },
        { ...base, cause: "package-conflict", certainty: "possible", message: "or packages for the CPU are meant", fixes: [] },
      ],
    },
  ];
}

// Before CUDA 11.1 the driver had no code of its own for PTX that is too new: it said 218, as for any PTX that it cannot read.
function newerPtx(errors: Fact<"cuda-error">[], facts: Facts, context: Context): Problem[] {
  const told = facts.all("ptx-version").filter(({ linker }) => linker);
  if (errors.length === 0 && told.length === 0) return [];
  const newer = ptxNewer([...errors, ...told.slice(0, 1)], facts, context);
  const sure = errors.some(({ code }) => code === 222) || (0 < errors.length && facts.has("ptx-version"));
  const linker = facts.notices("nvjitlink-failed");
  if (sure && linker.length === 0) return [{ weight: weights.refused, suspects: [newer] }];
  const versions = told[0];
  const old: Suspect = {
    cause: "toolkit-too-old",
    name: "libnvJitLink.so",
    library: "nvjitlink",
    ...(versions === undefined ? {} : { required: `PTX ${versions.wanted}`, found: `PTX ${versions.known}` }),
    certainty: "possible",
    message: "nvJitLink is of an older CUDA than the compiler that made the PTX",
    evidence: [...linker, ...told],
    next: ["pip list | grep -i 'nvjitlink\\|nvcc\\|nvrtc\\|numba'"],
    fixes: [
      fix(
        "bring nvJitLink and the compiler parts to one CUDA release",
        "pip install --upgrade nvidia-nvjitlink-cu12 nvidia-cuda-nvcc-cu12",
      ),
    ],
  };
  if (0 < linker.length)
    return [
      {
        weight: weights.refused,
        suspects: [
          { ...old, certainty: "likely" },
          { ...old, cause: "library-wrong-version", message: "or an nvJitLink of another release is found before the right one" },
          { ...newer, certainty: "possible" },
        ],
      },
    ];
  // 218 alone is said of any PTX that cannot be read.
  const arch: Suspect = {
    ...newer,
    cause: "arch-unsupported",
    name: "the GPU",
    required: "code for this GPU",
    certainty: "possible",
    message: "or the program was built before this GPU, and the PTX that it brings does not serve it",
    fixes: [fix("install a build with code for this GPU")],
  };
  return [
    {
      weight: weights.refused,
      symptom: "the driver cannot read the PTX that it is given",
      suspects: [{ ...newer, certainty: versions ? "likely" : "possible" }, ...(versions ? [old] : [arch])],
    },
  ];
}

function ptxNewer(errors: Fact[], facts: Facts, context: Context): Suspect {
  // The driver's own ptxas says which PTX it was given and which it knows.
  const versions = facts.all("ptx-version")[0];
  const made = versions && cudaToolkits().toolkits.find(({ ptx }) => ptx === versions.wanted)?.cuda;
  const knows = versions && cudaToolkits().toolkits.find(({ ptx }) => ptx === versions.known)?.cuda;
  const runtime = made === undefined ? runtimeOf(facts, context) : { cuda: made, fact: versions };
  const least = runtime && leastDriver([{ cuda: runtime.cuda, makesPtx: true }], smsIn(facts));
  const has = context.driver?.version;
  const gives =
    knows ??
    (has === undefined || facts.on("windows")
      ? context.driverCuda?.version
      : (context.driverCuda?.version ?? toolkitOf({ driver: has })?.newest.cuda));
  return {
    cause: "ptx-newer-than-driver",
    name,
    library,
    required: `${
      runtime
        ? `a driver for CUDA ${runtime.cuda}${least === undefined ? "" : ` (${least.driver})`}`
        : "a driver as new as the toolkit that made the PTX"
    }${versions ? `, PTX ${versions.wanted}` : ""}`,
    ...(has === undefined && gives === undefined
      ? {}
      : { found: `${has ?? "a driver"}${gives === undefined ? "" : ` (CUDA ${gives})`}${versions ? `, PTX ${versions.known}` : ""}` }),
    certainty: "certain",
    message: `the program brings PTX of a newer toolkit than the driver${has === undefined ? "" : ` ${has}`} can translate${gives === undefined ? "" : ` (it knows CUDA ${gives})`}`,
    evidence: [...errors, context.driver, context.driverCuda, runtime?.fact].filter((fact) => fact !== undefined),
    next: ["nvidia-smi"],
    fixes: [
      fix("install a newer NVIDIA driver"),
      fix(
        `or build with ${gives === undefined ? "an older toolkit" : `CUDA ${gives} or older`}, or for this very GPU (\`nvcc -arch=native\`), so that no PTX must be translated`,
      ),
    ],
  };
}

// Under WSL the driver is Windows' own, in /usr/lib/wsl/lib; a Linux driver beside it answers first and reaches no GPU.
function linuxDriverInWsl(facts: Facts): Problem[] {
  if (!facts.on("wsl2")) return [];
  const packaged = facts
    .everything()
    .find(({ at }) =>
      /\b(?:libnvidia-compute|libcuda1|nvidia-(?:driver|utils|dkms|kernel)|cuda-drivers)(?:-\d{3})?\b|reinstalled? nvidia drivers?|drivers? inside/i.test(
        at.text,
      ),
    );
  const failed = [
    ...facts.all("cuda-error").filter(({ code }) => code === 100 || code === 999 || code === 500),
    ...facts.notices("no-devices", "smi-failed", "nvml-not-loaded", "module-missing"),
    // What a container lacks is another matter than what WSL does.
    ...(facts.on("container") ? [] : facts.notices("no-gpu-seen")),
    ...facts.all("available").filter(({ value }) => !value),
  ];
  if (failed.length === 0) return [];
  const base = {
    name: "libcuda.so.1",
    library: "libcuda",
    required: "/usr/lib/wsl/lib/libcuda.so.1, which Windows' driver brings",
    evidence: [...failed.slice(0, 3), ...(packaged ? [packaged] : [])],
    next: ["ls -l /usr/lib/wsl/lib/libcuda*", "ldconfig -p | grep libcuda"],
  };
  const look = fix("let the loader look where Windows puts its driver", "export LD_LIBRARY_PATH=/usr/lib/wsl/lib:$LD_LIBRARY_PATH");
  const remove = fix(
    "remove the driver's packages inside WSL; the driver is installed in Windows only",
    "sudo apt-get purge 'libnvidia-compute-*' 'nvidia-driver-*'",
  );
  const linux: Suspect = {
    ...base,
    cause: "library-shadowed",
    found: "a libcuda of a Linux driver",
    certainty: packaged ? "likely" : "possible",
    message: `${packaged ? "" : "or "}a Linux driver is installed inside WSL: its libcuda is found before that of Windows, and reaches no GPU`,
    fixes: [remove, look],
  };
  const path: Suspect = {
    ...base,
    cause: "library-not-on-path",
    certainty: "possible",
    message: "the libcuda that Windows' driver brings lies in /usr/lib/wsl/lib, and the loader does not look there",
    fixes: [look],
  };
  const windows: Suspect = {
    ...base,
    cause: "driver-not-exposed",
    certainty: "possible",
    message: "or no driver for WSL reaches Linux: Windows' driver is too old, WSL is, or it is WSL 1",
    fixes: [fix("in Windows: bring the NVIDIA driver and WSL up to date, then start it anew", "wsl --update; wsl --shutdown")],
  };
  const order = packaged ? [linux, windows, { ...path, message: `or ${path.message}` }] : [path, windows, linux];
  return [{ weight: packaged ? weights.refused + 1 : weights.failed + 1, symptom: "under WSL no GPU is reached", suspects: order }];
}

// Error 500: what the process took for the driver lacks a function that the runtime asked for by name.
function symbolOfDriver(evidence: Fact[], facts: Facts): Problem[] {
  if (evidence.length === 0) return [];
  const base = { name, library, evidence, next: ["nvidia-smi", "culprit why libcuda.so.1"] };
  const desktop = facts.on("windows") || facts.on("wsl2");
  return [
    {
      weight: weights.hint,
      symptom: "the driver lacks a function that the CUDA runtime asks for (error 500)",
      suspects: [
        {
          ...base,
          cause: "driver-too-old",
          certainty: "possible",
          message: "the driver is older than the runtime, or the container was given only a part of it",
          fixes: [
            desktop
              ? fix(
                  "bring the driver in Windows, WSL and Docker Desktop up to date; error 500 came with drivers that were newer than the container toolkit in Docker Desktop",
                )
              : fix("install a newer NVIDIA driver, and bring the container toolkit up to date"),
          ],
        },
        {
          ...base,
          cause: "upstream-bug",
          certainty: "possible",
          message: "or driver and container toolkit are of releases that do not know each other (seen with Docker Desktop and driver 555)",
          fixes: [],
        },
        {
          ...base,
          cause: "library-wrong-version",
          certainty: "possible",
          message: "or another libcuda than the driver's own is loaded",
          fixes: [],
        },
        {
          ...base,
          cause: "kernel-module-mismatch",
          certainty: "possible",
          message: "or the driver was updated and the machine not restarted",
          fixes: [],
        },
      ],
    },
  ];
}

function absent(facts: Facts, context: Context): Problem[] {
  const problems: Problem[] = [];
  const lost = facts.all("not-found").filter((fact) => /^(?:libcuda\.so|nvcuda\.dll|libnvidia-ml\.so)/.test(fact.name));
  problems.push(...otherHalf(facts));
  const container = facts.all("container").filter(({ what }) => what === "no-library" || what === "not-loaded" || what === "no-runtime");
  const none = facts.notices(
    "no-driver",
    "smi-no-nvml",
    "smi-missing",
    "nvidia-image-no-driver",
    "no-libcuda-numba",
    "triton-libcuda",
    "libcuda-not-loaded",
    "smi-no-cuda",
    "driver-init-failed",
    "triton-no-gpu",
    "dcgm-not-started",
    "no-uvm-device",
    "wsl-no-libcuda",
    ...(facts.on("container") ? ["smi-absent"] : []),
  );
  const failed = facts.notices("smi-failed", "nvml-not-loaded", "module-missing", "no-kernel-driver");
  const flavor = facts.notices("needs-open-module");
  if (0 < flavor.length) problems.push(proprietaryModule(flavor, facts));
  const unsupported = facts.notices("gpu-unsupported-by-driver");
  if (unsupported[0])
    problems.push({
      weight: weights.said,
      suspects: [
        {
          cause: "arch-unsupported",
          name: "nvidia kernel module",
          required: "a driver branch that supports this GPU",
          ...(unsupported[0].found === undefined ? {} : { found: unsupported[0].found }),
          certainty: "certain",
          message: "this driver does not support the GPU",
          evidence: unsupported,
          fixes: [fix("install the driver branch that the message names")],
        },
        {
          cause: "driver-too-old",
          name,
          library,
          required: "a driver that knows this GPU",
          ...(unsupported[0].found === undefined ? {} : { found: unsupported[0].found }),
          certainty: "possible",
          message: "or the GPU is newer than this driver",
          evidence: unsupported,
          next: ["lspci -nn | grep -i nvidia"],
          fixes: [fix("install a newer NVIDIA driver")],
        },
      ],
    });
  const kernel = facts.all("driver").find(({ of }) => of === "kernel");
  const evidenceOf = (...lists: Fact[][]) => lists.flat();
  const notExposed = (certainty: Suspect["certainty"], evidence: Fact[]): Suspect => ({
    cause: "driver-not-exposed",
    ...halfOf(evidence),
    found: "none",
    certainty,
    message: "no NVIDIA driver reaches the process: it is not installed, or the container was started without GPU access",
    evidence,
    next: ["nvidia-smi", "ls -l /dev/nvidia*", "culprit why libcuda.so.1"],
    fixes: [
      gpuAccess(context, "in a container: start it with"),
      ...(container.some(({ what }) => what === "no-runtime")
        ? [
            fix(
              "install the container toolkit on the host",
              "sudo apt-get install nvidia-container-toolkit",
              "sudo nvidia-ctk runtime configure --runtime=docker",
              "sudo systemctl restart docker",
            ),
          ]
        : []),
      ...(facts.on("wsl2")
        ? [fix("under WSL install the driver in Windows, none in Linux", "export LD_LIBRARY_PATH=/usr/lib/wsl/lib:$LD_LIBRARY_PATH")]
        : []),
      fix("on a machine: install the NVIDIA driver"),
    ],
  });
  if (0 < container.length) {
    // What /proc/driver/nvidia/version says comes from a module that is loaded.
    const unloaded = kernel === undefined && container.some(({ what }) => what === "not-loaded");
    const lacked = container.find((fact) => fact.what === "no-library" && "name" in fact && fact.name !== undefined);
    const exposed: Suspect = {
      ...notExposed("likely", container),
      ...(lacked && "name" in lacked ? { name: lacked.name!, library: lacked.name!.startsWith("libnvidia-ml") ? "nvml" : library } : {}),
    };
    const missing = moduleMissing("likely", container);
    problems.push({ weight: weights.said, suspects: unloaded ? [missing, { ...exposed, certainty: "possible" }] : [exposed] });
    return problems;
  }
  const nothing = facts.notices("no-adapter");
  if (0 < nothing.length)
    problems.push({
      weight: weights.refused + 1,
      suspects: [
        {
          cause: "not-a-mismatch",
          name: "the GPU",
          required: "a GPU that this system sees",
          found: "none",
          certainty: "likely",
          message: "the kernel module finds no NVIDIA GPU in this machine: it has none, or the virtual machine was not given it",
          evidence: nothing.slice(0, 2),
          next: ["lspci -nn | grep -i nvidia"],
          fixes: [fix("take a machine with a GPU, or pass one through")],
        },
      ],
    });
  if (0 < failed.length) {
    const device = facts.notices("no-nvidia-device-file");
    const explicit = facts.notices("module-missing");
    problems.push({
      // TensorFlow says it on every machine without a GPU.
      weight: failed.every((fact) => fact.kind === "notice" && fact.id === "no-kernel-driver") ? weights.hint + 1 : weights.refused,
      suspects: [
        moduleMissing(0 < explicit.length ? "certain" : "likely", evidenceOf(failed, device)),
        ...(0 < explicit.length
          ? []
          : [
              notExposed("possible", failed),
              {
                ...moduleMissing("possible", failed),
                cause: "kernel-module-mismatch" as const,
                message: "or the module and the driver's libraries are of different releases",
              },
            ]),
      ],
    });
    return problems;
  }
  // The driver's library is there under its number: only the name without it is not.
  const numbered =
    facts.all("opened").some((fact) => fact.name === "libcuda.so.1") || facts.all("file").some(({ path }) => /\/libcuda\.so/.test(path));
  const file = lost.find((fact) => fact.name === "libcuda.so" && (fact.wantedBy !== undefined || numbered));
  if (file) {
    // cuDNN 8 opens libcuda.so without a number, which drivers do not always bring.
    const path: Suspect = {
      cause: "library-not-on-path",
      name: "libcuda.so",
      library,
      required: "libcuda.so where the loader looks",
      found: "not found under this name",
      certainty: "likely",
      message: `${file.by === "ld" ? "the linker looks for" : file.wantedBy === undefined ? "the program opens" : `\`${file.wantedBy}\` opens`} \`libcuda.so\` (without a number), and does not find it; the driver's \`libcuda.so.1\` ${numbered ? "is" : "may well be"} there`,
      evidence: [file],
      next: ["ldconfig -p | grep libcuda", "ls -l /usr/lib/wsl/lib/libcuda.so* /usr/lib/x86_64-linux-gnu/libcuda.so*"],
      fixes: [
        fix("under WSL", "export LD_LIBRARY_PATH=/usr/lib/wsl/lib:$LD_LIBRARY_PATH"),
        fix(
          "elsewhere let the loader look in the driver's folder; the link libcuda.so -> libcuda.so.1 in that folder belongs to the driver",
          "sudo ldconfig",
        ),
      ],
    };
    problems.push({
      weight: weights.refused,
      suspects: numbered
        ? [path]
        : [
            path,
            notExposed("possible", [file]),
            { ...path, cause: "library-missing", certainty: "possible", message: "or no driver is installed here" },
          ],
    });
    return problems;
  }
  const real = lost.filter(({ by }) => by !== "tensorflow");
  if (0 < real.length || 0 < none.length) {
    const evidence = evidenceOf(real, none, lost, kernel ? [kernel] : []);
    if (kernel) {
      problems.push({
        weight: weights.refused,
        suspects: [
          {
            cause: "library-not-on-path",
            name,
            library,
            required: `libcuda.so.1 of driver ${kernel.version}, where the loader looks`,
            found: 0 < context.searched.length ? `only ${context.searched.map(({ folder }) => folder).join(":")}` : "not found",
            certainty: "likely",
            message: `the kernel runs driver ${kernel.version}, and the loader does not find its libcuda.so.1`,
            evidence,
            next: ["ldconfig -p | grep libcuda", "culprit why libcuda.so.1"],
            fixes: [fix("install the driver's libraries of the same release, and refresh the loader's cache", "sudo ldconfig")],
          },
          notExposed("possible", evidence),
          {
            ...notExposed("possible", evidence),
            cause: "library-missing",
            message: "or the driver's libraries are not installed beside the kernel module",
          },
        ],
      });
    } else {
      problems.push({
        weight: weights.refused,
        suspects: [
          notExposed("likely", evidence),
          {
            ...notExposed("possible", evidence),
            cause: "library-not-on-path",
            message: "or the driver is installed where the loader does not look",
          },
          { ...notExposed("possible", evidence), cause: "library-missing", message: "or the driver's libraries are not installed" },
          // A driver that answers, and fails to start.
          ...(none.some(({ id }) => id === "driver-init-failed")
            ? [
                {
                  ...notExposed("possible", evidence),
                  cause: "kernel-module-mismatch" as const,
                  found: "a driver that does not start",
                  message: "or the driver's libraries and its kernel module are of different releases",
                },
                {
                  ...notExposed("possible", evidence),
                  cause: "driver-too-old" as const,
                  found: "a driver that does not start",
                  message: "or the driver is older than the program needs",
                },
              ]
            : []),
        ],
      });
    }
  }
  return problems;
}

function proprietaryModule(evidence: Fact[], facts: Facts): Problem {
  const kernel = facts.all("driver").find(({ of }) => of === "kernel");
  const branch = kernel?.version.split(".")[0];
  return {
    weight: weights.said,
    suspects: [
      {
        cause: "arch-unsupported",
        name: "nvidia kernel module",
        required: "the open flavor of the kernel module",
        found: `the proprietary one${kernel ? ` of driver ${kernel.version}` : ""}`,
        certainty: "certain",
        message: "this GPU is driven by the open flavor of the NVIDIA kernel module only, and the proprietary one is loaded",
        evidence: [...evidence.slice(0, 2), ...(kernel ? [kernel] : [])],
        next: ["cat /proc/driver/nvidia/version"],
        fixes: [
          fix(
            "install the open flavor of the driver, and restart",
            ...(branch === undefined ? [] : [`sudo apt-get install nvidia-driver-${branch}-open`]),
          ),
        ],
      },
    ],
  };
}

// Who speaks of NVML alone misses libnvidia-ml, not libcuda.
function halfOf(evidence: Fact[]): { name: string; library: string; required: string } {
  const nvml =
    0 < evidence.length &&
    evidence.every(
      (fact) =>
        (fact.kind === "notice" && /^smi-no-nvml$|^nvml-/.test(fact.id)) ||
        (fact.kind === "not-found" && fact.name.startsWith("libnvidia-ml")) ||
        (fact.kind === "container" && /nvml/i.test(fact.at.text)),
    );
  const half = nvml ? { name: "libnvidia-ml.so.1", library: "nvml" } : { name, library };
  return { ...half, required: `the driver's ${half.name} within the process` };
}

// A part of the driver is asked for by its release, and the kernel runs another.
function otherHalf(facts: Facts): Problem[] {
  const kernel = facts.all("driver").find(({ of }) => of === "kernel");
  const lost = facts.all("not-found").find(({ name: each }) => /^libnvidia-[\w-]{2,40}\.so\.\d{3}\./.test(each));
  const wanted = lost && /\.so\.(\d{3}[\d.]{1,10})$/.exec(lost.name)?.[1];
  if (!kernel || !lost || wanted === undefined || kernel.version.startsWith(wanted)) return [];
  return [
    {
      weight: weights.refused + 1,
      suspects: [
        {
          ...moduleMismatchBase,
          name: lost.name,
          required: `${kernel.version} (the loaded kernel module)`,
          found: `libraries that ask for ${wanted}`,
          evidence: [lost, kernel],
        },
      ],
    },
  ];
}

const moduleMismatchBase = {
  cause: "kernel-module-mismatch" as const,
  library,
  certainty: "likely" as const,
  message:
    "the driver's libraries and the kernel module are of different releases: the driver was updated in part, or mounted from elsewhere",
  next: ["cat /proc/driver/nvidia/version", "ls -l /usr/lib/x86_64-linux-gnu/libcuda.so.*"],
  fixes: [fix("bring both to one release: install the driver again, and restart", "sudo reboot")],
};

function moduleMissing(certainty: Suspect["certainty"], evidence: Fact[]): Suspect {
  return {
    cause: "kernel-module-missing",
    name: "nvidia kernel module",
    required: "an NVIDIA kernel module for the running kernel",
    found: "none is loaded",
    certainty,
    message: "the NVIDIA kernel module is not loaded: it was not built for the running kernel, or the driver is not installed",
    evidence,
    next: ["lsmod | grep nvidia", "sudo modprobe nvidia; sudo dmesg | tail", "dkms status"],
    fixes: [
      fix(
        "install the kernel's headers and the driver again, so that the module is built for the running kernel",
        "sudo apt-get install linux-headers-$(uname -r)",
        "sudo dkms autoinstall",
      ),
      fix("or start the kernel for which the module exists"),
    ],
  };
}

/** Since CUDA 11 a driver runs every release of its own major: 470, of the time of 11.4, runs builds for 11.8. */
const majorsOf = (cuda: string) => {
  const major = cuda.split(".")[0]!;
  return 11 <= Number(major) ? `${major}.x or older` : `${cuda} or older`;
};
