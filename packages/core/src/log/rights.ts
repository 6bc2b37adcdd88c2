import type { Suspect } from "./cause.ts";
import type { Context } from "./context.ts";
import type { Fact, Facts } from "./fact.ts";
import { containerOption, fix } from "./fixes.ts";

type Fixes = NonNullable<Suspect["fixes"]>;

const hosted = fix(
  "nothing opens them on a hosted notebook: trace without counters there (Nsight Systems, the framework's profiler), or profile on a machine of your own",
);
const rented = fix(
  "nothing opens them in a rented container: trace without counters there (Nsight Systems, the framework's profiler), or rent a whole machine (a virtual machine or bare metal), where `sudo ncu` may read them",
);
const controlPanel = fix(
  "on Windows: NVIDIA Control Panel, Desktop, Enable Developer Settings; Developer, Manage GPU Performance Counters, allow access to all users",
);
const hypervisor = fix(
  "whoever runs the hypervisor opens them for this virtual GPU: `enable_profiling=1` among its plugin parameters (vSphere: `pciPassthru0.cfg.enable_profiling = 1`), then the virtual machine starts anew",
);

export const oneClient = "one client of the GPU's counters at a time";

/** The counters for another profiler, and back again. */
export const pauseDcgm = (what: string): Fixes[number] => fix(what, "dcgmi profile --pause", "dcgmi profile --resume");

/** How GPU performance counters are opened, the least first: one run as root, a right for one container, a switch for all users of the host. */
export function rightsFixes(evidence: Fact[], facts: Facts, { containers }: Context): Fixes {
  if (evidence.some((fact) => fact.kind === "cupti-error" && fact.name.startsWith("VIRTUALIZED"))) return [hypervisor];
  if (facts.on("wsl2")) return [controlPanel];
  if (facts.on("windows")) return [fix("for once: start the profiler from a terminal that was opened as administrator"), controlPanel];
  if (facts.on("colab") || facts.on("kaggle")) return [hosted];
  if (0 < facts.notices("rented-container").length) return [rented];
  if (facts.on("jetson"))
    return [fix("run the profiler as root, with `sudo` before its command: the driver of a Jetson has no option for this")];
  if (0 < facts.notices("scheduler").length && !facts.on("container"))
    return [fix("on a cluster only its administrators can open them: ask for NVreg_RestrictProfilingToAdminUsers=0 on the nodes")];
  const host = fix(
    "or open the counters to all users of the host, for good, then restart it",
    `echo 'options nvidia "NVreg_RestrictProfilingToAdminUsers=0"' | sudo tee /etc/modprobe.d/nvidia-profiling.conf`,
    "sudo update-initramfs -u",
    "sudo reboot",
  );
  // Root who is refused is so in a container, or by the driver's own switch.
  const isRoot = 0 < facts.notices("as-root").length;
  // Who has opened them is not told to: what is left is whether the driver took the switch, and who asks.
  if (0 < facts.notices("counters-opened").length)
    return [
      ...(facts.on("container") || isRoot
        ? [containerFix(containers, isRoot)]
        : [fix("for once: run the profiler as root, with `sudo` before its command")]),
      fix(
        "see whether the driver took the switch: 0 is open; 1 means that the initial ram disk was not made anew, or the machine not restarted",
        "grep RmProfilingAdminOnly /proc/driver/nvidia/params",
      ),
    ];
  if (facts.on("container") || isRoot) return [containerFix(containers, isRoot), host];
  return [
    fix("for once: run the profiler as root, with `sudo` before its command"),
    host,
    containerOption("or, in a container: start it with the right to profile, and as root in it", "--cap-add=SYS_ADMIN"),
  ];
}

function containerFix(tool: Context["containers"], isRoot: boolean): Fixes[number] {
  if (tool === "kubernetes")
    return fix(
      "give the container the capability, and let it run as root: `securityContext: { capabilities: { add: [SYS_ADMIN] }, runAsUser: 0 }`",
    );
  if (tool === "singularity") return fix("Singularity passes no rights on: the counters must be open on the host");
  return containerOption(
    isRoot
      ? "start the container with the right to profile: root in it has none without"
      : "start the container with the right to profile, and as root in it (no `--user`)",
    "--cap-add=SYS_ADMIN",
  );
}

/** Two tracers cannot share a process: what to leave off, in the words of the framework that speaks. */
export function oneProfiler({ speaker }: Context): Fixes {
  const own: { [id: string]: string } = {
    jax: "with JAX: no `jax.profiler.start_trace`, `jax.profiler.trace` or profiler server while Nsight runs",
    tensorflow: "with Keras: `TensorBoard(profile_batch=0)` while Nsight runs",
    torch: "with PyTorch: no `torch.profiler` under Nsight; `torch.autograd.profiler.emit_nvtx()` marks its operations there",
  };
  const line = speaker === undefined ? undefined : own[speaker];
  return [
    fix("use one profiler at a time: do not start the framework's profiler under nsys or ncu"),
    ...(line === undefined ? [] : [fix(line)]),
  ];
}
