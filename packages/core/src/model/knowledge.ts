import type { Cause } from "./cause.ts";

/**
 * The facts in `knowledge/`. What is not known is absent, never null; none is said: `[]`, `{}`, `false`, `"none"`.
 * A finding may be definite only when the fields it rests on are in neither `memory` nor `inferred`.
 */
export interface KnowledgeFile {
  about: string;
  /** Where facts come from, by the keys that rows use. */
  sources: { [key: string]: string };
}

/** Keys of the file's `sources`; or `memory`: nobody has looked it up; or `wheel`: read from the wheel that the row holds. */
export type SourceKeys = string | string[];

export interface Sourced {
  source: SourceKeys;
  /** The day on which the fact was last compared with its source. */
  checked: string;
  /** Fields with sources of their own. */
  from?: { [field: string]: SourceKeys };
  /** Fields that are only remembered. */
  memory?: string[];
  /** Fields that were worked out: from a neighbouring release, an order, a naming rule. */
  inferred?: string[];
  /** Fields that another source had wrong. */
  corrected?: Correction[];
  note?: string;
}

export interface Correction {
  field: string;
  was: unknown;
  /** The wheel or the list that proves it. */
  evidence: string;
}

export interface CudaToolkits extends KnowledgeFile {
  toolkits: Toolkit[];
  sonames: SonameRange[];
  architectures: Architecture[];
  hostCompilers: HostCompiler[];
  driverFloors: DriverFloor[];
  driverBranches: DriverBranch[];
}

export interface Toolkit extends Sourced {
  version: string;
  /** Major and minor. */
  cuda: string;
  released?: string;
  /** The Linux driver that has every feature of this toolkit. */
  driver?: string;
  driverWindows?: string;
  /** The driver inside the runfile, where it differs from the list. */
  bundledDriver?: string;
  compatPackage?: string;
  /** The branches of drivers that the compat library of this release says it works with. */
  compatBranches?: number[];
  nvcc?: string;
  cudart?: string;
  cudartSoname?: string;
  cupti?: string;
  cuptiSoname?: string;
  /** The real file behind the soname. */
  cuptiFile?: string;
  /** What cuptiGetVersion returns. */
  cuptiApi?: number;
  ptx?: string;
  /** Versions of other components. */
  components?: { [name: string]: string };
  /** What nvcc builds for. */
  architectures?: string[];
}

/** What a library's main object is called in the toolkits from one minor to another, both included. */
export interface SonameRange extends Sourced {
  first: string;
  last: string;
  /** By library id; `memory` names ids here. */
  sonames: { [library: string]: string };
}

export interface Architecture extends Sourced {
  sm: string;
  name: string;
  /** First and last toolkit that build for it; without `last`, the newest one still does. */
  first: string;
  last?: string;
  /** Driver branches. */
  firstDriver?: number;
  lastDriver?: number;
  /** Only the open flavor of the kernel module drives it. */
  openModuleOnly?: true;
}

/** What nvcc takes as its host compiler, in the toolkits from one minor to another. */
export interface HostCompiler extends Sourced {
  first: string;
  last: string;
  /** The newest gcc: the headers compare the major. */
  gcc: number;
  /** The first `_MSC_VER` of Visual Studio that the headers refuse. */
  msvc?: number;
}

/** The least Linux driver that runs anything built with a toolkit of this major. */
export interface DriverFloor extends Sourced {
  major: number;
  driver: string;
}

export interface DriverBranch extends Sourced {
  branch: number;
  support: string;
  endOfLife: string;
  cudaMajor: number;
}

export interface Cudnn extends KnowledgeFile {
  releases: CudnnRelease[];
  layouts: CudnnLayout[];
  quirks: Rule[];
}

export interface CudnnRelease extends Sourced {
  version: string;
  /** What cudnnGetVersion returns. */
  number: number;
  released?: string;
  firstSeen?: string;
  cudaMajors: number[];
  /** CUDA minors that the support matrix lists. */
  toolkits?: string[];
  /** CUDA versions that packages were published for. */
  archives?: string[];
  /** The oldest architecture it runs on, by CUDA major. */
  smMin?: { [major: string]: string };
  smMax?: string;
  smMaxCondition?: string;
  /** Least Linux driver, by CUDA major. */
  drivers?: { [major: string]: string };
  soname: string;
  file: string;
  /** Id of a layout. */
  layout: string;
}

export interface CudnnLayout extends Sourced {
  id: string;
  objects: string[];
}

/** A fact in words, and the versions that it is about. */
export interface Rule extends Sourced {
  says: string;
  releases?: string[];
  since?: string;
  until?: string;
}

export interface Gpus extends KnowledgeFile {
  gpus: Gpu[];
  chips: Chip[];
  devices: DeviceNames[];
}

export interface Gpu extends Sourced {
  name: string;
  /** What people call it. */
  also?: string[];
  kind: "consumer" | "workstation" | "datacenter" | "jetson";
  sm: string;
  architecture: string;
}

export interface Chip extends Sourced {
  chip: string;
  sm: string;
  /** PCI devices of vendor 10de: `20b0` or `2080-20ff`. */
  ids: string[];
}

/** What PCI devices of vendor 10de are sold as, by their number (`2684`), from one list. */
export interface DeviceNames extends Sourced {
  list: string;
  names: { [device: string]: string };
}

export interface Packages extends KnowledgeFile {
  packages: Package[];
}

export type Ecosystem = "pypi" | "conda" | "apt-nvidia" | "apt-debian" | "runfile" | "wsl2";

export interface Package extends Sourced {
  ecosystem: Ecosystem;
  /** `X-Y` stands for CUDA major and minor, `NNN` for a driver branch. */
  name: string;
  cudaMajors?: number[];
  /** Names of the files, by which a loader or a program finds them; `*` stands for any text. */
  provides: string[];
  files?: string[];
  /** Below site-packages for `pypi`. */
  folder?: string | string[];
  /** Oldest and newest seen. */
  versions?: string[];
  /** Releases that hold nothing, though they sort above real ones. */
  placeholders?: string[];
}

/** Requirements by package, as version specifiers; `""` is any version. */
export interface Pins {
  [name: string]: string;
}

/** What was read from a wheel's own files; `npm run harvest` prints it. */
export interface Wheel {
  /** Its file name: the evidence. */
  wheel: string;
  package: string;
  version: string;
  /** Which Pythons take it. */
  python?: string;
  requires: Pins;
  extras?: { [extra: string]: Pins };
  /** What its own files say that it was built with. */
  compiled?: CompiledIn;
  objects: { [path: string]: WheelObject };
}

export interface CompiledIn {
  version?: string;
  cuda?: string;
  cudnn?: string;
  nccl?: string;
  cutensor?: string;
  capabilities?: string[];
}

export interface WheelObject {
  soname?: string;
  /** The known library it is a copy of, and its version. */
  library?: string;
  version?: string;
  /** Known GPU libraries that it is linked against. */
  needs?: string[];
  /** Names of known GPU libraries among its texts: what it may open by itself. */
  opens?: string[];
  rpath?: string;
  runpath?: string;
  architectures?: string[];
  /** How many other objects of the wheel have the same facts. */
  alike?: number;
}

export interface Wheels extends KnowledgeFile {
  wheels: (Wheel & { checked: string })[];
}

interface FrameworkFile<Release> extends KnowledgeFile {
  releases: Release[];
  /** What it checks by itself, when, and what it prints. */
  checks?: FrameworkCheck[];
  rules?: Rule[];
}

interface Release extends Sourced {
  version: string;
  released?: string;
  /** Wheels of this very release. */
  wheels?: Wheel[];
}

export interface FrameworkCheck extends Sourced {
  id: string;
  when: string;
  says: string;
  message?: string;
  /** The variable that switches it off. */
  override?: string;
}

export type Torch = FrameworkFile<TorchRelease>;

export interface TorchRelease extends Release {
  variant: string;
  cuda: string;
  /** Whether it is the one without a local version. */
  default?: boolean;
  python?: string;
  cudnn?: string;
  nccl?: string;
  /** Whether all CUDA objects are inside the wheel. */
  bundled: boolean;
  /** Whether they are inside the wheel of the same build that has a label, on PyTorch's own index; else it is like the one of PyPI. */
  labelledBundled?: boolean;
  pins?: Pins;
  architectures?: string[];
}

export type TensorFlow = FrameworkFile<TensorFlowRelease>;

export interface TensorFlowRelease extends Release {
  package: string;
  python?: string;
  compiler?: string;
  cuda: string;
  cudnn: string;
  /** The extra that brings the nvidia wheels, or `none`. */
  extra: string;
  pins?: Pins;
  architectures?: string[];
  opens?: string[];
}

export interface Jax extends FrameworkFile<JaxRelease> {
  history: JaxChange[];
}

export interface JaxChange extends Rule {
  version: string;
  package: "jax" | "jaxlib";
}

export interface JaxRelease extends Release {
  jaxlib?: string;
  jaxlibMinimum?: string;
  documented?: JaxBuild[];
  labels?: string[];
  pins?: Pins;
  builds?: { [name: string]: JaxBuild };
  /** By CUDA major, or `any`. */
  smMin?: { [major: string]: string };
  drivers?: { [major: string]: string };
  /** Id of the check of versions. */
  check?: string;
}

export interface JaxBuild {
  cuda?: string;
  cudnn?: string;
  nccl?: string;
  nvshmem?: string;
  architectures?: string[];
  cudaMinimum?: string;
  cudnnMinimum?: string;
  cudaAccepted?: string;
  cudnnAccepted?: string;
  ncclAccepted?: string;
}

export type CuPy = FrameworkFile<CuPyRelease>;

/** Lists of what the install guide names. */
export interface CuPyRelease extends Release {
  cuda?: string[];
  cudnn?: string[];
  nccl?: string[];
  cutensor?: string[];
  python?: string[];
  packages?: string[];
  cudnnBindings?: boolean;
  smMin?: string;
}

export type Triton = FrameworkFile<TritonRelease>;

/** Versions of the assemblers inside. */
export interface TritonRelease extends Release {
  ptxas: string;
  /** For GPUs from sm_100 on. */
  ptxasBlackwell?: string;
}

export type OnnxRuntime = FrameworkFile<OnnxRuntimeRelease>;

export interface OnnxRuntimeRelease extends Release {
  variant: string;
  cuda: string;
  cudnn: string;
  cudnnWindows?: string;
  default?: boolean;
  tested?: { cuda: string; cudnn: string };
  builtWith?: { [library: string]: string };
}

export interface KnownBad extends KnowledgeFile {
  combinations: KnownBadCombination[];
  withdrawn: WithdrawnRelease[];
  profilers: ProfilerDefect[];
}

/** A release with which a profile lacks the GPU, or ends the program. */
export interface ProfilerDefect extends Sourced {
  id: string;
  /** `cuda` for the CUPTI of that toolkit, or a package. */
  of: string;
  versions: string;
  platform?: "windows" | "linux";
  /** Which symptom it explains: no kernel at all, some that are lost, or the end of a program with CUDA graphs. */
  sign: "no-kernels" | "lost-kernels" | "graphs";
  says: string;
  /** A release without the defect. */
  instead: string;
  /** What helps without another release. */
  workaround?: string[];
}

/** A release that its makers took back, or that came out with a defect that everybody meets. */
export interface WithdrawnRelease extends Sourced {
  id: string;
  package: string;
  versions: string;
  platform?: "windows" | "linux";
  says: string;
  /** Words of the error, any of which must stand in a text for this to be the cause. */
  shows?: string[];
  /** A release without the defect. */
  instead: string;
}

/** Releases with a documented defect; all conditions together. */
export interface KnownBadCombination extends Sourced {
  id: string;
  /** What goes wrong. */
  says: string;
  /** Installed packages. */
  packages?: Pins;
  /** Libraries that would be loaded, by id. */
  libraries?: Pins;
  /** A package that is not installed, though it is imported; and the version that helps. */
  absent?: string;
  install?: string;
  /** At least so many GPUs, of these architectures where they are named. */
  gpus?: number;
  architectures?: string[];
  /** A library, by id or by the name that is asked for, or a module of a wheel, whose refusal or absence it explains. */
  explains?: string;
  severity: "warning" | "info";
  activity: string;
  /** The package that it is bad for; absent: whatever uses them. */
  suffers?: string;
  advice: string;
}

/** What shows a profile: TensorBoard, its profile plugins, and what they are made of. */
export interface ProfilerPlugins extends KnowledgeFile {
  releases: PluginRelease[];
  clashes: PluginClash[];
}

export interface PluginRelease extends Sourced {
  package: string;
  version: string;
  /** Of the packages that clashes are about; what is left out does not matter here. */
  requires: Pins;
  /** Names under which it registers with TensorBoard. */
  plugins?: string[];
  /** The protoc that made its messages: `before 3.19`, `3.19 or later`, or a release that is asked for at run time; `unchecked`: is not asked for. */
  generated?: string;
  /** What it needs while it is imported, whatever it requires. */
  imports?: string[];
}

/** Packages that are installed together and do not work together, though pip let them. */
export interface PluginClash extends Sourced {
  id: string;
  /** All of these are installed, each within its range. */
  when: Pins;
  /** None of these is. */
  lacks?: string[];
  /** Which Pythons. */
  python?: string;
  /** A variable that makes it work all the same, as NAME=VALUE. */
  unless?: string;
  effect: "tensorboard does not start" | "the profile plugin is left out";
  /** What is printed. */
  message: string;
  /** Requirements for pip that mend it, the least change first. */
  remedies: string[];
  /** Tried in a real environment: what was in it. */
  tried?: Pins;
}

export interface ErrorCodes extends KnowledgeFile {
  codes: ErrorCode[];
  texts: ErrorText[];
}

export interface ErrorCode extends Sourced {
  enum: string;
  code: number;
  name: string;
  /** Versions of the library whose numbering this is. */
  since?: string;
  until?: string;
  meaning?: string;
  /** Causes that fit where a program says no more than this, most likely first. */
  means?: Cause[];
}

export interface ErrorText extends Sourced {
  text: string;
  enum: string;
  code: number;
}

export interface Colab extends KnowledgeFile {
  images: ColabImage[];
  drivers: ColabDriver[];
  pinned: ColabRuntime[];
}

export interface ColabDriver extends Sourced {
  driver: string;
  since?: string;
  seen?: string;
}

export interface ColabImage extends Sourced {
  date: string;
  image: "default" | "gpu" | "cpu";
  ubuntu?: string;
  python?: string;
  pip: { [name: string]: string };
  apt: { [name: string]: string };
}

export interface ColabRuntime extends Sourced {
  label: string;
  ubuntu: string;
  python: string;
  pytorch: string;
  jax: string;
  tensorflow?: string;
}

/** What an index of packages has. */
export interface Published extends KnowledgeFile {
  packages: PublishedPackage[];
}

export interface PublishedPackage extends Sourced {
  name: string;
  /** PyPI has nothing that is older than the first release here, whatever there once was. */
  whole?: true;
  releases: PublishedRelease[];
}

export interface PublishedRelease {
  version: string;
  /** The Pythons that it has wheels for; absent: one wheel serves all. */
  pythons?: string[];
  /** Which Pythons its metadata asks for. */
  python?: string;
  /** Requirements as PEP 508 writes them; absent where only the versions were asked for. */
  requires?: string[];
  /** What a library of NVIDIA asks for, as PEP 508 writes it: only libraries of NVIDIA. */
  brings?: string[];
  /** There is a source distribution, too: where no wheel serves, pip builds it. */
  sdist?: true;
  /** It was taken back: pip installs it only where it is pinned. */
  yanked?: true;
}

/** What packages upon the frameworks require. */
export interface Required extends KnowledgeFile {
  packages: RequiredPackage[];
}

export interface RequiredPackage extends Sourced {
  name: string;
  releases: RequiredReleases[];
}

/** Releases of which the same holds, oldest first. */
export interface RequiredReleases extends Omit<PublishedRelease, "version"> {
  versions: string[];
}

/** Packages that many install, and that ask for no framework and for no library of a GPU. */
export interface Unrelated extends KnowledgeFile {
  lists: UnrelatedList[];
}

export interface UnrelatedList extends Sourced {
  names: string[];
}

/** Packages without binaries that take any release of the frameworks, and of the packages upon them, that they ask for. */
export interface LightPackages extends KnowledgeFile {
  lists: LightList[];
}

export interface LightList extends Sourced {
  asks: string[];
  names: string[];
}

/** From which release on a package is built for NumPy 2; older ones break with it, whatever their requirements say. */
export interface NumpyTwo extends KnowledgeFile {
  packages: NumpyTwoPackage[];
  removed: NumpyRemoved[];
}

/** Names that `numpy` had until a release, and has no more from it on. */
export interface NumpyRemoved extends Sourced {
  first: string;
  names: string[];
}

export interface NumpyTwoPackage extends Sourced {
  name: string;
  first: string;
  /** From this release on its import ends beside NumPy 2. */
  ends?: string;
}

/** How each release of torch counts the keys by which operators are registered. */
export interface DispatchKeys extends KnowledgeFile {
  counts: DispatchKeysRow[];
}

export interface DispatchKeysRow extends Sourced {
  /** A minor release: `2.5`. */
  torch: string;
  cuda: number;
}

/** Which torch a package was made for that does not say so itself. */
export interface BuiltForTorch extends KnowledgeFile {
  made: BuiltForTorchRow[];
}

export interface BuiltForTorchRow extends Sourced {
  package: string;
  /** How its versions begin. */
  release: string;
  newest: string;
  /** As PEP 440 writes it. */
  torch: string;
}

/** Images with a framework, of NVIDIA's registry nvcr.io. */
export interface NgcImages extends KnowledgeFile {
  containers: NgcImage[];
  compat: NgcCompat[];
  constraints: NgcConstraint[];
}

export interface NgcImage extends Sourced {
  image: string;
  /** As its tag begins: `25.12`. */
  release: string;
  /** Where a release has several images: `vllm`. */
  flavour?: string;
  cuda: string;
  cudnn?: string;
  /** What the release notes ask for. */
  driver?: string;
  python?: string;
  /** Of the framework itself, which is a build of NVIDIA's own. */
  version?: string;
}

/** Branches of older drivers on which GPUs of data centres run an image with its compat libraries, as release notes name them. */
export interface NgcCompat extends Sourced {
  /** The major. */
  cuda: string;
  branches: string[];
}

/** A file that makes pip keep the packages of an image. */
export interface NgcConstraint extends Sourced {
  image: string;
  since: string;
  file: string;
}

/** Images of nvidia/cuda. */
export interface CudaImages extends KnowledgeFile {
  tags: CudaImage[];
}

export interface CudaImage extends Sourced {
  /** As the tag begins: `12.4.1`. */
  cuda: string;
  /** Releases of Ubuntu that there are images for. */
  systems: string[];
  /** Of those with `cudnn` in the tag, oldest first; several where it depends on the system or the day. */
  cudnn?: string[];
}

/** Packages that are compiled where they are installed. */
export interface CompiledPackages extends KnowledgeFile {
  packages: CompiledPackage[];
}

export interface CompiledPackage extends Sourced {
  name: string;
  /** Of GitHub, by which an address is known. */
  repository?: string;
  /** What PyPI has under the name has wheels, or is something else. */
  onlyFromRepository?: true;
  /** Whether nvcc is run: always; wherever torch finds CUDA_HOME; only where the variable is 1. */
  compiler: "always" | "where-found" | "if-asked";
  variable?: string;
  /** The variable that leaves the compiler out. */
  skips?: string;
  /** Its setup imports torch, and nothing tells pip. */
  torch?: "undeclared";
  /** From which release on pip builds it apart from what is installed: its pyproject.toml has a build system. */
  apart?: BuiltApart[];
}

export interface BuiltApart {
  since: string;
  /** The releases of torch that pip brings for the build, the newest of them; absent: it brings none. */
  torch?: string;
}

/** Packages of conda that choose a build, and the builds that there are. */
export interface Conda extends KnowledgeFile {
  pins: CondaPin[];
  builds: CondaBuild[];
  defects: CondaDefect[];
}

/** Builds that let in a release of another package with which they do not work. */
export interface CondaDefect extends Sourced {
  id: string;
  /** What goes wrong. */
  says: string;
  package: string;
  channel: string;
  versions: string;
  /** The channel whose newest release of the other package is such a one. */
  brought: string;
  /** Packages that hold the other one back, where they are named. */
  unless: string[];
  activity: string;
  advice: string;
}

/** A package that only says which CUDA is meant. */
export interface CondaPin extends Sourced {
  name: string;
  /** Channels that have it. */
  channels: string[];
  /** All that were ever published, and ever will be. */
  versions: string[];
  /** Versions that Anaconda's own channel never had: it has no builds for them either. */
  notInDefaults?: string[];
  /** A package that lets only the same version in. */
  follows?: string;
}

export interface CondaBuild extends Sourced {
  package: string;
  channel: string;
  version: string;
  /** The CUDA of each build, beside one for processors only. */
  cuda: string[];
  /** The package that a build asks for, and by which it can be chosen. */
  chosenBy: "cudatoolkit" | "pytorch-cuda" | "cuda-version";
  /** The Pythons that it was built for, where they are known. */
  pythons?: string[];
  /** There is none for processors only. */
  onlyCuda?: true;
  /** Builds with CUDA ask for a driver on the machine that installs them (`__cuda`). */
  needsDriver?: true;
  /** It takes the libraries of any minor of its CUDA. */
  anyMinor?: true;
}

/** What releases of frameworks were seen to load, beside what was predicted. */
export interface WatchedReleases extends KnowledgeFile {
  watched: WatchedRelease[];
  unwatched: UnwatchedRelease[];
  /** By framework the minor releases in which every patch is a release of its own: what was seen of one says nothing of another. */
  apart: { [framework: string]: string[] };
}

export interface WatchedRelease extends Sourced {
  /** One process: frameworks by id, with their releases, in the order of their imports. */
  frameworks: { [framework: string]: string };
  python?: string;
  /** With the folders of NVIDIA's wheels on LD_LIBRARY_PATH. */
  libraryPath?: true;
  /** What decides about loading and was installed as well, with its version. */
  packages?: string[];
  activities: { [activity: string]: WatchedActivity };
}

/** Without numbers where nobody kept them: then it was as predicted. */
export interface WatchedActivity {
  /** GPU files that were really opened, and how many of them were predicted, and predicted without doubt. */
  mapped?: number;
  predicted?: number;
  certain?: number;
  /** Absent: none. */
  missed?: string[];
  wrong?: string[];
  /** What stopped it, as predicted: what it loads where nothing does was not seen. */
  stopped?: string;
  /** How the program ended where the driver for tests carried it no further. */
  ended?: string[];
  /** Of an activity after the import: those in addition. `driver/` is the driver for tests, `system/` the machine's own. */
  files?: string[];
}

export interface UnwatchedRelease extends Sourced {
  framework: string;
  release: string;
  reason: string;
}

/** Packages with binaries that have nothing to do with GPUs: no file of the wheel asks for a GPU's library or a framework's. */
export interface PlainPackages extends KnowledgeFile {
  packages: PlainPackage[];
}

export interface PlainPackage extends Sourced {
  name: string;
  /** In which that was seen. */
  wheel: string;
}

/** Parts of names that hint at a GPU or a framework. */
export interface GpuHints extends KnowledgeFile {
  words: GpuHint[];
}

export interface GpuHint extends Sourced {
  /** `*` stands for any letters. */
  word: string;
  /** A package that has it in its name. */
  example: string;
}

/** Packages that have nothing for musl. */
export interface GlibcOnly extends KnowledgeFile {
  packages: GlibcOnlyPackage[];
}

export interface GlibcOnlyPackage extends Sourced {
  name: string;
}

/** Names that pip cannot install from PyPI. */
export interface NoSuchPackages extends KnowledgeFile {
  names: NoSuchPackage[];
}

export interface NoSuchPackage extends Sourced {
  name: string;
  /** What PyPI has for it. */
  instead?: string;
  /** Where it has nothing: what to know. */
  why?: string;
  /** PyPI has something under that name, which only says that it is the wrong one. */
  isStub?: true;
}
