// What `list` shows: what is there, and what each framework was compiled for and would load.
import { chooseEnvironment, findEnvironments } from "../survey/environments.ts";
import { readPointers } from "../survey/pointers.ts";
import { readRequirements } from "../survey/requirements.ts";
import { activities } from "../model/activity.ts";
import type { CompiledFor, FrameworkCopy } from "../frameworks/framework.ts";
import { packagePrograms } from "../frameworks/any-package.ts";
import { installedIn } from "../frameworks/installed.ts";
import { frameworks } from "../frameworks/index.generated.ts";
import { frameworkLoads } from "../frameworks/run.ts";
import { kindAt } from "../survey/python.ts";
import { reducedSources } from "../lib/shell-lines.ts";
import type { Copy, InstalledFramework, Inventory } from "../model/inventory.ts";
import type { Loads } from "../model/loads.ts";
import type { Examination } from "./examination.ts";
import { withDriverIfNone } from "./provided-driver.ts";
import { settle } from "./settle.ts";
import { askAhead, surveyStack } from "./survey.ts";
import { withVersions } from "./versions.ts";

/** Everything of the GPU stack that is there, and what each framework was compiled for and would load. */
export async function listStack(examination: Examination, places: string[]): Promise<Inventory> {
  await askAhead(examination, places, (environment, framework) => [
    settle(examination, (view) => frameworkLoads(view, environment, [framework], ["convolution", "profile"])),
    settle(examination, (view) => framework.compiledFor(view, installedIn(environment, framework)!)),
  ]);
  const { environments, inventory } = await surveyStack(examination, places);
  const { examination: driven } = await withDriverIfNone(examination, inventory);
  for (const environment of environments) {
    const others = await settle(examination, (view) => packagePrograms(view, environment));
    for (const framework of [...frameworks, ...others]) {
      const copy = installedIn(environment, framework);
      if (!copy) continue;
      const loads = await settle(driven, (view) => frameworkLoads(view, environment, [framework], ["convolution", "profile"]));
      const build = await settle(examination, (view) => ({
        compiledFor: framework.compiledFor(view, copy),
        cpuOnly: framework.cpuOnly?.(view, copy),
      }));
      if ("missing" in loads) continue;
      withVersions(loads, examination.view.snapshot);
      // What is only assumed is no file of theirs.
      if (driven !== examination) loads.loads = loads.loads.filter(({ library }) => library !== "libcuda" && library !== "nvml");
      inventory.frameworks.push(describeFramework(framework.id, copy, build, loads, inventory.copies));
    }
  }
  // What else stands in those lines is their owner's.
  return { ...inventory, variables: reducedSources(inventory.variables) };
}

/** Goes through all that can be asked about the stack, so that a snapshot holds what the answers rest on. */
export async function collectStack(examination: Examination, places: string[]): Promise<void> {
  await listStack(examination, places);
  const environments = await settle(examination, (view) => findEnvironments(view, places));
  for (const environment of environments) {
    const others = await settle(examination, (view) => packagePrograms(view, environment));
    for (const framework of [...frameworks, ...others]) {
      for (const activity of activities) await settle(examination, (view) => frameworkLoads(view, environment, [framework], [activity]));
      const copy = installedIn(environment, framework);
      if (copy) await settle(examination, (view) => [framework.kernels?.(view, copy), framework.buildsFor?.(view, copy)]);
    }
  }
  await settle(examination, (view) => {
    chooseEnvironment(view, places);
    readRequirements(view, environments);
    readPointers(view);
    for (const environment of environments) {
      for (const framework of frameworks) {
        const copy = installedIn(environment, framework);
        if (!copy) continue;
        framework.cpuOnly?.(view, copy);
        for (const place of framework.places?.(view, copy) ?? []) kindAt(view, place);
      }
    }
  });
}

export function describeFramework(
  id: string,
  { package: { name, version }, environment }: FrameworkCopy,
  { compiledFor, cpuOnly }: { compiledFor: CompiledFor; cpuOnly?: string | undefined },
  loads: Loads,
  copies: Copy[],
): InstalledFramework {
  return {
    framework: id,
    package: name,
    version,
    environment: environment.prefix,
    compiledFor,
    ...(cpuOnly === undefined ? {} : { cpuOnly }),
    wouldLoad: byLibrary(loads, copies),
    verdict: loads.failures.length === 0 ? "works" : "stops",
    failures: loads.failures,
  };
}

function byLibrary({ loads }: Loads, copies: Copy[]): InstalledFramework["wouldLoad"] {
  const versions = new Map(copies.map((copy) => [copy.file, copy.version]));
  const found: InstalledFramework["wouldLoad"] = {};
  for (const { library, file, version: read, certainty, unmapped } of loads) {
    if (library === undefined || unmapped) continue;
    const known = versions.get(file) ?? read;
    (found[library] ??= []).push({ file, certainty, ...(known === undefined ? {} : { version: known }) });
  }
  return found;
}
