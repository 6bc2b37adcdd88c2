import { sourcesOf } from "../../knowledge/certainty.ts";
import { hasPackagesFor, imageFor, imageSources } from "../../knowledge/cuda-images.ts";
import { frameworkRelease } from "../../knowledge/frameworks.ts";
import { tensorflow } from "../../knowledge/texts/tensorflow.generated.ts";
import { toolkitSonames } from "../../knowledge/toolkits.ts";
import type { Draft } from "../../model/finding.ts";
import type { InstallContext } from "../../dependency-files/context.ts";
import { installedFact } from "../../dependency-files/facts.ts";
import type { BaseImage } from "../../dependency-files/images.ts";
import type { Installed } from "../../dependency-files/install.ts";
import { settingWords } from "../../dependency-files/variables.ts";
import { profileViewer } from "../../dependency-files/profile-viewer.ts";
import { fullName, writtenAt } from "../../dependency-files/words.ts";
import { dependencyFileSide } from "../rule.ts";
import page from "./page.ts";

/** TensorFlow of pip without its extra: what opens CUPTI and brings none. torch and jax have it among their wheels. */
export default dependencyFileSide(page, {
  finds: (context) => {
    const { installation, image, declaration } = context;
    const isSeen = image?.kind === "cuda" && !declaration.steps.some(({ kind }) => kind === "unseen") && declaration.unknown.length === 0;
    // Without its libraries TensorFlow does not use the GPU at all, which is told elsewhere.
    if (!isSeen || !image.hasLibraries || image.cudnn === undefined) return [];
    return ["tensorflow", "tensorflow-gpu"].flatMap((name) => {
      const installed = installation.packages.get(name);
      const row =
        installed?.manager !== "pip" || installed.version === undefined || installed.extras.includes("and-cuda")
          ? undefined
          : frameworkRelease("tensorflow", installed.version)?.release;
      const soname = row?.opens?.find((each) => each.startsWith("libcupti.so."));
      const isSameMajor = row?.cuda.split(".")[0] === image.cuda!.split(".")[0];
      if (!installed || !row || soname === undefined || !isSameMajor || isThere(context, image, soname)) return [];
      const minor = row.cuda.split(".").slice(0, 2).join(".");
      // Up to CUDA 11 the name has the minor release: what belongs to the image would not answer either.
      const isOther = /\.so\.\d+\.\d+$/.test(soname) && !image.cuda!.startsWith(`${minor}.`);
      const profiler = profileViewer(installation);
      return [
        {
          subject: `${soname} for ${name}`,
          place: installed.place,
          severity: isOther || profiler !== undefined ? ("warning" as const) : ("info" as const),
          certainty: "likely" as const,
          short: `${soname} would not be there: profiles without the GPU`,
          message: `${fullName(installed)} asks for ${soname} when it profiles, and nothing in this image brings it: the profile would hold nothing of the GPU`,
          because: [
            image.hasCompiler
              ? `the CUPTI of ${image.name} has another name`
              : `${image.name} has no CUPTI: of NVIDIA's images only \`devel\` has`,
            ...(isOther
              ? [
                  `${fullName(installed)} was built with CUDA ${minor}, the image has ${image.cuda}; up to CUDA 11 the name has the minor release`,
                ]
              : []),
            ...(profiler === undefined ? [] : [`${profiler} is installed, which shows profiles`]),
            writtenAt(installed),
          ],
          advice: adviceFor(context.declaration.format, image, minor, row.cudnn.split(".")[0]!, soname),
          facts: {
            packages: [installedFact(installed, "asks")],
            wanted: { name: soname, library: "cupti", requestedBy: name, tried: [] },
          },
          endangers: [{ framework: "tensorflow", activity: "profile" }],
          sources: [...sourcesOf(tensorflow(), row, "opens"), ...imageSources()],
        },
      ];
    });
  },
});

/** TensorFlow tries the name, then libcupti.so, which the packages for developers have. */
function isThere({ installation: { packages } }: InstallContext, image: BaseImage, soname: string): boolean {
  if (image.hasCompiler) return true;
  return [...packages.values()].some(({ name, manager }: Installed) => {
    if (manager === "conda") return true;
    if (manager !== "apt") return name.startsWith("nvidia-cuda-cupti");
    if (/^libcupti|^nvidia-cuda-toolkit|^cuda-cupti-dev|^cuda-(?:toolkit|command-line-tools)|^cuda(?:-\d+-\d+)?$|\*/.test(name))
      return true;
    const release = /^cuda-cupti-(\d+-\d+)$/.exec(name)?.[1]?.replace("-", ".");
    return release !== undefined && toolkitSonames(release, ["cupti"]).concat(`libcupti.so.${release}`).includes(soname);
  });
}

function adviceFor(format: string, { cuda, cudnn, ubuntu }: BaseImage, minor: string, major: string, soname: string): Draft["advice"] {
  const own = cuda!.split(".").slice(0, 2).join(".");
  const isNamed = /\.so\.\d+\.\d+$/.test(soname);
  const release = isNamed ? minor : own;
  const tag = ubuntu === undefined ? undefined : imageFor(release, ubuntu, cudnn ?? major);
  const devel = tag === undefined ? [] : [`or take the base image nvidia/cuda:${tag}-devel-ubuntu${ubuntu}, which has it`];
  const name = `cuda-cupti-${release.replace(".", "-")}`;
  if (ubuntu === undefined || !hasPackagesFor(release, ubuntu))
    return [
      `take a base image of CUDA ${minor} with \`devel\` in its tag`,
      ...(isNamed ? ["or a release of TensorFlow that was built with the CUDA of the image"] : []),
    ];
  const install = { words: "install it", command: ["apt-get", "install", "-y", name], scope: "install" as const };
  // Only the newest toolkit's folder is one that ldconfig knows.
  return release === own
    ? [install, ...devel]
    : [
        install,
        `and let it be found: ${settingWords(format, "LD_LIBRARY_PATH", `/usr/local/cuda-${release}/extras/CUPTI/lib64:$LD_LIBRARY_PATH`)}`,
        ...devel,
      ];
}
