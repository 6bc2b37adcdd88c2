import { nameOf } from "../lib/path.ts";
import type { Ecosystem, Package } from "../model/knowledge.ts";
import { packages } from "./texts/packages.generated.ts";
import { inSameFolder, isAmong } from "../model/frameworks.ts";

/** The packages that bring an object (`libcudnn.so.9`), of one ecosystem or of all; those that name it outright first. */
export function packageProviding(soname: string, ecosystem?: Ecosystem): Package[] {
  const name = nameOf(soname);
  const found = packages().packages.filter(
    (each) => (ecosystem === undefined || each.ecosystem === ecosystem) && isAmong(name, each.provides),
  );
  return found.sort((a, b) => Number(b.provides.includes(name)) - Number(a.provides.includes(name)));
}

/** Wheels that bring an object, those for this major of CUDA first; where it is not known, those for the newest. */
export function wheelsProviding(soname: string, cudaMajor?: number): Package[] {
  const found = packageProviding(soname, "pypi");
  const fitting = found.filter(({ cudaMajors }) => cudaMajors === undefined || cudaMajors.includes(cudaMajor ?? -1));
  if (cudaMajor !== undefined && 0 < fitting.length) return fitting;
  return found.toSorted((a, b) => Math.max(...(b.cudaMajors ?? [0])) - Math.max(...(a.cudaMajors ?? [0])));
}

/** The package of a name: `nvidia-cudnn-cu12`, `cuda-cupti-12-4`, `libnvidia-compute-550`. */
export function packageNamed(name: string, ecosystem: Ecosystem): Package | undefined {
  const all = packages().packages.filter((each) => each.ecosystem === ecosystem);
  const general = name.replace(/-\d+-\d+$/, "-X-Y").replace(/-\d{3}$/, "-NNN");
  return all.find((each) => each.name === name) ?? all.find((each) => each.name === general);
}

/** Wheels that fill the same places: removing one of them takes the files of the others along. */
export function packagesInPlaceOf(name: string): string[] {
  const own = packageNamed(name, "pypi");
  const folders = new Set([own?.folder ?? []].flat());
  const same = packages().packages.filter(
    (each) =>
      each.ecosystem === "pypi" &&
      each.name !== name &&
      [each.folder ?? []].flat().some((folder) => folders.has(folder)) &&
      each.provides.some((soname) => own?.provides.includes(soname)),
  );
  const named = inSameFolder(name);
  return [...new Set([...same.map((each) => each.name), ...named.filter((other) => other !== name)])];
}
