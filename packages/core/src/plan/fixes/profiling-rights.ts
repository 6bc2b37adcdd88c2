import { defineFix } from "../fix.ts";
import { withText } from "../simulate.ts";

const parameters = "/proc/driver/nvidia/params";

/** Lets everybody profile. Whether that is worth its price is for a person to decide. */
export default defineFix({
  id: "profiling-rights",
  title: "Open the GPU's counters to all users",
  proposes(stack, { rule }, { files }) {
    const fact = files[parameters];
    if (rule !== "profiler-permission" || fact?.kind !== "file" || fact.text === undefined) return [];
    const text = fact.text.replace(/^(RmProfilingAdminOnly:\s*)1/m, "$10");
    const inContainer = stack.inventory.driver.container;
    return [
      {
        title: "let every user profile",
        reach: "machine",
        safety: "display-only",
        commands: [
          ...(inContainer ? ["on the host, not in this container:"] : []),
          "echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' | sudo tee /etc/modprobe.d/nvidia-profiling.conf",
          "sudo update-initramfs -u    # Fedora, RHEL: sudo dracut --force",
          "sudo reboot",
        ],
        steps: [],
        warning: "every user can then watch the counters of the GPU, and may learn from them what others compute: not on a shared machine",
        changes: [],
        simulate: (snapshot) => withText(snapshot, parameters, text),
      },
      ...(inContainer
        ? [
            {
              title: "start the container with the right to profile",
              reach: "command" as const,
              safety: "display-only" as const,
              commands: ["docker run --gpus all --cap-add=SYS_ADMIN …"],
              steps: [],
              warning: "SYS_ADMIN gives the container much of what root may do on the host: only for images that you trust",
              changes: [],
            },
          ]
        : []),
    ];
  },
});
