import { packageProviding } from "../../knowledge/packages.ts";
import type { Stack } from "../../diagnose/stack.ts";
import type { Finding } from "../../model/check.ts";
import type { Package } from "../../model/knowledge.ts";
import { defineFix } from "../fix.ts";

/** A package of NVIDIA's repository for Debian and Ubuntu that brings a library under the very name that is asked for. */
export default defineFix({
  id: "system-package",
  title: "Install a system package",
  proposes(stack, finding, { files }) {
    const isDebian = files["/var/lib/dpkg/info"]?.kind === "folder";
    if (!isDebian || !["library-missing", "cupti-missing"].includes(finding.rule) || finding.cause === "library-not-on-path") return [];
    const names = packageProviding(finding.subject, "apt-nvidia").flatMap((found) => nameOf(found, stack, finding) ?? []);
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
  const pins = programs.map(({ compiledFor }) => /: nvidia-cudnn-cu\d+==(9(?:\.\d+){3})$/.exec(compiledFor["cudnn"]?.evidence ?? "")?.[1]);
  const pin = pins.find((version) => version !== undefined);
  return name.startsWith("libcudnn9-cuda-") && pin !== undefined ? `${name}=${pin}-1` : name;
}

/** `cuda-cupti-X-Y` for the CUDA that the program was compiled for; unknown where only the major is. */
function nameOf({ name, cudaMajors }: Package, stack: Stack, { subject, breaks }: Finding): string | undefined {
  const named = /\.so\.(\d+\.\d+)$/.exec(subject)?.[1];
  const built = stack.runs.flatMap(({ programs }) => programs).find(({ id }) => breaks.some(({ framework }) => framework === id))
    ?.compiledFor["cuda"]?.version;
  const own = subject.startsWith("libcupti.so.") || subject.startsWith("libcudart.so.") ? named : undefined;
  const cuda = own ?? built;
  if (cudaMajors && cuda !== undefined && !cudaMajors.includes(Number(cuda.split(".")[0]))) return undefined;
  if (cudaMajors && 1 < packageProviding(subject, "apt-nvidia").length && cuda === undefined) return undefined;
  if (!name.endsWith("-X-Y")) return name.includes("NNN") ? undefined : name;
  const [major, minor] = cuda?.split(".") ?? [];
  return minor === undefined ? undefined : name.replace("X-Y", `${major}-${minor}`);
}
