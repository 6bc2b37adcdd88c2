import type { Facts } from "./fact.ts";

const twelve = "jax[cuda12]";
const plugin = /(?:xla_cuda|jax[_-]cuda|jax\[cuda)(?<major>1[23])(?!\d)/g;

/**
 * A line that installs JAX with its CUDA asks for the CUDA of the plugin that the text shows: CUDA 13 where there is one for that and none for 12.
 * A driver before 580 does not run it.
 */
export function forItsPlugin(line: string, facts: Facts): string {
  if (!line.includes(twelve) || /jax\[cuda12\]==0\.[0-6]\./.test(line)) return line;
  const majors = new Set(facts.everything().flatMap(({ at }) => [...at.text.matchAll(plugin)].map(({ groups }) => groups!["major"])));
  const isOld = facts.all("driver").some(({ version }) => Number.parseInt(version) < 580);
  return majors.has("13") && !majors.has("12") && !isOld ? line.replace(twelve, "jax[cuda13]") : line;
}
