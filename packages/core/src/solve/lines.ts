import type { Build } from "../builds/build.ts";
import { torchName } from "../knowledge/built-for-torch.ts";
import { compiledPackage } from "../knowledge/compiled-packages.ts";
import { packageNamed } from "../knowledge/packages.ts";
import { driverRuns } from "../knowledge/goes-together.ts";
import type { Line } from "../model/solve.ts";
import { colab } from "../knowledge/texts/colab.generated.ts";
import { naturalChoice } from "./leaves.ts";
import { isPossibleOn, type Bound, type Found } from "./search.ts";

/** What pip has to be given, each as one word. */
export function installWords({ chosen, bounds, libraries }: Found, asked: string[]): { words: string[]; options: string[] } {
  const words: string[] = [];
  const options = new Set<string>();
  // What no metadata ask for does not come by itself: what the user names, and what is needed all the same.
  const isNamed = (name: string) => {
    const all = bounds.get(name) ?? [];
    const isStated = all.some(({ need }) => need !== undefined && need.because === undefined);
    return asked.includes(name) || all.some(({ need }) => need === undefined) || (0 < all.length && !isStated);
  };
  for (const build of [...asked.map((name) => chosen.get(name)!), ...chosen.values()]) {
    if (words.includes(build.install)) continue;
    if (build.index) options.add(`${build.index.option} ${build.index.url}`);
    if (isNamed(build.package) || build.index || !comesByItself(build, bounds)) words.push(build.install);
  }
  for (const [name, all] of bounds) {
    if (chosen.has(name) || name === "cuda-major") continue;
    const version = libraries.versions.get(name);
    const isOwn = ({ need }: Bound) => need === undefined || need.because !== undefined;
    // What the metadata of another package pins comes by itself.
    const isOurs = all.some(isOwn) && !all.some((bound) => !isOwn(bound) && /^==[^*]+$/.test(bound.specifier));
    const isAsked = words.some((word) => word.startsWith(`${name}==`));
    if (version !== undefined && !isAsked && (libraries.pinned.has(name) || isOurs)) words.push(`${name}==${version}`);
    if (version !== undefined || !isOurs) continue;
    const specifiers = all.filter(isOwn).map(({ specifier }) => specifier);
    words.push(`${name}${[...new Set(specifiers)].join(",")}`);
  }
  return { words, options: [...options] };
}

/**
 * Of what others bring, pip takes the newest release that they let in, and without extras that nobody asks for: an older one that was
 * chosen for a driver or a GPU has to be named.
 */
function comesByItself({ package: name, version, cuda, install }: Build, bounds: Found["bounds"]): boolean {
  if (cuda === undefined) return true;
  const all = bounds.get(name) ?? [];
  const hasExtras = install.includes("[") && !all.some(({ need }) => 0 < (need?.extras.length ?? 0));
  const specifiers = all.map(({ specifier }) => specifier);
  return !hasExtras && naturalChoice(name, specifiers) === version;
}

const quoted = (word: string) => (/[^\w=.,:/+-]/.test(word) ? `"${word}"` : word);

/** The folders in which the loader has to look, below site-packages. */
export function pathFolders({ chosen, libraries }: Found): string[] {
  if (![...chosen.values()].some(({ onPath }) => 0 < onPath().length)) return [];
  const folders = [...libraries.versions.keys()].flatMap((name) => [packageNamed(name, "pypi")?.folder ?? []].flat()[0] ?? []);
  return [...new Set(folders.filter((folder) => folder.endsWith("/lib") && !folder.includes("nvvm")))].sort();
}

export const pathValue =
  "$(python -c \"import glob, nvidia; print(':'.join(sorted(glob.glob(nvidia.__path__[0] + '/*/lib'))))\")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}";
export const cudaDataValue = "--xla_gpu_cuda_data_dir=$(python -c \"import nvidia; print(nvidia.__path__[0] + '/cuda_nvcc')\")";

/** What is compiled where it is installed, and imports the torch that is there: it comes after it, and is not built apart from it. */
export const builtUponTorch = ({ chosen }: Found): Build[] =>
  [...chosen.values()].filter(({ package: name }) => compiledPackage({ name })?.torch !== undefined);

// What their setup.py imports; pip brings it by itself only where it builds them apart.
const forBuilding = "setuptools wheel packaging ninja psutil";

/** The same for every tool. `isHere`: the environment that is active has the right Python. */
export function linesOf(found: Found, asked: string[], isHere: boolean): Line[] {
  const { words: all, options } = installWords(found, asked);
  const later = builtUponTorch(found).flatMap(({ install }) => (all.includes(install) ? [install] : []));
  const { python, chosen } = found;
  const torch = chosen.get(torchName)?.install;
  const words = all.filter((word) => !later.includes(word));
  const before = later.length === 0 ? [] : [...(torch === undefined || words.includes(torch) ? [] : [torch]), ...forBuilding.split(" ")];
  const list = [...words.map(quoted), ...before, ...options].join(" ");
  const install = (tool: string, more = "") => [
    `${tool} install ${list}${more}`,
    ...(later.length === 0 ? [] : [`${tool} install --no-build-isolation ${later.map(quoted).join(" ")}`]),
  ];
  const exports = [
    ...(0 < pathFolders(found).length ? [`export LD_LIBRARY_PATH="${pathValue}"`] : []),
    ...([...chosen.values()].some(({ needsCudaData }) => needsCudaData) ? [`export XLA_FLAGS="${cudaDataValue}"`] : []),
  ];
  const strategy = options.length === 0 ? "" : " --index-strategy unsafe-best-match";
  const lines: Line[] = [
    {
      tool: "pip",
      commands: [...(isHere ? [] : [`python${python} -m venv .venv`, ". .venv/bin/activate"]), ...install("pip"), ...exports],
    },
    {
      tool: "uv",
      commands: [...(isHere ? [] : [`uv venv --python ${python}`, ". .venv/bin/activate"]), ...install("uv pip", strategy), ...exports],
    },
    {
      tool: "conda",
      commands: [`conda create -y -n gpu -c conda-forge python=${python} pip`, "conda activate gpu", ...install("pip"), ...exports],
    },
    // A plain image of Python has no compiler.
    ...(0 < later.length ? [] : [{ tool: "docker" as const, commands: dockerfile(found, list) }]),
  ];
  const apt = aptPackages(found, asked);
  if (0 < apt.length) lines.push({ tool: "apt", commands: [`sudo apt-get install ${apt.join(" ")}`] });
  const cell = 0 < later.length ? undefined : colabCell(found, list);
  if (cell) lines.push({ tool: "colab", commands: cell });
  return lines;
}

// The driver comes from the host; all else is in the wheels.
function dockerfile(found: Found, list: string): string[] {
  const site = `/usr/local/lib/python${found.python}/site-packages`;
  const folders = pathFolders(found).map((folder) => `${site}/${folder}`);
  return [
    `FROM python:${found.python}-slim`,
    "ENV NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility",
    `RUN pip install --no-cache-dir ${list}`,
    ...(0 < folders.length ? [`ENV LD_LIBRARY_PATH=${folders.join(":")}`] : []),
    ...([...found.chosen.values()].some(({ needsCudaData }) => needsCudaData)
      ? [`ENV XLA_FLAGS=--xla_gpu_cuda_data_dir=${site}/nvidia/cuda_nvcc`]
      : []),
  ];
}

// For those who want the libraries on the system, from NVIDIA's repository.
function aptPackages({ libraries, chosen }: Found, asked: string[]): string[] {
  const isForSystem = asked.every((name) => name === "cuda" || name === "cudnn");
  const needsPath = [...chosen.values()].some(({ onPath }) => 0 < onPath().length);
  if (!isForSystem && !(needsPath && 0 < libraries.toolkits.size)) return [];
  const packages: string[] = [];
  for (const [, toolkit] of libraries.toolkits) {
    if (isForSystem && !asked.includes("cuda")) continue;
    const [major, minor] = toolkit.split(".");
    packages.push(`${isForSystem ? "cuda-toolkit" : "cuda-libraries"}-${major}-${minor}`);
  }
  for (const [name, version] of libraries.versions) {
    const cuda = /^nvidia-cudnn-cu(\d\d)$/.exec(name)?.[1];
    if (cuda === undefined) continue;
    packages.push(version.startsWith("8.") ? `"libcudnn8=${version}-1+cuda${cuda}*"` : `libcudnn9-cuda-${cuda}=${version}-1`);
  }
  return packages;
}

function colabCell(found: Found, list: string): string[] | undefined {
  // What Colab lends.
  if (!found.place.gpus.every(({ name }) => /\b(T4|L4|A100|H100|V100)\b/.test(name))) return undefined;
  const { images, drivers } = colab();
  const python = images.at(-1)?.python?.split(".").slice(0, 2).join(".");
  const driver = drivers.find(({ since }) => since !== undefined)?.driver;
  if (
    python === undefined ||
    driver === undefined ||
    !found.pythons.includes(python) ||
    !isPossibleOn(python, found) ||
    0 < pathFolders(found).length
  )
    return undefined;
  if ([...found.chosen.values()].some(({ cuda }) => cuda && driverRuns(driver, cuda.version) === false)) return undefined;
  return [`%pip install ${list}`, "# then Runtime → Restart session"];
}
