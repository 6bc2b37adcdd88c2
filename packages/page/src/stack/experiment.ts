// An experiment: what would be otherwise on the machine of the page. Pure, so that the address, the command line and the engine read the
// same value.
import { nameOf } from "../../../core/src/lib/path.ts";
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
  /** Files in whose place there would be another one of the machine. */
  swapped?: { [file: string]: string };
  ldconfig?: boolean;
  /** Proposed fixes that would have been applied: `rule subject#number`. */
  fixes?: string[];
}

export const asItIs: Experiment = { variables: {} };

export const isAsItIs = (experiment: Experiment): boolean => addressOf(experiment) === "";

/** Whether the part of an address behind `#` is one of an experiment, or none; links within the page have addresses, too. */
export const isAddress = (hash: string): boolean => /^#?(?:$|(?:env|unset|driver|gpu|cpu|without|swap|ldconfig|fix|keep)=)/.test(hash);

/** So many folders of a search path are each taken out before somebody does. */
const rehearsedFolders = 4;

/** One experiment of each kind, twice, and what people try first, each folder taken out of the path: to be made before somebody makes them. */
export function rehearsals(variables: Experiment["variables"]): Experiment[] {
  const folders = elementsOf(variables["LD_LIBRARY_PATH"] ?? "");
  const path = folders.length === 0 ? "/usr/lib" : null;
  const without = (index: number) => ({ variables: { LD_LIBRARY_PATH: folders.filter((_, at) => at !== index).join(":") } });
  const each = [
    { variables: { LD_LIBRARY_PATH: path } },
    { variables: {}, driver: "535.104.05" },
    { variables: {}, gpus: ["V100"] },
    { variables: {}, cpu: "v2" },
    { variables: {}, ldconfig: true },
  ];
  const first = folders.length < 2 ? [] : folders.slice(0, rehearsedFolders).map((_, index) => without(index));
  return [...each, ...first, ...each.map((one, index) => ({ ...one, variables: { ...one.variables, CUDA_CACHE_MAXSIZE: String(index) } }))];
}

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
export function addressOf({
  variables,
  driver,
  gpus = [],
  cpu,
  removed = [],
  swapped = {},
  ldconfig = false,
  fixes = [],
}: Experiment): string {
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
  for (const file of Object.keys(swapped).sort()) words.append("swap", `${file}=${swapped[file]!}`);
  if (ldconfig) words.append("ldconfig", "");
  for (const fix of fixes) words.append("fix", fix);
  return words.toString();
}

/** An experiment that was given a name. */
export interface Named {
  name: string;
  experiment: Experiment;
}

/** The same with experiments that were kept: whoever opens the page again, or gets its address, has them. */
export function addressWith(experiment: Experiment, kept: Named[], at?: string): string {
  const words = new URLSearchParams(addressOf(experiment));
  for (const each of kept) words.append("keep", `${encodeURIComponent(each.name)}|${addressOf(each.experiment)}`);
  if (at !== undefined) words.append("at", at);
  return words.toString();
}

/** Which part of the page is looked at while there is an experiment. */
export const placeIn = (address: string): string | undefined => new URLSearchParams(address.replace(/^#/, "")).get("at") ?? undefined;

export const keptIn = (address: string): Named[] =>
  new URLSearchParams(address.replace(/^#/, "")).getAll("keep").flatMap((text) => {
    const [, name, own] = /^([^|]+)\|(.*)$/s.exec(text) ?? [];
    return name === undefined ? [] : [{ name: plainName(name), experiment: experimentOf(own!) }];
  });

/** Whatever stands in an address may be cut off in the middle of a letter. */
function plainName(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
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
  const swapped = Object.fromEntries(
    words.getAll("swap").flatMap((pair) => {
      const [, file, other] = /^(\/.*)=(\/.*)$/s.exec(pair) ?? [];
      return file === undefined ? [] : [[file, other!]];
    }),
  );
  const fixes = words.getAll("fix").filter((fix) => /#\d+$/.test(fix));
  return {
    variables,
    ...(driver === "" ? {} : { driver }),
    ...(gpus.length === 0 ? {} : { gpus }),
    ...(cpu === "" ? {} : { cpu }),
    ...(removed.length === 0 ? {} : { removed }),
    ...(Object.keys(swapped).length === 0 ? {} : { swapped }),
    ...(words.has("ldconfig") ? { ldconfig: true } : {}),
    ...(fixes.length === 0 ? {} : { fixes }),
  };
}

/** What is otherwise, in a few words. */
export function wordsOf({
  variables,
  driver,
  gpus = [],
  cpu,
  removed = [],
  swapped = {},
  ldconfig = false,
  fixes = [],
}: Experiment): string {
  const parts = [
    ...fixes.map((fix) => `fix for ${fixWords(fix)}`),
    ...Object.entries(variables).map(([name, value]) => (value === null ? `without ${name}` : `${name}=${value}`)),
    ...(driver === undefined ? [] : [`driver ${driver}`]),
    ...gpus,
    ...(cpu === undefined ? [] : [`processor ${cpu}`]),
    ...removed.map((file) => `without ${file}`),
    ...Object.entries(swapped).map(([file, other]) => `${other} in the place of ${file}`),
    ...(ldconfig ? ["ldconfig was run"] : []),
  ];
  return parts.length === 0 ? "as it is" : parts.join("; ");
}

/** `rule subject#number`, where the whole path of a file has no room: `cudnn-parts-from-two-releases (libcudnn.so.9)`. */
export function fixWords(fix: string): string {
  const [, rule, subject] = /^(\S+) (.*)#\d+$/s.exec(fix) ?? [];
  return rule === undefined ? fix : `${rule} (${subject!.startsWith("/") ? nameOf(subject!) : subject!})`;
}

/** The command that asks the same; files that are taken away or swapped have no option, and what a fix does is asked by `culprit fix`. */
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
