import { asksForNone, namesNoDevice, noneWords, visibleDevicesSources } from "../../knowledge/visible-devices.ts";
import { gpuBuilds } from "../../dependency-files/builds.ts";
import type { InstallContext } from "../../dependency-files/context.ts";
import { stepFact } from "../../dependency-files/facts.ts";
import { dependencyFileSide, type DependencyFileDraft } from "../rule.ts";
import page from "./page.ts";
import { gpuReasons, lastingValue, meansGpu } from "../../dependency-files/variables.ts";

export default dependencyFileSide(page, {
  finds: (context) => {
    // Who takes an image without CUDA may hide the GPU on purpose: that is no more than a note, and none without a build for CUDA.
    const isNote = !meansGpu(context);
    if (isNote && (context.image === undefined || gpuBuilds(context.installation).length === 0)) return [];
    const { steps } = context.declaration;
    const drafts: DependencyFileDraft[] = [];
    const cuda = lastingValue(steps, "CUDA_VISIBLE_DEVICES");
    if (cuda && namesNoDevice(cuda.value))
      drafts.push({
        subject: cuda.name,
        place: cuda.place,
        // Of an image without a framework that is known, nobody can say what will run there.
        ...severityOf(context, isNote),
        certainty: "likely",
        short: `CUDA_VISIBLE_DEVICES=${JSON.stringify(cuda.value)} hides every GPU`,
        message: `CUDA_VISIBLE_DEVICES=${JSON.stringify(cuda.value)} hides every GPU from the programs that start here`,
        because: ["the driver takes the list up to the first entry that is no GPU", ...gpuReasons(context)],
        advice: ["take CUDA_VISIBLE_DEVICES out, or name GPUs: CUDA_VISIBLE_DEVICES=0", "for tests only: set it in their command"],
        facts: { variables: [stepFact(cuda)] },
        ...(isNote ? {} : { breaks: gpuBuilds(context.installation).map(({ framework }) => ({ framework, activity: "device" })) }),
      });
    const runtime = lastingValue(steps, "NVIDIA_VISIBLE_DEVICES");
    if (runtime && asksForNone(runtime.value))
      drafts.push({
        subject: runtime.name,
        place: runtime.place,
        severity: isNote ? "info" : "warning",
        certainty: "likely",
        message: `NVIDIA_VISIBLE_DEVICES=${JSON.stringify(runtime.value)} asks the container runtime for no GPU`,
        because: [...noneWords(runtime.value), ...gpuReasons(context)],
        facts: { variables: [stepFact(runtime)] },
        advice: ["set NVIDIA_VISIBLE_DEVICES=all, or take it out where the base image sets it"],
        sources: visibleDevicesSources,
      });
    return drafts;
  },
});

function severityOf({ isAsked, installation }: InstallContext, isNote: boolean): { severity?: "warning" | "info" } {
  if (isNote) return { severity: "info" };
  return isAsked || 0 < gpuBuilds(installation).length ? {} : { severity: "warning" };
}
