import { cudnnOfImage } from "../../knowledge/cuda-images.ts";
import { compareDotted } from "../../knowledge/dotted.ts";
import { gpuBuilds, type DeclaredBuild } from "../../dependency-files/builds.ts";
import { installedFact, stepFact } from "../../dependency-files/facts.ts";
import type { InstallContext } from "../../dependency-files/context.ts";
import { dependencyFileSide, type DependencyFileDraft } from "../rule.ts";
import page from "./page.ts";
import { foldersOf, lastingValue, type VariableStep } from "../../dependency-files/variables.ts";
import { fullName, writtenAt } from "../../dependency-files/words.ts";

export default dependencyFileSide(page, {
  finds: (context) => {
    const path = lastingValue(context.declaration.steps, "LD_LIBRARY_PATH");
    if (!path || context.declaration.steps.some(({ kind }) => kind === "unseen")) return [];
    const folders = foldersOf(path.value);
    const builds = gpuBuilds(context.installation).filter(({ installed }) => installed.manager === "pip");
    return [...olderJitLink(context, path, folders, builds), ...otherCudnn(context, path, folders, builds)];
  },
});

/**
 * Wheels of torch and jax name their libraries with an RPATH, which comes before the variable; the wheels of NVIDIA have a RUNPATH,
 * which comes after it. So libcusparse is the wheel's, and the libnvJitLink that it asks for is the toolkit's: an older one lacks
 * the functions of its own release. Since 2.6 torch loads the right one by its path before anything asks for it.
 */
function olderJitLink(context: InstallContext, path: VariableStep, folders: string[], builds: DeclaredBuild[]): DependencyFileDraft[] {
  const [first] = folders.flatMap((folder) => {
    const [, named] = toolkitFolder.exec(folder) ?? [];
    const cuda = toolkitsOf(context).find((each) => named === undefined || named === each || named === "12");
    return toolkitFolder.test(folder) && cuda !== undefined ? [{ folder, cuda }] : [];
  });
  const { packages } = context.installation;
  // Wheels of NVIDIA that are installed together are of one release, and the runtime's number is that of CUDA.
  const asked = packages.has("nvidia-cusparse-cu12")
    ? packages.get("nvidia-cuda-runtime-cu12")?.version?.split(".").slice(0, 2).join(".")
    : undefined;
  if (!first || asked === undefined || 0 <= compareDotted(first.cuda, asked)) return [];
  return builds.flatMap(({ installed, framework }) => {
    const isTorch = framework === "torch" && 0 <= compareDotted(installed.version!, "2.1") && compareDotted(installed.version!, "2.6") < 0;
    if (!isTorch && framework !== "jax") return [];
    const symbol = `__nvJitLinkComplete_${asked.replace(".", "_")}`;
    return [
      {
        subject: `libnvJitLink.so.12 for ${installed.name}`,
        place: path.place,
        certainty: "likely" as const,
        short: `LD_LIBRARY_PATH puts nvJitLink of CUDA ${first.cuda} before ${asked}`,
        message: `LD_LIBRARY_PATH puts libnvJitLink.so.12 of CUDA ${first.cuda} before the one of CUDA ${asked} that ${fullName(installed)} brings`,
        because: [
          `${first.folder} is searched before the folders that the wheel of libcusparse names for itself`,
          `libcusparse of CUDA ${asked} asks for ${symbol}, which CUDA ${first.cuda} does not have yet`,
          writtenAt(installed),
          ...(framework === "jax" ? ["jax then goes on without the GPU"] : []),
        ],
        facts: {
          variables: [stepFact(path, [first.folder])],
          packages: [installedFact(installed, "asks")],
          copies: [{ role: "other" as const, file: `${first.folder}/libnvJitLink.so.12`, library: "nvjitlink", version: first.cuda }],
          ...(framework === "jax" ? {} : { said: `libcusparse.so.12: undefined symbol: ${symbol}, version libnvJitLink.so.12` }),
        },
        advice: [
          `leave ${first.folder} out of LD_LIBRARY_PATH: ${framework} finds the libraries of its wheels without it`,
          `or take a base image of CUDA ${asked} or newer`,
        ],
        breaks: [{ framework, activity: framework === "jax" ? "device" : "import" }],
        sources: [
          "the wheels nvidia-cusparse-cu12 and nvidia-nvjitlink-cu12 on PyPI",
          "https://github.com/pytorch/pytorch/issues/111469",
          "https://github.com/pytorch/pytorch/issues/140797",
        ],
      },
    ];
  });
}

const minorOf = (version: string) => version.split(".").slice(0, 2).join(".");

const toolkitFolder = /^\/usr\/local\/cuda(?:-(\d+(?:\.\d+)?))?\/(?:lib64|lib|targets\/[^/]+\/lib)$/;

/** Releases of CUDA 12 whose libraries the image has in a folder of a toolkit. */
function toolkitsOf({ image, installation }: InstallContext): string[] {
  const apt = [...installation.packages.values()].flatMap(({ manager, name }) =>
    manager === "apt" ? (/^(?:cuda|cuda-toolkit|cuda-libraries|libnvjitlink)-(12)-(\d+)$/.exec(name)?.slice(1).join(".") ?? []) : [],
  );
  const own =
    image?.kind === "cuda" && image.hasLibraries && image.cuda!.startsWith("12.") ? [image.cuda!.split(".").slice(0, 2).join(".")] : [];
  return [...own, ...apt];
}

/** libcudnn is the wheel's, by the RPATH of who asks; its parts are opened by name, and the variable comes before the wheel's RUNPATH. */
function otherCudnn(context: InstallContext, path: VariableStep, folders: string[], builds: DeclaredBuild[]): DependencyFileDraft[] {
  const folder = folders.find((each) => /^(?:\/usr)?\/lib\/x86_64-linux-gnu$|^\/usr\/lib64$/.test(each));
  const system = [...context.installation.packages.values()].find(({ manager, name }) => manager === "apt" && /^libcudnn\d/.test(name));
  const { image } = context;
  const ofImage =
    image?.kind === "cuda" && image.cudnn !== undefined && !system ? cudnnOfImage(image.cuda!, image.cudnn)?.newest : undefined;
  const there = /^\d+\.\d+\.\d+/.exec(system?.version ?? "")?.[0] ?? ofImage;
  if (folder === undefined || there === undefined) return [];
  return builds.flatMap(({ installed, framework, build }) => {
    const wheel = context.installation.packages.get(`nvidia-cudnn-cu${build.cuda?.version.split(".")[0]}`)?.version;
    const isNamed = (framework === "torch" && 0 <= compareDotted(installed.version!, "1.13")) || framework === "jax";
    if (!isNamed || wheel === undefined || wheel.split(".")[0] !== there.split(".")[0] || wheel.startsWith(`${there}.`)) return [];
    // Watched on an H200: torch compares before recurrent layers, and refuses parts of an older minor; all else runs on them, at its own risk.
    const isRefused = framework === "torch" && compareDotted(minorOf(there), minorOf(wheel)) < 0;
    return [
      {
        subject: `cuDNN for ${installed.name}`,
        ...(isRefused ? {} : { severity: "warning" as const }),
        place: path.place,
        certainty: "likely" as const,
        short: `LD_LIBRARY_PATH puts parts of cuDNN ${there} before the wheel`,
        message: `LD_LIBRARY_PATH puts the parts of cuDNN ${there} before those of ${wheel} that ${fullName(installed)} brings`,
        because: [
          `${system ? writtenAt(system) : `the cuDNN of ${image!.name}`} lies in ${folder}, which is searched before the folder of the wheel`,
          "cuDNN opens its parts by their names; nobody tests parts of two releases together",
          ...(isRefused ? ["torch refuses an older cuDNN at the first LSTM or GRU"] : []),
          writtenAt(installed),
        ],
        advice: [
          `leave ${folder} out of LD_LIBRARY_PATH: the loader looks there anyway, last`,
          system
            ? `or do not install ${system.name}: ${framework} brings its own`
            : `or take an image without cuDNN: ${framework} brings its own`,
        ],
        facts: {
          variables: [stepFact(path, [folder])],
          packages: [installedFact(installed, "asks"), ...(system ? [installedFact(system, "conflicts")] : [])],
          copies: [{ role: "other" as const, file: `${folder}/libcudnn.so.${there.split(".")[0]}`, library: "cudnn", version: there }],
        },
        breaks: isRefused ? [{ framework, activity: "rnn" }] : [],
        endangers: [{ framework, activity: "convolution" }],
      },
    ];
  });
}
