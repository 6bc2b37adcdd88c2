import { weights } from "../cause.ts";
import { fix } from "../fixes.ts";
import { libcuda } from "../meaning.ts";
import { notice, type Signature } from "../signature.ts";

/** The scheduler of Kubernetes, and NVIDIA's device plugin (its main.go and factory.go). */
export default [
  {
    ...notice(
      "pod-without-gpu",
      ["insufficient nvidia.com/", "insufficient amd.com/gpu"],
      /Insufficient (?<subject>(?:nvidia|amd)\.com\/[\w.-]{2,40})/,
      "0/3 nodes are available: 3 Insufficient nvidia.com/gpu.",
    ),
    means: {
      weight: weights.said,
      name: "the node's GPUs",
      may: [
        {
          ...libcuda,
          cause: "driver-not-exposed",
          certainty: "likely",
          message:
            "no node offers a free GPU under this name: the device plugin does not run there, does not see the GPU, or all are taken",
          next: ["kubectl describe node | grep -A6 Allocatable", "kubectl get pods -A | grep -i device-plugin"],
          fixes: [fix("see that the device plugin runs on the GPU nodes and finds the driver; then whether other pods hold the GPUs")],
        },
        { cause: "not-a-mismatch", message: "or all GPUs are taken by other pods" },
      ],
    },
  },
  {
    ...notice(
      "plugin-without-driver",
      [
        "incompatible strategy detected",
        "incompatible platform detected",
        "no devices found. waiting indefinitely",
        "gpu resources are not",
        "invalid device discovery strategy",
      ],
      /Incompatible (?:platform|strategy) detected|No devices found\. Waiting indefinitely|GPU resources are not (?:yet )?discovered by the node|invalid device discovery strategy/,
      "Incompatible strategy detected auto",
      "No devices found. Waiting indefinitely.",
      "GPU resources are not discovered by the node",
      "error building device map: invalid device discovery strategy",
    ),
    means: {
      weight: weights.failed,
      name: "the device plugin",
      may: [
        {
          ...libcuda,
          cause: "driver-not-exposed",
          certainty: "likely",
          message:
            "the device plugin runs in a container without the driver: NVIDIA's runtime is not the one that starts pods on this node",
          next: ["kubectl get runtimeclass", "nvidia-smi"],
          fixes: [
            fix(
              "on the node: make NVIDIA's runtime the default one",
              "sudo nvidia-ctk runtime configure --runtime=containerd --set-as-default",
              "sudo systemctl restart containerd",
            ),
            fix("or give the pods `runtimeClassName: nvidia`"),
          ],
        },
      ],
    },
  },
  notice(
    "plugin-without-driver",
    "if this is a gpu node, did you",
    /If this is a GPU node, did you (?:configure the NVIDIA Container Toolkit|set the docker default runtime)/,
    "If this is a GPU node, did you configure the NVIDIA Container Toolkit?",
  ),
  notice(
    "xid",
    "xidcriticalerror",
    /XidCriticalError: Xid=(?<subject>\d{1,3}) on Device/,
    "XidCriticalError: Xid=79 on Device=GPU-1; marking device as unhealthy.",
  ),
  {
    ...notice(
      "operator-waits-for-driver",
      [
        "error validating driver installation",
        "driver is not ready",
        "no pre-installed driver detected",
        "waiting for nvidia driver to be ready",
        "failed to validate the driver",
        "waiting for nvidia container stack",
        "waiting for driver-ready",
        "waiting for toolkit-ready",
      ],
      /[Ee]rror validating driver(?: installation)?: |driver is not ready: |No pre-installed driver detected on the host|failed to validate the driver, retrying|waiting for nvidia (?:container stack|driver) to be (?:setup|ready)|waiting for (?:driver|toolkit)-ready/,
      "Error: error validating driver installation: failed to validate driver: driver is not ready: No pre-installed driver detected on the host",
      "waiting for nvidia container stack to be setup",
    ),
    means: {
      weight: weights.refused,
      ...libcuda,
      required: "a driver on the node, of the host's or of the operator's own container",
      found: "none that answers yet",
      // What the validator's chroot or the driver's own container says is nearer to the cause.
      unless: (facts) =>
        0 < facts.notices("module-missing", "smi-failed", "nvml-mismatch", "nvml-not-loaded", "module-unsigned", "nouveau-holds").length,
      next: [
        "kubectl get pods -A | grep -i nvidia",
        "kubectl logs -n gpu-operator -l app=nvidia-driver-daemonset --all-containers --tail=50",
        "nvidia-smi",
      ],
      may: [
        {
          cause: "driver-not-exposed",
          certainty: "likely",
          message: "the GPU operator finds no driver on the node that works: neither one of the host nor one of its own container",
          fixes: [
            fix(
              "see why the driver's pod does not come up: headers of the node's kernel, Secure Boot, nouveau, or a GPU that it does not support",
            ),
            fix(
              "where the host has a driver of its own (`nvidia-smi` works on the node): switch the operator's off",
              "helm upgrade gpu-operator nvidia/gpu-operator -n gpu-operator --reuse-values --set driver.enabled=false",
            ),
          ],
        },
        { cause: "kernel-module-missing", message: "or its kernel module was not built for, or not loaded into, the node's kernel" },
        {
          cause: "not-a-mismatch",
          name: "the GPU operator",
          message: "or the node is still being set up: this waits until the pods before it are done",
        },
      ],
    },
  },
  {
    ...notice(
      "mig-not-configured",
      [
        "was not configured correctly",
        "has no mig devices configured",
        "has an invalid mig configuration",
        "same migenabled value",
        "invalid configuration detected for mig-strategy",
        "more than one mig device type present",
      ],
      /migEnabled=true was not configured correctly|has no MIG devices configured|has an invalid MIG configuration|same migEnabled value|Invalid configuration detected for mig-strategy|more than one MIG device type present/i,
      "at least one device with migEnabled=true was not configured correctly: error visiting device: device 0 has an invalid MIG configuration",
    ),
    means: {
      weight: weights.said,
      name: "MIG",
      next: ["nvidia-smi -L", "nvidia-smi mig -lgi"],
      may: [
        {
          cause: "not-a-mismatch",
          certainty: "likely",
          message: "MIG is switched on for a GPU that has no parts, or not in the way that the device plugin's strategy asks for",
          fixes: [
            fix("make parts on every GPU with MIG; this makes the finest on the first one:", "sudo nvidia-smi mig -i 0 -cgi 19 -C"),
            fix("or switch MIG off, and restart the node's plugin", "sudo nvidia-smi -i 0 -mig 0"),
          ],
        },
        { ...libcuda, cause: "driver-not-exposed", message: "so no GPU is offered to pods" },
      ],
    },
  },
  {
    ...notice(
      "pod-without-gpu",
      ["allocate failed due to", "unexpectedadmissionerror"],
      /Allocate failed due to [^\n]{0,120}\b(?:nvidia|amd)\.com\/|Allocate failed due to (?:can't allocate unregistered device|requested number of devices unavailable for) (?<subject>(?:nvidia|amd)\.com\/[\w.-]{2,40})/,
      "Allocate failed due to requested number of devices unavailable for nvidia.com/gpu. Requested: 1, Available: 0, which is unexpected",
    ),
  },
] satisfies Signature[];
