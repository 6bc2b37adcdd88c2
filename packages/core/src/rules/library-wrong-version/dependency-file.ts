import { cudnnOfImage } from "../../knowledge/cuda-images.ts";
import { frameworkRelease } from "../../knowledge/frameworks.ts";
import { sourcesOf } from "../../knowledge/certainty.ts";
import { tensorflow } from "../../knowledge/texts/tensorflow.generated.ts";
import type { Advice, Draft } from "../../model/finding.ts";
import type { Installed } from "../../dependency-files/install.ts";
import type { InstallContext } from "../../dependency-files/context.ts";
import { minorOf } from "../../dependency-files/conda.ts";
import { goesWith } from "../../dependency-files/goes-with.ts";
import { installedFact } from "../../dependency-files/facts.ts";
import { dependencyFileSide, type DependencyFileDraft } from "../rule.ts";
import { openedByMajor } from "./opened-by-major.ts";
import page from "./page.ts";
import { fullName, writtenAt } from "../../dependency-files/words.ts";

export default dependencyFileSide(page, { finds: (context) => [...inConda(context), ...inImage(context), ...openedByMajor(context)] });

/** The cuDNN of an image of NVIDIA is of the right major and of an older minor: TensorFlow finds it, and refuses it. */
function inImage(context: InstallContext): DependencyFileDraft[] {
  const {
    installation: { packages },
    image,
    declaration,
  } = context;
  if (image?.kind !== "cuda" || image.cudnn === undefined || declaration.steps.some(({ kind }) => kind === "unseen")) return [];
  const there = cudnnOfImage(image.cuda!, image.cudnn);
  const own = ["tensorflow", "tensorflow-gpu"].flatMap((name) => packages.get(name) ?? [])[0];
  const isOther = [...packages.values()].some(
    ({ name, manager }) => manager === "conda" || (manager === "apt" ? /^(?:libcudnn|cudnn|nvidia-cudnn)/ : /^nvidia-cudnn/).test(name),
  );
  if (!there || !own || own.manager !== "pip" || own.version === undefined || own.extras.includes("and-cuda") || isOther) return [];
  const release = frameworkRelease("tensorflow", own.version)?.release;
  const [[major, minor], [wanted, least]] = [there.newest, release?.cudnn ?? ""].map((each) => each.split(".").map(Number)) as [
    number[],
    number[],
  ];
  if (!release || release.cuda.split(".")[0] !== image.cuda!.split(".")[0] || major !== wanted || least! <= minor!) return [];
  return [
    {
      subject: `cuDNN of ${image.name} for ${own.name}`,
      place: own.place,
      certainty: "likely",
      short: `cuDNN ${there.newest} of the image is older than ${own.name} takes`,
      message: `${fullName(own)} is built for cuDNN ${release.cudnn}, and ${image.name} has the older ${there.newest}`,
      because: ["it takes the same minor or a newer one: the first convolution fails", writtenAt(own)],
      advice: [
        ...withOwnLibraries(context, own, "install TensorFlow with its own libraries"),
        `${hasOwnExtra(own.version) ? "or " : ""}take an image with cuDNN ${release.cudnn} or newer, or the release of TensorFlow that was built for this one`,
      ],
      facts: {
        packages: [installedFact(own, "asks")],
        said: `Loaded runtime CuDNN library: ${there.newest} but source was compiled with: ${release.cudnn}`,
      },
      breaks: [{ framework: "tensorflow", activity: "convolution" }],
      sources: [...sourcesOf(tensorflow(), release, "cudnn"), ...there.sources],
    },
  ];
}

const hasOwnExtra = (version: string): boolean => {
  const [major, minor] = version.split(".").map(Number);
  return 2 < major! || (major === 2 && 14 <= minor!);
};

/** TensorFlow of pip takes CUDA and cuDNN from the environment of conda that it is installed into. */
function inConda(context: InstallContext): DependencyFileDraft[] {
  const { packages } = context.installation;
  const own = packages.get("tensorflow");
  if (own?.manager !== "pip" || own.version === undefined || own.extras.includes("and-cuda")) return [];
  // NVIDIA's wheels beside it, or a second conda package for the same, may serve.
  if ([...packages.values()].some(({ name, manager }) => manager === "pip" && name.startsWith("nvidia-"))) return [];
  const known = frameworkRelease("tensorflow", own.version);
  if (!known) return [];
  const { release } = known;
  const chosen = packages.get("conda:cudatoolkit");
  // What is there for another framework serves this one as well, or not.
  const toolkit = chosen ?? packages.get("conda:pytorch-cuda");
  const cudnn = packages.get("conda:cudnn");
  const sources = sourcesOf(tensorflow(), release, "cudnn");
  const drafts: DependencyFileDraft[] = [];
  const draft = (pin: Installed, message: string, because: string[]) =>
    drafts.push({
      subject: `${pin.name} for tensorflow`,
      place: pin.place,
      ...(pin.name === "pytorch-cuda" ? { severity: "warning" as const } : {}),
      certainty: "likely",
      message,
      because: [`${writtenAt(own)}${own.isAssumed ? `: ${own.version} is the newest that fits` : ""}, ${writtenAt(pin)}`, ...because],
      advice: adviceFor(release.cuda, release.cudnn, own, context),
      facts: { packages: [installedFact(pin, "subject"), installedFact(own, "asks")] },
      [pin.name === "pytorch-cuda" ? "endangers" : "breaks"]: [{ framework: "tensorflow", activity: "device" }],
      sources,
    });
  const cuda = toolkit?.asked && minorOf(toolkit.asked);
  if (toolkit && cuda !== undefined && cuda.split(".")[0] !== release.cuda.split(".")[0])
    draft(toolkit, `${fullName(own)} is built for CUDA ${release.cuda}, and the environment brings CUDA ${cuda}`, [
      "the libraries of another major have other names: TensorFlow finds none, and goes on without the GPU",
    ]);
  const there = cudnn?.asked && minorOf(cudnn.asked);
  if (cudnn && there !== undefined && drafts.length === 0) {
    const [[major, minor], [wanted, least]] = [there, release.cudnn].map((each) => each.split(".").map(Number)) as [number[], number[]];
    if (major !== wanted)
      draft(cudnn, `${fullName(own)} is built for cuDNN ${release.cudnn}, and the environment brings cuDNN ${there}`, [
        "the library of another major has another name: TensorFlow does not find it, and goes on without the GPU",
      ]);
    else if (minor! < least!)
      draft(cudnn, `${fullName(own)} is built for cuDNN ${release.cudnn}, and the environment brings the older ${there}`, [
        "it takes the same minor or a newer one: the first convolution fails",
      ]);
  }
  return drafts;
}

function adviceFor(cuda: string, cudnn: string, own: Installed, context: InstallContext): Draft["advice"] {
  // conda has the toolkit up to 11.8 in one package; what came later has an extra of its own.
  const isOnConda = Number(cuda.split(".")[0]) <= 11;
  const other = `${isOnConda ? `cudatoolkit=${cuda} and cudnn=${cudnn}, or ` : "take "}the release of TensorFlow that was built for what is there`;
  const [first] = withOwnLibraries(context, own, "leave cudatoolkit and cudnn out, and install TensorFlow with its own libraries");
  return first ? [first, "or the release of TensorFlow that was built for them"] : [other];
}

/** The extra of a release, where it has one that pip takes. */
const withOwnLibraries = (context: InstallContext, own: Installed, words: string): Advice[] =>
  hasOwnExtra(own.version!) && goesWith(context, own, ["and-cuda"])
    ? [{ words, command: ["pip", "install", `tensorflow[and-cuda]==${own.version}`], scope: "install" }]
    : [];
