import { packageProviding } from "../knowledge/packages.ts";
import type { Finding } from "../model/check.ts";
import type { ObjectName } from "./objects.ts";

type Fix = Finding["fixes"][number];

/** A text alone proves nothing about a machine: such a fix is shown, never applied. */
export const fix = (what: string, ...commands: string[]): Fix => ({
  fix: what,
  safety: "display-only",
  commands,
  proof: { removes: [], adds: [] },
});

/** Ways to bring an object into an environment: its wheel, its conda package, its package of NVIDIA's repository. */
export function installFixes(object: ObjectName, conda: boolean): Fix[] {
  if (object.windows) return windowsFixes(object);
  const { name, cuda } = object;
  const minor = cuda && cuda.first === cuda.last ? cuda.first : undefined;
  const fixes: Fix[] = [];
  const wheel = packageProviding(name, "pypi").find(({ provides }) => 0 < provides.length);
  const only = minor !== undefined && object.library === "cupti" ? `==${minor}.*` : "";
  const major = object.library === "cudnn" && /^\d+$/.test(object.suffix) ? `==${object.suffix}.*` : only;
  if (wheel) {
    const folder = typeof wheel.folder === "string" ? wheel.folder : wheel.folder?.[0];
    fixes.push(
      fix(
        `install the wheel that holds \`${name}\`${folder === undefined ? "" : `, and put its folder where the program looks if the program does not look there by itself`}`,
        `pip install "${wheel.name}${major}"`,
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
  const apt = packageProviding(name, "apt-nvidia")[0];
  if (apt) {
    const dashed = (minor ?? cuda?.first)?.replace(".", "-");
    const aptName = apt.name.includes("X-Y") ? (dashed === undefined ? undefined : apt.name.replace("X-Y", dashed)) : apt.name;
    if (aptName !== undefined) fixes.push(fix(`install it from NVIDIA's package repository`, `sudo apt-get install ${aptName}`));
  }
  return fixes;
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
