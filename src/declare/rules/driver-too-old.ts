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
    const ofConda = 0 < builds.length ? [] : condaPins(installation);
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

/** A package of conda that only says which CUDA everything in the environment is for. */
function condaPins({ packages }: Installation): Installed[] {
  const all = [...packages.values()].filter(({ manager }) => manager === "conda");
  const pins = ["pytorch-cuda", "cuda-version", "cudatoolkit"].flatMap((name) => packages.get(`conda:${name}`) ?? []);
  // In a list of all that is installed it may be there for libraries that use no GPU: some build has to be for CUDA.
  const isWritten = pins.some(({ asked }) => asked?.build === undefined);
  const isUsed = all.some(({ name, asked }) => /(?:^|_)(?:cuda|gpu)/.test(asked?.build ?? "") || /^(?:cupy|cudf|cuml)$/.test(name));
  return isWritten || isUsed ? pins.slice(0, 1) : [];
}

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
