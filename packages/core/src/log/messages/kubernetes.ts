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
      ["incompatible strategy detected", "incompatible platform detected", "no devices found. waiting indefinitely"],
      /Incompatible (?:platform|strategy) detected|No devices found\. Waiting indefinitely/,
      "Incompatible strategy detected auto",
      "No devices found. Waiting indefinitely.",
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
] satisfies Signature[];
