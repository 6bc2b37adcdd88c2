import { architectureWords } from "../../knowledge/gpu-code.ts";
import { knownBadOn } from "../../knowledge/known-bad.ts";
import { compiledIn, gpuFactOf, gpuWords } from "../../dependency-files/device.ts";
import { installedFact } from "../../dependency-files/facts.ts";
import { fullName, writtenAt } from "../../dependency-files/words.ts";
import { dependencyFileSide } from "../rule.ts";
import page from "./page.ts";

export default dependencyFileSide(page, {
  finds: (context) =>
    compiledIn(context).flatMap(({ installed, framework, build, architectures, gpu, fate, certain }) => {
      // Where it is known to be refused, it is no matter of time: that has a rule of its own.
      if (fate.is !== "ptx" || knownBadOn(installed.name, installed.version ?? "", gpu.sm)) return [];
      return [
        {
          subject: `${installed.name} on ${gpu.name}`,
          place: installed.place,
          certainty: certain ? ("certain" as const) : ("likely" as const),
          short: `${installed.name} has only PTX for ${gpu.name}`,
          message: `${fullName(installed)} has only PTX for ${gpuWords(gpu)}: its kernels are compiled when it first starts, which can take minutes`,
          because: [`it was built for ${architectureWords(architectures)}`, writtenAt(installed)],
          advice: [
            `ask for a release with code for ${gpu.sm}`,
            "until then: CUDA_CACHE_MAXSIZE=4294967296, and CUDA_CACHE_PATH in a folder that stays",
          ],
          facts: { packages: [installedFact(installed, "subject")], gpus: [gpuFactOf(gpu)] },
          endangers: [{ framework, activity: "matmul" }],
          sources: [build.architectures!.source],
        },
      ];
    }),
});
