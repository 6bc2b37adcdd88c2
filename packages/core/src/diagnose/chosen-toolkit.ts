// The toolkit that a build of extensions would take.
import type { Toolkit } from "../model/inventory.ts";
import type { Stack } from "./stack.ts";

/** As torch.utils.cpp_extension chooses it. */
export function chosenToolkit({
  inventory: { toolkits },
  pointers: { homes, nvcc },
}: Stack): { toolkit: Toolkit; by: string; isExplicit: boolean } | undefined {
  const [home] = homes;
  if (home) {
    const toolkit = toolkits.find(({ path, nvcc: own }) => path === home.real && own !== undefined);
    return toolkit && { toolkit, by: `${home.variable}=${home.value}`, isExplicit: true };
  }
  const onPath = nvcc === undefined ? undefined : toolkits.find(({ onPath: first }) => first);
  if (onPath) return { toolkit: onPath, by: `PATH finds ${nvcc} first`, isExplicit: false };
  const usual = nvcc === undefined ? toolkits.find(({ path, names }) => [path, ...names].includes("/usr/local/cuda")) : undefined;
  return usual && { toolkit: usual, by: "/usr/local/cuda is taken where nothing else is said", isExplicit: false };
}
