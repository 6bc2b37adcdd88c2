// What was compiled for one release of torch, and what happens with another one.
import { isWithin, parsePythonVersion } from "../lib/pep440.ts";
import { builtForTorch } from "./texts/built-for-torch.generated.ts";
import { dispatchKeys } from "./texts/dispatch-keys.generated.ts";

const minorOf = (version: string) => parsePythonVersion(version)?.release.slice(0, 2).join(".");

/** The number of the dispatch key CUDA in a release of torch; undefined where nobody has looked. */
export function cudaKeyOf(torch: string): number | undefined {
  const minor = minorOf(torch);
  return dispatchKeys().counts.find((row) => row.torch === minor)?.cuda;
}

/** What these packages are compiled for. */
export const torchName = "torch";

/** Where it is known from for which torch a package is made. */
export const torchMeantSources = (name: string): string[] => {
  const { made, sources } = builtForTorch();
  return [...new Set(made.flatMap((row) => (row.package === name ? [row.source].flat() : [])))].map((key) => sources[key] ?? key);
};

const isOf = (version: string, release: string) => version === release || version.startsWith(`${release}.`);

/** The torch that a release was made for, as a specifier, where its own metadata do not say so. */
export const torchMeantBy = (name: string, version: string): string | undefined =>
  builtForTorch().made.find((row) => row.package === name && isOf(version, row.release))?.torch;

/** The newest release of such a package that was made for this torch. */
export const madeForTorch = (name: string, torch: string): string | undefined =>
  builtForTorch().made.findLast((row) => row.package === name && isWithin(torch.replace(/\+.*/, ""), row.torch) === true)?.newest;
