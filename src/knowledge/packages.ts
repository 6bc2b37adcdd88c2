import { nameOf } from "../lib/path.ts";
import type { Ecosystem, Package } from "../model/knowledge.ts";
import { packages } from "./texts/packages.generated.ts";

/** The packages that bring an object (`libcudnn.so.9`), of one ecosystem or of all; those that name it outright first. */
export function packageProviding(soname: string, ecosystem?: Ecosystem): Package[] {
  const name = nameOf(soname);
  const found = packages().packages.filter(
    (each) => (ecosystem === undefined || each.ecosystem === ecosystem) && each.provides.some((pattern) => matches(name, pattern)),
  );
  return found.sort((a, b) => Number(b.provides.includes(name)) - Number(a.provides.includes(name)));
}

/** The package of a name: `nvidia-cudnn-cu12`, `cuda-cupti-12-4`, `libnvidia-compute-550`. */
export function packageNamed(name: string, ecosystem: Ecosystem): Package | undefined {
  const all = packages().packages.filter((each) => each.ecosystem === ecosystem);
  const general = name.replace(/-\d+-\d+$/, "-X-Y").replace(/-\d{3}$/, "-NNN");
  return all.find((each) => each.name === name) ?? all.find((each) => each.name === general);
}

function matches(name: string, pattern: string): boolean {
  const star = pattern.indexOf("*");
  return star < 0
    ? name === pattern
    : name.length >= pattern.length - 1 && name.startsWith(pattern.slice(0, star)) && name.endsWith(pattern.slice(star + 1));
}
