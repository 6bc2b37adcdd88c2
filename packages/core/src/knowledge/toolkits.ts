import type { Architecture, Sourced, Toolkit } from "../model/knowledge.ts";
import { memo } from "../lib/memo.ts";
import { isCertain, sourcesOf } from "./certainty.ts";
import { beginsWith, compareDotted, driverReaches } from "./dotted.ts";
import { cudaToolkits } from "./texts/cuda-toolkits.generated.ts";

/** Toolkits that a number points to, oldest and newest; they are the same where it says exactly. */
export interface ToolkitRange {
  oldest: Toolkit;
  newest: Toolkit;
  /** False when a field that was compared is only remembered or worked out. */
  certain: boolean;
}

/**
 * The toolkits with this CUPTI number, or with this CUDA runtime (`12.4`, `12040`, or a component version such as `12.4.127`),
 * or the newest one of which this Linux driver has every feature.
 */
export function toolkitOf(by: { cuptiApi: number } | { cudart: string | number } | { driver: string }): ToolkitRange | undefined {
  const { toolkits } = cudaToolkits();
  if ("cuptiApi" in by)
    return range(
      toolkits.filter(({ cuptiApi }) => cuptiApi === by.cuptiApi),
      "cuptiApi",
    );
  if ("driver" in by) {
    const fitting = toolkits.filter(({ driver }) => driver !== undefined && driverReaches(by.driver, driver));
    // A driver of an older branch can be later than a toolkit's: what counts is the newest CUDA, not the last in the list.
    return range(fitting.slice(-1), "driver");
  }
  const version = typeof by.cudart === "number" ? `${Math.floor(by.cudart / 1000)}.${Math.floor((by.cudart % 1000) / 10)}` : by.cudart;
  const exact = toolkits.filter(({ cudart }) => cudart === version);
  if (0 < exact.length) return range(exact, "cudart");
  return range(
    toolkits.filter((toolkit) => beginsWith(toolkit.version, version) || toolkit.cuda === version),
    "version",
  );
}

function range(found: Toolkit[], field: string): ToolkitRange | undefined {
  const [oldest, newest] = [found[0], found.at(-1)];
  return oldest && newest && { oldest, newest, certain: found.every((toolkit) => isCertain(toolkit, field)) };
}

/** The least Linux driver that runs what was built with this CUDA (`12.4`, `12`). */
export const driverFloor = memo(500, (cuda: string): { driver: string; certain: boolean; sources: string[] } | undefined => {
  const file = cudaToolkits();
  const { toolkits, driverFloors } = file;
  const major = Number(cuda.split(".")[0]);
  const floor = driverFloors.find((each) => each.major === major);
  const own = toolkits
    .filter((toolkit) => beginsWith(toolkit.version, cuda) && toolkit.driver !== undefined)
    .sort((a, b) => compareDotted(a.driver!, b.driver!))[0];
  // Before 11 each toolkit needs its own driver; since then the lower of the two will do.
  const of = (row: Sourced & { driver?: string }) => ({
    driver: row.driver!,
    certain: isCertain(row, "driver"),
    sources: sourcesOf(file, row, "driver"),
  });
  if (!floor) return own && of(own);
  return of(own && compareDotted(own.driver!, floor.driver) < 0 ? own : floor);
});

/** All that are known, oldest first. */
export const architectures = (): Architecture[] => cudaToolkits().architectures;

/** What is known of an architecture: `sm_90`, `compute_90`, `9.0`. */
export function architecture(name: string): Architecture | undefined {
  const sm = smOf(name);
  const { architectures } = cudaToolkits();
  // Code for one very architecture (`sm_120a`) came with that architecture, unless it is listed by itself.
  return architectures.find((each) => each.sm === sm) ?? architectures.find((each) => `${each.sm}a` === sm);
}

/** `sm_120` of `compute_120`, `12.0`, `120`, `sm_120`. */
export function smOf(name: string): string | undefined {
  const [, number, suffix] = /^(?:sm_|compute_)?(\d+(?:\.\d)?)([af]?)$/.exec(name) ?? [];
  return number === undefined ? undefined : `sm_${number.replace(".", "")}${suffix}`;
}

/** What the objects of libraries are called in a toolkit: `12.4` and `cublas` give libcublas.so.12. */
export function toolkitSonames(cuda: string, libraries: string[]): string[] {
  const range = cudaToolkits().sonames.find(({ first, last }) => compareDotted(first, cuda) <= 0 && compareDotted(cuda, last) <= 0);
  return libraries.flatMap((library) => range?.sonames[library] ?? []);
}

/** The least Linux driver for what was built with this CUDA, and who says so. */
export function driverFloorSources(cuda: string): string[] {
  const file = cudaToolkits();
  const floor = file.driverFloors.find(({ major }) => major === Number(cuda.split(".")[0]));
  return floor ? sourcesOf(file, floor, "driver") : [];
}
