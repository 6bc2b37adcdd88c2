import { supplyOf } from "../../knowledge/suppliers.ts";
import type { Stack } from "../../diagnose/stack.ts";
import { listed } from "../../lib/listed.ts";
import type { Finding } from "../../model/finding.ts";
import { defineFix } from "../fix.ts";

/** A package of NVIDIA's repository for Debian and Ubuntu that brings a library under the very name that is asked for. */
export default defineFix({
  id: "system-package",
  title: "Install a system package",
  proposes(stack, finding, { files }) {
    const isDebian = files["/var/lib/dpkg/info"]?.kind === "folder";
    const { wanted, packages = [] } = finding.facts;
    const isMissing = ["library-missing", "cupti-missing"].includes(finding.rule) && finding.cause !== "library-not-on-path";
    // What brings its own libraries is not mixed with those of the system.
    if (!isDebian || !isMissing || !wanted || packages.some((each) => each.with !== undefined)) return [];
    const names = [wanted.name, ...(wanted.others ?? [])].map((name) => nameOf(stack, name, finding));
    if (names.includes(undefined)) return [];
    const all = [...new Set(names)].map((name) => pinnedAs(name!, stack, finding));
    return [
      {
        title: `install ${listed(all, "packages")} for the whole system`,
        reach: "machine" as const,
        safety: "display-only" as const,
        commands: [`sudo apt install ${all.join(" ")}`],
        steps: [],
        warning: `${all.length === 1 ? "it is" : "they are"} in NVIDIA's own repository; every program of this machine may find ${all.length === 1 ? "it" : "them"}`,
        changes: [],
      },
    ];
  },
});

/** `libcudnn9-cuda-12=9.1.0.70-1`: Debian's version of a cuDNN 9 is that of the wheel, and a revision. */
function pinnedAs(name: string, { runs }: Stack, { breaks }: Finding): string {
  const programs = runs.flatMap((run) => run.programs).filter(({ id }) => breaks.some(({ framework }) => framework === id));
  const pins = programs.map(({ compiledFor }) => compiledFor["cudnn"]?.pin?.version);
  const pin = pins.find((version) => version !== undefined && /^9(?:\.\d+){3}$/.test(version));
  return name.startsWith("libcudnn9-cuda-") && pin !== undefined ? `${name}=${pin}-1` : name;
}

/** For the CUDA that the program was compiled for. */
function nameOf({ runs, inventory }: Stack, wanted: string, { breaks }: Finding): string | undefined {
  const program = runs.flatMap(({ programs }) => programs).find(({ id }) => breaks.some(({ framework }) => framework === id));
  const cuda = program?.compiledFor["cuda"]?.version;
  const driver = inventory.driver.kernel;
  return supplyOf(wanted, { ...(cuda === undefined ? {} : { cuda }), ...(driver === undefined ? {} : { driver }) }).apt;
}
