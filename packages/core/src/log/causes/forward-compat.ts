import { compareDotted } from "../../knowledge/dotted.ts";
import { driverRuns } from "../../knowledge/goes-together.ts";
import { toolkitOf } from "../../knowledge/toolkits.ts";
import { weights, type Problem, type Suspect } from "../cause.ts";
import { type Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { containerOption, fix } from "../fixes.ts";
import { coded } from "../what-runs.ts";
import { mismatchIn } from "./driver-halves.ts";

/** A libcuda of cuda-compat, where it serves or does not. */
export default function forwardCompat(facts: Facts, context: Context): Problem[] {
  const forward = coded(facts, 803, 804);
  return 0 < forward.length && mismatchIn(facts).length === 0 ? [compat(forward, facts, context)] : [];
}

const name = "libcuda.so.1";

const library = "libcuda";

/** nvidia-smi shows a newer CUDA than the driver can give: a compat library is in front. */
export function showsMore(facts: Facts, { driver, driverCuda }: Context): boolean {
  if (!driver || !driverCuda || facts.on("windows")) return false;
  const ceiling = toolkitOf({ driver: driver.version })?.newest.cuda;
  if (ceiling === undefined) return false;
  const [major = 0, minor = 0] = ceiling.split(".").map(Number);
  const [shownMajor = 0, shownMinor = 0] = driverCuda.version.split(".").map(Number);
  // Early drivers of a branch are a little below the number that the toolkit's release notes name.
  return major < shownMajor || (major === shownMajor && minor + 1 < shownMinor);
}

/** A CUDA that is newer than the driver's own, on a driver that runs it all the same: what brings a libcuda beside it is a compat package. */
function isBelow({ driver, toolkits }: Context): boolean {
  const own = driver && toolkitOf({ driver: driver.version })?.newest.cuda;
  const here = toolkits[0]?.version;
  return own !== undefined && here !== undefined && compareDotted(own, here) < 0 && driverRuns(driver!.version, here) === true;
}

/** Whoever asks whether his driver is too old is told. */
function isDriverTooOld(facts: Facts, { driver, toolkits }: Context): string[] {
  const here = toolkits[0]?.version;
  if (!driver || here === undefined || facts.on("windows") || driverRuns(driver.version, here) !== true) return [];
  return [`driver ${driver.version} is not too old for CUDA ${here}: every release of one CUDA major runs on it`];
}

function compat(forward: Fact<"cuda-error">[], facts: Facts, context: Context): Problem {
  const { misuse, module_, old, likely } = compatSuspects(forward, facts, context);
  return {
    weight: weights.said,
    suspects: likely ? [misuse, { ...module_, certainty: "possible" }, old] : [module_, misuse, old],
  };
}

const withoutCompat = (facts: Facts) => [
  fix(
    "take the compat folder out of LD_LIBRARY_PATH and ld.so.conf.d, so that the driver's own libcuda is found",
    "ldconfig -p | grep libcuda.so.1",
  ),
  ...(facts.on("container")
    ? [
        containerOption(
          "or let the driver's own be found first, which the container toolkit puts here in images of Debian and Ubuntu",
          "-e LD_LIBRARY_PATH=/usr/lib/x86_64-linux-gnu",
        ),
      ]
    : []),
];

export function compatSuspects(
  forward: Fact[],
  facts: Facts,
  context: Context,
): { misuse: Suspect; module_: Suspect; old: Suspect; likely: boolean } {
  const compatFolder = [
    ...context.searched.map(({ folder, fact }) => ({ text: folder, fact })),
    ...facts.all("file").map((fact) => ({ text: fact.path, fact })),
  ].find(({ text }) => /\/compat(?:\/|$)|cuda-compat/.test(text));
  const packages = context.packages(/^cuda-compat/)[0];
  const kernel = facts.all("driver").find(({ of }) => of === "kernel");
  const evidence = [...forward, compatFolder?.fact, packages, context.driver].filter((fact) => fact !== undefined);
  // NVIDIA's images bring a compat libcuda, which does not serve this GPU (804) or this driver (803); on a bare machine it is a driver without a restart.
  const inImage = facts.on("container") && forward.some((fact) => fact.kind === "cuda-error" && (fact.code === 804 || fact.code === 803));
  const likely = compatFolder !== undefined || packages !== undefined || inImage || showsMore(facts, context) || isBelow(context);
  const shared = { name, library, evidence, next: ["cat /proc/driver/nvidia/version", "culprit why libcuda.so.1", "nvidia-smi"] };
  const module_: Suspect = {
    ...shared,
    cause: "kernel-module-mismatch",
    required: kernel ? `libcuda of the loaded kernel module ${kernel.version}` : "libcuda of the release of the loaded kernel module",
    found: "libcuda of another release",
    certainty: "likely",
    message:
      "libcuda and the kernel module that is loaded are of different releases: most often the driver was updated and the machine not restarted",
    fixes: [
      fix("restart the machine", "sudo reboot"),
      fix("or bring libcuda and the kernel module to one release by installing the driver again"),
    ],
  };
  const because = isDriverTooOld(facts, context);
  const misuse: Suspect = {
    ...shared,
    ...(because.length === 0 ? {} : { because }),
    cause: "forward-compat-misuse",
    required: forward.some((fact) => fact.kind === "cuda-error" && fact.code === 804)
      ? "a data-centre GPU for the compat libcuda, or none of it"
      : "no compat library where the host's driver is newer",
    found: compatFolder ? compatFolder.text : packages ? `${packages.name} ${packages.version}` : "perhaps a compat libcuda",
    certainty: likely ? "likely" : "possible",
    message:
      "a libcuda of cuda-compat is found before the driver's own: it works on data-centre GPUs only, and only with an older kernel driver",
    fixes: withoutCompat(facts),
  };
  // A compat library is there because the driver was too old for the image.
  const old: Suspect = {
    ...misuse,
    cause: "driver-too-old",
    required: "a driver for the CUDA of the image, so that no compat library is needed",
    certainty: "possible",
    message: "or the driver is older than the image's CUDA, which brings a compat libcuda for that reason",
    fixes: [fix("install a newer NVIDIA driver on the host")],
  };
  return { misuse, module_, old, likely };
}
