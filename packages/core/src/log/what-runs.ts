import { objectNamed } from "./objects.ts";
import type { Context } from "./context.ts";
import type { Fact, Facts } from "./fact.ts";
import { smIn } from "./causes/architecture.ts";

/** What runs: the CUDA that the framework was built with, or the toolkit of which the text speaks. */
export function runtimeOf(facts: Facts, context: Context): { cuda: string; fact: Fact | undefined } | undefined {
  for (const id of ["torch", "tensorflow", "jax", "paddle", "onnxruntime"]) {
    const { cuda, facts: known } = context.framework(id);
    if (cuda !== undefined) return { cuda, fact: known.find((fact) => fact.cuda === cuda) ?? known[0] };
  }
  const runtime = facts.all("file").find(({ path }) => objectNamed(path)?.library === "cudart" && objectNamed(path)?.cuda !== undefined);
  if (runtime) return { cuda: objectNamed(runtime.path)!.cuda!.first, fact: runtime };
  const toolkit = context.toolkits[0];
  return toolkit && { cuda: toolkit.version, fact: toolkit };
}

export const smsIn = (facts: Facts): string[] => [smIn(facts)?.sm ?? []].flat();

/** CUDA's error codes, where one of these was said. */
export const coded = (facts: Facts, ...codes: number[]) => facts.all("cuda-error").filter(({ code }) => codes.includes(code));
