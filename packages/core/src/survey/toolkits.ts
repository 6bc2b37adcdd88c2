import { versionInHeader } from "../knowledge/headers.ts";
import { nameOf } from "../lib/path.ts";
import type { Toolkit } from "../model/inventory.ts";
import type { View } from "../resolve/view.ts";
import { kindAt, namesIn, textAt } from "./python.ts";

/** Every CUDA toolkit in the usual places and where variables point. */
export function readToolkits(view: View): Toolkit[] {
  const places = ["/usr/local", "/opt"].flatMap((folder) =>
    (namesIn(view, folder) ?? []).filter((name) => /^cuda(-\d+(\.\d+)?)?$/.test(name)).map((name) => `${folder}/${name}`),
  );
  const { CUDA_HOME, CUDA_PATH, CUDA_ROOT } = view.snapshot.environment;
  const found = new Map<string, Toolkit>();
  for (const place of [...places, "/usr/lib/cuda", CUDA_HOME, CUDA_PATH, CUDA_ROOT, aroundCompiler(view)]) {
    if (!place?.startsWith("/") || kindAt(view, place) !== "folder") continue;
    const at = view.lookup(place);
    if (!("found" in at)) continue;
    const known = found.get(at.found);
    if (known) {
      if (place !== at.found && !known.names.includes(place)) known.names.push(place);
      continue;
    }
    const isToolkit = ["bin/nvcc", "version.json", "version.txt", "lib64", "targets"].some(
      (name) => !["none", undefined].includes(kindAt(view, `${at.found}/${name}`)),
    );
    if (isToolkit) found.set(at.found, { path: at.found, names: place === at.found ? [] : [place], ...versionOfToolkit(view, at.found) });
  }
  for (const folder of (view.snapshot.environment["PATH"] ?? "").split(":")) {
    const at = folder.startsWith("/") && kindAt(view, `${folder}/nvcc`) === "file" ? view.lookup(folder) : undefined;
    const owner = at && "found" in at ? [...found.values()].find(({ path }) => at.found === `${path}/bin`) : undefined;
    if (owner) owner.onPath = true;
    if (at) break;
  }
  return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The folder around the nvcc that PATH finds first, as of a conda environment; a distribution's own has its parts all over the system. */
function aroundCompiler(view: View): string | undefined {
  const folder = (view.snapshot.environment["PATH"] ?? "")
    .split(":")
    .find((each) => each.startsWith("/") && kindAt(view, `${each}/nvcc`) === "file");
  const around = folder === undefined ? undefined : /^(\/.+)\/bin\/*$/.exec(folder)?.[1];
  return around === undefined || ["/usr", "/usr/local"].includes(around) ? undefined : around;
}

function versionOfToolkit(view: View, path: string): Pick<Toolkit, "version" | "evidence" | "nvcc"> {
  const nvcc = kindAt(view, `${path}/bin/nvcc`) === "file" ? { nvcc: `${path}/bin/nvcc` } : {};
  const json = /"cuda"\s*:\s*\{[^}]{0,300}"version"\s*:\s*"([\d.]+)"/.exec(textAt(view, `${path}/version.json`) ?? "")?.[1];
  if (json !== undefined) return { version: json, evidence: `${path}/version.json`, ...nvcc };
  const text = /CUDA Version ([\d.]+)/.exec(textAt(view, `${path}/version.txt`) ?? "")?.[1];
  if (text !== undefined) return { version: text, evidence: `${path}/version.txt`, ...nvcc };
  const packaged = nvcc.nvcc === undefined ? undefined : compilerPackage(view, path);
  if (packaged) return { ...packaged, ...nvcc };
  const named = /^cuda-(\d+\.\d+)$/.exec(nameOf(path))?.[1];
  if (named !== undefined) return { version: named, evidence: "the folder's name", ...nvcc };
  const header = `${path}/include/cuda.h`;
  const said = nvcc.nvcc === undefined ? undefined : versionInHeader("cuda", textAt(view, header) ?? "");
  return said === undefined ? nvcc : { version: said, evidence: header, ...nvcc };
}

/** Of an nvcc that pip or conda has installed, which release: there is no version.json beside it. */
function compilerPackage(view: View, path: string): Required<Pick<Toolkit, "version" | "evidence">> | undefined {
  const site = /^(.*\/(?:site|dist)-packages)\/nvidia\/[^/]+$/.exec(path)?.[1];
  const [folder, pattern] =
    site === undefined
      ? [`${path}/conda-meta`, /^cuda-nvcc(?:-tools|-impl)?-(\d+\.\d+)[\d.]*-.*\.json$/]
      : [site, /^nvidia_cuda_nvcc(?:_cu\d+)?-(\d+\.\d+)[\d.]*\.dist-info$/];
  for (const name of namesIn(view, folder) ?? []) {
    const version = pattern.exec(name)?.[1];
    if (version !== undefined) return { version, evidence: `${folder}/${name}` };
  }
  return undefined;
}
