// What is there: one survey after the other.
import { describeCopies, findCopies, foldersWithCopies } from "../survey/copies.ts";
import { readDriver, readGpus } from "../survey/driver.ts";
import { chooseEnvironment, findEnvironments } from "../survey/environments.ts";
import { missingFiles, ownersOf } from "../survey/owners.ts";
import { readPointers } from "../survey/pointers.ts";
import { readRequirements } from "../survey/requirements.ts";
import { readToolkits } from "../survey/toolkits.ts";
import { loadedModuleSources } from "../survey/modules.ts";
import { readVariableSources } from "../survey/variables.ts";
import type { Framework } from "../frameworks/framework.ts";
import { packagePrograms } from "../frameworks/any-package.ts";
import { installedIn } from "../frameworks/installed.ts";
import { frameworks } from "../frameworks/index.generated.ts";
import { knowledgeDay } from "../knowledge/settled.ts";
import type { PythonEnvironment } from "../model/environment.ts";
import type { Inventory, Toolkit, VariableSource } from "../model/inventory.ts";
import type { Examination } from "./examination.ts";
import { recall } from "./recall.ts";
import { settle } from "./settle.ts";

/** What is there, without asking what frameworks would do with it. */
export async function surveyStack(
  examination: Examination,
  places: string[],
): Promise<{ environments: PythonEnvironment[]; inventory: Inventory }> {
  const { snapshot } = examination.view;
  // One survey after the other: what is finished is not gone through again when the next one lacks a fact.
  const environments = await recall(examination, "environments", [places], (view) => findEnvironments(view, places));
  const toolkits = await recall(examination, "toolkits", [], readToolkits);
  const folders = await recall(examination, "folders", [toolkits, environments], (view) => foldersWithCopies(view, toolkits, environments));
  const found = await recall(examination, "copies", [folders], (view) => findCopies(view, folders));
  const owners = await recall(examination, "owners", [environments, found], (view) => ownersOf(view, environments, [...found.keys()]));
  const copies = await recall(examination, "described", [found, owners], (view) => describeCopies(view, found, owners));
  const prefixes = environments.map(({ prefix }) => prefix);
  const seen = {
    ...(await recall(examination, "devices", [], (view) => ({ driver: readDriver(view), gpus: readGpus(view) }))),
    variables: await recall(examination, "variables", [prefixes], (view) => readVariableSources(view, prefixes)),
    missing: await recall(examination, "missing", [environments], (view) => missingFiles(view, environments)),
  };
  const loaded = await recall(examination, "modules", [], loadedModuleSources);
  const inventory: Inventory = {
    schema: "culprit/list@1",
    knowledge: knowledgeDay(),
    target: snapshot.target,
    driver: seen.driver,
    gpus: seen.gpus,
    toolkits,
    environments: environments.map(({ prefix, kind, python, version: release, notFollowed, packages }) => ({
      prefix,
      kind,
      python,
      version: release,
      notFollowed,
      packages: packages.map((found) => ({ name: found.name, version: found.version })),
    })),
    copies,
    frameworks: [],
    variables: [...(examination.modules ?? []), ...loaded.filter((each) => !isOfQuestion(examination, each)), ...seen.variables],
    missing: seen.missing,
    unknown: snapshot.unknown,
  };
  return { environments, inventory };
}

const isOfQuestion = ({ modules = [] }: Examination, { module }: VariableSource) => modules.some((each) => each.module === module);

/**
 * Asks side by side what will be asked in turn, and forgets the answers: where every fetch costs a journey, the journeys are shared.
 * `each` is what will be asked of a framework that is there.
 */
export async function askAhead(
  examination: Examination,
  places: string[],
  each: (environment: PythonEnvironment, framework: Framework) => Promise<unknown>[],
): Promise<void> {
  // What is tried out on a copy of the facts lacks hardly any.
  if (!examination.collector?.isDistant || examination.view.snapshot !== examination.collector.snapshot) return;
  const toolkits = settle(examination, readToolkits);
  const environments = settle(examination, (view) => findEnvironments(view, places));
  const copiesBeside = async (found: Toolkit[], homes: PythonEnvironment[]) => {
    const folders = await settle(examination, (view) => foldersWithCopies(view, found, homes));
    const copies = await settle(examination, (view) => findCopies(view, folders));
    await settle(examination, (view) => describeCopies(view, copies, new Map()));
    const owners = await settle(examination, (view) => ownersOf(view, homes, [...copies.keys()]));
    await settle(examination, (view) => describeCopies(view, copies, owners));
  };
  await Promise.all([
    settle(examination, (view) => [readDriver(view), readGpus(view), readVariableSources(view, [])]),
    settle(examination, readPointers),
    settle(examination, (view) => chooseEnvironment(view, places)),
    settle(examination, (view) => ownersOf(view, [], [])),
    copiesBeside([], []),
    toolkits.then(async (found) => copiesBeside(found, [])),
    Promise.all([toolkits, environments]).then(async ([found, homes]) => copiesBeside(found, homes)),
    environments.then(async (homes) =>
      Promise.all([
        settle(examination, (view) =>
          readVariableSources(
            view,
            homes.map(({ prefix }) => prefix),
          ),
        ),
        settle(examination, (view) => missingFiles(view, homes)),
        settle(examination, (view) => readRequirements(view, homes)),
        ...homes.flatMap((environment) =>
          frameworks.filter((framework) => installedIn(environment, framework)).flatMap((framework) => each(environment, framework)),
        ),
        ...homes.map(async (environment) => {
          const others = await settle(examination, (view) => packagePrograms(view, environment));
          await Promise.all(others.flatMap((framework) => each(environment, framework)));
        }),
      ]),
    ),
  ]);
}
