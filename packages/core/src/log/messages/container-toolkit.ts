import { weights } from "../cause.ts";
import { fix } from "../fixes.ts";
import { libcuda } from "../meaning.ts";
import { notice, type Signature } from "../signature.ts";

/** nvidia-container-toolkit (its runtime, hook and nvidia-ctk, in Go), and CDI as podman, Docker and containerd ask for it. */
export default [
  {
    literals: ["cdi device", "from cdi", "cdi host device"],
    pattern:
      /unresolvable CDI devices (?<name>[\w.-]{0,30}nvidia\.com\/[\w=-]{1,60})|failed to discover GPU vendor from CDI|could not resolve CDI devices/,
    examples: [
      "Error: setting up CDI devices: unresolvable CDI devices nvidia.com/gpu=all",
      "docker: Error response from daemon: failed to discover GPU vendor from CDI: no known GPU vendor found.",
    ],
    facts: () => ({ kind: "container", what: "no-cdi" }),
  },
  {
    // The specification is a file: it names the devices that were there when it was written.
    ...notice(
      "cdi-device-gone",
      "cdi host device",
      /failed to stat CDI host device "?(?<subject>\/dev\/[\w/.-]{3,60})/,
      'failed to inject devices: failed to stat CDI host device "/dev/dri/renderD129": no such file or directory',
    ),
    means: {
      weight: weights.said,
      about: (_facts, _context, [fact]) => ({
        name: fact!.subject!,
        required: "a CDI specification of the devices that are there",
        found: `one that names ${fact!.subject}`,
        evidence: [fact!],
        next: ["ls -l /etc/cdi /var/run/cdi", `ls -l ${fact!.subject}`],
      }),
      may: [
        {
          ...libcuda,
          cause: "driver-not-exposed",
          certainty: "likely",
          when: (facts) => facts.notices("cdi-device-gone").some(({ subject }) => /\/nvidia(?:ctl|-uvm|-modeset)/.test(subject!)),
          message: "the driver's device files are not there: its modules are not loaded yet, or it is not installed on this host",
          fixes: [
            fix(
              "let the driver make them, then write the CDI specification anew",
              "sudo nvidia-smi",
              "sudo nvidia-modprobe -u -c=0",
              "sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml",
            ),
          ],
        },
        {
          cause: "stale-artefact",
          certainty: "likely",
          message: (_facts, _context, [fact]) =>
            `the CDI specification names \`${fact!.subject}\`, which is not there: devices, or the driver, changed after it was written`,
          fixes: [
            fix("write it anew; after each change of the driver or the GPUs", "sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml"),
          ],
        },
        {
          ...libcuda,
          cause: "driver-not-exposed",
          message: "or the driver has not made its devices yet: nvidia-smi on the host makes them",
          fixes: [],
        },
      ],
    },
  },
  {
    ...notice(
      "hook-called-directly",
      "invoking the nvidia container runtime hook directly",
      /invoking the NVIDIA Container Runtime Hook directly/,
      "invoking the NVIDIA Container Runtime Hook directly (e.g. specifying the docker --gpus flag) is not supported. Please use the NVIDIA Container Runtime (e.g. specify the --runtime=nvidia flag) instead.: unknown",
    ),
    means: {
      weight: weights.said,
      ...libcuda,
      required: "the runtime `nvidia`",
      found: "the option `--gpus`, which this mode of the toolkit refuses",
      next: ["docker info | grep -i runtime", "grep -A3 '^mode' /etc/nvidia-container-runtime/config.toml"],
      may: [
        {
          cause: "driver-not-exposed",
          certainty: "likely",
          message:
            "the toolkit works here by CDI or by lists of files (so on every Jetson), where `--gpus` does not reach it: the container gets its GPU from the runtime `nvidia`",
          fixes: [
            fix(
              "start the container with the runtime instead of `--gpus`; this shows whether it gives a GPU:",
              "docker run --rm --runtime=nvidia -e NVIDIA_VISIBLE_DEVICES=all ubuntu nvidia-smi -L",
            ),
            fix(
              "where Docker does not know that runtime:",
              "sudo nvidia-ctk runtime configure --runtime=docker",
              "sudo systemctl restart docker",
            ),
          ],
        },
        { cause: "not-a-mismatch", name: "docker run", message: "so the command asks in a way that is not for this host" },
      ],
    },
  },
  {
    ...notice(
      "cdi-driver-missing",
      ["failed to determine driver version", "failed to locate libcuda.so", "could not locate libcuda", "at wsl driver store paths"],
      /failed to (?:get|determine) driver version[^\n]{0,40}: |failed to locate libcuda\.so|(?:could not|failed to) locate [\w./-]{3,60} at WSL driver store paths/,
      "failed to create discoverer for common entities: failed to determine driver version: failed to locate libcuda.so: pattern libcuda.so.*.* not found",
    ),
    means: {
      weight: weights.said,
      ...libcuda,
      required: "the host's driver, where the toolkit looks",
      found: "none there",
      next: ["nvidia-smi", "ldconfig -p | grep libcuda.so"],
      may: [
        {
          cause: "driver-not-exposed",
          certainty: "likely",
          message: "nvidia-ctk does not find the driver's libraries on the host: none is installed, or they lie where it does not look",
          fixes: [
            fix("on the host: install the driver with its CUDA part, and refresh the loader's list", "sudo ldconfig"),
            fix("where the driver lies below another root (GPU operator, NixOS): name it with `--driver-root` or `--library-search-path`"),
          ],
        },
        { cause: "library-not-on-path", message: "or they are installed below another root" },
      ],
    },
  },
] satisfies Signature[];
