import { expect, test } from "vitest";
import { explainLog } from "../../packages/core/src/culprit.ts";

const explain = async (text: string) => (await explainLog([new TextEncoder().encode(text)])).diagnoses;
const cli = "docker: Error response from daemon: OCI runtime create failed: nvidia-container-cli:";

// What gives a container its GPU, as each part of it says that it could not: the cause that comes first, and a word of the way out.
test.each<[text: string, cause: string, way: string]>([
  [`${cli} initialization error: nvml error: insufficient permissions: unknown`, "driver-not-exposed", "config.toml"],
  [`${cli} initialization error: nvml error: unknown error: unknown`, "driver-not-exposed", "start the container anew"],
  [`${cli} initialization error: nvml error: gpu access blocked by the operating system`, "driver-not-exposed", "WSL"],
  [`${cli} detection error: nvml error: function not found`, "kernel-module-mismatch", "restart"],
  [`${cli} detection error: nvml error: gpu requires reset`, "not-a-mismatch", "restart"],
  [`${cli} initialization error: nvml error: driver not loaded: unknown.`, "kernel-module-missing", "headers"],
  [`${cli} permission error: capability change failed: operation not permitted`, "driver-not-exposed", "config.toml"],
  [`${cli} mount error: stat failed: /usr/lib/libnvidia-ml.so.535.54: no such file or directory`, "driver-not-exposed", "ldconfig"],
  [`${cli} mount error: stat failed: /usr/lib/wsl/lib/libcuda.so.1: no such file or directory`, "driver-not-exposed", "Windows"],
  [`${cli} mount error: mount operation failed: /x/merged/proc/driver/nvidia: operation not permitted`, "driver-not-exposed", "LXC"],
  [`${cli} container error: cgroup subsystem devices not found: unknown.`, "driver-not-exposed", "up to date"],
  [`${cli} ldcache error: process /sbin/ldconfig.real failed with error code: 1`, "driver-not-exposed", "processor"],
  [`${cli} detection error: cuda error: invalid device ordinal: unknown`, "library-wrong-version", "up to date"],
  [`${cli} initialization error: cuda error: unknown error`, "kernel-module-mismatch", "restart"],
  [`${cli} initialization error: WSL environment detected but no adapters were found: unknown`, "driver-not-exposed", "in Windows"],
  [`${cli} initialization error: change root failed: no such file or directory: unknown`, "driver-not-exposed", "on the host"],
  ["invoking the NVIDIA Container Runtime Hook directly (e.g. specifying the docker --gpus flag)", "driver-not-exposed", "instead of"],
  ["requirements not met: unsatisfied condition: cuda>=12.8 (cuda=12.2)", "driver-too-old", "newer driver"],
  ["podman: setting up CDI devices: unresolvable CDI devices nvidia.com/gpu=all", "driver-not-exposed", "CDI"],
  ['failed to stat CDI host device "/dev/nvidia-uvm": no such file or directory', "driver-not-exposed", "CDI"],
  ["failed to discover GPU vendor from CDI: no known GPU vendor found.", "driver-not-exposed", "CDI"],
  ["failed to determine driver version: failed to locate libcuda.so: pattern not found", "driver-not-exposed", "its CUDA part"],
  [
    'Failed to create pod sandbox: failed to get sandbox runtime: no runtime for "nvidia" is configured',
    "driver-not-exposed",
    "containerd",
  ],
  ["INFO:    Could not find any nv files on this host!", "driver-not-exposed", "a node that has a GPU"],
  ["FATAL: While setting GPU configuration: nvidia-container-cli not allowed in setuid mode", "not-a-mismatch", "--nv"],
  ["Error: error validating driver installation: driver is not ready: not found", "driver-not-exposed", "the driver's pod"],
  ["If this is a GPU node, did you configure the NVIDIA Container Toolkit?", "driver-not-exposed", "runtime"],
  ["at least one device with migEnabled=true was not configured correctly: device 0", "not-a-mismatch", "parts"],
  ["XidCriticalError: Xid=79 on Device=GPU-1; marking device as unhealthy.", "not-a-mismatch", "Xid"],
  ["slurmd: fatal: can't stat gres.conf file /dev/nvidia0: No such file or directory", "kernel-module-missing", "on the node"],
  [
    "fatal: We were configured to autodetect nvml functionality, but we weren't able to find that lib when Slurm was configured.",
    "wrong-wheel-cpu-only",
    "nvml.h",
  ],
  ["Reason=gres/gpu count reported lower than configured (0 < 4)", "driver-not-exposed", "gres.conf"],
  ["srun: error: Unable to allocate resources: Invalid generic resource (gres) specification", "not-a-mismatch", "scontrol"],
])("%s", async (text, cause, way) => {
  const [first] = await explain(text);
  expect(first?.cause).toBe(cause);
  expect(first!.fixes.map((each) => `${each.fix} ${each.commands.join(" ")}`).join("\n")).toContain(way);
});

test("who asked for a GPU already is not told to ask", async () => {
  const lost = "NVIDIA-SMI couldn't find libnvidia-ml.so library in your system.";
  const [asked] = await explain(`$ docker run --rm --gpus all ubuntu nvidia-smi\n${lost}`);
  expect(asked!.fixes[0]!.fix).toContain("asks for a GPU already");
  const [not] = await explain(`in the docker container:\n${lost}`);
  expect(not!.fixes[0]!.fix).toContain("start it with `--gpus all`");
});

// Why the kernel did not take the driver's module.
const smi = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.";
test.each<[text: string, word: string]>([
  ["modprobe: ERROR: could not insert 'nvidia': Key was rejected by service", "mokutil"],
  ["Lockdown: modprobe: unsigned module loading is restricted; see man kernel_lockdown.7", "mokutil"],
  [`${smi}\nSecureBoot enabled`, "mokutil"],
  [`${smi}\nSecureBoot disabled`, "headers"],
  [`${smi}\n\tKernel driver in use: nouveau`, "blacklist"],
  [`${smi}\n\tKernel driver in use: vfio-pci`, "vfio-pci.ids"],
  ["modprobe: ERROR: could not insert 'nvidia': No such device", "dmesg"],
  ["modprobe: ERROR: could not insert 'nvidia': Exec format error", "headers"],
  [
    "Error! Bad return status for module build on kernel: 6.8.0-40-generic (x86_64)\nConsult /var/lib/dkms/nvidia/535.129.03/build/make.log",
    "knows this kernel",
  ],
  ["Error! Your kernel headers for kernel 6.1.0-18-amd64 cannot be found at /lib/modules/6.1.0-18-amd64/build", "linux-headers"],
])("%s", async (text, word) => {
  const [first] = await explain(text);
  expect(first?.cause).toBe("kernel-module-missing");
  expect(first!.fixes.map((each) => `${each.fix} ${each.commands.join(" ")}`).join("\n")).toContain(word);
});

test.each([
  "Kernel driver in use: nouveau",
  "SecureBoot enabled",
  "nouveau              2433024  4",
  "docker run --gpus all ubuntu nvidia-smi",
])("by itself no fault: %s", async (text) => expect(await explain(text)).toEqual([]));
