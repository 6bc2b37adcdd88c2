// An experiment: what would be otherwise on the machine of the page. Pure, so that the address, the command line and the engine read the
// same value.
import type { Asked } from "../../../core/src/lib/asked.ts";
import { askingAgain } from "../../../core/src/lib/asked.ts";
import { commandLine } from "../../../core/src/lib/shell.ts";
import type { WhatIf } from "../../../core/src/ask/examination.ts";

export interface Experiment {
  /** What variables would be; null: not set. */
  variables: { [name: string]: string | null };
  driver?: string;
  gpus?: string[];
  /** `v3`, `amd:v3`: as `--cpu` takes it. */
  cpu?: string;
  /** Files that would not be there. */
  removed?: string[];
  ldconfig?: boolean;
}

export const asItIs: Experiment = { variables: {} };

export const isAsItIs = ({ variables, driver, gpus = [], cpu, removed = [], ldconfig = false }: Experiment): boolean =>
  Object.keys(variables).length + gpus.length + removed.length === 0 && driver === undefined && cpu === undefined && !ldconfig;

/** What the engine is asked; copies that are taken away are taken from the facts instead. `cpu` is read by whoever knows processors. */
export function whatIfOf({ variables, driver, gpus = [], ldconfig = false }: Experiment): WhatIf {
  const set = Object.entries(variables).filter((pair): pair is [string, string] => pair[1] !== null);
  const unset = Object.keys(variables).filter((name) => variables[name] === null);
  return {
    environment: Object.fromEntries(set),
    unset,
    ...(driver === undefined ? {} : { driver }),
    ...(gpus.length === 0 ? {} : { gpus }),
    ...(ldconfig ? { ldconfig } : {}),
  };
}

/** The part of an address behind `#`: short, readable, and the same for the same experiment. */
export function addressOf({ variables, driver, gpus = [], cpu, removed = [], ldconfig = false }: Experiment): string {
  const words = new URLSearchParams();
  for (const name of Object.keys(variables).sort()) {
    const value = variables[name];
    if (value === null || value === undefined) words.append("unset", name);
    else words.append("env", `${name}=${value}`);
  }
  if (driver !== undefined) words.append("driver", driver);
  for (const gpu of gpus) words.append("gpu", gpu);
  if (cpu !== undefined) words.append("cpu", cpu);
  for (const file of [...removed].sort()) words.append("without", file);
  if (ldconfig) words.append("ldconfig", "");
  return words.toString();
}

/** Whatever stands in an address: what is not an experiment of ours is as it is. */
export function experimentOf(address: string): Experiment {
  const words = new URLSearchParams(address.replace(/^#/, ""));
  const variables: Experiment["variables"] = {};
  for (const pair of words.getAll("env")) {
    const equals = pair.indexOf("=");
    if (0 < equals) variables[pair.slice(0, equals)] = pair.slice(equals + 1);
  }
  for (const name of words.getAll("unset")) if (name !== "") variables[name] = null;
  const [driver, cpu] = [words.get("driver") ?? "", words.get("cpu") ?? ""];
  const gpus = words.getAll("gpu").filter((gpu) => gpu !== "");
  const removed = words.getAll("without").filter((file) => file.startsWith("/"));
  return {
    variables,
    ...(driver === "" ? {} : { driver }),
    ...(gpus.length === 0 ? {} : { gpus }),
    ...(cpu === "" ? {} : { cpu }),
    ...(removed.length === 0 ? {} : { removed }),
    ...(words.has("ldconfig") ? { ldconfig: true } : {}),
  };
}

/** The command that asks the same; files that are taken away have no option. */
export function commandOf({ variables, driver, gpus = [], cpu, ldconfig = false }: Experiment, asked: Asked): string {
  const isOverridden = ([name, value = ""]: string[]) =>
    ((name === "--env" || name === "--unset") && Object.hasOwn(variables, value.split("=")[0]!)) ||
    (name === "--driver" && driver !== undefined) ||
    (name === "--gpu" && 0 < gpus.length) ||
    (name === "--cpu" && cpu !== undefined) ||
    (name === "--ldconfig" && ldconfig);
  const own = Object.entries(variables).map(([name, value]) => (value === null ? ["--unset", name] : ["--env", `${name}=${value}`]));
  const options = [
    ...asked.options.filter((option) => !isOverridden(option)),
    ...own,
    ...(driver === undefined ? [] : [["--driver", driver]]),
    ...gpus.map((gpu) => ["--gpu", gpu]),
    ...(cpu === undefined ? [] : [["--cpu", cpu]]),
    ...(ldconfig ? [["--ldconfig"]] : []),
  ];
  return commandLine(askingAgain(["culprit", "check"], { ...asked, options }));
}

/** The folders of a search path, as they stand. */
export const elementsOf = (value: string): string[] => (value === "" ? [] : value.split(":"));

/** An element at another place. */
export function moved<T>(list: T[], from: number, to: number): T[] {
  const kept = list.filter((_, index) => index !== from);
  return [...kept.slice(0, to), list[from]!, ...kept.slice(to)];
}
