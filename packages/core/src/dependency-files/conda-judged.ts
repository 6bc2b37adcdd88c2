// What of an environment of conda was judged, and what is left open in it.
import type { Check } from "../model/check.ts";
import { frameworkNames } from "../model/framework-names.generated.ts";
import type { InstallContext } from "./context.ts";
import type { Installed } from "./install.ts";

/** Releases that conda would take: of which the build is not one alone, or has no CUDA, or that are no frameworks. */
export function judgedOfConda(contexts: InstallContext[], others: string[]): Check["judged"] {
  const found = new Map<string, Check["judged"][number]>();
  for (const { installation } of contexts)
    for (const installed of installation.packages.values()) {
      const { conda, name } = installed;
      const framework = frameworkOfConda(name);
      const program = framework ?? name;
      if (!conda || isFollower(name) || others.includes(program) || found.has(program)) continue;
      const cpuOnly = conda.cuda.length === 0 && conda.withoutCuda && !conda.mayHaveOthers;
      found.set(program, {
        program,
        version: conda.version,
        activities: [framework === undefined ? "install" : "import"],
        ...(cpuOnly ? { cpuOnly: true as const } : {}),
      });
    }
  return [...found.values()];
}

/** Which of several builds it is: it counts only where somebody asks about a driver or a GPU. */
export function openBuilds({ installation, isAsked }: InstallContext): Check["unknown"] {
  return [...installation.packages.values()].flatMap((installed): Check["unknown"] => {
    const { conda, name } = installed;
    if (!conda || isFollower(name) || frameworkOfConda(name) === undefined) return [];
    if (conda.cuda.length + Number(conda.withoutCuda) + Number(conda.mayHaveOthers) < 2) return [];
    return [
      {
        subject: `${name} ${conda.version}`,
        kind: "package",
        reason: `which of its builds conda takes is not told: ${possible(installed)}`,
        ...(isAsked ? {} : { aside: true as const }),
      },
    ];
  });
}

function possible({ conda }: Installed): string {
  const { cuda, withoutCuda, mayHaveOthers, needsDriver, channel } = conda!;
  const all = [
    ...(cuda.length === 0 ? [] : [`for CUDA ${cuda.join(", ")}`]),
    ...(mayHaveOthers ? ["for a CUDA that is not known here"] : []),
    ...(withoutCuda ? ["without CUDA"] : []),
  ].join(", or ");
  return needsDriver && withoutCuda ? `${all}; with CUDA only where it finds a driver (${channel})` : all;
}

const frameworkOfConda = (name: string): string | undefined =>
  frameworkNames.find(({ conda }) => conda !== undefined && Object.hasOwn(conda, name))?.id;

const isFollower = (name: string) =>
  frameworkNames.some(({ condaBuilds }) => condaBuilds?.follow.includes(name) && condaBuilds.package !== name);
