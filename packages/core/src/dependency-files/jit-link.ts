// libcusparse asks libnvJitLink for functions that are named after its own CUDA: an older one lacks them.
import { needsOf, releasesOf } from "../builds/build.ts";
import { compareDotted } from "../knowledge/dotted.ts";
import { once } from "../lib/memo.ts";
import type { Installed } from "./install.ts";
import type { Unmet } from "./unmet.ts";
import { frameworkOf } from "./words.ts";

const cusparse = "nvidia-cusparse-cu12";
const jitLink = "nvidia-nvjitlink-cu12";

/** The CUDA that each cuSPARSE came with, as the metapackage of the toolkit lists them; of several, the first. */
const cudaOf = once(() => {
  const found = new Map<string, string>();
  for (const release of releasesOf("cuda-toolkit"))
    for (const { name, specifier } of needsOf("cuda-toolkit", release)) {
      const version = name === cusparse ? /^==([\d.]+?)(?:\.\*)?$/.exec(specifier)?.[1] : undefined;
      if (version !== undefined && !found.has(version)) found.set(version, release.version.split(".").slice(0, 2).join("."));
    }
  return found;
});

/** The CUDA of the cuSPARSE that would be there. */
export function cusparseCuda(packages: Map<string, Installed>): string | undefined {
  const version = packages.get(cusparse)?.version;
  return version === undefined ? undefined : cudaOf().get(version);
}

/** An nvJitLink that was asked for, and is older than the CUDA of the cuSPARSE beside it. What pip chooses by itself is the newest. */
export function olderJitLink(packages: Map<string, Installed>): Unmet[] {
  const [by, needs] = [packages.get(cusparse), packages.get(jitLink)];
  const cuda = cusparseCuda(packages);
  if (!by || needs?.version === undefined || cuda === undefined || cuda === "12.0" || 0 <= compareDotted(needs.version, cuda)) return [];
  const user = [...packages.values()].find(({ build }) => build?.needs().some(({ name }) => name === cusparse));
  const symbol = `__nvJitLinkComplete_${cuda.replace(".", "_")}`;
  return [
    {
      by,
      needs,
      specifier: `>=${cuda}`,
      source: "the symbols of libcusparse.so.12 and libnvJitLink.so.12 in NVIDIA's wheels on PyPI, and the requirements of cuda-toolkit",
      isUnseen: true,
      ...(user === undefined ? {} : { user: frameworkOf(user.name) ?? user.name }),
      isRefused: true,
      madeFor: `its libcusparse.so.12 asks for ${symbol}, which the older libnvJitLink.so.12 does not have`,
    },
  ];
}
