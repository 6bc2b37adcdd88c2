import { namesNoDevice } from "../../knowledge/visible-devices.ts";
import { stepFact } from "../../dependency-files/facts.ts";
import { dependencyFileSide, type DependencyFileDraft } from "../rule.ts";
import page from "./page.ts";
import { lastingValue, meansGpu } from "../../dependency-files/variables.ts";

export default dependencyFileSide(page, {
  finds: (context) => {
    // Who takes an image without CUDA hides the GPU on purpose.
    if (!meansGpu(context)) return [];
    const { steps } = context.declaration;
    const drafts: DependencyFileDraft[] = [];
    const cuda = lastingValue(steps, "CUDA_VISIBLE_DEVICES");
    if (cuda && namesNoDevice(cuda.value))
      drafts.push({
        subject: cuda.name,
        place: cuda.place,
        severity: context.isAsked ? "error" : "warning",
        certainty: "likely",
        message: `CUDA_VISIBLE_DEVICES=${JSON.stringify(cuda.value)} hides every GPU from the programs that start here`,
        because: ["the driver takes the list up to the first entry that is no GPU", ...meant(context.image?.name)],
        advice: ["take it out, or name GPUs: CUDA_VISIBLE_DEVICES=0", "where it is meant for tests only, set it in their command"],
        facts: { variables: [stepFact(cuda)] },
      });
    const runtime = lastingValue(steps, "NVIDIA_VISIBLE_DEVICES");
    if (runtime && /^(?:void|none|)$/.test(runtime.value.trim()))
      drafts.push({
        subject: runtime.name,
        place: runtime.place,
        severity: "warning",
        certainty: "likely",
        message: `NVIDIA_VISIBLE_DEVICES=${JSON.stringify(runtime.value)} asks the container runtime for no GPU`,
        because: [
          runtime.value.trim() === "none"
            ? "`none` brings the driver's libraries and no GPU"
            : "`void` and an empty value bring neither a GPU nor the driver's libraries",
          "only who starts the container with --gpus, or a device plugin, sets it anew",
          ...meant(context.image?.name),
        ],
        facts: { variables: [stepFact(runtime)] },
        advice: ["set NVIDIA_VISIBLE_DEVICES=all, or take it out where the base image sets it"],
        sources: ["https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/docker-specialized.html"],
      });
    return drafts;
  },
});

const meant = (image: string | undefined) => (image === undefined ? [] : [`the base image is ${image}`]);
