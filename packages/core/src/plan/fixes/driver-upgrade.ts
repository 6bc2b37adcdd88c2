import { adviceLine } from "../../lib/shell.ts";
import { defineFix } from "../fix.ts";
import { overlay } from "../../model/overlay.ts";

/** A newer driver: proven as far as versions go, and for a person to install. */
export default defineFix({
  id: "driver-upgrade",
  title: "Install a newer driver",
  proposes(stack, { rule, facts, severity, advice }) {
    const { needed: driver } = facts.driver ?? {};
    if (rule !== "driver-too-old" || severity !== "error" || driver === undefined) return [];
    return [
      {
        title: `install driver ${driver} or newer${stack.inventory.driver.container ? " on the host" : ""}`,
        reach: "machine",
        safety: "display-only",
        commands: [
          "https://www.nvidia.com/drivers, or the driver package of the distribution; then restart",
          // Other ways; what a kind of fix does has a line of its own.
          ...advice.filter(({ fix }) => fix === undefined).map(adviceLine),
        ],
        steps: [],
        warning: "every program on this machine gets the new driver, and those that use the GPU must be stopped for it",
        changes: [],
        simulate: (snapshot) => ({ ...overlay(snapshot), assumed: { ...snapshot.assumed, driver } }),
      },
    ];
  },
});
