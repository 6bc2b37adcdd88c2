import type { InstallContext } from "../dependency-files/context.ts";
import { stepFact } from "../dependency-files/facts.ts";
import { foldersOf, type VariableStep } from "../dependency-files/variables.ts";
import { defineDependencyFileRule, type DependencyFileDraft } from "./rule.ts";

export default defineDependencyFileRule({
  id: "toolkit-folder-absent",
  title: "LD_LIBRARY_PATH of a Dockerfile names a CUDA that the image does not have",
  cause: "library-not-on-path",
  severity: "warning",
  notOn: { machines: "what a variable held before it was set is gone; folders that are not there have rules of their own" },
  page: {
    what: "`ENV LD_LIBRARY_PATH=…` upon an image of nvidia/cuda names the folder of a CUDA that the image does not have.",
    why: "Lines are copied from one Dockerfile to the next, and the tag of the image changes. NVIDIA's images set /usr/local/nvidia/lib and lib64, where some platforms (Google's GKE) put the driver; the container toolkit puts it elsewhere, and needs neither.",
    how: "The last value of the variable against the CUDA of the tag and the toolkits that apt installs. What the value takes the place of is told with it.",
    fix: "Name /usr/local/cuda, which leads to the image's own CUDA, or nothing: the loader knows that folder. Keep what was there: `ENV LD_LIBRARY_PATH=/my/folder:$LD_LIBRARY_PATH`.",
    observed: "By the Dockerfiles of NVIDIA's images; not watched.",
  },
  finds: (context) => {
    const step = context.declaration.steps.findLast(
      (each): each is VariableStep => each.kind === "variable" && each.name === "LD_LIBRARY_PATH" && !each.isLate,
    );
    const { image, declaration } = context;
    if (!step || step.value === undefined || image?.kind !== "cuda" || declaration.steps.some(({ kind }) => kind === "unseen")) return [];
    const folders = foldersOf(step.value);
    return absent(context, step, folders);
  },
});

const lost =
  "the value takes the place of the image's /usr/local/nvidia/lib and lib64, where some platforms put the driver; the container toolkit does not";

/** Folders of a toolkit that neither the image nor apt has. */
function absent(
  { image, installation: { packages } }: InstallContext,
  step: VariableStep,
  folders: string[],
): DependencyFileDraft<"info">[] {
  const all = [...packages.values()];
  // What conda, or apt by a name without a number, brings is not known.
  if (all.some(({ manager, name }) => manager === "conda" || (manager === "apt" && /^cuda(?:-toolkit|-runtime)?$|\*/.test(name))))
    return [];
  const [major, minor] = image!.cuda!.split(".");
  const there = new Set([
    major!,
    `${major}.${minor}`,
    ...all.flatMap(({ manager, name }) => (manager === "apt" ? (/-(\d+-\d+)$/.exec(name)?.[1]?.replace("-", ".") ?? []) : [])),
  ]);
  const [folder, named] =
    folders.flatMap((each): [string, string][] => {
      const release = /^\/usr\/local\/cuda-(\d+(?:\.\d+)?)(?:\/|$)/.exec(each)?.[1];
      return release === undefined || there.has(release) ? [] : [[each, release]];
    })[0] ?? [];
  if (folder === undefined) return [];
  const isKept = step.keeps || folders.some((each) => each.startsWith("/usr/local/nvidia/"));
  return [
    {
      subject: folder,
      place: step.place,
      certainty: "likely",
      short: `LD_LIBRARY_PATH names CUDA ${named}, and the image has ${image!.cuda}`,
      message: `LD_LIBRARY_PATH names ${folder}, and ${image!.name} has no CUDA ${named}`,
      because: ["nothing in this file installs it: the loader finds nothing there", ...(isKept ? [] : [lost])],
      advice: [
        `name /usr/local/cuda/lib64, which is CUDA ${image!.cuda}, or leave it out; or begin with an image of CUDA ${named}`,
        ...(isKept ? [] : ["end the value with :$LD_LIBRARY_PATH"]),
      ],
      facts: { variables: [stepFact(step, [folder])] },
    },
  ];
}
