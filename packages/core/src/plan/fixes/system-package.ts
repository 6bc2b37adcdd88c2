import { packageProviding } from "../../knowledge/packages.ts";
import type { Stack } from "../../diagnose/stack.ts";
import type { Finding } from "../../model/finding.ts";
import type { Package } from "../../model/knowledge.ts";
import { defineFix } from "../fix.ts";

/** A package of NVIDIA's repository for Debian and Ubuntu that brings a library under the very name that is asked for. */
export default defineFix({
  id: "system-package",
  title: "Install a system package",
  proposes(stack, finding, { files }) {
    const isDebian = files["/var/lib/dpkg/info"]?.kind === "folder";
    const wanted = finding.facts.wanted?.name;
    const isMissing = ["library-missing", "cupti-missing"].includes(finding.rule) && finding.cause !== "library-not-on-path";
    if (!isDebian || !isMissing || wanted === undefined) return [];
    const names = packageProviding(wanted, "apt-nvidia").flatMap((found) => nameOf(found, stack, wanted, finding) ?? []);
    return names
      .slice(0, 1)
      .map((bare) => pinnedAs(bare, stack, finding))
      .map((name) => ({
        title: `install ${name} for the whole system`,
        reach: "machine" as const,
        safety: "display-only" as const,
        commands: [`sudo apt install ${name}`],
        steps: [],
        warning: "it is in NVIDIA's own repository; every program of this machine may find it",
        changes: [],
      }));
  },
});

/** `libcudnn9-cuda-12=9.1.0.70-1`: Debian's version of a cuDNN 9 is that of the wheel, and a revision. */
function pinnedAs(name: string, { runs }: Stack, { breaks }: Finding): string {
  const programs = runs.flatMap((run) => run.programs).filter(({ id }) => breaks.some(({ framework }) => framework === id));
  const pins = programs.map(({ compiledFor }) => compiledFor["cudnn"]?.pin?.version);
  const pin = pins.find((version) => version !== undefined && /^9(?:\.\d+){3}$/.test(version));
  return name.startsWith("libcudnn9-cuda-") && pin !== undefined ? `${name}=${pin}-1` : name;
}

/** `cuda-cupti-X-Y` for the CUDA that the program was compiled for; unknown where only the major is. */
function nameOf({ name, cudaMajors }: Package, stack: Stack, wanted: string, { breaks }: Finding): string | undefined {
  const named = /\.so\.(\d+\.\d+)$/.exec(wanted)?.[1];
  const built = stack.runs.flatMap(({ programs }) => programs).find(({ id }) => breaks.some(({ framework }) => framework === id))
    ?.compiledFor["cuda"]?.version;
  const own = wanted.startsWith("libcupti.so.") || wanted.startsWith("libcudart.so.") ? named : undefined;
  const cuda = own ?? built;
  if (cudaMajors && cuda !== undefined && !cudaMajors.includes(Number(cuda.split(".")[0]))) return undefined;
  if (cudaMajors && 1 < packageProviding(wanted, "apt-nvidia").length && cuda === undefined) return undefined;
  if (!name.endsWith("-X-Y")) return name.includes("NNN") ? undefined : name;
  const [major, minor] = cuda?.split(".") ?? [];
  return minor === undefined ? undefined : name.replace("X-Y", `${major}-${minor}`);
}
