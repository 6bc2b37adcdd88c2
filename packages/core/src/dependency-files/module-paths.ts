// Modules of a cluster whose libraries may come before those of the wheels: which variables they set, nobody here knows.
import { compareDotted } from "../knowledge/dotted.ts";
import { placeWords } from "../lib/place.ts";
import type { Check } from "../model/check.ts";
import { gpuBuilds } from "./builds.ts";
import type { InstallContext } from "./context.ts";
import { cusparseCuda } from "./jit-link.ts";
import { fullName } from "./words.ts";

/** An older libnvJitLink.so.12, and parts of another cuDNN of the same major, where a module puts its folder into LD_LIBRARY_PATH. */
export function ofModulePaths(context: InstallContext): Check["unknown"] {
  const { image, installation, declaration } = context;
  if (image?.isModules !== true) return [];
  const torch = gpuBuilds(installation).find(({ installed, framework }) => installed.manager === "pip" && framework === "torch");
  if (!torch) return [];
  const told = (what: string, place: typeof image.place) => ({
    subject: placeWords(place),
    kind: "file" as const,
    reason: `whether ${what} comes before what ${fullName(torch.installed)} brings goes by what the module puts into LD_LIBRARY_PATH, which is not known here`,
  });
  const cuda = cusparseCuda(installation.packages);
  // Since 2.6 torch opens its own by its path.
  const isOpen = compareDotted(torch.installed.version!, "2.1") >= 0 && compareDotted(torch.installed.version!, "2.6") < 0;
  const isOlder = isOpen && cuda !== undefined && image.cuda?.startsWith("12.") === true && compareDotted(minorOf(image.cuda), cuda) < 0;
  const own = installation.packages.get(`nvidia-cudnn-cu${torch.build.cuda?.version.split(".")[0]}`)?.version;
  const module = declaration.steps.findLast((step) => step.kind === "module" && step.name === "cudnn");
  const loaded = module?.kind === "module" ? module.version : undefined;
  const isOther =
    own !== undefined &&
    loaded !== undefined &&
    /^\d+\.\d+/.test(loaded) &&
    majorOf(own) === majorOf(loaded) &&
    minorOf(own) !== minorOf(loaded);
  return [
    ...(isOlder ? [told(`libnvJitLink.so.12 of CUDA ${minorOf(image.cuda!)}`, image.place)] : []),
    ...(isOther ? [told(`cuDNN ${loaded}`, module!.place)] : []),
  ];
}

const majorOf = (version: string): string => version.split(".")[0]!;
const minorOf = (version: string): string => version.split(".").slice(0, 2).join(".");
