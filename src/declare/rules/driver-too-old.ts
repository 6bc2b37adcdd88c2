import { driverReaches } from "../../knowledge/dotted.ts";
import { driverFloorSources } from "../../knowledge/toolkits.ts";
import { floorOf } from "../../solve/fit.ts";
import { gpuBuilds } from "../builds.ts";
import { minorOf } from "../conda.ts";
import type { Installation, Installed } from "../install.ts";
import { defineDeclaredRule, type DeclaredDraft } from "../rule.ts";
import { fullName, writtenAt } from "../words.ts";

export default defineDeclaredRule({
  id: "driver-too-old",
  finds: ({ installation, driver }) => {
    if (driver === undefined) return [];
    const builds = gpuBuilds(installation);
    const ofConda = builds.some(({ installed }) => installed.manager === "conda") ? [] : condaPins(installation);
    return [
      ...ofConda.flatMap((pin) => tooOldFor(pin, driver)),
      ...builds.flatMap(({ installed, framework, build }) => {
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
      }),
    ];
  },
});

/** Packages of conda that only say which CUDA everything in the environment is for. */
const condaPins = ({ packages }: Installation): Installed[] =>
  ["pytorch-cuda", "cuda-version", "cudatoolkit"].flatMap((name) => packages.get(`conda:${name}`) ?? []).slice(0, 1);

function tooOldFor(pin: Installed, driver: string): DeclaredDraft[] {
  const cuda = pin.asked && minorOf(pin.asked);
  const floor = cuda === undefined ? undefined : floorOf(cuda);
  if (cuda === undefined || !floor || driverReaches(driver, floor.driver)) return [];
  return [
    {
      subject: `${pin.name} with driver ${driver}`,
      place: pin.place,
      cause: "driver-too-old",
      severity: "error",
      certainty: floor.certain ? "certain" : "likely",
      message: `The environment is for CUDA ${cuda}, which needs driver ${floor.driver} or newer; there is ${driver}`,
      because: [writtenAt(pin)],
      advice: [`ask for an older CUDA, or take a driver of ${floor.driver} or newer`],
      sources: driverFloorSources(cuda),
    },
  ];
}
