import { needsOf, type Build } from "../../builds/build.ts";
import { publishedPackage } from "../../knowledge/published.ts";
import { normalName } from "../../lib/pep508.ts";
import { placeWords } from "../../lib/place.ts";
import { frameworkOf, fullName, writtenAt } from "../../dependency-files/words.ts";
import { gpuBuilds, isLabelledForCuda } from "../../dependency-files/builds.ts";
import type { InstallContext } from "../../dependency-files/context.ts";
import { condaNames, type Installation, type Installed } from "../../dependency-files/install.ts";
import { frameworkNames } from "../../model/framework-names.generated.ts";
import { installedFact } from "../../dependency-files/facts.ts";
import { dependencyFileSide, type DependencyFileDraft } from "../rule.ts";
import { releasesWithBuilds } from "../../solve/search.ts";
import { gpuReasons } from "../../dependency-files/variables.ts";
import page from "./page.ts";

export default dependencyFileSide(page, {
  finds: (context) => {
    const gone = withoutItsExtra(context.installation);
    return [
      ...gone,
      ...besideItsChooser(context.installation.packages),
      ...imageWithoutGpu(context),
      ...withoutCuda(context).filter(({ subject }) => !gone.some((each) => each.subject === subject)),
    ];
  },
});

/** What to ask for in the place of a package without CUDA. */
const instead: { [name: string]: string } = {
  pytorch: "leave cpuonly out, and choose a build with CUDA: pytorch-cuda of the channel pytorch, pytorch-gpu of conda-forge",
  "pytorch-cpu": "ask for pytorch-gpu",
  torch: "leave the cpu index out: on Linux PyPI has the build with CUDA",
  "tensorflow-cpu": "ask for tensorflow[and-cuda] (2.14 or newer)",
  onnxruntime: "ask for onnxruntime-gpu",
  "faiss-cpu": "ask for faiss-gpu of conda's channel pytorch or conda-forge, or for faiss-gpu-cu12 of PyPI",
  paddlepaddle: "ask for paddlepaddle-gpu, which is on Paddle's own index",
};

/** A pin of the label is found on its own index only; an extra that a release does not have is left out by pip, with a line of warning. */
function adviceFor({ name, version, asked }: Installed): string {
  if (name === "torch" && asked?.specifier.includes("+cpu")) return `ask for ${asked.text.replace("+cpu", "")}, and ${instead["torch"]!}`;
  if (name === "tensorflow-cpu" && version !== undefined && asked?.specifier === `==${version}` && hasItsCuda(version))
    return `ask for tensorflow[and-cuda]==${version}`;
  // Of conda: a framework whose builds with CUDA have another name, or a build string.
  if (name !== "jax") return instead[name] ?? `ask for ${name}-gpu, or for a build of ${name} with CUDA`;
  const [newest, ...older] = ["cuda13", "cuda12", "cuda12-pip"].filter((extra) => offeredBy(version)?.has(extra) ?? extra !== "cuda12-pip");
  const pinned = asked?.specifier.startsWith("==") ? pinnedWithCuda(version) : undefined;
  if (pinned !== undefined) return pinned;
  if (newest === "cuda13" && 0 < older.length) return "ask for jax[cuda12], or jax[cuda13] where the driver runs it";
  return newest === undefined ? "ask for a newer jax, with its extra cuda12" : `ask for jax[${newest}]`;
}

/** Whether PyPI has a TensorFlow of that release which pip installs with its libraries. */
const hasItsCuda = (version: string): boolean =>
  releasesWithBuilds("tensorflow").some(
    (release) => release.version === version && release.builds().some(({ install }) => install.includes("[and-cuda]")),
  );

/** The same release with CUDA, where it can be had: an extra may ask for a part that nobody has. */
function pinnedWithCuda(version: string | undefined): string | undefined {
  const builds =
    releasesWithBuilds("jax")
      .find((release) => release.version === version)
      ?.builds() ?? [];
  const words = ({ install, index }: Build) => `ask for ${install}${index ? ` with ${index.option} ${index.url}` : ""}`;
  const [newest, older] = builds;
  if (!newest) return undefined;
  return newest.variant === "cuda13" && older ? `${words(older)}, or for ${newest.install} where the driver runs it` : words(newest);
}

/** The extras of a release of jax, where it is known. */
const offeredBy = (version: string | undefined): Set<string | undefined> | undefined => {
  const release = publishedPackage("jax")?.releases.find((each) => each.version === version);
  return release && new Set(needsOf("jax", release).map(({ extra }) => extra));
};

const hasDeviceExtra = (version: string | undefined, extras: string[]): boolean =>
  extras.some((extra) => /^(tpu|rocm)/.test(extra) || (extra.startsWith("cuda") && (offeredBy(version)?.has(normalName(extra)) ?? true)));

function withoutCuda(context: InstallContext): DependencyFileDraft[] {
  const { declaration, installation, image, gpus } = context;
  const { packages } = installation;
  const all = [...packages.values()];
  const has = (pattern: RegExp) => all.some(({ name }) => pattern.test(name));
  // Packages for a GPU beside it may be there for other machines: only the image tells, or who asks about a GPU.
  const isWanted = declaration.steps.some(({ kind }) => kind === "gpu");
  const isForGpu = isWanted || image?.kind === "cuda" || image?.kind === "pytorch" || image?.kind === "ngc";
  const isBare = gpuBuilds(installation).length === 0;
  const isAsked = 0 < gpus.length && isBare;
  // Of an image of somebody's own it is not known what else the GPU is for.
  const isForNothing = isBare && isWanted && image !== undefined && /^(?:python|plain|cuda)$/.test(image.kind);
  const bare = ({ name, version, variant, extras }: Installed) =>
    (name === "torch" && variant === "cpu") ||
    (name === "tensorflow-cpu" && !has(/^tensorflow$/)) ||
    ((isAsked || isForNothing) &&
      name === "jax" &&
      !isLabelledForCuda("jax", all) &&
      !has(/^jax-cuda\d+-plugin$/) &&
      !hasDeviceExtra(version, extras)) ||
    (isAsked && name === "onnxruntime" && !has(/^onnxruntime-/)) ||
    (isAsked && name === "faiss-cpu" && !has(/^faiss-gpu/)) ||
    (isAsked && name === "paddlepaddle" && !has(/^paddlepaddle-gpu$/));
  // `docker/cpu/Dockerfile` is for machines without one, whatever it is built upon.
  const isForNone = !isWanted && /(?:^|[/._-])cpu(?:[/._-]|$)/i.test(declaration.file);
  if ((!isForGpu || isForNone) && !isAsked) return [];
  const wish = isAsked && !isWanted ? [`a GPU is asked about: ${gpus[0]!.name}`] : gpuReasons(context);
  return all
    .filter(
      (installed) =>
        installed.asked &&
        (isBareOfConda(installed, packages) || (installed.manager === "pip" && bare(installed))) &&
        // An image with another framework may have this one for small things.
        (isAsked || image?.kind !== "ngc" || image.packages.some((own) => own.name === installed.name)),
    )
    .map((installed) => ({
      subject: installed.name,
      place: installed.place,
      severity: "warning" as const,
      certainty: "likely" as const,
      short: `${fullName(installed)} is a build without CUDA`,
      message: `${fullName(installed)} is a build without CUDA, where a GPU seems to be meant`,
      because: [`${writtenAt(installed)} is taken from an index or a package without CUDA`, ...wish],
      advice: [adviceFor(installed)],
      facts: { packages: [installedFact(installed, "subject")] },
      endangers: [{ framework: frameworkOf(condaNames[installed.name] ?? installed.name) ?? installed.name, activity: "device" }],
    }));
}

/** The build of conda has no CUDA for sure, and pip puts none in its place. */
const isBareOfConda = ({ conda, name }: Installed, packages: Installation["packages"]): boolean =>
  conda !== undefined &&
  conda.withoutCuda &&
  !conda.mayHaveOthers &&
  conda.cuda.length === 0 &&
  isFrameworkOfConda(name) &&
  packages.get(condaNames[name] ?? "")?.manager !== "pip";

/** What only follows a framework, or brings it, is told with that. */
const isFrameworkOfConda = (name: string) =>
  frameworkNames.some(({ condaBuilds }) => condaBuilds?.package === name || condaBuilds?.withoutGpu.includes(name));

/** An extra for CUDA that the release does not have: pip warns in one line, and installs the rest. */
function withoutItsExtra({ packages }: Installation): DependencyFileDraft[] {
  const jax = packages.get("jax");
  const jaxlib = packages.get("jaxlib");
  if (!jax?.asked || jax.manager !== "pip" || jax.version === undefined) return [];
  const release = publishedPackage(jax.name)?.releases.find(({ version }) => version === jax.version);
  const has = new Set(release ? extrasOf(release.requires ?? []) : []);
  const wanted = jax.extras.map(normalName).filter((extra) => extra.includes("cuda"));
  // Of a release without any such extra nobody looked at them; a plugin, or a jaxlib with a label, may be named beside.
  const isThere = wanted.some((extra) => has.has(extra)) || [...packages.keys()].some((name) => /^jax-cuda\d+-plugin$/.test(name));
  if (wanted.length === 0 || has.size === 0 || isThere || (jaxlib?.variant ?? "").startsWith("cuda")) return [];
  const since = publishedPackage(jax.name)!.releases.findLast(({ requires = [] }) => extrasOf(requires).includes(wanted[0]!));
  return [
    {
      subject: jax.name,
      place: jax.place,
      severity: "warning",
      certainty: "likely",
      short: `${fullName(jax)} has no extra ${wanted[0]}: it comes without CUDA`,
      message: `${fullName(jax)} has no extra ${wanted[0]}: pip says so in one line, and installs it without CUDA`,
      because: [
        `${writtenAt(jax)}; its extras for CUDA are ${[...has].filter((extra) => extra.includes("cuda")).join(", ")}`,
        ...(since ? [`the last release with the extra ${wanted[0]} is ${since.version}`] : []),
      ],
      advice: [`${adviceFor(jax)}${since ? `, or for jax[${wanted[0]}]==${since.version}` : ""}`],
      facts: { packages: [installedFact(jax, "subject")] },
      endangers: [{ framework: "jax", activity: "device" }],
      sources: [`the metadata of jax ${jax.version} on PyPI`],
    },
  ];
}

const extrasOf = (requires: string[]): string[] =>
  requires.flatMap((text) => {
    const extra = /\bextra == "([^"]+)"/.exec(text)?.[1];
    return extra === undefined ? [] : [normalName(extra)];
  });

/** An image for machines without a GPU, where one is asked about, or asked for. */
function imageWithoutGpu({ image, gpus, declaration: { steps }, installation }: InstallContext): DependencyFileDraft[] {
  const asking = steps.find(({ kind }) => kind === "gpu");
  // What is installed upon it may bring its own CUDA.
  if (!image?.withoutGpu || (gpus.length === 0 && !asking) || 0 < gpuBuilds(installation).length) return [];
  const { instead: other } = image.withoutGpu;
  return [
    {
      subject: image.name,
      place: image.place,
      severity: "warning",
      certainty: "likely",
      short: `${image.name} is an image without CUDA`,
      message: `${image.name} is an image without CUDA, where a GPU is asked ${asking ? "for" : "about"}`,
      because: [
        other === undefined ? "its name says that it is for CPUs" : "its tag has no -gpu: it has neither CUDA nor cuDNN",
        asking ? `a GPU is asked for at ${placeWords(asking.place)}` : `a GPU is asked about: ${gpus[0]!.name}`,
      ],
      advice: [other === undefined ? "take the image of the same project that is made for CUDA" : `take ${other}`],
      ...(image.kind === "tensorflow" ? { endangers: [{ framework: "tensorflow", activity: "device" }] } : {}),
    },
  ];
}

/** The build without CUDA beside a package that is there only to choose one with: conda took it, and said nothing. */
function besideItsChooser(packages: Installation["packages"]): DependencyFileDraft[] {
  const pytorch = packages.get("conda:pytorch");
  const chooser = packages.get("conda:pytorch-cuda") ?? packages.get("conda:pytorch-gpu");
  if (!pytorch?.asked?.build || !chooser || !/(?:^|_)cpu(?:_|$)/.test(pytorch.asked.build)) return [];
  return [
    {
      subject: pytorch.name,
      place: pytorch.place,
      certainty: "likely",
      short: `${fullName(pytorch)} is the build without CUDA`,
      message: `${fullName(pytorch)} is the build without CUDA, though ${chooser.asked?.text ?? chooser.name} asks for one with CUDA`,
      because: [
        `its build is ${pytorch.asked.build}; ${writtenAt(chooser)}`,
        "conda takes such a build where none for that CUDA fits the rest, or where another channel comes first",
      ],
      advice: ["ask for the channel too, as in pytorch::pytorch or conda-forge::pytorch-gpu, and let conda solve anew"],
      facts: { packages: [installedFact(pytorch, "subject"), installedFact(chooser, "asks")] },
      breaks: [{ framework: "torch", activity: "device" }],
    },
  ];
}
