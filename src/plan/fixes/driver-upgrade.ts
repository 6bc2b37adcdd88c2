import { driverFloor } from "../../knowledge/toolkits.ts";
import { defineFix } from "../fix.ts";
import { overlay } from "../simulate.ts";

/** A newer driver: proven as far as versions go, and for a person to install. */
export default defineFix({
  id: "driver-upgrade",
  title: "Install a newer driver",
  proposes(stack, { rule, subject, severity, advice }) {
    const cuda = rule === "driver-too-old" && severity === "error" ? /^CUDA (\d+) on driver/.exec(subject)?.[1] : undefined;
    const driver = cuda === undefined ? undefined : driverFloor(cuda)?.driver;
    if (driver === undefined) return [];
    return [
      {
        title: `install driver ${driver} or newer${stack.inventory.driver.container ? " on the host" : ""}`,
        reach: "machine",
        safety: "display-only",
        commands: [
          "https://www.nvidia.com/drivers, or the driver package of the distribution; then restart",
          // Other ways; another build of torch has a line of its own.
          ...advice.filter((each) => !/^install driver|install the build \w+ of torch/.test(each)),
        ],
        steps: [],
        warning: "every program on this machine gets the new driver, and those that use the GPU must be stopped for it",
        changes: [],
        simulate: (snapshot) => ({ ...overlay(snapshot), assumed: { ...snapshot.assumed, driver } }),
      },
    ];
  },
});
