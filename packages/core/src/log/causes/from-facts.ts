import { leastDriver } from "../../knowledge/goes-together.ts";
import { weights, type Problem } from "../cause.ts";
import { isTooOld, type Context } from "../context.ts";
import type { Facts } from "../fact.ts";
import { fix } from "../fixes.ts";
import { smIn } from "./architecture.ts";
import { olderDriver } from "./driver-too-old.ts";
import { showsMore } from "./forward-compat.ts";

/** What follows from the versions in a text alone, where nobody says what is wrong: each a hint, and only where the text names one of each. */
export default function fromFacts(facts: Facts, context: Context): Problem[] {
  return [...driverAndCuda(facts, context), ...compatInFront(facts, context)];
}

// "driver 418.87, CUDA 10.2": the one does not run the other.
function driverAndCuda(facts: Facts, { driver, driverCuda, toolkits }: Context): Problem[] {
  const [toolkit, ...others] = toolkits;
  const drivers = new Set(facts.all("driver").map(({ version }) => version));
  if (!driver || !toolkit || 0 < others.length || 1 < drivers.size || driverCuda) return [];
  if (isTooOld(driver.version, toolkit.version, facts.on("windows")) !== true) return [];
  const gpu = smIn(facts)?.sm;
  const least = leastDriver([{ cuda: toolkit.version }], gpu === undefined ? [] : [gpu])?.driver;
  return olderDriver({
    required: `${least === undefined ? "a newer driver" : `driver ${least} or newer`} for CUDA ${toolkit.version}`,
    found: `driver ${driver.version}`,
    message: `driver ${driver.version} is older than CUDA ${toolkit.version} needs`,
    evidence: [driver, toolkit],
    fixes: [fix("install a newer NVIDIA driver, or use an older CUDA")],
  });
}

// nvidia-smi shows the newest CUDA of the libcuda that it finds: above what the driver's release has, a compat library answers.
function compatInFront(facts: Facts, context: Context): Problem[] {
  const { driver, driverCuda } = context;
  if (!driver || !driverCuda || !showsMore(facts, context)) return [];
  return [
    {
      weight: weights.hint,
      suspects: [
        {
          cause: "forward-compat-misuse",
          name: "libcuda.so.1",
          library: "libcuda",
          required: `the libcuda of driver ${driver.version}`,
          found: `one that runs CUDA ${driverCuda.version}`,
          certainty: "possible",
          message: `CUDA ${driverCuda.version} is more than driver ${driver.version} runs by itself: a libcuda of a cuda-compat package is found first`,
          evidence: [driver, driverCuda],
          next: ["culprit why libcuda.so.1", "ldconfig -p | grep libcuda.so"],
          fixes: [
            fix(
              "leave the compat folder out of LD_LIBRARY_PATH, unless the GPU is one of a data center and the driver's branch is served by it",
            ),
          ],
        },
      ],
    },
  ];
}
