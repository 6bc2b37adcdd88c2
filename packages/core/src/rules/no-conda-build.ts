import { condaBuilds, condaPin, condaSources } from "../knowledge/conda.ts";
import { placeWords } from "../lib/place.ts";
import type { CondaBuild } from "../model/knowledge.ts";
import type { DeclaredPackage, Install } from "../model/dependency-file.ts";
import { pythonsOf } from "../builds/build.ts";
import { isIn } from "../builds/specifier.ts";
import { compareDotted } from "../knowledge/dotted.ts";
import { publishedPackage } from "../knowledge/published.ts";
import { isAfterLast, isLedByOthers, minorOf, named, pytorchChannels, releasesIn } from "../dependency-files/conda.ts";
import { madeForOthers } from "../dependency-files/conda-choice.ts";
import { declaredFact } from "../dependency-files/facts.ts";
import { defineDependencyFileRule, type DependencyFileDraft } from "./rule.ts";

export default defineDependencyFileRule({
  id: "no-conda-build",
  title: "Conda has no build for the CUDA that is asked for",
  cause: "package-conflict",
  severity: "error",
  notOn: { machines: "it is refused, so it is never installed" },
  page: {
    what: "An environment of conda pins CUDA by a package (`pytorch-cuda`, `cudatoolkit`, `cuda-version`) that does not exist in that version, or that no build of the PyTorch beside it was made for; or it asks for a torchvision or torchaudio that was built with another PyTorch, or for a PyTorch that was never built for its Python.",
    why: "Every release of PyTorch was built for two or three CUDAs only, and one without. The channel `pytorch` ends with 2.5.1 and CUDA 12.4; `cudatoolkit` ends with 11.8. Conda refuses what is not there; where only the pair is not there it may silently take the build without CUDA, which asks for neither.",
    how: "From the recipes: which CUDA each release on the channels `pytorch` and `conda-forge` was built for, and by which package a build is chosen. Nothing is said where another channel might have it.",
    fix: "Take a pair that exists; the finding names them. For PyTorch 2.6 and newer use conda-forge with `cuda-version`, or pip.",
    observed:
      "Not run here, as conda's servers were out of reach: from the recipes of the channels, and from what conda answered to others.",
  },
  finds: ({ installation }) =>
    [...new Set(installation.named.map(({ step }) => step))].flatMap((step): DependencyFileDraft[] => {
      if (step.manager !== "conda" || step.isLocked) return [];
      const counted = { ...step, packages: installation.named.filter((each) => each.step === step).map(({ declared }) => declared) };
      const [pytorch, chooser, toolkit] = ["pytorch", "pytorch-cuda", "cudatoolkit"].map((name) => named(counted, name));
      const absent = [chooser, toolkit].flatMap((pin) => (pin ? notPublished(pin, counted, installation.python) : []));
      if (0 < absent.length) return absent;
      return [
        ...(pytorch && chooser ? chosenByMetapackage(counted, pytorch, chooser, installation.python) : []),
        ...(pytorch && toolkit && !chooser && !named(counted, "cpuonly")
          ? chosenByToolkit(counted, pytorch, toolkit, installation.python)
          : []),
        ...(toolkit ? twoVersions(counted, toolkit) : []),
        ...(pytorch ? ofAnotherRelease(counted, pytorch, installation.python) : []),
        ...(pytorch && installation.python !== undefined ? forOtherPythons(counted, pytorch, installation.python) : []),
      ];
    }),
});

/** A version of a pin that was never published. */
function notPublished(pin: DeclaredPackage, step: Install, python: string | undefined): DependencyFileDraft[] {
  const known = condaPin(pin.name)!;
  const last = known.versions.at(-1)!;
  // `12.4.0` is `12.4`, and a toolkit has a third number.
  const wanted = minorOf(pin);
  if (wanted === undefined || known.versions.includes(wanted) || pin.build !== undefined) return [];
  // Of old ones not all are known.
  if (pin.name === "cudatoolkit" && Number(wanted.split(".")[0]) < 12) return [];
  const isToolkit = pin.name === "cudatoolkit";
  return [
    {
      subject: pin.text,
      place: pin.place,
      certainty: isToolkit ? "likely" : "certain",
      short: `there is no ${pin.name} ${wanted}`,
      message: `There is no ${pin.name} ${wanted}: ${isToolkit ? `it ends with ${last}` : `there are ${known.versions.join(", ")}`}`,
      because: [
        isToolkit
          ? "from CUDA 12 on its parts are packages of their own, and cuda-version chooses"
          : "it chooses among the builds of PyTorch on the channel pytorch, which ends with 2.5.1",
        "conda refuses the whole environment",
      ],
      advice: isToolkit
        ? [`cuda-version=${wanted} on conda-forge; for PyTorch of the channel pytorch, pytorch-cuda`]
        : choosersFor(named(step, "pytorch"), wanted, python),
      facts: { packages: [declaredFact(pin, "subject")] },
      breaks: isToolkit ? [] : [{ framework: "torch", activity: "import" }],
      sources: condaSources(known),
    },
  ];
}

/** What to ask for in the place of a pytorch-cuda that is not there: where a release of PyTorch is asked for, what that was built for. */
function choosersFor(pytorch: DeclaredPackage | undefined, wanted: string, python: string | undefined): string[] {
  const asked = pytorch && pytorch.specifier !== "" && !isAfterLast(pytorch) ? releasesIn(pytorch, "pytorch", python).at(-1) : undefined;
  if (asked) return [`${asked.chosenBy}=${asked.cuda.at(-1)} for PyTorch ${asked.version}, or another PyTorch`];
  return [
    "for PyTorch up to 2.5: pytorch-cuda=12.4",
    `for newer ones: channel conda-forge, packages pytorch-gpu and cuda-version=${wanted}; or pip in its place`,
  ];
}

/** `pytorch=2.2 pytorch-cuda=12.4`: builds of the channel pytorch. */
function chosenByMetapackage(
  step: Install,
  pytorch: DeclaredPackage,
  chooser: DeclaredPackage,
  python: string | undefined,
): DependencyFileDraft[] {
  const cuda = minorOf(chooser);
  const channels = pytorchChannels(step, pytorch);
  if (cuda === undefined || pytorch.build !== undefined || !channels?.includes("pytorch") || isLedByOthers(step, pytorch)) return [];
  const asked = releasesIn(pytorch, "pytorch", python);
  if (isAfterLast(pytorch)) {
    // Some other channel has it, in builds that do not look at this package.
    const isOnly = pytorch.channel === "pytorch" || (channels.every((each) => each === "pytorch") && step.channels?.includes("nodefaults"));
    return [
      {
        subject: `${pytorch.text} with ${chooser.text}`,
        place: pytorch.place,
        ...(isOnly ? {} : { severity: "warning" as const }),
        certainty: "likely",
        short: `the channel pytorch has no ${pytorch.text}`,
        message: isOnly
          ? `The channel pytorch has no ${pytorch.text}: it ends with 2.5.1`
          : `${pytorch.text} cannot come from the channel pytorch, which ends with 2.5.1: ${chooser.text} has no say over it`,
        because: [
          `${chooser.text} at ${placeWords(chooser.place)} chooses among the builds of that channel, and brings libraries of CUDA ${cuda} for them`,
          ...(isOnly ? [] : ["conda takes PyTorch from another channel, for another CUDA or for none"]),
        ],
        advice: [`channel conda-forge, pytorch-gpu and cuda-version in the place of ${chooser.text}; or pip; or PyTorch 2.5.1`],
        facts: { packages: [declaredFact(pytorch, "conflicts"), declaredFact(chooser, "conflicts")] },
        ...(isOnly
          ? { breaks: [{ framework: "torch", activity: "import" }] }
          : { endangers: [{ framework: "torch", activity: "device" }] }),
        sources: condaSources(condaPin(chooser.name)!),
      },
    ];
  }
  if (asked.length === 0 || asked.some((row) => row.chosenBy === "pytorch-cuda" && row.cuda.includes(cuda))) return [];
  return [noPair(pytorch, chooser, cuda, channels, "pytorch-cuda", asked.at(-1)!)];
}

/** `pytorch=1.10 cudatoolkit=11.6`: as builds were chosen before 1.13, and are on conda-forge. */
function chosenByToolkit(
  step: Install,
  pytorch: DeclaredPackage,
  toolkit: DeclaredPackage,
  python: string | undefined,
): DependencyFileDraft[] {
  const cuda = minorOf(toolkit);
  const channels = pytorchChannels(step, pytorch);
  if (cuda === undefined || pytorch.build !== undefined || !channels?.includes("pytorch") || isLedByOthers(step, pytorch)) return [];
  const asked = releasesIn(pytorch, "pytorch", python);
  const last = asked.at(-1);
  if (!last || isAfterLast(pytorch)) return [];
  const hasForge = channels.includes("conda-forge");
  if (last.chosenBy === "pytorch-cuda") {
    // conda-forge's builds ask for the toolkit; those of the channel pytorch no longer do.
    if (hasForge) return [];
    return [
      {
        subject: `${pytorch.text} with ${toolkit.text}`,
        place: toolkit.place,
        severity: "warning",
        certainty: "likely",
        short: `${toolkit.text} chooses no build of PyTorch ${last.version}`,
        message: `${toolkit.text} chooses no build of PyTorch ${last.version}: conda may take the one without CUDA`,
        because: [
          `${pytorch.text} at ${placeWords(pytorch.place)} is ${last.version} at most; from 1.13 on builds of the channel pytorch ask for pytorch-cuda, no longer for cudatoolkit`,
        ],
        advice: [`pytorch-cuda=${last.cuda.at(-1)} with the channels pytorch and nvidia, in the place of ${toolkit.text}`],
        facts: { packages: [declaredFact(pytorch, "conflicts"), declaredFact(toolkit, "conflicts")] },
        endangers: [{ framework: "torch", activity: "device" }],
        sources: condaSources(last),
      },
    ];
  }
  const isThere = asked.some((row) => row.cuda.includes(cuda)) || (hasForge && isOnForge(pytorch, cuda, python)) || isInDefaults(cuda);
  return isThere ? [] : [noPair(pytorch, toolkit, cuda, channels, "cudatoolkit", last)];
}

/** A build for CUDA 11.2 takes any later 11. */
const isOnForge = (pytorch: DeclaredPackage, cuda: string, python: string | undefined) => {
  const rows = condaBuilds("pytorch", "conda-forge");
  // What is not known there may be there.
  if (!rows.some(({ version }) => isIn(version, pytorch.specifier))) return true;
  const [major, minor] = cuda.split(".").map(Number);
  return releasesIn(pytorch, "conda-forge", python).some(
    (row) => row.cuda.includes(cuda) || (major === 11 && 2 <= minor! && row.cuda.includes("11.2")),
  );
};

/** Anaconda's own channel is there without being named; its old builds are not all known. */
const isInDefaults = (cuda: string) => !condaPin("cudatoolkit")!.notInDefaults!.includes(cuda);

function noPair(
  pytorch: DeclaredPackage,
  pin: DeclaredPackage,
  cuda: string,
  channels: string[],
  chooser: "pytorch-cuda" | "cudatoolkit",
  last: CondaBuild,
): DependencyFileDraft {
  const hasForge = channels.includes("conda-forge");
  const affected = [{ framework: "torch", activity: "device" }];
  return {
    subject: `${pytorch.text} with ${pin.text}`,
    place: pin.place,
    ...(hasForge ? { severity: "warning" as const } : {}),
    certainty: "likely",
    short: `the channel pytorch has no PyTorch ${last.version} for CUDA ${cuda}`,
    message: `The channel pytorch has no PyTorch ${last.version} for CUDA ${cuda}: conda refuses, or takes ${hasForge ? "a build of another channel, or one" : "the build"} without CUDA`,
    because: [
      `${pytorch.text} at ${placeWords(pytorch.place)}: PyTorch ${last.version} was built without CUDA, and for CUDA ${last.cuda.join(", ")}${last.chosenBy === chooser ? "" : ` (chosen by ${last.chosenBy})`}`,
    ],
    advice: [`${last.chosenBy}=${last.cuda.at(-1)} in the place of ${pin.text}, or another PyTorch`],
    facts: { packages: [declaredFact(pytorch, "conflicts"), declaredFact(pin, "conflicts")] },
    ...(hasForge ? { endangers: affected } : { breaks: affected }),
    sources: condaSources(last),
  };
}

/** `pytorch=1.12 torchvision=0.14`: on these channels each was built for one minor of the other. */
function ofAnotherRelease(step: Install, pytorch: DeclaredPackage, python: string | undefined): DependencyFileDraft[] {
  const channels = pytorchChannels(step, pytorch);
  if (!pytorch.specifier.startsWith("==") || channels === undefined || channels.includes("conda-forge")) return [];
  const rows = releasesIn(pytorch, "pytorch", python);
  return madeForOthers({ named: step.packages, asked: "pytorch", rows }).map((other) => ({
    subject: `${pytorch.text} with ${other.text}`,
    place: other.place,
    certainty: "likely",
    message: `${other.text} was not built for ${pytorch.text}: conda refuses both`,
    because: [`${pytorch.text} at ${placeWords(pytorch.place)}; each ${other.name} asks for the one PyTorch that it was built with`],
    advice: [`leave the version of ${other.name} open: conda takes the one that fits`],
    facts: { packages: [declaredFact(pytorch, "conflicts"), declaredFact(other, "conflicts")] },
    breaks: [{ framework: "torch", activity: "import" }],
    sources: condaSources(rows.at(-1)!),
  }));
}

/** `pytorch=2.0.1 python=3.12`: every channel that is asked has the release, or may have had it, for other Pythons alone. */
function forOtherPythons(step: Install, pytorch: DeclaredPackage, python: string): DependencyFileDraft[] {
  const asked = pytorchChannels(step, pytorch);
  if (asked === undefined || minorOf(pytorch) === undefined || pytorch.build !== undefined) return [];
  const channels = [
    ...new Set([...asked, ...(pytorch.channel !== undefined || step.channels?.includes("nodefaults") ? [] : ["defaults"])]),
  ];
  const builds = channels.map((channel) => pythonsServed(pytorch, channel));
  const served = builds.flatMap((each) => each ?? []);
  if (builds.includes(undefined) || served.length === 0 || served.some(({ pythons }) => pythons.includes(python))) return [];
  const pythons = [...new Set(served.flatMap((each) => each.pythons))].sort(compareDotted);
  const { row } = served[0]!;
  return [
    {
      subject: `${pytorch.text} with Python ${python}`,
      place: pytorch.place,
      certainty: "likely",
      short: `no build of ${pytorch.text} is for Python ${python}`,
      message: `Conda has no ${pytorch.text} for Python ${python}: it was built for Python ${pythons[0]} to ${pythons.at(-1)}, and conda refuses the environment`,
      because: [`the channels that are asked: ${channels.join(", ")}`],
      advice: [`python=${pythons.at(-1)}, or a release of PyTorch that was built for Python ${python}`],
      facts: { packages: [declaredFact(pytorch, "subject")] },
      breaks: [{ framework: "torch", activity: "import" }],
      sources: condaSources(row),
    },
  ];
}

/** The builds of a release on a channel, with their Pythons; undefined where it is not known for which there are any. */
function pythonsServed(pytorch: DeclaredPackage, channel: string): { row: CondaBuild; pythons: string[] }[] | undefined {
  const rows = condaBuilds("pytorch", channel);
  const wanted = /^==(\d+(?:\.\d+)*)/.exec(pytorch.specifier)?.[1];
  const last = rows.at(-1);
  // What came after the last one that is known may be there.
  if (wanted === undefined || last === undefined || (channel !== "pytorch" && compareDotted(last.version, wanted) < 0)) return undefined;
  const found = rows.flatMap((row) => {
    if (!isIn(row.version, pytorch.specifier)) return [];
    // Builds of the channel pytorch are those of the wheels.
    const release = channel === "pytorch" ? publishedPackage("torch")?.releases.find(({ version }) => version === row.version) : undefined;
    return [{ row, pythons: row.pythons ?? (release && pythonsOf(release)) }];
  });
  return found.some(({ pythons }) => pythons === undefined) ? undefined : (found as { row: CondaBuild; pythons: string[] }[]);
}

/** cuda-version of conda-forge lets only the toolkit of its own version in. */
function twoVersions(step: Install, toolkit: DeclaredPackage): DependencyFileDraft[] {
  const row = condaPin(toolkit.name)!;
  const version = named(step, row.follows!);
  const [one, other] = [version && minorOf(version), minorOf(toolkit)];
  if (!version || one === undefined || other === undefined || one === other) return [];
  return [
    {
      subject: `${version.text} with ${toolkit.text}`,
      place: toolkit.place,
      message: `${version.text} and ${toolkit.text} cannot go together`,
      because: [`${version.text} at ${placeWords(version.place)} lets only the cudatoolkit of its own version in; conda refuses both`],
      advice: [`keep ${version.text} and leave cudatoolkit out`],
      facts: { packages: [declaredFact(version, "conflicts"), declaredFact(toolkit, "conflicts")] },
      sources: condaSources(row, "follows"),
    },
  ];
}
