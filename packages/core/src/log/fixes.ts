import { torchBuildFor } from "../knowledge/torch-builds.ts";
import { onnxruntime } from "../knowledge/texts/onnxruntime.generated.ts";
import { toolkitOf } from "../knowledge/toolkits.ts";
import { hasPackagesFor, imageFor } from "../knowledge/cuda-images.ts";
import { packageProviding } from "../knowledge/packages.ts";
import { supplyOf } from "../knowledge/suppliers.ts";
import type { Finding } from "../model/finding.ts";
import type { Context } from "./context.ts";
import { objectNamed, releaseText, type ObjectName } from "./objects.ts";
import { solvedFrameworks } from "../model/frameworks.ts";

type Fix = Finding["fixes"][number];

/** A text alone proves nothing about a machine: such a fix is shown, never applied. */
export const fix = (what: string, ...commands: string[]): Fix => ({
  fix: what,
  safety: "display-only",
  commands,
  proof: { removes: [], adds: [] },
});

/** Ways to bring an object into an environment: its wheel, its conda package, its package of NVIDIA's repository. */
export function installFixes(object: ObjectName, context: Context, isProgram = false, cuda?: string): Fix[] {
  return [...imageFix(object, context), ...packagesWith(object, context, isProgram, cuda)];
}

/** What an image of NVIDIA's holds, from least to most; cuDNN is in those that say so. */
const flavors = ["base", "runtime", "devel"];

/** The image of NVIDIA's that has it, in the place of one that does not. */
function imageFix({ library, suffix }: ObjectName, { image }: Context): Fix[] {
  if (!image) return [];
  const cudnn = library === "cudnn" ? suffix.split(".")[0]! : undefined;
  const flavor = library === "cupti" ? "devel" : "runtime";
  const has = flavors.findIndex((each) => image.parts.endsWith(each));
  const tag = imageFor(image.cuda, image.system, cudnn);
  if (tag === undefined || (flavors.indexOf(flavor) <= has && (cudnn === undefined || image.parts.startsWith("cudnn")))) return [];
  const wanted = flavors[Math.max(has, flavors.indexOf(flavor))]!;
  return [
    fix(
      "take the image of NVIDIA's that has it, and build yours upon it",
      `docker pull nvidia/cuda:${tag}-${wanted}-ubuntu${image.system}`,
    ),
  ];
}

function packagesWith(object: ObjectName, context: Context, isProgram: boolean, asked: string | undefined): Fix[] {
  if (object.windows) return windowsFixes(object, context);
  if (object.library === "nvvm") return nvvmFixes(object.name);
  const { name, cuda } = object;
  const fixes: Fix[] = [];
  const { conda } = context;
  const { wheel, apt } = supplyOf(name, { ...(asked === undefined ? {} : { cuda: asked }), ...cudaIn(context) });
  if (wheel) {
    const { folder } = wheel;
    fixes.push(
      fix(
        `install the wheel that holds \`${name}\`${folder === undefined ? "" : `, and put its folder where the program looks if the program does not look there by itself`}`,
        `pip install "${wheel.name}${wheel.specifier}"`,
        ...(folder === undefined ? [] : [withWheelFolder(folder)]),
      ),
    );
  }
  if (conda) {
    const old = cuda && Number(cuda.last.split(".")[0]) < 12 && object.library !== "cudnn";
    const package_ = old
      ? `cudatoolkit=${cuda.first}`
      : packageProviding(name, "conda").find((each) => !["cudatoolkit"].includes(each.name))?.name;
    if (package_ !== undefined) fixes.push(fix(`install it into the conda environment`, `conda install -c conda-forge ${package_}`));
  }
  if (isGone(object, context)) return [ofArchive(object), ...fixes];
  const system = apt === undefined ? [] : [systemFix(apt)];
  // A program of one's own looks where the system's packages are, and into no wheel by itself.
  const known = isProgram || context.elf ? [...system, ...fixes] : [...fixes, ...system];
  if (0 < known.length) return known;
  // No package of its own is known: the toolkit that has it does.
  return [
    fix(
      cuda
        ? `install CUDA ${cuda.first === cuda.last ? cuda.first : `${cuda.first} to ${cuda.last}`}, whose toolkit has \`${name}\``
        : `install the package that holds \`${name}\``,
    ),
  ];
}

// NVIDIA's repositories have no packages of old toolkits for newer systems.
function isGone({ cuda, library }: ObjectName, { linux }: Context): boolean {
  if (cuda === undefined || library === "cudnn" || 11 <= Number(cuda.first.split(".")[0]) || cuda.first !== cuda.last) return false;
  return linux?.release === undefined || !hasPackagesFor(cuda.first, linux.release);
}

const ofArchive = ({ cuda, name }: ObjectName): Fix =>
  fix(
    `install CUDA ${cuda!.first}, which has \`${name}\`, beside what is here: NVIDIA's archive of toolkits (developer.nvidia.com/cuda-toolkit-archive) has its runfile`,
    `export LD_LIBRARY_PATH=/usr/local/cuda-${cuda!.first}/lib64:$LD_LIBRARY_PATH`,
  );

// In a toolkit CUPTI lies in a folder of its own, which its package does not tell the loader of.
function systemFix(apt: string): Fix {
  const [, major, minor] = /^cuda-cupti-(\d+)-(\d+)$/.exec(apt) ?? [];
  const install = `sudo apt-get install ${apt}`;
  if (major === undefined) return fix(`install it from NVIDIA's package repository`, install);
  const folder = `/usr/local/cuda-${major}.${minor}/extras/CUPTI/lib64`;
  return fix(
    `install it from NVIDIA's package repository, and let the loader look in its folder`,
    install,
    withFolder(folder).commands[0]!,
  );
}

/** Lets the loader look in a folder of the environment's packages. */
export const withWheelFolder = (folder: string): string =>
  `export LD_LIBRARY_PATH="$(python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/${folder}:$LD_LIBRARY_PATH"`;

/** Lets the loader look in the folders of all of NVIDIA's wheels. */
export const withWheelFolders = `export LD_LIBRARY_PATH="$(python -c 'import glob, sysconfig; print(":".join(glob.glob(sysconfig.get_path("purelib") + "/nvidia/*/lib")))'):$LD_LIBRARY_PATH"`;

/** The CUPTI of one release of CUDA, however the framework was told of another. */
export function cuptiFixes(cuda: string, context: Context): Fix[] {
  const major = cuda.split(".")[0]!;
  const object = objectNamed(`libcupti.so.${Number(major) < 12 ? cuda : major}`);
  return object ? installFixes(object, context, true) : [];
}

/** PyPI has one build of each release of ONNX Runtime, and each CUDA its run of releases. */
export function onnxruntimeFor(major: string | undefined): Fix {
  const rows = onnxruntime().releases.filter((row) => row.default);
  const first = rows.find(({ cuda }) => cuda.split(".")[0] === major);
  const next = rows[rows.findLastIndex(({ cuda }) => cuda.split(".")[0] === major) + 1];
  if (!first) return fix(`install a release of ONNX Runtime that is built for ${major === undefined ? "the CUDA here" : `CUDA ${major}`}`);
  const until = next === undefined ? "" : `,<${next.version}`;
  return fix(
    `install a release of ONNX Runtime that is built for CUDA ${major}: ${first.version}${next === undefined ? " and newer" : ` up to the last before ${next.version}`}`,
    `pip install "onnxruntime-gpu>=${first.version}${until}"`,
  );
}

// A toolkit has it in a folder of its own, where no loader looks; the wheels for CUDA 11 and 12 hold it under its name without a number.
const nvvmFixes = (name: string): Fix[] => [
  fix("let the loader look in the toolkit's folder for it", "export LD_LIBRARY_PATH=/usr/local/cuda/nvvm/lib64:$LD_LIBRARY_PATH"),
  name === "libnvvm.so"
    ? fix("or install the wheel that holds it", `pip install nvidia-cuda-nvcc-cu12`, withWheelFolder("nvidia/cuda_nvcc/nvvm/lib64"))
    : fix(`or install the wheel that holds \`${name}\`, of CUDA 13`, "pip install nvidia-nvvm", withWheelFolder("nvidia/cu13/lib")),
];

/** The CUDA that the framework of the text is for, as far as anything says so. */
function cudaIn({ framework, packages, toolkits, image }: Context): { cuda?: string } {
  const cuda =
    solvedFrameworks.map(({ id }) => framework(id).cuda).find((each) => each !== undefined) ??
    packages(/^(?:nvidia|jax|cupy)-.*cu(?:da)?1\d/)
      .map(({ name }) => /cu(?:da)?(1\d)/.exec(name)?.[1])
      .find((major) => major !== undefined) ??
    image?.cuda ??
    toolkits[0]?.version;
  return cuda === undefined ? {} : { cuda };
}

function windowsFixes(object: ObjectName, { speaker }: Context): Fix[] {
  const release = releaseText(object);
  const range = object.cuda !== undefined && object.cuda.first !== object.cuda.last;
  // Its extras name NVIDIA's wheels, and `preload_dlls` opens what lies in them: both since 1.21.
  const ofWheels = speaker === "onnxruntime" && 12 <= Number(object.cuda?.first.split(".")[0] ?? (object.suffix === "9" ? 12 : 0));
  return [
    ...(ofWheels
      ? [
          fix(
            `install the wheels that hold \`${object.name}\`, and call \`onnxruntime.preload_dlls()\` before the first session`,
            'pip install "onnxruntime-gpu[cuda,cudnn]"',
          ),
        ]
      : []),
    fix(
      `${ofWheels ? "or " : ""}install ${release === undefined ? object.title : `${release}${range ? " (any release of it has this file)" : ""}`} and put the folder of \`${object.name}\` on PATH`,
    ),
  ];
}

export const withoutSearchPath = (): Fix =>
  fix("start the program from a shell without LD_LIBRARY_PATH, so that its own copies are found", "unset LD_LIBRARY_PATH");

/** The newest build of PyTorch that the driver of the text runs; without a driver, one that most do. */
export function torchBuildIn({ driver, driverCuda, toolkits }: Context): ReturnType<typeof torchBuildFor> {
  const ofDriver = driverCuda?.version ?? (driver === undefined ? undefined : toolkitOf({ driver: driver.version })?.newest.cuda);
  return torchBuildFor(ofDriver ?? toolkits[0]?.version);
}

/** Installs PyTorch and what is built for it in one step. On Windows PyPI has no CUDA builds of it: there the index is named. */
export function togetherLine(context: Context, windows: boolean, ...packages: string[]): string {
  const build = windows ? torchBuildIn(context) : undefined;
  return `pip install --force-reinstall ${packages.join(" ")}${build ? ` --index-url https://download.pytorch.org/whl/${build.variant}` : ""}`;
}

/** A PyTorch with CUDA in the place of one without, by the package manager of the text and for its driver. */
export function torchFix(context: Context, windows = false): ReturnType<typeof fix> {
  if (context.conda && context.packages(/^(?:pytorch|cpuonly)$/).some(({ manager }) => manager === "conda") && !windows)
    // conda-forge has no such package: there a build is for the CPU by its own name.
    return 0 < context.packages(/^cpuonly$/).length
      ? fix(
          "take the package that asks for the CPU out of the environment, and name a CUDA build outright",
          "conda remove cpuonly",
          'conda install -c conda-forge "pytorch=*=cuda*"',
        )
      : fix(
          "name a CUDA build outright; on a machine without a driver (a login node, an image) set CONDA_OVERRIDE_CUDA=12.4 before it",
          'conda install -c conda-forge "pytorch=*=cuda*"',
        );
  const build = torchBuildIn(context);
  if (!build) return fix("install a newer NVIDIA driver: no CUDA build of PyTorch that is known here runs with this one");
  return fix(
    "install a CUDA build of PyTorch, and take a plain `torch` out of requirements that would replace it",
    "pip uninstall -y torch torchvision torchaudio",
    `pip install torch torchvision torchaudio --index-url https://download.pytorch.org/whl/${build.variant}`,
  );
}

/** nvidia_uvm does not outlive a suspend; what uses the GPU holds it. */
export const reloadMemoryModule = (what: string): Fix => fix(what, "sudo rmmod nvidia_uvm; sudo modprobe nvidia_uvm");

/** Builds one distribution from its sources, beside the framework that is installed, and nothing else. */
export const buildLine = (distribution: string): string =>
  `pip install --force-reinstall --no-deps --no-cache-dir --no-build-isolation --no-binary ${distribution} ${distribution}`;

/** The path by path search of one library, as the framework of the text would do it. */
export const whyLine = (library: string, { speaker }: Context, activity?: string): string =>
  `culprit why ${library}${speaker === undefined ? "" : ` --for ${speaker}${activity === undefined ? "" : ` --do ${activity}`}`}`;

// Each shows whether the host gives a container a GPU at all, with an image that needs nothing of CUDA.
const containerLines: { [tool in NonNullable<Context["containers"]>]: { option: string; shows: string[] } } = {
  docker: { option: "`--gpus all` (`docker run --gpus all …`)", shows: ["docker run --rm --gpus all ubuntu nvidia-smi"] },
  podman: { option: "`--device nvidia.com/gpu=all`", shows: ["podman run --rm --device nvidia.com/gpu=all ubuntu nvidia-smi"] },
  singularity: { option: "`--nv`, on a node that has a GPU", shows: ["singularity exec --nv docker://ubuntu nvidia-smi"] },
  kubernetes: {
    option: "`nvidia.com/gpu: 1` among its limits, and with `runtimeClassName: nvidia` where NVIDIA's runtime is not the node's default",
    shows: ["kubectl describe nodes | grep nvidia.com/gpu"],
  },
};

/** What `--nv` binds lies in a folder that the variable names, and it binds what the host's own ldconfig lists. */
const boundLibraries: Fix[] = [
  fix(
    "keep the folder where Singularity puts the driver's libraries on the path: what starts in the container may have cleared it",
    "export LD_LIBRARY_PATH=/.singularity.d/libs:$LD_LIBRARY_PATH",
  ),
  fix(
    "if that folder has no libcuda.so.1: `--nv` binds only what the host's `ldconfig -p` lists; name the file with `-B`, or let the administrators run ldconfig there",
  ),
];

/** A driver that reaches the process: on a machine and in a container, in the order that the text speaks for. */
export function driverReachesFixes(context: Context, machine = "install the NVIDIA driver"): Fix[] {
  const access = gpuAccess(context, "in a container: start it with");
  const onMachine = fix(`on a machine: ${machine}`);
  // Singularity is there for those who cannot install a driver.
  if (context.containers === "singularity") return [gpuAccess(context, "start it with"), ...(context.gpusAsked ? boundLibraries : [])];
  return context.containers === undefined && !context.inContainer ? [onMachine, access] : [access, onMachine];
}

/** A container that gets the GPU and its driver; the command shows whether the host can give them. */
export function gpuAccess({ containers, gpusAsked, inContainer }: Context, first = "start the container with"): Fix {
  const { option, shows } = containerLines[containers ?? "docker"];
  // Who has asked for a GPU is not told to ask: what is left is whether the host gives one.
  if (gpusAsked && containers === "kubernetes")
    return fix(
      "the pod asks for a GPU already: give it `runtimeClassName: nvidia`, or make NVIDIA's runtime the default on the node; this shows which runtimes there are:",
      "kubectl get runtimeclass",
    );
  if (gpusAsked) return fix("the container asks for a GPU already; this shows whether the host gives one to any container:", ...shows);
  if (containers === undefined && !inContainer)
    return fix(`${first.startsWith("in a") ? first : `in a container: ${first.replace("the container", "it")}`} ${option}`);
  return fix(`${first} ${option}; this shows whether the host gives it a GPU:`, ...shows);
}

/** More of the driver, or more rights, for a container; `option` is Docker's. */
export const containerOption = (what: string, option: string): Fix => fix(`${what}: add \`${option}\` to \`docker run\``);

/** A toolkit in the place where NVIDIA's packages put it, first on every path; without a release, those that are there. */
export const selectToolkit = (what: string, release: string | undefined): Fix =>
  release === undefined
    ? fix(`${what}; these are installed in the usual place:`, "ls -d /usr/local/cuda-*")
    : fix(`${what} (this is its usual place):`, toolkitLine(release));

export const toolkitLine = (release: string) => `export CUDA_HOME=/usr/local/cuda-${release} PATH=/usr/local/cuda-${release}/bin:$PATH`;

/** Looks for a file and lets the loader look in its folder; where there is none, nothing is set. */
export const withFolderOf = (name: string): Fix =>
  fix(
    `let the loader look in the folder of \`${name}\`, if there is one`,
    `found=$(find / -name '${name}' -not -path '*/stubs/*' 2>/dev/null | head -n 1); [ -n "$found" ] && export LD_LIBRARY_PATH="\${found%/*}:$LD_LIBRARY_PATH"`,
  );

/** The same for the linker, which asks another variable than the loader. */
export const linkFolderOf = (name: string): Fix =>
  fix(
    `let the linker look in the folder of \`${name}\`, if there is one, and build again`,
    `found=$(find / -name '${name}' 2>/dev/null | head -n 1); [ -n "$found" ] && export LIBRARY_PATH="\${found%/*}:$LIBRARY_PATH"`,
  );

export const withFolder = (folder: string): Fix =>
  fix(`let the loader look in \`${folder}\``, `export LD_LIBRARY_PATH=${folder}:$LD_LIBRARY_PATH`);

/** Triton's compiler, taken from a toolkit in its usual place. */
export const ptxasLine = (cuda: string) => `export TRITON_PTXAS_PATH=/usr/local/cuda-${cuda}/bin/ptxas`;

/** A name without a number is for building: a wheel has none, and of the system's packages the one for development makes it. */
export function withoutNumber(name: string, { framework, toolkits }: Context): Fix[] {
  const paddle = framework("paddle");
  const major = (paddle.cuda ?? toolkits[0]?.version)?.split(".")[0];
  if (name !== "libcudnn.so" || major === undefined || !["11", "12"].includes(major)) return [];
  // Paddle 3 is the first for cuDNN 9, which has no packages for CUDA 10.
  const release = major === "12" && (paddle.version === undefined || 3 <= Number(paddle.version.split(".")[0])) ? "9" : "8";
  return [
    fix(
      `or, where it is not there: install cuDNN ${release}, and make the name without a number, which a wheel does not have`,
      `pip install "nvidia-cudnn-cu${major}==${release}.*"`,
      `ln -s libcudnn.so.${release} "$(python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/nvidia/cudnn/lib/libcudnn.so"`,
      withWheelFolder("nvidia/cudnn/lib"),
    ),
    fix(
      "or install NVIDIA's package for development, which brings that name",
      `sudo apt-get install ${release === "8" ? "libcudnn8-dev" : `libcudnn9-dev-cuda-${major}`}`,
    ),
  ];
}
