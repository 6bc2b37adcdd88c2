import { architecture } from "../../knowledge/toolkits.ts";
import { gpuFactOf, gpuWords, unservedIn } from "../../dependency-files/device.ts";
import { installedFact } from "../../dependency-files/facts.ts";
import { writtenAt } from "../../dependency-files/words.ts";
import { dependencyFileSide } from "../rule.ts";
import page from "./page.ts";

export default dependencyFileSide(page, {
  finds: (context) =>
    unservedIn(context)
      .filter(({ why }) => why === "newer")
      .map(({ installed, words, toolkit, gpu, breaks, certain }) => {
        const first = architecture(gpu.sm)?.first;
        const newer = first === undefined ? "a newer CUDA" : `CUDA ${first} or newer`;
        return {
          subject: `${installed.name} on ${gpu.name}`,
          place: installed.place,
          certainty: certain ? ("certain" as const) : ("likely" as const),
          short: `${words} does not know ${gpu.name}`,
          message: `${words} does not know ${gpuWords(gpu)}: it cannot compile kernels for it`,
          because: [
            `CUDA ${toolkit.cuda} builds for ${toolkit.architectures!.filter((name) => /\d$/.test(name)).join(", ")}`,
            ...(first === undefined ? [] : [`${gpu.sm} came with CUDA ${first}`]),
            writtenAt(installed),
          ],
          advice: [
            installed.name === "triton" || installed.name === "torch"
              ? `a newer Triton, or TRITON_PTXAS_PATH (for sm_100 and newer TRITON_PTXAS_BLACKWELL_PATH) with the ptxas of ${newer}`
              : `the compiler of ${newer}`,
          ],
          facts: { packages: [installedFact(installed, "subject")], gpus: [gpuFactOf(gpu)] },
          breaks,
        };
      }),
});
