import { fitOf } from "../../knowledge/gpu-code.ts";
import { gpuBuilds } from "../builds.ts";
import { defineDeclaredRule } from "../rule.ts";
import { fullName, writtenAt } from "../words.ts";

export default defineDeclaredRule({
  id: "gpu-not-in-build",
  finds: ({ installation, gpus }) =>
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
            advice: [`culprit solve ${framework === "onnxruntime" ? "onnxruntime-gpu" : framework} --gpu "${name}"`],
            breaks: [{ framework, activity: "matmul" }],
            sources: [build.architectures.source],
          },
        ];
      }),
    ),
});
