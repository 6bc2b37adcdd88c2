import type { Suspect } from "./cause.ts";
import type { Context } from "./context.ts";
import type { Fact } from "./fact.ts";
import { fix } from "./fixes.ts";

const guide = "https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/install-guide.html";

const install = (configure: string[]) =>
  fix(
    `install the container toolkit on the host, from NVIDIA's repository for containers (the distribution's repositories do not have it), as its page says: ${guide}`,
    "sudo apt-get install nvidia-container-toolkit",
    ...configure,
  );

const describe = "let the toolkit write down the devices for CDI, anew after every update of the driver; then see what it lists";
const list = ["sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml", "nvidia-ctk cdi list"];

/** Somebody asked for a GPU in a container, and what runs containers has nothing that gives one: in the words of what runs them. */
export function noRuntime(
  container: Fact<"container">[],
  { containers }: Context,
): { message: string; fixes: NonNullable<Suspect["fixes"]> } {
  if (container.some(({ what }) => what === "no-cdi") || containers === "podman")
    return {
      message:
        "a GPU was asked for by its CDI name, and no specification lists it: none was written, or it is of a driver or a GPU that is gone",
      fixes: [fix(describe, ...list), install([list[0]!])],
    };
  if (containers === "singularity")
    return {
      message: "Singularity was to let nvidia-container-cli set the GPU up, and that program is not on this host",
      fixes: [
        fix("use plain `--nv`, which binds the driver's libraries itself; `--nvccli` alone needs NVIDIA's container toolkit on the host"),
      ],
    };
  if (containers === "kubernetes")
    return {
      message:
        "the node's containerd or CRI-O has no runtime `nvidia`: the container toolkit is not installed there, or was not made known to it",
      fixes: [
        fix(
          "on the node: install the container toolkit, and make it known to containerd",
          "sudo apt-get install nvidia-container-toolkit",
          "sudo nvidia-ctk runtime configure --runtime=containerd --set-as-default",
          "sudo systemctl restart containerd",
        ),
        fix(
          "with the GPU operator: its toolkit does that; k3s and RKE2 keep containerd's configuration elsewhere, which the operator must be told",
        ),
      ],
    };
  return {
    message:
      "Docker was asked for a GPU, and has nothing that gives one: the NVIDIA container toolkit is not installed, or Docker was not told of it",
    fixes: [install(["sudo nvidia-ctk runtime configure --runtime=docker", "sudo systemctl restart docker"])],
  };
}
