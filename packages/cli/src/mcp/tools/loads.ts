import type { Loads } from "@culprit/core";
import { counted, list, number, object, string, type Tool } from "../tool.ts";

export const loads: Tool<Loads> = {
  name: "loads",
  title: "What a program would load",
  description:
    "The GPU libraries that a program, a library file or a framework would load, in order: which file, which version, which rule led there, who asked. And what stops it, in the loader's own words. Several frameworks are one process that imports them in that order. Nothing is run.",
  command: "loads",
  words: [
    {
      name: "program",
      help: "a framework (torch, tensorflow, jax …), or the path of an executable or shared library; several frameworks are one process",
      required: true,
      multiple: true,
    },
  ],
  options: ["do", "python", "target", "root", "env", "unset", "module", "driver", "gpu", "cwd", "cpu", "ldconfig"],
  data: object({
    failures: list(
      object({ name: string(), requestedBy: string(), activity: string(), message: string() }),
      "what stops the program or the activity",
    ),
    libraries: list(
      object({
        name: string(),
        "version?": string(),
        file: string(),
        via: string(),
        requestedBy: string(),
        activity: string(),
        certainty: { type: "string", enum: ["certain", "possible"] },
        details: string("the address of all that is known about it"),
      }),
      "the GPU libraries among what would be loaded",
    ),
    objects: number("how many objects would be loaded in all"),
    unknown: list(object({ subject: string(), reason: string() })),
  }),
  brief: (answer, { at }) => {
    const libraries = answer.loads.map((load, index) => ({ load, index })).filter(({ load }) => load.library !== undefined);
    return {
      summary: `${answer.failures.length === 0 ? "nothing stops it" : `${counted(answer.failures.length, "failure")} would stop it`}; ${counted(answer.loads.length, "object")} would be loaded, ${libraries.length} of them of GPU libraries`,
      data: {
        failures: answer.failures.map(({ name, requestedBy, activity, message }) => ({ name, requestedBy, activity, message })),
        libraries: libraries.map(({ load, index }) => ({
          name: load.name,
          ...(load.version === undefined ? {} : { version: load.version }),
          file: load.file,
          via: load.via,
          requestedBy: load.requestedBy,
          activity: load.activity,
          certainty: load.certainty,
          details: at(`/loads/${index}`),
        })),
        objects: answer.loads.length,
        unknown: answer.unknown.map(({ subject, reason }) => ({ subject, reason })),
      },
    };
  },
};
