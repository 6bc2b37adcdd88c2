// Reads what is asked and what the machine is, and solves it.
import { chooseEnvironment } from "../survey/environments.ts";
import { isListed, readDriver, readGpus } from "../survey/driver.ts";
import type { Examination } from "./examination.ts";
import { settle } from "./settle.ts";
import type { Solution } from "../model/solve.ts";
import { problemOf, type Problem } from "../model/problem.ts";
import { packageNames, readRequirement, type Requirement } from "../solve/requirement.ts";
import { beforeAllKnown, solve } from "../solve/solve.ts";
import { forCudaMajor } from "../model/frameworks.ts";

export interface SolveRequest {
  /** In their own notation: `torch==2.4.*`, `gpu=T4`, `driver==535.104`. */
  requirements: string[];
  driver?: string;
  gpus?: string[];
  python?: string;
  keepInstalled?: boolean;
  /** Folders of the environment that is meant; empty: the active one. */
  places?: string[];
}

/** Which versions can live together; what is not said is taken from the machine, where there is one. */
export async function solveRequest(request: SolveRequest, examination?: Examination): Promise<Solution | Problem> {
  const requirements: Requirement[] = [];
  const texts: [string, Requirement["from"]][] = [
    ...request.requirements.map((text): [string, "asked"] => [text, "asked"]),
    ...(request.python === undefined ? [] : [[`python==${request.python}`, "option"] as [string, "option"]]),
    ...(request.driver === undefined ? [] : [[`driver==${request.driver}`, "option"] as [string, "option"]]),
    ...(request.gpus ?? []).map((name): [string, "option"] => [`gpu=${name}`, "option"]),
  ];
  for (const [text, from] of texts) {
    const read = readRequirement(text, from);
    if ("problem" in read) return read;
    const problem = beforeAllKnown(read);
    if (problem !== undefined) return problemOf("not-known", problem);
    requirements.push(read);
  }
  if (!requirements.some(({ wish }) => ["package", "cuda", "cudnn"].includes(wish.kind)))
    return problemOf("bad-question", `name a package to solve for: ${packageNames.join(", ")}, cuda or cudnn`);
  const drivers = new Set(requirements.flatMap(({ wish }) => (wish.kind === "driver" ? [wish.version] : [])));
  if (1 < drivers.size) return problemOf("bad-question", `there can be only one driver, not ${[...drivers].join(" and ")}`);
  const unknown: Solution["unknown"] = [];
  const has = (kind: string) => requirements.some(({ wish }) => wish.kind === kind);
  if (!examination) {
    if (!has("driver")) unknown.push({ subject: "driver", reason: "none was given, so any will do that is new enough" });
    if (!has("gpu")) unknown.push({ subject: "GPU", reason: "none was given, so kernels for it were not asked for" });
    return solve({ requirements, unknown });
  }
  const isDriverAsked = has("driver");
  const { driver, gpus } = await settle(examination, (view) => ({ driver: readDriver(view), gpus: readGpus(view) }));
  if (!has("driver")) {
    const read = driver.kernel === undefined ? undefined : readRequirement(`driver==${driver.kernel}`, "machine");
    if (read && !("problem" in read)) requirements.push(read);
    else unknown.push({ subject: "driver", reason: "no driver found: any will do that is new enough; `--driver V` says which" });
  }
  if (!has("gpu")) {
    const seen = gpus.flatMap((gpu) => {
      const read = [gpu.name, gpu.architecture ?? []].flat().map((name) => readRequirement(`gpu=${name}`, "machine"));
      const found = read.find((each) => !("problem" in each)) as Requirement | undefined;
      if (found?.wish.kind !== "gpu") return [];
      return [!isDriverAsked && isListed(gpu, driver) ? { ...found, wish: { ...found.wish, isListed: true as const } } : found];
    });
    const distinct = seen.filter(({ text }, index) => seen.findIndex((other) => other.text === text) === index);
    requirements.push(...distinct);
    if (distinct.length === 0)
      unknown.push({ subject: "GPU", reason: "no GPU found: kernels for it were not asked for; `--gpu NAME` says which" });
  }
  const isActive = ["VIRTUAL_ENV", "CONDA_PREFIX"].some((name) => examination.view.snapshot.environment[name]);
  const places = request.places ?? [];
  const wantsEnvironment = request.keepInstalled === true || 0 < places.length || isActive;
  const environment = wantsEnvironment ? await settle(examination, (view) => chooseEnvironment(view, places)) : undefined;
  const installed = new Map(request.keepInstalled ? environment?.packages.map(({ name, version }) => [asOne(name), version]) : []);
  // What is installed has to go on working: it is asked for, too.
  for (const name of packageNames) {
    const isAsked = requirements.some(({ wish }) => wish.kind === "package" && wish.name === name);
    const read = installed.has(name) && !isAsked ? readRequirement(name, "machine") : undefined;
    if (read && !("problem" in read)) requirements.push(read);
  }
  return solve({
    requirements,
    unknown,
    ...(environment && !has("python") ? { environment: { python: environment.version, prefix: environment.prefix } } : {}),
    ...(request.keepInstalled ? { installed } : {}),
  });
}

/** `cupy-cuda12x` is `cupy` to `solve`. */
const asOne = (name: string) => forCudaMajor(name)?.names.solve?.name ?? name;
