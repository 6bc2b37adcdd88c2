import { unmetRequirement } from "../../knowledge/image-requirement.ts";
import { driverRuns, flavorWords, leastDriver } from "../../knowledge/goes-together.ts";
import { driverFloor, driverFloorSources } from "../../knowledge/toolkits.ts";
import { publishedPackage } from "../../knowledge/published.ts";
import { cudaTold } from "../../dependency-files/cuda-told.ts";
import { gpuBuilds } from "../../dependency-files/builds.ts";
import { minorOf } from "../../dependency-files/conda.ts";
import { condaPins, cudaOfImage } from "../../dependency-files/image-cuda.ts";
import { gpuFactOf, gpuWords, undrivenIn } from "../../dependency-files/device.ts";
import { installedFact, stepFact } from "../../dependency-files/facts.ts";
import type { Installed } from "../../dependency-files/install.ts";
import type { InstallContext } from "../../dependency-files/context.ts";
import { dependencyFileSide, type DependencyFileDraft } from "../rule.ts";
import page from "./page.ts";
import { lastingValue } from "../../dependency-files/variables.ts";
import { fullName, writtenAt } from "../../dependency-files/words.ts";
import { solveName } from "../../model/frameworks.ts";

export default dependencyFileSide(page, {
  finds: (context) => {
    const { driver } = context;
    if (driver === undefined) return [];
    return [
      ...ofImage(context, driver),
      ...ofRelease(context, driver),
      ...ofConda(context, driver),
      ...ofBuilds(context, driver),
      ...ofNames(context, driver),
      ...unknownGpus(context),
    ];
  },
});

const ofBuilds = ({ installation, gpus }: InstallContext, driver: string): DependencyFileDraft[] =>
  gpuBuilds(installation).flatMap(({ installed, framework, build }) => {
    const cuda = build.cuda?.version;
    const floor = cuda === undefined ? undefined : driverFloor(cuda);
    if (cuda === undefined || !floor || driverRuns(driver, cuda)) return [];
    const least = leastDriver(
      [{ cuda, architectures: build.architectures?.list }],
      gpus.map(({ sm }) => sm),
    )!;
    return [
      {
        subject: `${installed.name} with driver ${driver}`,
        place: installed.place,
        certainty: floor.certain ? ("certain" as const) : ("likely" as const),
        short: `driver ${driver} is too old for CUDA ${cuda}`,
        message: `${fullName(installed)} is built for CUDA ${cuda}, which needs driver ${floor.driver} or newer; there is ${driver}`,
        because: [
          `${writtenAt(installed)}${installed.isAssumed && installed.asked ? `: ${installed.version} is the newest that fits` : ""}`,
        ],
        advice: [
          {
            words: "see which releases run there",
            command: ["culprit", "solve", solveName(framework), "--driver", driver, ...gpus.flatMap(({ name }) => ["--gpu", name])],
          },
          ...(least.goneAfter === undefined
            ? [`or a driver of ${least.driver} or newer${flavorWords(gpus.map(({ sm }) => sm))}`]
            : [`no driver runs CUDA ${cuda} on this GPU: the last branch for it is ${least.goneAfter}`]),
        ],
        facts: {
          packages: [installedFact(installed, "subject")],
          driver: { version: driver, ...(least.goneAfter === undefined ? { needed: least.driver } : {}), cuda },
        },
        breaks: [{ framework, activity: "device" }],
        sources: [build.cuda!.source, ...driverFloorSources(cuda)],
      },
    ];
  });

/** Packages for one CUDA, as their names tell, or the wheels of NVIDIA that they bring. */
const ofNames = ({ installation, gpus }: InstallContext, driver: string): DependencyFileDraft[] =>
  cudaTold(installation).flatMap(({ installed, cuda: { version: cuda, source, isWorkedOut } }) => {
    const floor = driverFloor(cuda);
    if (!floor || driverRuns(driver, cuda) !== false) return [];
    const { name } = installed;
    const older = forOlderCuda(name, cuda, driver);
    return [
      {
        subject: `${name} with driver ${driver}`,
        place: installed.place,
        certainty: floor.certain && !isWorkedOut ? ("certain" as const) : ("likely" as const),
        short: `driver ${driver} is too old for CUDA ${cuda}`,
        message: `${fullName(installed)} is for CUDA ${cuda}, which needs driver ${floor.driver} or newer; there is ${driver}`,
        because: [isWorkedOut ? `it brings wheels of NVIDIA for CUDA ${cuda}` : `its name says CUDA ${cuda}`, writtenAt(installed)],
        advice: [
          ...(older === undefined ? [] : [`take ${older}`]),
          ...(isWorkedOut ? [{ words: "see which releases run there", command: ["culprit", "solve", name, "--driver", driver] }] : []),
          `${older === undefined && !isWorkedOut ? "" : "or "}a driver of ${floor.driver} or newer${flavorWords(gpus.map(({ sm }) => sm))}`,
        ],
        facts: { packages: [installedFact(installed, "subject")], driver: { version: driver, needed: floor.driver, cuda } },
        breaks: [{ framework: name, activity: "device" }],
        sources: [...(isWorkedOut ? [source] : []), ...driverFloorSources(cuda)],
      },
    ];
  });

/** The same for a CUDA that the driver runs: `cudf-cu12`. */
function forOlderCuda(name: string, cuda: string, driver: string): string | undefined {
  for (let major = Number(cuda) - 1; 11 <= major; major -= 1) {
    const other = name.replace(new RegExp(`(cu(?:da)?)${cuda}(x|\\d)?(?=$|-)`), (_, word: string, minor = "") => `${word}${major}${minor}`);
    if (other !== name && publishedPackage(other) && driverRuns(driver, String(major))) return other;
  }
  return undefined;
}

/** GPUs that are newer than the driver. */
function unknownGpus(context: InstallContext): DependencyFileDraft[] {
  const least = leastDriver(
    gpuBuilds(context.installation).map(({ build }) => ({ cuda: build.cuda?.version, architectures: build.architectures?.list })),
    context.gpus.map(({ sm }) => sm),
  );
  return undrivenIn(context)
    .filter(({ why }) => why.is === "before-first")
    .map(({ gpu, driver, place, breaks, certain, why: { branch, first, sources } }) => ({
      subject: `${gpu.name} on driver ${driver}`,
      place,
      certainty: certain ? ("certain" as const) : ("likely" as const),
      short: `driver ${driver} does not know ${gpuWords(gpu)}`,
      message: `driver ${driver} does not know ${gpuWords(gpu)}: drivers do since ${branch}`,
      because: [`it is older than that GPU, which came with CUDA ${first}`],
      advice: [
        least?.goneAfter === undefined
          ? `driver ${least?.driver ?? branch} or newer${flavorWords([gpu.sm])}`
          : `no driver has all of these GPUs: the last branch for the oldest is ${least.goneAfter}`,
      ],
      facts: {
        driver: { version: driver, ...(least?.goneAfter === undefined ? { needed: least?.driver ?? String(branch) } : {}) },
        gpus: [gpuFactOf(gpu)],
      },
      breaks,
      sources,
    }));
}

/** Continues advice: a driver that does for a CUDA on these GPUs, where there is one. */
function orDriver(cuda: string, gpus: InstallContext["gpus"]): string {
  const least = leastDriver(
    [{ cuda }],
    gpus.map(({ sm }) => sm),
  );
  return !least || least.goneAfter !== undefined ? "" : `, or a driver of ${least.driver} or newer`;
}

/** What the image itself asks for: the container toolkit would not start it. */
function ofImage({ declaration: { steps }, gpus }: InstallContext, driver: string): DependencyFileDraft[] {
  const required = lastingValue(steps, "NVIDIA_REQUIRE_CUDA");
  const isOff = /^(1|true)$/i.test(lastingValue(steps, "NVIDIA_DISABLE_REQUIRE")?.value ?? "");
  const unmet = required && !isOff ? unmetRequirement(required.value, driver, gpus[0]) : undefined;
  if (!required || !unmet) return [];
  const { first, cuda } = unmet;
  return [
    {
      subject: "NVIDIA_REQUIRE_CUDA",
      place: required.place,
      short: `the image requires ${first}, not met by driver ${driver}`,
      message: `the image requires ${first}, which driver ${driver} does not meet: the container would not start`,
      because: [`NVIDIA_REQUIRE_CUDA=${required.value}`, ...(cuda === undefined ? [] : [`this driver is of the time of CUDA ${cuda}`])],
      advice: [
        "install a newer driver on the host, or take an image for an older CUDA",
        "NVIDIA_DISABLE_REQUIRE=1 skips the check; whether programs then run is another question",
      ],
      facts: { variables: [stepFact(required)], driver: { version: driver }, said: `unsatisfied condition: ${first}` },
      sources: ["github:NVIDIA/libnvidia-container:src/cli/dsl.c"],
    },
  ];
}

/** An image of NVIDIA brings compat libraries, which let GPUs of data centres have an older driver. */
function ofRelease(context: InstallContext, driver: string): DependencyFileDraft[] {
  const { image, gpus } = context;
  const made = cudaOfImage(context);
  const floor = made && driverFloor(made.cuda);
  const refusing = gpus.find(({ kind }) => kind === "consumer" || kind === "workstation");
  if (!image || !made || !floor || driverRuns(driver, made.cuda) || (0 < gpus.length && !refusing)) return [];
  return [
    {
      subject: `${image.name} with driver ${driver}`,
      place: image.place,
      ...(refusing ? {} : { severity: "warning" as const }),
      certainty: "likely",
      short: `driver ${driver} is too old for CUDA ${made.cuda} of the image`,
      message: `${image.name} is built on CUDA ${made.cuda}, which needs driver ${floor.driver} or newer; there is ${driver}`,
      because: [
        ...(made.notes === undefined ? [] : [`its release notes ask for ${made.notes} or newer`]),
        refusing
          ? `the compat libraries of the image are for GPUs of data centres, and ${refusing.name} is none`
          : "only on GPUs of data centres its compat libraries may make up for that",
      ],
      advice: [`take an older release of the image${orDriver(made.cuda, gpus)}`],
      facts: { driver: { version: driver, needed: floor.driver, cuda: made.cuda }, gpus: gpus.map(({ name, sm }) => ({ name, sm })) },
      sources: [...made.sources, ...driverFloorSources(made.cuda)],
    },
  ];
}

/** Where no build is known, a pin of conda tells which CUDA all of it is for. */
const ofConda = ({ installation, gpus }: InstallContext, driver: string): DependencyFileDraft[] =>
  0 < gpuBuilds(installation).length ? [] : condaPins(installation).flatMap((pin) => tooOldFor(pin, gpus, driver));

function tooOldFor(pin: Installed, gpus: InstallContext["gpus"], driver: string): DependencyFileDraft[] {
  const cuda = pin.asked && minorOf(pin.asked);
  const floor = cuda === undefined ? undefined : driverFloor(cuda);
  if (cuda === undefined || !floor || driverRuns(driver, cuda)) return [];
  return [
    {
      subject: `${pin.name} with driver ${driver}`,
      place: pin.place,
      certainty: floor.certain ? "certain" : "likely",
      short: `driver ${driver} is too old for CUDA ${cuda}`,
      message: `The environment is for CUDA ${cuda}, which needs driver ${floor.driver} or newer; there is ${driver}`,
      because: [writtenAt(pin)],
      advice: [`ask for an older CUDA${orDriver(cuda, gpus)}`],
      facts: { packages: [installedFact(pin, "subject")], driver: { version: driver, needed: floor.driver, cuda } },
      sources: driverFloorSources(cuda),
    },
  ];
}
