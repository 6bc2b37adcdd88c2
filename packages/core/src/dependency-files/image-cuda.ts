// The CUDA of an image, which wants a driver whatever is installed upon it.
import { imageSources } from "../knowledge/cuda-images.ts";
import { driverRuns } from "../knowledge/goes-together.ts";
import { compatTakes, ngcSources } from "../knowledge/ngc.ts";
import { gpuBuilds } from "./builds.ts";
import type { InstallContext } from "./context.ts";
import type { Installation, Installed } from "./install.ts";
import { lastingValue } from "./variables.ts";

/** The CUDA that an image is made of; what is installed upon a plain image of CUDA has one of its own, and is judged by that. */
export function cudaOfImage({
  image,
  installation,
  declaration: { steps },
}: InstallContext): { cuda: string; notes?: string; sources: string[] } | undefined {
  const row = image?.ngc?.row;
  if (row) return { cuda: row.cuda, ...(row.driver === undefined ? {} : { notes: row.driver }), sources: ngcSources(row) };
  // Who says what the host must have, or that it does not matter, has thought of it.
  const isSaid = ["NVIDIA_REQUIRE_CUDA", "NVIDIA_DISABLE_REQUIRE"].some((name) => lastingValue(steps, name) !== undefined);
  const isPlain =
    image?.kind === "cuda" && !image.isModules && !isSaid && gpuBuilds(installation).length === 0 && condaPins(installation).length === 0;
  return isPlain && image.cuda !== undefined ? { cuda: image.cuda, sources: imageSources() } : undefined;
}

/** Whether only compat libraries could let the GPUs that are asked about run an image, and nobody says that they do on this driver. */
export function isLeftToCompat(context: InstallContext): boolean {
  const { driver, gpus } = context;
  const cuda = driver === undefined ? undefined : cudaOfImage(context)?.cuda;
  return cuda !== undefined && 0 < gpus.length && driverRuns(driver!, cuda) === false && !compatTakes(cuda, driver!);
}

/** A package of conda that only says which CUDA everything in the environment is for. */
export function condaPins({ packages }: Installation): Installed[] {
  const all = [...packages.values()].filter(({ manager }) => manager === "conda");
  const pins = ["pytorch-cuda", "cuda-version", "cudatoolkit"].flatMap((name) => packages.get(`conda:${name}`) ?? []);
  // In a list of all that is installed it may be there for libraries that use no GPU: some build has to be for CUDA.
  const isWritten = pins.some(({ asked }) => asked?.build === undefined);
  const isUsed = all.some(({ name, asked }) => /(?:^|_)(?:cuda|gpu)/.test(asked?.build ?? "") || /^(?:cupy|cudf|cuml)$/.test(name));
  return isWritten || isUsed ? pins.slice(0, 1) : [];
}
