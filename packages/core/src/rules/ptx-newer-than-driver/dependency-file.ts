import { architectureWords } from "../../knowledge/gpu-code.ts";
import { leastDriver } from "../../knowledge/goes-together.ts";
import { compiledIn, gpuFactOf, gpuWords } from "../../dependency-files/device.ts";
import { installedFact } from "../../dependency-files/facts.ts";
import { fullName, writtenAt } from "../../dependency-files/words.ts";
import { dependencyFileSide } from "../rule.ts";
import page from "./page.ts";

export default dependencyFileSide(page, {
  finds: (context) =>
    compiledIn(context).flatMap(({ installed, framework, build, architectures, gpu, fate, certain }) => {
      const { driver } = context;
      const cuda = build.cuda?.version;
      if (fate.is !== "newer-ptx" || driver === undefined || cuda === undefined) return [];
      const { goneAfter, driver: least } = leastDriver([{ cuda, architectures }], [gpu.sm]) ?? {};
      const needed = goneAfter === undefined ? least : undefined;
      return [
        {
          subject: `${installed.name} on ${gpu.name}`,
          place: installed.place,
          certainty: certain ? ("certain" as const) : ("likely" as const),
          short: `driver ${driver} cannot compile its PTX of CUDA ${cuda}`,
          message: `${fullName(installed)} has only PTX for ${gpuWords(gpu)}, made by CUDA ${cuda}: driver ${driver} cannot compile it`,
          because: [
            `it was built for ${architectureWords(architectures)}`,
            `the PTX is version ${fate.ptx}, and this driver knows versions up to ${fate.known}`,
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
