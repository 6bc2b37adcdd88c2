import { oldestForCudnn } from "../../knowledge/cudnn.ts";
import { numberOf } from "../../knowledge/gpu-code.ts";
import { architecture } from "../../knowledge/toolkits.ts";
import type { InstallContext } from "../../dependency-files/context.ts";
import { codeIn, gpuFactOf, gpuWords, undrivenIn, unservedIn } from "../../dependency-files/device.ts";
import { installedFact } from "../../dependency-files/facts.ts";
import { fullName, writtenAt } from "../../dependency-files/words.ts";
import { dependencyFileSide, type DependencyFileDraft } from "../rule.ts";
import page from "./page.ts";

export default dependencyFileSide(page, {
  finds: (context) => [...byCudnn(context), ...byCompiler(context), ...byDriver(context)],
});

/** The cuDNN of a wheel that a framework asks for, where the framework itself still has code for the GPU. */
function byCudnn(context: InstallContext): DependencyFileDraft[] {
  const { packages } = context.installation;
  return codeIn(context).flatMap(({ installed, framework, build, gpu, fate, certain }) => {
    const major = build.cuda?.version.split(".")[0];
    const cudnn = major === undefined ? undefined : packages.get(`nvidia-cudnn-cu${major}`);
    const isAsked = cudnn && build.needs().some(({ name }) => name === cudnn.name);
    const least = isAsked && cudnn.version !== undefined ? oldestForCudnn(cudnn.version, major!) : undefined;
    if (!cudnn || !least || fate.is === "no-code" || numberOf(least.sm)! <= numberOf(gpu.sm)!) return [];
    return [
      {
        subject: `${cudnn.name} on ${gpu.name}`,
        place: cudnn.place,
        certainty: certain && least.certain && !cudnn.isAssumed ? ("certain" as const) : ("likely" as const),
        short: `cuDNN ${cudnn.version} does not run on ${gpu.name}`,
        message: `${fullName(cudnn)} does not run on ${gpuWords(gpu)}: it begins with ${least.sm}`,
        because: [
          framework === "torch"
            ? "torch raises when cuDNN is first used: “not compatible with devices with SM < 7.5”"
            : "cuDNN refuses that GPU",
          writtenAt(cudnn),
          `${writtenAt(installed)} uses it`,
        ],
        advice: [
          major === "12"
            ? "ask for a cuDNN that still runs there: nvidia-cudnn-cu12<=9.10.2.21"
            : "no cuDNN for this CUDA runs there; take a build for CUDA 12",
        ],
        facts: { packages: [installedFact(cudnn, "subject"), installedFact(installed, "asks")], gpus: [gpuFactOf(gpu)] },
        breaks: [{ framework, activity: "convolution" }],
        sources: least.sources,
      },
    ];
  });
}

function byCompiler(context: InstallContext): DependencyFileDraft[] {
  return unservedIn(context)
    .filter(({ why }) => why === "older")
    .map(({ installed, words, toolkit, gpu, breaks, certain }) => {
      const last = architecture(gpu.sm)?.last;
      return {
        subject: `${installed.name} on ${gpu.name}`,
        place: installed.place,
        certainty: certain ? ("certain" as const) : ("likely" as const),
        message: `${words} no longer makes code for ${gpuWords(gpu)}`,
        because: [`CUDA ${toolkit.cuda} begins with ${toolkit.architectures![0]}`, writtenAt(installed)],
        advice: last === undefined ? [] : [`stay with CUDA ${last}, the last that builds for ${gpu.sm}, and with packages for that major`],
        facts: { packages: [installedFact(installed, "subject")], gpus: [gpuFactOf(gpu)] },
        breaks,
      };
    });
}

const byDriver = (context: InstallContext): DependencyFileDraft[] =>
  undrivenIn(context)
    .filter(({ why }) => why.is === "after-last")
    .map(({ gpu, driver, place, breaks, why: { branch } }) => ({
      subject: `driver ${driver} on ${gpu.name}`,
      place,
      certainty: "likely" as const,
      short: `driver ${driver} no longer has ${gpuWords(gpu)}`,
      message: `driver ${driver} no longer has ${gpuWords(gpu)}: the last branch for it is ${branch}`,
      because: ["the kernel module leaves that GPU alone"],
      advice: [`a driver of the branch ${branch}`],
      facts: { driver: { version: driver }, gpus: [gpuFactOf(gpu)] },
      breaks,
    }));
