import { defineFix } from "../fix.ts";

/** A container that was started without the GPU: nothing inside it can change that. */
export default defineFix({
  id: "container-flags",
  title: "Start the container with the GPU",
  proposes: ({ inventory: { driver } }, { rule }) =>
    rule !== "driver-not-exposed" || !driver.container
      ? []
      : [
          {
            title: "start the container with the driver's libraries",
            reach: "command",
            safety: "display-only",
            commands: [
              "docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility …    # needs the NVIDIA container toolkit on the host",
              "podman run --device nvidia.com/gpu=all …",
            ],
            steps: [],
            warning: "the container gets access to every GPU of the host; `--gpus device=0` gives one",
            changes: [],
          },
        ],
});
