import { architectureWords } from "../../knowledge/gpu-code.ts";
import { driverRuns, newerPtx, toolkitOf } from "../../knowledge/toolkits.ts";
import { codeIn, gpuFactOf, gpuWords } from "../../dependency-files/device.ts";
import { installedFact } from "../../dependency-files/facts.ts";
import { fullName, writtenAt } from "../../dependency-files/words.ts";
import { dependencyFileSide } from "../rule.ts";
import page from "./page.ts";

export default dependencyFileSide(page, {
  finds: (context) =>
    codeIn(context).flatMap(({ installed, framework, build, architectures, gpu, fit, certain }) => {
      const { driver } = context;
      const cuda = build.cuda?.version;
      if (fit !== "ptx" || driver === undefined || cuda === undefined || !driverRuns(driver, cuda)) return [];
      const ptx = newerPtx(driver, cuda);
      const needed = toolkitOf({ cudart: cuda })?.oldest.driver;
      if (!ptx) return [];
      return [
        {
          subject: `${installed.name} on ${gpu.name}`,
          place: installed.place,
          certainty: certain ? ("certain" as const) : ("likely" as const),
          short: `driver ${driver} cannot compile its PTX of CUDA ${cuda}`,
          message: `${fullName(installed)} has only PTX for ${gpuWords(gpu)}, made by CUDA ${cuda}: driver ${driver} cannot compile it`,
          because: [
            `it was built for ${architectureWords(architectures)}`,
            `the PTX is version ${ptx.ptx}, and this driver knows versions up to ${ptx.known}`,
            writtenAt(installed),
          ],
          advice: [
            ...(needed === undefined ? [] : [`a driver of ${needed} or newer`]),
            `${needed === undefined ? "" : "or "}a release of ${framework} with machine code for ${gpu.sm}`,
          ],
          facts: {
            packages: [installedFact(installed, "subject")],
            driver: { version: driver, ...(needed === undefined ? {} : { needed }), cuda },
            gpus: [gpuFactOf(gpu)],
          },
          breaks: [{ framework, activity: "matmul" }],
          sources: [build.architectures!.source],
        },
      ];
    }),
});
