// Packages that open a library by its major and bring none, beside wheels of another major.
import { isIn } from "../../builds/specifier.ts";
import type { InstallContext } from "../../dependency-files/context.ts";
import { installedFact, lastWritten } from "../../dependency-files/facts.ts";
import type { Installed } from "../../dependency-files/install.ts";
import { fullName, writtenAt } from "../../dependency-files/words.ts";
import { frameworkNamed } from "../../model/frameworks.ts";
import type { DependencyFileDraft } from "../rule.ts";

const majorOf = ({ version }: Installed) => version?.split(".")[0];

export function openedByMajor({ installation: { packages }, image, systemPackages }: InstallContext): DependencyFileDraft<"warning">[] {
  const there = [...packages.values()];
  return there.flatMap((own): DependencyFileDraft<"warning">[] => {
    const names = own.manager === "pip" && own.version !== undefined ? frameworkNamed(own.name) : undefined;
    const wanted = names?.releasesFor?.find(({ releases, opens = releases }) => isIn(own.version!, releases) && isIn(own.version!, opens));
    if (!names || !wanted) return [];
    const { library, major } = wanted;
    const wheels = there.filter(({ name, version }) => name.startsWith(`nvidia-${library}-cu`) && version !== undefined);
    const [other] = wheels;
    // A system, conda or an image that is not known may have the right one.
    const mayBeElsewhere =
      systemPackages !== undefined ||
      there.some(({ manager, name }) => (manager === "conda" || manager === "apt") && name.includes(library)) ||
      (image !== undefined && image.kind !== "python" && image.kind !== "plain" && (image.kind !== "cuda" || image.cudnn === major));
    if (!other || mayBeElsewhere || wheels.some((each) => majorOf(each) === major)) return [];
    const fitting = names.releasesFor!.find((each) => each.library === library && each.major === majorOf(other));
    const title = library === "cudnn" ? "cuDNN" : library;
    return [
      {
        subject: `${library} for ${own.name}`,
        place: lastWritten([own, ...(other.asked ? [other] : [])]).place,
        severity: "warning",
        certainty: "likely",
        short: `${own.name} opens ${title} ${major}, and ${title} ${majorOf(other)} would be there`,
        message: `${fullName(own)} opens the libraries of ${title} ${major}, and ${fullName(other)} would be there`,
        because: [
          writtenAt(own),
          writtenAt(other),
          `libraries of another major have other names: on a GPU ${own.name} finds none, unless the system has them`,
        ],
        advice: fitting ? [`ask for ${own.name}${fitting.releases}, which is for ${title} ${fitting.major}`] : [],
        facts: { packages: [installedFact(other, "subject"), installedFact(own, "asks")] },
        endangers: [{ framework: names.id, activity: "convolution" }],
        sources: [`the wheels of ${own.name} on PyPI`],
      },
    ];
  });
}
