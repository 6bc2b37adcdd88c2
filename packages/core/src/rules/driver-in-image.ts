import { installedFact } from "../dependency-files/facts.ts";
import type { Installed } from "../dependency-files/install.ts";
import { writtenAt } from "../dependency-files/words.ts";
import { defineDependencyFileRule } from "./rule.ts";

export default defineDependencyFileRule({
  id: "driver-in-image",
  title: "An image installs a driver of its own",
  cause: "kernel-module-mismatch",
  severity: "warning",
  notOn: { machines: "a machine's own driver belongs there; one that does not fit its kernel module has rules of its own" },
  page: {
    what: "A Dockerfile or a devcontainer installs packages of the NVIDIA driver (`nvidia-driver-560`, `cuda-drivers`, `libnvidia-compute-…`, `nvidia-utils-…`), or `cuda`, which brings them along.",
    why: "A container uses the kernel module of its host, and the container toolkit puts the libraries of that driver into it. A second set of another release lies in the same folder then; of two files with one name ldconfig takes the newer, which is the image's wherever the host is older: “Driver/library version mismatch”, or error 803.",
    how: "The names of packages that apt installs in the last stage. `cuda` and `cuda-12-4` depend on the driver; `cuda-toolkit-12-4`, `cuda-libraries-12-4` and `cuda-compat-12-4` do not.",
    fix: "Leave the driver's packages out; take `cuda-toolkit-X-Y` in the place of `cuda`. nvidia-smi comes from the host as well.",
    observed: "By the names and dependencies of NVIDIA's packages and by reports; not watched.",
  },
  finds: ({ declaration: { format }, installation: { packages }, image }) => {
    if (!image || (format !== "dockerfile" && format !== "devcontainer")) return [];
    const [first, ...rest] = [...packages.values()].filter(({ manager, name }) => manager === "apt" && (isDriver(name) || isMeta(name)));
    if (!first) return [];
    const all = [first, ...rest];
    const meta = all.every(({ name }) => isMeta(name));
    return [
      {
        subject: first.name,
        place: first.place,
        certainty: "likely" as const,
        short: meta ? `${first.name} brings a driver into the image` : `${first.name} is a driver, and belongs to the host`,
        message: meta
          ? `${first.name} brings the packages of a driver into the image, beside the driver that the host puts in`
          : `${all.map(({ name }) => name).join(", ")}: part of a driver inside the image, beside the driver that the host puts in`,
        because: [
          ...all.map(writtenAt),
          "a container uses the kernel module of its host; of two libcuda.so.1 ldconfig takes the newer, which the host's module refuses where it is older",
        ],
        advice: all.map(instead),
        facts: { packages: all.map((each) => installedFact(each, "subject")) },
        sources: ["https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/install-guide.html"],
      },
    ];
  },
});

/** What lies in the folders where the container toolkit puts the host's driver. */
const isDriver = (name: string): boolean =>
  /^(?:nvidia-(?:driver|headless|utils|compute-utils|kernel-\w+|dkms)(?:-.*)?|cuda-drivers(?:-.*)?|libnvidia-(?:compute|ml|gl|decode|encode|cfg1|extra)-?\d*(?:-server)?|libcuda1(?:-\d+)?|xserver-xorg-video-nvidia(?:-.*)?)$/.test(
    name,
  );

/** The whole of CUDA with the driver; `cuda-12` is the newest of its major. */
const isMeta = (name: string): boolean => /^cuda(?:-runtime)?(?:-\d+(?:-\d+)?)?$/.test(name);

function instead({ name }: Installed): string {
  if (!isMeta(name)) return `leave ${name} out: the container toolkit puts in what belongs to the host's driver`;
  return `take ${name.replace(/^cuda(-runtime)?/, (_, runtime?: string) => (runtime === undefined ? "cuda-toolkit" : "cuda-libraries"))} in the place of ${name}: it brings no driver`;
}
