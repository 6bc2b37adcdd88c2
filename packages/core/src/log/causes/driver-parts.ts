import { weights, type Problem, type Suspect } from "../cause.ts";
import type { Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { containerOption, fix } from "../fixes.ts";
import { coded } from "../what-runs.ts";

/** A part of the driver beside libcuda that does not reach the process. */
export default function driverParts(facts: Facts, context: Context): Problem[] {
  return [...furtherLibraries(facts, context), ...withoutCompiler(coded(facts, 221))];
}

/** The driver's libraries beside libcuda and libnvidia-ml. */
export const furtherDriverLibrary =
  /^lib(?:nvidia-(?:encode|opticalflow|ptxjitcompiler|nvvm|fbc|ngx|cfg)|nvcuvid|nvoptix|cudadebugger)\.so/;

const library = "libcuda";

// Libraries of the driver beside libcuda, which a container gets only when it asks for them.
function furtherLibraries(facts: Facts, { containers }: Context): Problem[] {
  const lost = facts.all("not-found").filter((fact) => furtherDriverLibrary.test(fact.name));
  if (lost.length === 0) return [];
  const file = lost[0]!.name;
  const base = {
    name: file,
    required: `${file} of the driver's release`,
    found: "not found",
    evidence: lost.slice(0, 3),
    next: [`ldconfig -p | grep ${file}`, "echo $NVIDIA_DRIVER_CAPABILITIES", "nvidia-smi"],
  };
  return notReached(
    {
      ...base,
      message:
        containers === "singularity"
          ? `\`${file}\` is a part of the driver, and \`--nv\` does not bring it: only what its list (nvliblist.conf) names and the host has`
          : `\`${file}\` is a part of the driver and does not reach the process: the container asks for less than it needs, or no driver is there`,
      fixes:
        containers === "singularity"
          ? broughtAlong(file)
          : [
              wholeDriver("all"),
              fix("on a machine: install the driver as a whole; distributions put its video libraries into a package of their own"),
            ],
    },
    { ...base, cause: "library-missing", certainty: "possible", message: "or this part of the driver is not installed", fixes: [] },
    { ...base, cause: "library-not-on-path", certainty: "possible", message: "or it lies where the loader does not look", fixes: [] },
  );
}

/** `--containlibs` binds files of the host into the folder where the driver's libraries lie (both programs' option, with its variable). */
const broughtAlong = (file: string): NonNullable<Suspect["fixes"]> => [
  fix(
    "bring the host's file along, beside what `--nv` brings",
    `export APPTAINER_CONTAINLIBS="$(/sbin/ldconfig -p | awk '/${file.replaceAll(".", "\\.")}/ { print $NF; exit }')" SINGULARITY_CONTAINLIBS="$APPTAINER_CONTAINLIBS"`,
  ),
  fix(
    `or let administrators add \`${file.replace(/\.so.*$/, ".so")}\` to nvliblist.conf; newer releases of Apptainer name more of the driver`,
  ),
];

// The driver's compiler for PTX is a library of its own, which containers get only with the right capabilities.
function withoutCompiler(evidence: Fact[]): Problem[] {
  if (evidence.length === 0) return [];
  const base = {
    name: "libnvidia-ptxjitcompiler.so.1",
    library,
    required: "the driver's compiler for PTX, of the release of libcuda",
    evidence,
    next: ["ldconfig -p | grep ptxjitcompiler", "echo $NVIDIA_DRIVER_CAPABILITIES"],
  };
  return notReached(
    {
      ...base,
      message: "libcuda does not find the driver's compiler for PTX: not all libraries of the driver reach the process",
      fixes: [wholeDriver("compute,utility")],
    },
    {
      ...base,
      cause: "library-missing",
      certainty: "possible",
      message: "or the driver is not installed as a whole",
      fixes: [fix("install the driver again")],
    },
    { ...base, cause: "kernel-module-mismatch", certainty: "possible", message: "or it is of another release than libcuda", fixes: [] },
  );
}

const wholeDriver = (capabilities: string) =>
  containerOption("start the container with all of the driver", `--gpus all -e NVIDIA_DRIVER_CAPABILITIES=${capabilities}`);

const notReached = (suspect: Omit<Suspect, "cause" | "certainty">, ...others: Suspect[]): Problem[] => [
  { weight: weights.refused, suspects: [{ ...suspect, cause: "driver-not-exposed", certainty: "likely" }, ...others] },
];
