// A stack and a question → what `culprit check` says. Pure but for the texts that it is handed.
import {
  checkChanges,
  checkDependencyFile,
  checkTarget,
  openTarget,
  readSnapshot,
  type Changes,
  type Check,
  type DeclaredFiles,
  type Inventory,
  type Problem,
  type Told,
} from "@culprit/core";

import { changedDeclaration } from "./declaration.ts";

/** As if this driver and these GPUs were there, and packages were installed and things taken away; nothing: as it is. */
export interface Supposed extends Changes {
  driver?: string;
  gpus?: string[];
}

export interface Installed {
  driver?: string;
  gpus: { name: string; architecture?: string; amount: number }[];
  copies: { library: string; version?: string; file: string }[];
  packages: { environment: string; name: string; version: string }[];
}

export interface Judged {
  check?: Check;
  /** Absent for what was only supposed. */
  installed?: Installed;
  /** What of the supposed changes would change something here; absent where none was supposed. */
  done?: string[];
  /** Why these facts cannot be judged at all. */
  problem?: string;
}

/** One text for one question, whoever asks it. */
export function questionOf({ driver, gpus = [], ...changes }: Supposed): string {
  const supposed = {
    ...(driver === undefined ? {} : { driver }),
    ...(gpus.length === 0 ? {} : { gpus }),
    ...changesIn(changes),
  };
  return Object.keys(supposed).length === 0 ? "" : JSON.stringify(supposed);
}

/** What would be installed and taken away, without what is empty; always in the same order. */
export function changesIn({ with: everywhere = [], replace = [], without = [] }: Changes): Changes {
  return {
    ...(everywhere.length === 0 ? {} : { with: everywhere }),
    ...(replace.length === 0 ? {} : { replace }),
    ...(without.length === 0 ? {} : { without }),
  };
}

export const hasChanges = (changes: Changes): boolean => 0 < Object.keys(changesIn(changes)).length;

export const supposedIn = (question: string): Supposed => (question === "" ? {} : (JSON.parse(question) as Supposed));

/** Facts as a text, in the order that a file has them: what is judged does not depend on where it comes from. */
export function textOf(told: Told): string {
  const files = Object.fromEntries(Object.entries(told.files).sort(([a], [b]) => (a < b ? -1 : 1)));
  const { schema, ...rest } = told;
  return JSON.stringify({ schema, ...rest, files });
}

export async function judgeText(text: string, question: string): Promise<Judged> {
  const supposed = supposedIn(question);
  try {
    // What anybody may have sent is held to the schema, as every snapshot in a file is; it is read once, since that takes as long as judging.
    if (!text.startsWith(declared)) return await judgeSnapshot(text, supposed);
    return await judgeDeclared(JSON.parse(text) as DeclaredFiles, supposed);
  } catch (error) {
    // Facts that the engine cannot digest, whoever made them so: the node is named, and the others go on.
    return { problem: `it could not be judged: ${error instanceof Error ? error.message : String(error)}` };
  }
}

const declared = `{"schema":"${"culprit/declared@1" satisfies DeclaredFiles["schema"]}"`;

async function judgeSnapshot(text: string, supposed: Supposed): Promise<Judged> {
  const { driver, gpus } = supposed;
  const read = await readSnapshot(text);
  if ("problem" in read) return { problem: `it is not a snapshot: ${read.problem}` };
  const whatIf = { ...(driver === undefined ? {} : { driver }), ...(gpus ? { gpus } : {}) };
  const question = { programs: [], activities: [], python: [] };
  const target = await openTarget(read.snapshot, whatIf);
  if (hasChanges(supposed)) {
    const changed = await checkChanges(target, question, changesIn(supposed));
    return "problem" in changed ? { problem: changed.problem } : { check: changed.check, done: changed.done };
  }
  const judged = await checkTarget(target, question);
  if ("problem" in judged) return { problem: judged.problem };
  const isAsItIs = driver === undefined && gpus === undefined;
  return { check: judged.check, ...(isAsItIs ? { installed: installedIn(judged.stack.inventory) } : {}) };
}

function installedIn({ driver, gpus, copies, environments }: Pick<Inventory, "driver" | "gpus" | "copies" | "environments">): Installed {
  const amounts = new Map<string, Installed["gpus"][number]>();
  for (const { name, architecture } of gpus) {
    const known = amounts.get(name);
    if (known) known.amount += 1;
    else amounts.set(name, { name, ...(architecture === undefined ? {} : { architecture }), amount: 1 });
  }
  return {
    ...(driver.kernel === undefined ? {} : { driver: driver.kernel }),
    gpus: [...amounts.values()],
    copies: copies.map(({ library, version, file }) => ({ library, ...(version === undefined ? {} : { version }), file })),
    packages: environments.flatMap(({ prefix, packages }) => packages.map(({ name, version }) => ({ environment: prefix, name, version }))),
  };
}

async function judgeDeclared({ file, files }: DeclaredFiles, supposed: Supposed): Promise<Judged> {
  const { driver, gpus } = supposed;
  const own = files[`/${file}`];
  if (own?.kind !== "file" || own.text === undefined) return { problem: "the dependency file itself is not among its files" };
  const ask = async (text: string) =>
    checkDependencyFile({
      file,
      text,
      read: async (path, only) => replayed(files[`/${path}`], only),
      ...(driver === undefined ? {} : { driver }),
      ...(gpus ? { gpus } : {}),
    });
  const answer = await ask(own.text);
  if ("problem" in answer) return { problem: answer.problem };
  if (hasChanges(supposed)) {
    const changed = await changedDeclaration(
      { file, text: own.text, check: answer.check, installed: packagesOf(answer.predicted).packages },
      supposed,
    );
    const again = changed.text === own.text ? answer : await ask(changed.text);
    return "problem" in again ? { problem: again.problem } : { check: changed.told(again.check), done: changed.done };
  }
  return { check: answer.check, ...(driver === undefined && gpus === undefined ? { installed: packagesOf(answer.predicted) } : {}) };
}

function packagesOf(predicted: Extract<Awaited<ReturnType<typeof checkDependencyFile>>, { check: Check }>["predicted"]): Installed {
  const packages = (predicted as { packages?: { name: string; version?: string }[] }).packages ?? [];
  return {
    gpus: [],
    copies: [],
    packages: packages.flatMap(({ name, version }) => (version === undefined ? [] : [{ environment: "", name, version }])),
  };
}

const replayed = (fact: DeclaredFiles["files"][string] | undefined, only?: "where"): { text: string } | Problem => {
  if (fact?.kind === "file" && (only === "where" || fact.text !== undefined)) return { text: only === "where" ? "" : fact.text! };
  return { code: "unreadable", problem: fact?.kind === "hidden" ? fact.code : "was not read" };
};
