import { leastDriver } from "../../knowledge/goes-together.ts";
import { weights, type Problem } from "../cause.ts";
import { type Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { containerOption, fix } from "../fixes.ts";
import { smsIn } from "../what-runs.ts";

/** An image demands more than the host's driver gives. */
export default function imageDemands(facts: Facts, context: Context): Problem[] {
  const requirement = facts.all("container").find((fact) => fact.what === "requirement");
  return requirement ? [containerRequirement(requirement, facts, context)] : [];
}

const name = "libcuda.so.1";

const library = "libcuda";

function containerRequirement(fact: Fact<"container">, facts: Facts, context: Context): Problem {
  const condition = "condition" in fact ? fact.condition : "";
  const wanted = /cuda ?>= ?(\d{1,2}\.\d{1,2})/.exec(condition)?.[1];
  const least = wanted === undefined ? undefined : leastDriver([{ cuda: wanted, makesPtx: true }], smsIn(facts));
  const found = [context.driver?.version, context.driverCuda && `CUDA ${context.driverCuda.version}`]
    .filter((part) => part !== undefined)
    .join(", ");
  return {
    weight: weights.said,
    suspects: [
      {
        cause: "driver-too-old",
        name,
        library,
        required:
          wanted === undefined ? condition : `a driver for CUDA ${wanted}${least === undefined ? "" : ` (${least.driver} or newer)`}`,
        ...(found === "" ? {} : { found }),
        certainty: "certain",
        message: `the image demands ${condition}, and the host's driver does not give it`,
        evidence: [fact, context.driver, context.driverCuda].filter((each) => each !== undefined),
        next: ["nvidia-smi"],
        fixes: [
          fix(`install a newer driver on the host${least === undefined || facts.on("windows") ? "" : ` (${least.driver} or newer)`}`),
          fix(`or take an image for an older CUDA${context.driverCuda ? ` (${context.driverCuda.version} or older)` : ""}`),
          containerOption(
            "or, where the driver is of the same major and the program does not need the newest, switch the image's demand off",
            "-e NVIDIA_DISABLE_REQUIRE=1",
          ),
        ],
      },
    ],
  };
}
