import { weights, type Problem, type Suspect } from "../cause.ts";
import { type Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix } from "../fixes.ts";
import { compatSuspects, showsMore } from "./forward-compat.ts";

/** The two halves of a driver, its kernel module and its libraries, of different releases. */
export default function driverHalves(facts: Facts, context: Context): Problem[] {
  const mismatch = mismatchIn(facts);
  const disagree = halves(facts);
  return [
    ...(0 < mismatch.length ? [{ weight: weights.said, suspects: ofTwoReleases(mismatch, facts, context) }] : []),
    ...(mismatch.length === 0 ? partsOfTwoDrivers(facts, context) : []),
    ...(disagree.length === 2 && mismatch.length === 0
      ? [{ weight: weights.said, suspects: [moduleMismatch(disagree, facts, context)] }]
      : []),
    ...otherHalf(facts),
  ];
}

/** Who says that the two are of different releases. */
export const mismatchIn = (facts: Facts): Fact[] => [
  ...facts.notices("nvml-mismatch", "api-mismatch", "kernel-dso-mismatch", "nvswitch-mismatch"),
  ...facts.all("container").filter(({ what }) => what === "mismatch"),
];

function partsOfTwoDrivers(facts: Facts, context: Context): Problem[] {
  const mixed = facts.notices("smi-nvml-mismatch");
  if (mixed.length === 0) return [];
  return [
    {
      weight: weights.said,
      suspects: [
        {
          cause: "library-wrong-version",
          name: "libnvidia-ml.so.1",
          library: "nvml",
          required: "the libnvidia-ml of nvidia-smi's own release",
          found: "one of another release",
          certainty: "likely",
          message: "nvidia-smi and the libnvidia-ml that it found are of different driver releases: parts of two drivers are installed",
          evidence: mixed,
          next: ["ldconfig -p | grep libnvidia-ml", "LD_DEBUG=libs nvidia-smi 2>&1 | grep libnvidia-ml"],
          fixes: [fix("remove the other driver's libraries, or the folder that holds them from LD_LIBRARY_PATH")],
        },
        {
          ...moduleMismatch(mixed, facts, context),
          certainty: "possible",
          message: "or the driver was updated, and the old module still runs",
        },
      ],
    },
  ];
}

const name = "libcuda.so.1";

const library = "libcuda";

// A compat library, too, is of another release than the kernel module; nvidia-smi betrays it.
function ofTwoReleases(mismatch: Fact[], facts: Facts, context: Context): Suspect[] {
  const module_ = moduleMismatch(mismatch, facts, context);
  if (!showsMore(facts, context)) return facts.on("container") ? [module_, ofImage(module_)] : [module_];
  const { misuse } = compatSuspects(mismatch, facts, context);
  return [
    { ...misuse, certainty: "likely", required: module_.required!, found: module_.found! },
    { ...module_, certainty: "possible" },
  ];
}

/** An image with driver libraries of its own, which hide those that the runtime mounts. */
const ofImage = (module_: Suspect): Suspect => ({
  ...module_,
  cause: "library-shadowed",
  certainty: "possible",
  message:
    "or the image brings driver libraries of its own, which are found before those that the container's runtime mounts from the host",
  next: ["ldconfig -p | grep -E 'libcuda|libnvidia-ml'", "dpkg -l | grep -i nvidia"],
  fixes: [fix("start it through NVIDIA's runtime, and take the driver's packages out of the image")],
});

export function moduleMismatch(mismatch: Fact[], facts: Facts, context: Context): Suspect {
  // The log of the package manager says what ran before, which the kernel still holds, and what lies on the disk now.
  const upgraded = facts.notices("driver-upgraded").at(-1);
  const told =
    (mismatch.find((fact) => fact.kind === "notice" && fact.required !== undefined) as Fact<"notice"> | undefined) ??
    (facts.all("driver").some(({ of }) => of === "kernel") ? undefined : upgraded);
  const user = facts.all("driver").find(({ of }) => of === "nvml" || of === "libcuda");
  const runfile = facts.notices("driver-runfile")[0];
  const kernel = facts.all("driver").find(({ of }) => of === "kernel");
  // The package manager knows which release the libraries are of.
  const installed = context.packages(
    /^(?:nvidia-smi|nvidia-(?:utils|compute-utils|driver)(?:-\d{3}\w{0,8})?|nvidia-driver-[a-z-]{3,40}|cuda-drivers|libnvidia-(?:ml1|compute)(?:-\d{3}\w{0,8})?)$/,
  )[0];
  const packaged = /^(?:\d:)?(\d{3}\.\d{1,3}(?:\.\d{1,3})?)/.exec(installed?.version ?? "")?.[1];
  const other = runfile?.found ?? user?.version ?? (packaged === kernel?.version ? undefined : packaged);
  const required =
    told?.required ??
    kernel?.version ??
    (runfile && context.driver && context.driver.version !== runfile.found ? context.driver.version : undefined);
  return {
    cause: "kernel-module-mismatch",
    name: mismatch.some((fact) => fact.kind === "notice" && fact.id === "nvml-mismatch") ? "libnvidia-ml.so.1" : name,
    library: mismatch.some((fact) => fact.kind === "notice" && fact.id === "nvml-mismatch") ? "nvml" : library,
    ...bothHalves(required, told?.found ?? other),
    certainty: "certain",
    message:
      "the NVIDIA kernel module that is loaded and the driver's libraries are of different releases: the driver was updated, and the old module still runs",
    evidence: [...mismatch, ...[kernel, user, runfile, upgraded].filter((fact) => fact !== undefined)],
    next: ["cat /proc/driver/nvidia/version", "ls -l /usr/lib/x86_64-linux-gnu/libcuda.so.*"],
    fixes: [
      fix("restart the machine: the new module is loaded with the next start", "sudo reboot"),
      fix(
        "or reload the module where nothing uses the GPU",
        "sudo rmmod nvidia_uvm nvidia_drm nvidia_modeset nvidia",
        "sudo modprobe nvidia",
      ),
      fix("in a container or with a driver installed by hand: make the libraries exactly the release of the module"),
    ],
  };
}

/** Either half may give way: the libraries go back to the module's release, or a restart brings the module to theirs. */
function bothHalves(module_: string | undefined, libraries: string | undefined): { required: string; found: string } {
  if (module_ !== undefined && libraries !== undefined)
    return {
      required: `${module_} for both (the loaded kernel module), or ${libraries} after a restart`,
      found: `libraries of ${libraries} beside the loaded module ${module_}`,
    };
  return {
    required:
      module_ === undefined
        ? `the loaded kernel module's release${libraries === undefined ? "" : `, or ${libraries} after a restart`}`
        : `${module_} (the loaded kernel module)`,
    found: libraries ?? "another release in user space",
  };
}

/** What TensorFlow read of libcuda and of the kernel, where the two are of different releases. */
function halves(facts: Facts): Fact<"driver">[] {
  const [libcuda, kernel] = (["libcuda", "kernel"] as const).map((half) => facts.all("driver").find(({ of }) => of === half));
  // It adds zeros: 450.66 is told as 450.66.0, and 450.142.00 as 450.142.0.
  const plain = (version: string) =>
    version
      .split(".")
      .map(Number)
      .slice(0, 3)
      .join(".")
      .replace(/(?<!\.0)(?:\.0)+$/, "");
  return libcuda && kernel && plain(libcuda.version) !== plain(kernel.version) ? [libcuda, kernel] : [];
}

// A part of the driver is asked for by its release, and the kernel runs another.
function otherHalf(facts: Facts): Problem[] {
  const kernel = facts.all("driver").find(({ of }) => of === "kernel");
  const lost = facts.all("not-found").find(({ name: each }) => /^libnvidia-[\w-]{2,40}\.so\.\d{3}\./.test(each));
  const wanted = lost && /\.so\.(\d{3}[\d.]{1,10})$/.exec(lost.name)?.[1];
  if (!kernel || !lost || wanted === undefined || kernel.version.startsWith(wanted)) return [];
  return [
    {
      weight: weights.refused + 1,
      suspects: [
        {
          ...moduleMismatchBase,
          name: lost.name,
          required: `${kernel.version} (the loaded kernel module)`,
          found: `libraries that ask for ${wanted}`,
          evidence: [lost, kernel],
        },
      ],
    },
  ];
}

const moduleMismatchBase = {
  cause: "kernel-module-mismatch" as const,
  library,
  certainty: "likely" as const,
  message:
    "the driver's libraries and the kernel module are of different releases: the driver was updated in part, or mounted from elsewhere",
  next: ["cat /proc/driver/nvidia/version", "ls -l /usr/lib/x86_64-linux-gnu/libcuda.so.*"],
  fixes: [fix("bring both to one release: install the driver again, and restart", "sudo reboot")],
};
