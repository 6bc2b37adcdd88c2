import { isCompat } from "../../frameworks/driver.ts";
import { driverReaches } from "../../knowledge/dotted.ts";
import { torchBuilds } from "../../knowledge/frameworks.ts";
import { fitOf } from "../../knowledge/gpu-code.ts";
import { unmetRequirement } from "../../knowledge/image-requirement.ts";
import { driverRuns, flavorWords, leastDriver, newerPtx, type LeastDriver } from "../../knowledge/goes-together.ts";
import { driverFloor, toolkitOf } from "../../knowledge/toolkits.ts";
import { folderOf } from "../../lib/path.ts";
import type { Advice, Affected, BuildFact, Draft, Facts } from "../../model/finding.ts";
import { cudaOf, driverBelow, gpuKinds, needing, reachesDriver, undriven, type DriverBelow } from "../../diagnose/device.ts";
import { fileFact, gpuFacts, loadFact, programFacts, variableFact } from "../../diagnose/facts.ts";
import { machineSide } from "../rule.ts";
import page from "./page.ts";
import type { Program, Run, Stack } from "../../diagnose/stack.ts";
import { programName, unique, withFolders } from "../../diagnose/words.ts";

export default machineSide(page, {
  finds(stack) {
    const refused = refusals(stack);
    const required = imageRequirement(stack);
    // Where nothing in the image would run there, that its container does not start is the same finding.
    const [first, ...rest] = refused.toSorted((a, b) => Number(isMilder(a)) - Number(isMilder(b)));
    const refusing = required.filter(({ severity }) => severity !== "info");
    const because = refusing.map(({ message }) => message);
    const said = refusing.map(({ facts }) => facts?.said).find((each) => each !== undefined);
    const all = !first
      ? required
      : isMilder(first)
        ? [...required, first, ...rest]
        : [
            { ...first, because: [...first.because, ...because], facts: { ...first.facts, ...(said === undefined ? {} : { said }) } },
            ...rest,
          ];
    return [...all, ...minorVersionMode(stack), ...unknownGpus(stack)];
  },
});

const isMilder = ({ severity }: Draft) => severity === "warning";

interface User {
  run: Run;
  program: Program;
  driver: DriverBelow;
  cuda: { version: string; evidence: string };
}

function users(stack: Stack): User[] {
  return stack.runs.flatMap((run) =>
    run.programs.flatMap((program) => {
      const [driver, cuda] = [driverBelow(stack, run), cudaOf(program)];
      return driver && cuda && reachesDriver(run, program) && 0 < needing(run, program, "device").length
        ? [{ run, program, driver, cuda }]
        : [];
    }),
  );
}

const majorOf = (version: string) => version.split(".")[0]!;

/** One finding for each CUDA major that a driver does not run, whoever needs it. */
function refusals(stack: Stack): Draft[] {
  const groups = new Map<string, User[]>();
  for (const user of users(stack).filter(({ driver, cuda }) => driverRuns(driver.version, cuda.version) === false)) {
    const key = `CUDA ${majorOf(user.cuda.version)} on driver ${user.driver.version}`;
    groups.set(key, [...(groups.get(key) ?? []), user]);
  }
  return [...groups].map(([subject, group]) => refusal(stack, subject, group));
}

function refusal(stack: Stack, subject: string, group: User[]): Draft {
  const { driver, cuda } = group[0]!;
  const major = majorOf(cuda.version);
  const floor = driverFloor(cuda.version)!;
  const own = toolkitOf({ driver: driver.version })?.newest.cuda;
  const breaks = losing(stack, group);
  const evidence = unique([
    ...group.map(({ run, program, cuda: built }) => builtWords(run, program, built)),
    `driver ${driver.version}: ${driver.evidence}`,
  ]);
  const older = group.map((user) => olderBuild(stack, user));
  // A build for one of them leaves the finding where others need the newer driver as well.
  const isForAll = older.every((builds) => 0 < builds.length);
  const builds = distinctBuilds(older.flat());
  const least = leastFor(
    stack,
    group.map(({ program }) => program),
  )!;
  const facts: Facts = {
    driver: { version: driver.version, ...(least.goneAfter === undefined ? { needed: least.driver } : {}), cuda: major },
    builds: isForAll ? builds : [],
    packages: group.flatMap(({ run, program }) => programFacts(run, program)),
  };
  const brought = broughtCompat(stack, driver.version, cuda.version);
  const others = group.filter((_user, index) => older[index]!.length === 0).map(({ program }) => program.id);
  const buildsAdvice = builds.map((build) => buildAdvice(build, unique(others)));
  if (brought)
    return {
      subject,
      ...throughCompat(driver.version, major, brought),
      evidence,
      advice: [`with driver ${least.driver} or newer on the host, nothing depends on it`, ...buildsAdvice],
      facts: { ...facts, copies: [fileFact(stack, brought.file, "other")] },
      endangers: breaks,
      sources: ["https://docs.nvidia.com/deploy/cuda-compatibility/forward-compatibility.html", ...floor.sources],
    };
  return {
    subject,
    short: `driver ${driver.version} is too old for CUDA ${major}`,
    message: `driver ${driver.version} is too old for CUDA ${major}, which needs ${floor.driver} or newer`,
    because: [
      ...(own === undefined ? [] : [`this driver is of the time of CUDA ${own}: it runs programs of that major and older ones only`]),
      ...(driver.compat ? [`${driver.compat.file} stands before the kernel's driver, and is too old as well`] : []),
    ],
    evidence,
    advice: [...upgradeAdvice(stack, least, major), ...buildsAdvice, ...compatAdvice(stack, driver.version, cuda.version)],
    facts: { ...facts, ...(driver.compat ? { loads: [loadFact(driver.compat)] } : {}) },
    // The least driver of a major may be worked out; that one of an older branch is too old is not.
    certainty: floor.certain || Number(majorOf(driver.version)) < Number(majorOf(floor.driver)) ? "certain" : "likely",
    breaks,
    sources: floor.sources,
  };
}

const throughCompat = (driver: string, major: string, { file, isListed }: { file: string; isListed: boolean }) => ({
  severity: "warning" as const,
  certainty: isListed ? ("likely" as const) : ("possible" as const),
  short: `driver ${driver} is too old, but for the compat library`,
  message: `driver ${driver} by itself is too old for CUDA ${major}: programs run there only through the compat library of the image`,
  because: [
    `the container toolkit puts ${file} before the driver, because it is of another branch`,
    isListed
      ? `that library lists ${majorOf(driver)} among the drivers that it works with; it is for data-center GPUs`
      : "whether it works with this driver, NVIDIA's table of forward compatibility tells; it is for data-center GPUs",
  ],
});

type OfRun = Pick<User, "run" | "program">;

/** What these lose, and what stands upon them with it: Triton asks torch for the device, and operators of others take what it has. */
function losing(stack: Stack, group: OfRun[]): Affected[] {
  const below = ({ id, upon = [] }: Program) => (id === "triton" ? ["torch"] : upon);
  const upon = stack.runs.flatMap((run) =>
    run.programs
      .filter((program) => group.some((each) => isSamePlace(each.run, run) && below(program).includes(each.program.id)))
      .map((program) => ({ run, program })),
  );
  return distinct([...group, ...upon].flatMap(({ run, program }) => needing(run, program, "device")));
}

const isSamePlace = (one: Run, other: Run) => one.environment?.prefix === other.environment?.prefix;

/** For all GPUs that are there. */
const leastFor = (stack: Stack, programs: Program[]): LeastDriver | undefined =>
  leastDriver(
    programs.map((program) => ({ cuda: cudaOf(program)?.version, architectures: program.kernels?.architectures })),
    gpuKinds(stack).map(({ architecture }) => architecture),
  );

/** No driver below the first branch that knows the GPU, and none after the last one that does. */
function upgradeAdvice(stack: Stack, { driver, goneAfter, upTo }: LeastDriver, major: string): Advice[] {
  if (goneAfter !== undefined)
    return [{ words: `no driver runs CUDA ${major} on this GPU: the last branch for it is ${goneAfter}; take builds for an older CUDA` }];
  return [
    {
      words: `install driver ${driver} or newer${upToWords(upTo)}${flavorWords(gpuKinds(stack).map(({ architecture }) => architecture))}${stack.target.kind === "image" ? " on the host" : ""}`,
      fix: "driver-upgrade",
    },
  ];
}

const upToWords = (branch: number | undefined) =>
  branch === undefined ? "" : `, of branch ${branch} at most: later ones no longer know this GPU`;

const builtWords = (run: Run, { id }: Program, { version, evidence }: User["cuda"]) =>
  `${programName(run, id)} was built for CUDA ${version} (${evidence})`;

const distinct = (affected: Affected[]) => affected.filter((each, index) => affected.findIndex((other) => isSame(each, other)) === index);
const isSame = (a: Affected, b: Affected) => a.framework === b.framework && a.activity === b.activity;

/** The same release of torch for a CUDA that the driver runs, with code for every GPU. */
function olderBuild(stack: Stack, { program, driver, run }: User): BuildFact[] {
  // Where the driver does not know the GPU, no build helps.
  if (program.id !== "torch" || !program.package || 0 < undriven(stack).length) return [];
  const release = program.package.version.replace(/\+.*/, "");
  const fitting = torchBuilds().findLast(
    ({ version, cuda, architectures = [] }) =>
      version === release &&
      driverRuns(driver.version, cuda) === true &&
      gpuKinds(stack).every((gpu) => fitOf(gpu.architecture, architectures) === "cubin"),
  );
  if (!fitting) return [];
  return [{ package: "torch", release, variant: fitting.variant, ...(run.environment ? { environment: run.environment.prefix } : {}) }];
}

const distinctBuilds = (builds: BuildFact[]) => [...new Map(builds.map((build) => [JSON.stringify(build), build])).values()];

const buildAdvice = ({ package: name, release, variant }: BuildFact, others: string[]): Advice =>
  others.length === 0
    ? { words: `or install the build ${variant} of ${name} ${release}, which this driver runs`, fix: "choose-build" }
    : {
        words: `for ${name} alone: its build ${variant} of ${release} runs with this driver; ${others.join(", ")} would need ${others.length === 1 ? "a build" : "builds"} for an older CUDA, too`,
      };

/** Compat libraries that are newer than the driver and new enough for the program. */
const compatCopies = (stack: Stack, driver: string, cuda: string) =>
  stack.inventory.copies.filter(
    ({ library, file, version = "0" }) =>
      library === "libcuda" && isCompat(file) && !driverReaches(driver, version) && driverRuns(version, cuda),
  );

/**
 * The compat library that the container toolkit itself puts before the driver: one of /usr/local/cuda, where its branch is another than
 * the driver's (github:NVIDIA/libnvidia-container:src/nvc_container.c and nvc_mount.c). Only data-center GPUs are sure to allow it.
 */
function broughtCompat(stack: Stack, driver: string, cuda: string): { file: string; isListed: boolean } | undefined {
  if (stack.target.kind !== "image" || gpuKinds(stack).some(({ known }) => known.some(({ kind }) => kind !== "datacenter")))
    return undefined;
  const home = stack.inventory.toolkits.find(({ path, names }) => [path, ...names].includes("/usr/local/cuda"));
  const copy = compatCopies(stack, driver, cuda).find(({ file }) => home && file.startsWith(`${home.path}/compat/`));
  if (!copy) return undefined;
  const isListed = listsBranch(copy.version, driver);
  return isListed === false ? undefined : { file: copy.file, isListed: isListed === true };
}

/** Whether a compat library says that it works with drivers of this branch; undefined where that is not known. */
const listsBranch = (compat = "", driver: string) =>
  toolkitOf({ driver: compat })?.newest.compatBranches?.includes(Number(majorOf(driver)));

/** Only data-center GPUs are sure to allow it. */
function compatAdvice(stack: Stack, driver: string, cuda: string): Advice[] {
  const kinds = gpuKinds(stack).flatMap(({ known }) => known.map(({ kind }) => kind));
  const compat = toolkitOf({ cudart: cuda })?.oldest.compatPackage;
  if (kinds.length === 0 || kinds.some((kind) => kind !== "datacenter") || compat === undefined) return [];
  // Where the kernel's own module does not know the GPU, no library in front of it helps.
  if (0 < undriven(stack).length) return [];
  const [there] = compatCopies(stack, driver, cuda);
  if (there && listsBranch(there.version, driver) === false) return [];
  const words = `or put ${compat} before the driver, where NVIDIA's table of forward compatibility lists this driver`;
  return [there ? { ...withFolders([folderOf(there.file)]), words } : { words }];
}

function minorVersionMode(stack: Stack): Draft[] {
  return users(stack).flatMap(({ run, program, driver, cuda }) => {
    // What compiles its kernels itself has no release of its own; and a major alone is no release.
    if (program.compiler || !/^\d+\.\d/.test(cuda.version) || !driverRuns(driver.version, cuda.version)) return [];
    const own = toolkitOf({ cudart: cuda.version })?.oldest;
    if (own?.driver === undefined || driverReaches(driver.version, own.driver)) return [];
    const ptx = newerPtx(driver.version, cuda.version);
    return [
      {
        subject: `CUDA ${own.cuda} on driver ${driver.version}`,
        severity: "info" as const,
        short: `driver ${driver.version} is older than CUDA ${own.cuda}`,
        message: `driver ${driver.version} is older than CUDA ${own.cuda} (${own.driver}), but of the same major: programs run, in minor-version mode`,
        because: [
          `a driver runs newer releases of its own CUDA major${ptx ? `, except for PTX ${ptx.ptx}, which it cannot compile: it knows ${ptx.known}` : ""}`,
        ],
        evidence: [builtWords(run, program, cuda), `driver ${driver.version}: ${driver.evidence}`],
        advice: ["nothing has to be done; driver " + own.driver + " or newer has every feature"],
        facts: { driver: { version: driver.version, needed: own.driver, cuda: own.cuda }, packages: programFacts(run, program) },
        sources: driverFloor(cuda.version)?.sources ?? [],
      },
    ];
  });
}

/** What the image itself asks for: the container toolkit would not start it. */
function imageRequirement(stack: Stack): Draft[] {
  const { requires, kernel, module } = stack.inventory.driver;
  const isOff = /^(1|true)$/i.test(stack.variables["NVIDIA_DISABLE_REQUIRE"] ?? "");
  if (requires === undefined || kernel === undefined || isOff) return [];
  const [gpu] = gpuKinds(stack);
  const kind = gpu?.known[0]?.kind;
  const unmet = unmetRequirement(requires, kernel, gpu && { sm: gpu.architecture, ...(kind === undefined ? {} : { kind }) });
  if (!unmet) return [];
  const { first, cuda } = unmet;
  // A container that runs was started all the same.
  const runsAlready = stack.target.kind !== "root" && stack.target.kind !== "image" && module !== "assumed";
  return [
    {
      subject: "NVIDIA_REQUIRE_CUDA",
      ...(runsAlready ? { severity: "info" as const } : {}),
      short: `driver ${kernel} does not meet the image's ${first}`,
      message: `the image requires ${first}, which driver ${kernel} does not meet: the container would not start`,
      because: [`NVIDIA_REQUIRE_CUDA=${requires.length <= 100 ? requires : `${requires.slice(0, 100)}…`}`],
      facts: {
        variables: [variableFact(stack, "NVIDIA_REQUIRE_CUDA")],
        driver: { version: kernel },
        said: `nvidia-container-cli: requirement error: unsatisfied condition: ${first}, please update your driver to a newer version, or use an earlier cuda container`,
      },
      evidence: [`driver ${kernel}${cuda === undefined ? "" : `, of the time of CUDA ${cuda}`}`],
      advice: [
        "install a newer driver on the host, or take an image for an older CUDA",
        "NVIDIA_DISABLE_REQUIRE=1 skips the check: whether the programs would then run, the other findings say",
      ],
      breaks: runsAlready
        ? []
        : distinct(
            stack.runs.flatMap(({ programs, activities }) =>
              programs.flatMap(({ id }) => activities.map((activity) => ({ framework: id, activity }))),
            ),
          ),
      sources: ["github:NVIDIA/libnvidia-container:src/cli/dsl.c"],
    },
  ];
}

/** GPUs that are newer than the driver. */
function unknownGpus(stack: Stack): Draft[] {
  const waiting = stack.runs.flatMap((run) =>
    run.programs
      .filter((program) => (cudaOf(program) || program.id === "triton") && reachesDriver(run, program))
      .map((program) => ({ run, program })),
  );
  const breaks = losing(stack, waiting);
  if (breaks.length === 0) return [];
  const least = leastFor(
    stack,
    waiting.map(({ program }) => program),
  );
  return undriven(stack)
    .filter(({ why }) => why.is === "before-first")
    .map(({ gpu, driver, why: { branch, first, certain, sources } }) => ({
      subject: `${gpu.architecture} on driver ${driver}`,
      short: `driver ${driver} does not know ${gpu.words}`,
      message: `driver ${driver} does not know ${gpu.words}: drivers do since ${branch}`,
      because: [`it is older than that GPU, which came with CUDA ${first}`],
      evidence: [`driver ${driver}`],
      advice: [
        least?.goneAfter === undefined
          ? {
              words: `install driver ${least?.driver ?? branch} or newer${upToWords(least?.upTo)}${flavorWords([gpu.architecture])}`,
              fix: "driver-upgrade" as const,
            }
          : { words: `no driver has all of these GPUs: the last branch for the oldest is ${least.goneAfter}` },
      ],
      facts: {
        driver: { version: driver, ...(least?.goneAfter === undefined ? { needed: least?.driver ?? String(branch) } : {}) },
        gpus: gpuFacts([gpu]),
      },
      certainty: certain && gpu.certain ? ("certain" as const) : ("likely" as const),
      breaks,
      sources,
    }));
}
