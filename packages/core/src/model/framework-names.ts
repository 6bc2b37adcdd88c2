/**
 * What others call a framework, and what belongs to it: all that code outside of its folder knows of it. It stands in
 * `frameworks/<id>/names.ts`; `npm run generate` copies it to here, so that who needs a name gets no model along. `*` in a name stands for
 * any letters.
 */
export interface FrameworkNames {
  /** The name of its folder, by which `loads`, `why` and `check` take it for a program. */
  id: string;
  /** Distributions that are it and whose loading is modelled; the first that is installed counts. */
  packages: string[];
  /** Names of its modules in Python. */
  modules: string[];
  /** Paths of files that are mapped where it runs contain one of these. */
  mapped: string[];
  /** The name by which `solve` knows it (it has a `builds.ts`), and its place in lists: what is asked for most comes first. */
  solve?: { name: string; rank: number };
  /** What people also write for it in a requirement. */
  aliases?: string[];
  /** Distributions that are a part of it and are installed with it. */
  parts?: string[];
  /** Those of them that it refuses, when it is imported, where they are newer than itself; and the file of it that says so. */
  refusesNewer?: { parts: string[]; source: string };
  /**
   * Distributions upon it that name the releases of it which they are made for in an extra alone, so that pip compares nothing. `refused`:
   * they say so at their import, where it is older.
   */
  madeFor?: { package: string; extra: string; refused?: true; because: string; source: string }[];
  /** Distributions that are made with it, each for one release of it. */
  companions?: string[];
  /** Builds that others publish under other names; their loading is not modelled. */
  otherBuilds?: string[];
  /** Those of its distributions that fill one folder: whichever comes last is there. */
  sameFolder?: string[];
  /** Those of them that have no code for GPUs. */
  withoutGpu?: string[];
  /** It has a distribution for each major of CUDA, which stands at the `*`. */
  perCudaMajor?: string;
  /** Distributions that say which versions of GPU packages they need. */
  asking?: string[];
  /** Distributions that others are built for, release by release. */
  exact?: string[];
  /** Stems of its own libraries that other packages are linked with, and that lie below `PACKAGE/`: `libtorch_cpu`. */
  provides?: string[];
  /** Distributions with GPU libraries inside, and the folders that those are in, below site-packages. */
  bundling?: { packages: string[]; folders: string[] };
  /** Names in conda, and the distribution that fills the same folder. */
  conda?: { [name: string]: string };
  /** How conda has its builds. */
  condaBuilds?: CondaNames;
  /** An index that has its builds by labels (`cu126`, `cpu`) in folders of that name. */
  labelled?: {
    index: string;
    /** How addresses of it begin, behind `https://`. */
    addresses: string[];
    /** Distributions that it has besides. */
    holds: string[];
    /** What else the index may have for one of its builds; nothing besides is there. */
    besides: string[];
    /** A pattern of labels by which wheels of others tell the release that they were compiled for: major and minor, with a dot or apart. */
    compiledFor: string;
    /** Packages that carry the label of the framework that they were built with. */
    marks: string[];
    /** What builds with other labels ask for in other versions, or not at all. */
    varies: string[];
  };
  /** Words in addresses of other indexes that have no builds by labels. */
  otherIndexes?: string[];
  /** The page that has its builds with labels which PyPI does not take (`jaxlib==0.4.23+cuda12.cudnn89`). */
  labelPage?: string;
  /** Of NVIDIA's wheels it finds those at most that its own extra brings: the loader has to be led to all others. */
  needsPath?: true;
  /** Distributions whose one wheel serves the CPU as well: that they are there does not say that a GPU is meant. */
  servesCpu?: string[];
  /** What it fails at without CUDA's libraries, where it finds the GPU all the same. */
  failsAt?: string;
  /** Which of its releases are for which major of a library that it does not bring along; `opens`: those that use it at all, where not all do. */
  releasesFor?: { library: string; major: string; releases: string; opens?: string }[];
  /** Distributions without code for GPUs that it asks for on purpose: what they do for it is done on the CPU. */
  wantsWithoutGpu?: string[];
  /** Distributions of its own that most people use on the CPU, or have because another package does: without GPU libraries they are whole. */
  mostlyWithoutGpu?: string[];
  /** Most people have it because a framework asks for it, which imports it only where it is used. */
  comesAlong?: true;
  /** It starts nvcc when it runs, to compile kernels. */
  startsNvcc?: true;
  /** Its own profiler records with CUPTI. */
  profilesWithCupti?: true;
  /** NVIDIA's image of it (nvcr.io/nvidia/…), and what it has in builds of NVIDIA's own. */
  ngc?: { image: string; packages: string[] };
}

/** Packages of conda that stand for one framework. */
export interface CondaNames {
  /** The one that has the builds; the others name it, or choose among its builds. */
  package: string;
  /** Of the same version: the name alone chooses a build with CUDA, or one without. */
  withGpu: string[];
  withoutGpu: string[];
  /** Packages of no version that choose one without. */
  choosesNone: string[];
  /** Packages that are made for one release of it, or bring it: their releases tell by what they require of it on PyPI. */
  follow: string[];
  /** Packages that may hold it back, where they are asked for beside it; `*` stands for any letters. */
  upon: string[];
}

export const defineNames = <Names extends FrameworkNames>(names: Names): Names => names;
