import { fitOf } from "../../knowledge/gpu-code.ts";
import { ngcSources } from "../../knowledge/ngc.ts";
import { compareDotted } from "../../knowledge/dotted.ts";
import { architecture } from "../../knowledge/toolkits.ts";
import { gpuBuilds } from "../../dependency-files/builds.ts";
import { installedFact } from "../../dependency-files/facts.ts";
import { defineDependencyFileRule, type DependencyFileDraft, type Scene } from "../../dependency-files/rule.ts";
import { fullName, writtenAt } from "../../dependency-files/words.ts";
import { solveName } from "../../model/frameworks.ts";

export default defineDependencyFileRule({
  id: "gpu-not-in-build",
  finds: (scene) => [...ofImage(scene), ...ofBuilds(scene)],
});

/** A toolkit that no longer builds for a GPU leaves it out of everything in an image that was made with it. */
function ofImage({ image, gpus }: Scene): DependencyFileDraft[] {
  const row = image?.ngc?.row;
  if (!row) return [];
  return gpus.flatMap(({ name, sm }) => {
    const last = architecture(sm)?.last;
    if (last === undefined || 0 <= compareDotted(last, row.cuda.split(".").slice(0, 2).join("."))) return [];
    return [
      {
        subject: `${image.name} on ${name}`,
        place: image.place,
        cause: "arch-unsupported" as const,
        severity: "error" as const,
        certainty: "likely" as const,
        message: `${image.name} is built with CUDA ${row.cuda}, which has no code for ${name} (${sm}) any more`,
        because: [`CUDA ${last} is the last one that builds for it`],
        advice: ["take an older release of the image"],
        facts: { gpus: [{ name, sm }] },
        sources: ngcSources(row),
      },
    ];
  });
}

const ofBuilds = ({ installation, gpus }: Scene): DependencyFileDraft[] =>
  gpuBuilds(installation).flatMap(({ installed, framework, build }) =>
    gpus.flatMap(({ name, sm }) => {
      if (!build.architectures || fitOf(sm, build.architectures.list) !== undefined) return [];
      return [
        {
          subject: `${installed.name} on ${name}`,
          place: installed.place,
          cause: "arch-unsupported" as const,
          severity: "error" as const,
          certainty: build.architectures.source === "memory" ? ("likely" as const) : ("certain" as const),
          message: `${fullName(installed)} has no code for ${name} (${sm})`,
          because: [`it was built for ${build.architectures.list.join(", ")}`, writtenAt(installed)],
          advice: [
            {
              words: "see which releases run there",
              command: ["culprit", "solve", solveName(framework), "--gpu", name],
            },
          ],
          facts: { packages: [installedFact(installed, "subject")], gpus: [{ name, sm }] },
          breaks: [{ framework, activity: "matmul" }],
          sources: [build.architectures.source],
        },
      ];
    }),
  );
