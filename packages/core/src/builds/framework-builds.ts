import type { Build, BuiltRelease } from "./build.ts";

/** What of a framework can be installed, and which of its builds one would get. One file each: `frameworks/<id>/builds.ts`. */
export interface FrameworkBuilds {
  /** The framework's folder. */
  id: string;
  /** Every release with its builds, newest first; of one release, builds of PyPI come first. */
  releases: () => BuiltRelease[];
  /** What pip could take, where that is more than what somebody wants who asks for a GPU. */
  asPip?: () => BuiltRelease[];
  /** It comes with CUDA even where nobody asked for a GPU and another package brings it. */
  alwaysWithCuda?: true;
  /** The distribution whose wheels decide on which Pythons it runs. */
  wheel: string;
  /** It compiles its kernels when they are needed, for whichever GPU is there. */
  compilesKernels?: true;
  /** Distributions of pip that these builds are of; `*` stands for any letters. */
  distributions: string[];
  /** The one that is installed under such a name; undefined for one that does not use a GPU. */
  installed: (release: BuiltRelease | undefined, as: InstalledAs) => Build | undefined;
  /** What is known of the one that conda installs, beside its CUDA. */
  installedByConda?: (as: InstalledByConda) => Pick<Build, "architectures"> | undefined;
  /** What to know before one uses a build that was chosen. */
  note?: (build: Build) => string | undefined;
}

/** How a package would be there. */
export interface InstalledAs {
  name: string;
  version: string;
  variant?: string;
  extras: string[];
  /** Names of all that would be there. */
  packages: string[];
  /** What stands behind the plus sign of a version, by the name of its package. */
  labels: ReadonlyMap<string, string>;
}

/** A build of conda. */
export interface InstalledByConda {
  channel: string;
  version: string;
  cuda: string;
}

export const defineBuilds = (builds: FrameworkBuilds) => builds;
