import { ngcSources } from "../../knowledge/ngc.ts";
import { compareDotted } from "../../knowledge/dotted.ts";
import { architecture } from "../../knowledge/toolkits.ts";
import { codeIn, gpuFactOf } from "../../dependency-files/device.ts";
import { installedFact } from "../../dependency-files/facts.ts";
import type { InstallContext } from "../../dependency-files/context.ts";
import { dependencyFileSide, type DependencyFileDraft } from "../rule.ts";
import page from "./page.ts";
import { fullName, writtenAt } from "../../dependency-files/words.ts";
import { solveName } from "../../model/frameworks.ts";

export default dependencyFileSide(page, {
  finds: (context) => [...ofImage(context), ...ofBuilds(context)],
});

/** A toolkit that no longer builds for a GPU leaves it out of everything in an image that was made with it. */
function ofImage({ image, gpus }: InstallContext): DependencyFileDraft[] {
  const row = image?.ngc?.row;
  if (!row) return [];
  return gpus.flatMap(({ name, sm }) => {
    const last = architecture(sm)?.last;
    if (last === undefined || 0 <= compareDotted(last, row.cuda.split(".").slice(0, 2).join("."))) return [];
    return [
      {
        subject: `${image.name} on ${name}`,
        place: image.place,
        certainty: "likely" as const,
        short: `CUDA ${row.cuda} of the image has no code for ${name}`,
        message: `${image.name} is built with CUDA ${row.cuda}, which has no code for ${name} (${sm}) any more`,
        because: [`CUDA ${last} is the last one that builds for it`],
        advice: ["take an older release of the image"],
        facts: { gpus: [{ name, sm }] },
        sources: ngcSources(row),
      },
    ];
  });
}

const ofBuilds = (context: InstallContext): DependencyFileDraft[] =>
  codeIn(context)
    .filter(({ fate }) => fate.is === "no-code")
    .map(({ installed, framework, build, architectures, gpu, certain }) => ({
      subject: `${installed.name} on ${gpu.name}`,
      place: installed.place,
      certainty: certain ? ("certain" as const) : ("likely" as const),
      short: `${fullName(installed)} has no code for ${gpu.name}`,
      message: `${fullName(installed)} has no code for ${gpu.name} (${gpu.sm})`,
      because: [`it was built for ${architectures.join(", ")}`, writtenAt(installed)],
      advice: [
        {
          words: "see which releases run there",
          command: ["culprit", "solve", solveName(framework), "--gpu", gpu.name],
        },
      ],
      facts: { packages: [installedFact(installed, "subject")], gpus: [gpuFactOf(gpu)] },
      breaks: [{ framework, activity: "matmul" }],
      sources: [build.architectures!.source],
    }));
