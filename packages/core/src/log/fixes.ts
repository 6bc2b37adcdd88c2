import { packageProviding } from "../knowledge/packages.ts";
import { supplyOf } from "../knowledge/suppliers.ts";
import type { Finding } from "../model/finding.ts";
import type { Context } from "./context.ts";
import type { ObjectName } from "./objects.ts";
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
export function installFixes(object: ObjectName, context: Context, isProgram = false): Fix[] {
  if (object.windows) return windowsFixes(object);
  const { name, cuda } = object;
  const fixes: Fix[] = [];
  const { conda } = context;
  const { wheel, apt } = supplyOf(name, { ...cudaIn(context) });
  if (wheel) {
    const { folder } = wheel;
    fixes.push(
      fix(
        `install the wheel that holds \`${name}\`${folder === undefined ? "" : `, and put its folder where the program looks if the program does not look there by itself`}`,
        `pip install "${wheel.name}${wheel.specifier}"`,
        ...(folder === undefined
          ? []
          : [`export LD_LIBRARY_PATH="$(python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/${folder}:$LD_LIBRARY_PATH"`]),
      ),
    );
  }
  if (conda || !wheel) {
    const old = cuda && Number(cuda.last.split(".")[0]) < 12 && object.library !== "cudnn";
    const package_ = old
      ? `cudatoolkit=${cuda.first}`
      : packageProviding(name, "conda").find((each) => !["cudatoolkit"].includes(each.name))?.name;
    if (package_ !== undefined) fixes.push(fix(`install it into the conda environment`, `conda install -c conda-forge ${package_}`));
  }
  const system = apt === undefined ? [] : [fix(`install it from NVIDIA's package repository`, `sudo apt-get install ${apt}`)];
  // A program of one's own looks where the system's packages are, and into no wheel by itself.
  return isProgram ? [...system, ...fixes] : [...fixes, ...system];
}

/** The CUDA that the framework of the text is for, as far as anything says so. */
function cudaIn({ framework, packages, toolkits }: Context): { cuda?: string } {
  const cuda =
    solvedFrameworks.map(({ id }) => framework(id).cuda).find((each) => each !== undefined) ??
    packages(/^(?:nvidia|jax|cupy)-.*cu(?:da)?1\d/)
      .map(({ name }) => /cu(?:da)?(1\d)/.exec(name)?.[1])
      .find((major) => major !== undefined) ??
    toolkits[0]?.version;
  return cuda === undefined ? {} : { cuda };
}

function windowsFixes(object: ObjectName): Fix[] {
  const release = object.cuda?.first ?? (object.library === "cudnn" ? `the cuDNN ${object.suffix} archive` : undefined);
  return [
    fix(
      `install ${object.library === "cudnn" ? `cuDNN ${object.suffix}` : release === undefined ? object.title : `CUDA ${release}`} and put the folder of \`${object.name}\` on PATH`,
    ),
  ];
}

export const withoutSearchPath = (): Fix =>
  fix("start the program without LD_LIBRARY_PATH, so that its own copies are found", "env -u LD_LIBRARY_PATH COMMAND");

export const withFolder = (folder: string): Fix =>
  fix(`let the loader look in \`${folder}\``, `export LD_LIBRARY_PATH=${folder}:$LD_LIBRARY_PATH`);
