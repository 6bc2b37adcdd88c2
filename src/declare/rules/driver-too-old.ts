import { driverReaches } from "../../knowledge/dotted.ts";
import { driverFloorSources } from "../../knowledge/toolkits.ts";
import { floorOf } from "../../solve/fit.ts";
import { gpuBuilds } from "../builds.ts";
import { defineDeclaredRule } from "../rule.ts";
import { fullName, writtenAt } from "../words.ts";

export default defineDeclaredRule({
  id: "driver-too-old",
  finds: ({ installation, driver }) => {
    if (driver === undefined) return [];
    return gpuBuilds(installation).flatMap(({ installed, framework, build }) => {
      const floor = build.cuda && floorOf(build.cuda.version);
      if (!floor || driverReaches(driver, floor.driver)) return [];
      return [
        {
          subject: `${installed.name} with driver ${driver}`,
          place: installed.place,
          cause: "driver-too-old" as const,
          severity: "error" as const,
          certainty: floor.certain ? ("certain" as const) : ("likely" as const),
          message: `${fullName(installed)} is built for CUDA ${build.cuda!.version}, which needs driver ${floor.driver} or newer; there is ${driver}`,
          because: [
            `${writtenAt(installed)}${installed.isAssumed && installed.asked ? `: ${installed.version} is the newest that fits` : ""}`,
          ],
          advice: [
            `culprit solve ${framework === "onnxruntime" ? "onnxruntime-gpu" : framework} --driver ${driver}`,
            `or a driver of ${floor.driver} or newer`,
          ],
          breaks: [{ framework, activity: "device" }],
          sources: [build.cuda!.source, ...driverFloorSources(build.cuda!.version)],
        },
      ];
    });
  },
});
