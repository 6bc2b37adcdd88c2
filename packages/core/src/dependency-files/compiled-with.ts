// What is compiled in an image with the nvcc that is there, for a torch of another CUDA.
import { builtApart, compiledPackage } from "../knowledge/compiled-packages.ts";
import { torchName } from "../knowledge/built-for-torch.ts";
import { normalName } from "../lib/pep508.ts";
import { placeWords } from "../lib/place.ts";
import type { Check } from "../model/check.ts";
import type { DeclaredPackage, Install } from "../model/dependency-file.ts";
import { gpuBuilds } from "./builds.ts";
import type { InstallContext } from "./context.ts";
import { compilesWithCuda } from "./image-compiler.ts";
import { fullName } from "./words.ts";

/** torch refuses to compile with a toolkit of another major; some setups look for a wheel of their own first, and which there are nobody here knows. */
export function ofCompiled(context: InstallContext): Check["unknown"] {
  const { image, declaration, installation } = context;
  const torch = gpuBuilds(installation).find(({ installed }) => installed.name === torchName && installed.manager !== "conda");
  const [own, there] = [torch?.build.cuda?.version, image?.cuda];
  if (!torch || image?.kind !== "cuda" || own === undefined || there === undefined || majorOf(own) === majorOf(there)) return [];
  const isBuilt = (declared: DeclaredPackage, step: Install): boolean => {
    const row = compiledPackage({ name: normalName(declared.name) });
    if (row?.torch === undefined || declared.url !== undefined || (!step.noIsolation && builtApart(row, declared.specifier) !== undefined))
      return false;
    return compilesWithCuda(row, step, declaration.steps, image);
  };
  return installation.named
    .filter(({ declared, step }) => step.manager === "pip" && isBuilt(declared, step))
    .map(({ declared }) => ({
      subject: `${normalName(declared.name)} at ${placeWords(declared.place)}`,
      kind: "package" as const,
      reason: `${fullName(torch.installed)} is for CUDA ${own}, and nvcc of ${image.name} is of ${there}: torch refuses to compile with it; whether a wheel that fits is found before is not known here`,
    }));
}

const majorOf = (version: string) => version.split(".")[0];
