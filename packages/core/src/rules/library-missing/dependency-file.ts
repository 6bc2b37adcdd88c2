import { sourcesOf } from "../../knowledge/certainty.ts";
import { imageFor } from "../../knowledge/cuda-images.ts";
import { frameworkRelease } from "../../knowledge/frameworks.ts";
import { tensorflow } from "../../knowledge/texts/tensorflow.generated.ts";
import { gpuSign } from "../../dependency-files/variables.ts";
import { libraryOf } from "../../knowledge/libraries.ts";
import { packageProviding } from "../../knowledge/packages.ts";
import { toolkitSonames } from "../../knowledge/toolkits.ts";
import type { Advice, Draft } from "../../model/finding.ts";
import { gpuBuilds } from "../../dependency-files/builds.ts";
import type { BaseImage } from "../../dependency-files/images.ts";
import { systemWords } from "../../dependency-files/colab.ts";
import type { Installation, Installed } from "../../dependency-files/install.ts";
import { goesWith } from "../../dependency-files/goes-with.ts";
import { installedFact } from "../../dependency-files/facts.ts";
import type { InstallContext } from "../../dependency-files/context.ts";
import { dependencyFileSide, type DependencyFileDraft } from "../rule.ts";
import type { Build } from "../../builds/build.ts";
import { isAmong, namesOf, solveName } from "../../model/frameworks.ts";
import { releasesWithBuilds } from "../../solve/search.ts";
import page from "./page.ts";
import { profileViewer } from "../../dependency-files/profile-viewer.ts";
import { fullName, writtenAt } from "../../dependency-files/words.ts";

const parts = ["cublas", "cublaslt", "cudart", "cufft", "curand", "cusolver", "cusparse", "nvrtc", "nvjitlink"];

export default dependencyFileSide(page, {
  finds: (context) => [...inWhole(context), ...fromPipAlone(context), ...inConda(context)],
});

/** Only where the whole image can be seen from its tag and its lines; what Colab has is published. */
function inWhole(context: InstallContext): DependencyFileDraft[] {
  const { installation, image, systemPackages } = context;
  const isBare = image?.kind === "plain" || image?.kind === "python";
  if (
    (image?.kind !== "cuda" && !isBare && !systemPackages && (image?.kind !== "tensorflow" || image.cuda === undefined)) ||
    context.declaration.steps.some(({ kind }) => kind === "unseen") ||
    0 < context.declaration.unknown.length
  )
    return [];
  const there = providedBy(context);
  if (!there) return [];
  const sign = gpuSign(context);
  return opening(installation).flatMap(({ installed, framework, wanted, cuda, source }) => {
    // A cluster has its cuDNN in many places: only that of a module that was loaded is known.
    const isOpen = (soname: string) => image?.isModules === true && image.cudnn === undefined && soname.startsWith("libcudnn.");
    const missing = wanted.filter((soname) => !there.has(soname) && !isOpen(soname));
    // Something must show that a GPU is meant.
    if (missing.length === 0 || (sign === undefined && isBare && servesCpu(framework, installed))) return [];
    return [
      {
        subject: `${missing[0]} for ${installed.name}`,
        place: installed.place,
        certainty: "likely" as const,
        short: `${missing[0]}${missing.length === 1 ? "" : ` and ${missing.length - 1} more`} would not be there`,
        message: `${fullName(installed)} asks for ${missing.join(", ")}, and nothing ${placeOfAll(context)} brings ${missing.length === 1 ? "it" : "them"}`,
        because: [
          baseWords(context),
          writtenAt(installed),
          ...(isBare && sign !== undefined ? [sign] : []),
          ...(framework === "tensorflow" ? ["TensorFlow then goes on without the GPU, and says so in one line"] : []),
        ],
        advice: adviceFor(context, framework, installed, cuda, missing),
        facts: {
          packages: [installedFact(installed, "asks")],
          wanted: { name: missing[0]!, ...libraryIn(missing[0]!), requestedBy: installed.name, tried: [] },
        },
        breaks: [{ framework, activity: failsAt(framework, missing) }],
        sources: source === undefined || source === "" ? [] : [source],
      },
    ];
  });
}

const servesCpu = (framework: string, { name }: Installed): boolean => isAmong(name, namesOf(framework)?.servesCpu);

/** Who finds a GPU without these libraries fails when it first computes with one of them. */
function failsAt(framework: string, missing: string[]): string {
  const at = namesOf(framework)?.failsAt ?? "device";
  return at === "matmul" && missing.every((soname) => soname.startsWith("libcudnn.")) ? "convolution" : at;
}

const placeOfAll = ({ image, baseName }: InstallContext): string => {
  if (!image) return `of ${baseName}`;
  return image.isModules ? "that is loaded or installed here" : "in this image";
};

function baseWords({ image, baseName, systemPackages }: InstallContext): string {
  if (!image) return `${baseName} has ${systemWords(systemPackages!)}`;
  const { name, cuda, cudnn, isModules } = image;
  if (isModules) return `the ${name} has CUDA ${cuda}${cudnn === undefined ? "" : `, and that of cuDNN has cuDNN ${cudnn}`}`;
  if (cuda === undefined) return `the base image ${name} has nothing of CUDA`;
  return `the base image ${name} has CUDA ${cuda}${cudnn === undefined ? " and no cuDNN" : ` and cuDNN ${cudnn}`}${image.hasLibraries ? "" : "; of a `base` image only libcudart"}`;
}

interface Opening {
  installed: Installed;
  framework: string;
  /** Names that it opens and does not bring. */
  wanted: string[];
  cuda: string | undefined;
  source: string | undefined;
}

/** Frameworks that leave CUDA's libraries to what is there. */
function opening(installation: Installation): Opening[] {
  const old = ["tensorflow", "tensorflow-gpu"].flatMap((name) => openingOld(installation.packages.get(name)));
  const known = gpuBuilds(installation).flatMap(({ installed, framework, build }): Opening[] => {
    if (installed.manager !== "pip" || framework === "torch" || framework === "jax") return [];
    if (hasOwnLibraries(installed)) return [];
    if (old.some((each) => each.installed === installed)) return [];
    const needed = build.onPath();
    const all = 0 < needed.length ? needed : sonamesOf(build.cuda?.version.split(".")[0], framework === "cupy" ? undefined : build.needs());
    const wanted = all.filter((soname) => /^lib(cudart|cudnn|cublas)\./.test(soname));
    return [{ installed, framework, wanted, cuda: build.cuda?.version, source: build.cuda?.source }];
  });
  return [...old, ...known];
}

/** Releases of TensorFlow without an extra: each name that it opens must be there, or it leaves the GPU alone. */
function openingOld(installed: Installed | undefined): Opening[] {
  const { version, manager, extras = [] } = installed ?? {};
  const row = version === undefined || manager !== "pip" ? undefined : frameworkRelease("tensorflow", version)?.release;
  if (!installed || !row?.opens || extras.includes("and-cuda")) return [];
  const wanted = row.opens.filter((soname) => !/cupti|nvinfer|nccl|nvshmem/.test(soname));
  return [{ installed, framework: "tensorflow", wanted, cuda: row.cuda, source: sourcesOf(tensorflow(), row, "opens")[0] }];
}

/**
 * A list for pip alone, where a GPU is asked about, or a package whose name says that it is for one: what the machine has besides is not
 * known, but pip brings nothing that it could use.
 */
function fromPipAlone(context: InstallContext): DependencyFileDraft[] {
  const { installation, image, systemPackages, gpus, declaration } = context;
  const isOther = declaration.steps.some(({ kind }) => kind === "unseen" || kind === "image");
  if (image || systemPackages || isOther || [...installation.packages.values()].some(({ manager }) => manager !== "pip")) return [];
  const there = providedBy(context, true);
  if (!there) return [];
  const majors = [...new Set([...there].flatMap((soname) => /^lib(?:cudart|cublas)\.so\.(\d+)/.exec(soname)?.[1] ?? []))];
  return gpuBuilds(installation).flatMap(({ installed, framework, build }): DependencyFileDraft[] => {
    const major = build.cuda?.version.split(".")[0];
    if (!namesOf(framework)?.needsPath || major === undefined || hasOwnLibraries(installed) || isFromElsewhere(context, installed))
      return [];
    const missing = missingOf(framework, build, there);
    const others = majors.includes(major) ? [] : majors;
    const isMeant = servesCpu(framework, installed) ? 0 < gpus.length : installed.name.endsWith("-gpu") && 0 < others.length;
    if (missing.length === 0 || !isMeant) return [];
    return [
      {
        subject: `${missing[0]} for ${installed.name}`,
        place: installed.place,
        severity: "warning",
        certainty: "likely",
        short: `${fullName(installed)} gets no ${missing[0]} from pip`,
        message: `${fullName(installed)} asks for ${missing.join(", ")}, and nothing that pip installs here brings ${missing.length === 1 ? "it" : "them"}`,
        because: [
          writtenAt(installed),
          ...others.map((other) => `what is installed beside it brings CUDA ${other}, and it is built for CUDA ${major}`),
          `where the machine does not have them either, it ${namesOf(framework)?.failsAt === undefined ? "goes on without the GPU" : "ends with an error when it first computes"}`,
        ],
        advice:
          framework === "tensorflow"
            ? adviceFor(context, framework, installed, build.cuda?.version, missing)
            : otherRelease(context, framework, installed, build, others, there),
        facts: {
          packages: [installedFact(installed, "asks")],
          wanted: { name: missing[0]!, ...libraryIn(missing[0]!), requestedBy: installed.name, tried: [] },
        },
        endangers: [{ framework, activity: failsAt(framework, missing) }],
        sources: [build.cuda?.source ?? ""].filter((source) => source !== ""),
      },
    ];
  });
}

/** CUDA of conda under a TensorFlow of pip, and no cuDNN: what conda has for others brings its own, or has it inside. */
function inConda(context: InstallContext): DependencyFileDraft[] {
  const { installation, gpus } = context;
  const { packages } = installation;
  const all = [...packages.values()];
  const toolkit = packages.get("conda:cudatoolkit") ?? packages.get("conda:pytorch-cuda");
  const mayBringOne = all.some(
    ({ manager, name, conda }) =>
      (manager === "conda" && ((conda && conda.channel !== "pytorch") || isForGpus.test(name))) || name.startsWith("nvidia-"),
  );
  // PyTorch's own metapackage is there for PyTorch.
  if (!toolkit || mayBringOne || (toolkit.name === "pytorch-cuda" && gpus.length === 0)) return [];
  return ["tensorflow", "tensorflow-gpu"].flatMap((name): DependencyFileDraft[] => {
    const [opening] = openingOld(packages.get(name));
    const cudnn = opening?.wanted.find((soname) => soname.startsWith("libcudnn."));
    if (!opening || cudnn === undefined) return [];
    const { installed, framework, cuda, source } = opening;
    const major = /\d+$/.exec(cudnn)![0];
    const byPip = adviceFor(context, framework, installed, cuda, [cudnn])[0]!;
    return [
      {
        subject: `${cudnn} for ${installed.name}`,
        place: installed.place,
        severity: "warning",
        certainty: "likely",
        short: `nothing of this environment brings ${cudnn}`,
        message: `${fullName(installed)} asks for ${cudnn}, and nothing of this environment brings it`,
        because: [
          `${writtenAt(toolkit)} brings CUDA alone`,
          writtenAt(installed),
          "where the machine does not have it either, TensorFlow goes on without the GPU, and says so in one line",
        ],
        advice: [`ask conda for cudnn=${major} as well, from conda-forge`, ...(typeof byPip === "string" ? [] : [byPip])],
        facts: {
          packages: [installedFact(installed, "asks")],
          wanted: { name: cudnn, ...libraryIn(cudnn), requestedBy: installed.name, tried: [] },
        },
        endangers: [{ framework, activity: failsAt(framework, [cudnn]) }],
        sources: source === undefined || source === "" ? [] : [source],
      },
    ];
  });
}

/** Packages of conda that may bring a cuDNN with them. */
const isForGpus = /cudnn|tensorflow|keras|cupy|jax|mxnet|onnx|paddle|theano|gpu|^cuda-toolkit$|^cuda$/;

/** The newest release that can use what is there. */
function otherRelease(
  { installation: { python } }: InstallContext,
  framework: string,
  { name }: Installed,
  { cuda }: Build,
  majors: string[],
  there: Set<string>,
): Draft["advice"] {
  const served = releasesWithBuilds(solveName(framework))
    .flatMap(({ builds }) => builds().slice(0, 1))
    .filter(
      (build) => majors.includes(build.cuda?.version.split(".")[0] ?? "") && (python === undefined || build.pythons.includes(python)),
    );
  const fitting = served.find((build) => missingOf(framework, build, there).length === 0);
  const first = served.at(-1);
  return [
    ...(fitting
      ? [`ask for ${name}==${fitting.version}, which uses what is there`]
      : first
        ? [`${name} ${first.version} and newer are for CUDA ${majors[0]}: ask for one of them, with the cuDNN that it takes`]
        : [
            { words: "see what to install with it, and where the loader has to look", command: ["culprit", "solve", solveName(framework)] },
          ]),
    `or run it where CUDA ${cuda?.version ?? ""} is installed`,
  ];
}

/** With its extra it brings its own. */
const hasOwnLibraries = ({ extras }: Installed) => extras.some((extra) => ["and-cuda", "cuda", "cudnn", "ctk"].includes(extra));

/** An index of another project may have another build under the same version: onnxruntime-gpu for CUDA 12. */
const isFromElsewhere = ({ installation: { named } }: InstallContext, { asked }: Installed): boolean =>
  named.some(
    ({ declared, step }) =>
      declared === asked &&
      (declared.url !== undefined ||
        [...step.indexes.map(({ url }) => url), ...step.links, declared.index ?? ""].some(
          (url) => url !== "" && !/pypi\.org|download(?:-r2)?\.pytorch\.org/.test(url),
        )),
  );

/** The runtime, cuBLAS and cuDNN that a build opens by name, as far as nothing brings them. */
function missingOf(framework: string, build: Build, there: Set<string>): string[] {
  const needed = build.onPath();
  const wanted =
    0 < needed.length ? needed : sonamesOf(build.cuda?.version.split(".")[0], framework === "cupy" ? undefined : build.needs());
  return wanted.filter((soname) => !there.has(soname) && /^lib(cudart|cudnn|cublas)\./.test(soname));
}

function adviceFor(
  context: InstallContext,
  framework: string,
  installed: Installed,
  cuda: string | undefined,
  missing: string[],
): Draft["advice"] {
  const { name, version } = installed;
  const cudnn = missing.map((soname) => /^libcudnn\.so\.(\d+)/.exec(soname)?.[1]).find((major) => major !== undefined);
  const other = elsewhere(context, framework, cuda, cudnn);
  const fits = (extras: string[], since?: string) => goesWith(context, installed, extras, since);
  if (framework === "tensorflow") {
    const [major, minor] = version!.split(".").map(Number);
    const hasExtra = 2 < major! || (major === 2 && 14 <= minor!);
    if (!hasExtra) return [context.image || !context.systemPackages ? other : `${other}: tensorflow[and-cuda] from 2.14 on`];
    return fits(["and-cuda"])
      ? [pip("install it with its libraries", `tensorflow[and-cuda]==${version}`), `or ${other}`]
      : [`${other}; pip would refuse tensorflow[and-cuda]==${version} here`];
  }
  return framework === "onnxruntime" && fits(["cuda", "cudnn"], "1.21")
    ? [pip("install it with its libraries (1.21 or newer)", `${name}[cuda,cudnn]`), `or ${other}`]
    : [other];
}

/** Another place that has the libraries. */
function elsewhere(context: InstallContext, framework: string, cuda = "of its own", cudnn: string | undefined): string {
  const { image, before, systemPackages } = context;
  const withCudnn = (major: string | undefined, words: string) => (major === undefined ? "" : `${words} ${major}`);
  if (image?.isModules) return `load a module of CUDA ${cuda}${withCudnn(cudnn, " and one of cuDNN")}`;
  if (image) {
    const inImage = cudnn ?? image.cudnn;
    // Only `devel` has a compiler, and CUPTI.
    const kind = image.hasCompiler || profileViewer(context.installation) !== undefined ? "devel" : "runtime";
    const tag = baseImage(cuda, image.ubuntu, inImage, kind);
    return `take a base image for CUDA ${cuda}${withCudnn(inImage, " with cuDNN")}${tag === undefined ? "" : `: ${tag}`}`;
  }
  if (!systemPackages) return `run it where CUDA ${cuda} and cuDNN${withCudnn(cudnn, "")} are installed`;
  const there = before?.packages.get(framework)?.version;
  return `keep the ${framework} that is there${there === undefined ? "" : ` (${there})`}, or take one that brings its own libraries`;
}

/** An image that has it all: upon the same Ubuntu, else upon the newest that there is one for. */
function baseImage(cuda: string, ubuntu: string | undefined, cudnn: string | undefined, kind: "devel" | "runtime"): string | undefined {
  const minor = cuda.split(".").slice(0, 2).join(".");
  for (const system of [...(ubuntu === undefined ? [] : [ubuntu]), "24.04", "22.04", "20.04", "18.04"]) {
    const tag = imageFor(minor, system, cudnn);
    if (tag !== undefined) return `nvidia/cuda:${tag}-${kind}-ubuntu${system}`;
  }
  return undefined;
}

const pip = (words: string, what: string): Advice => ({ words, command: ["pip", "install", what], scope: "install" });

function libraryIn(soname: string): { library?: string } {
  const library = libraryOf(soname)?.id;
  return library === undefined ? {} : { library };
}

// Builds with an extra do not say what they need without it.
function sonamesOf(major: string | undefined, needs: { name: string; specifier: string }[] | undefined): string[] {
  if (major === undefined) return [];
  const cudnn = needs?.flatMap(({ name, specifier }) =>
    name.startsWith("nvidia-cudnn-") ? (/(?:>=|==|~=)(\d+)/.exec(specifier)?.[1] ?? []) : [],
  )[0];
  return [
    ...toolkitSonames(`${major}.${major === "11" ? 8 : 0}`, ["cudart", "cublas"]),
    ...(cudnn === undefined ? [] : [`libcudnn.so.${cudnn}`]),
  ];
}

/** Names of objects that the base, apt and wheels bring; undefined where that cannot be told. `isLenient`: a cuDNN that is left open is any. */
function providedBy({ image, systemPackages, installation: { packages } }: InstallContext, isLenient = false): Set<string> | undefined {
  const there = image ? inImage(image) : new Set<string>();
  if (!there) return undefined;
  for (const name of systemPackages ?? []) if (!addSystemPackage(there, name)) return undefined;
  for (const { manager, name, version } of packages.values()) {
    if (manager === "conda") return undefined;
    if (manager === "apt" ? !addSystemPackage(there, name) : !addWheel(there, name, version, isLenient)) return undefined;
  }
  return there;
}

function inImage(image: BaseImage): Set<string> | undefined {
  const cuda = image.cuda?.split(".").slice(0, 2).join(".");
  const own = cuda === undefined ? [] : toolkitSonames(cuda, image.hasLibraries ? parts : ["cudart"]);
  // Of a toolkit that nothing is known about, nothing is missed.
  if (cuda !== undefined && own.length === 0) return undefined;
  return new Set([...own, ...(image.cudnn === undefined ? [] : [`libcudnn.so.${image.cudnn}`])]);
}

/** False where it cannot be told what a wheel brings. */
function addWheel(there: Set<string>, name: string, version: string | undefined, isLenient: boolean): boolean {
  if (!name.startsWith("nvidia-")) return true;
  const major = /^nvidia-cudnn-cu\d\d$/.test(name) ? version?.split(".")[0] : undefined;
  if (name.startsWith("nvidia-cudnn") && major === undefined) {
    if (!isLenient) return false;
    for (const any of ["8", "9"]) there.add(`libcudnn.so.${any}`);
  }
  if (major !== undefined) there.add(`libcudnn.so.${major}`);
  for (const soname of fromWheels) if (packageProviding(soname, "pypi").some((each) => each.name === name)) there.add(soname);
  return true;
}

/** What wheels of NVIDIA may bring, of the majors that anything here opens. */
const fromWheels = ["11.8", "12.0", "13.0"].flatMap((cuda) => toolkitSonames(cuda, parts));

/** False where it cannot be told what a package brings. */
function addSystemPackage(there: Set<string>, name: string): boolean {
  const major = /^libcudnn(\d)/.exec(name)?.[1];
  if (major !== undefined) there.add(`libcudnn.so.${major}`);
  else if (/^nvidia-cudnn|^nvidia-cuda-toolkit|^tensorrt|\*/.test(name)) return false;
  const [, release] = /^(?:cuda|cuda-[a-z-]+|lib(?:cublas|cufft|curand|cusolver|cusparse|nvjitlink))-(\d+-\d+)$/.exec(name) ?? [];
  if (release !== undefined) for (const soname of toolkitSonames(release.replace("-", "."), parts)) there.add(soname);
  else if (name.startsWith("cuda") && name !== "cuda-keyring") return false;
  return true;
}
