// A stack and a question → what `culprit check` says. Pure but for the texts that it is handed.
import {
  checkDependencyFile,
  checkTarget,
  isSnapshot,
  openTarget,
  readSnapshot,
  serializeSnapshot,
  type Check,
  type DeclaredFiles,
  type Inventory,
  type Problem,
  type Snapshot,
  type Told,
} from "@culprit/core";

/** As if this driver and these GPUs were there; nothing: as it is. */
export interface Supposed {
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
  /** Why these facts cannot be judged at all. */
  problem?: string;
}

/** One text for one question, whoever asks it. */
export const questionOf = ({ driver, gpus = [] }: Supposed): string =>
  driver === undefined && gpus.length === 0
    ? ""
    : JSON.stringify({ ...(driver === undefined ? {} : { driver }), ...(gpus.length === 0 ? {} : { gpus }) });

export const supposedIn = (question: string): Supposed => (question === "" ? {} : (JSON.parse(question) as Supposed));

export async function judgeTold(told: Told, question: string): Promise<Judged> {
  const supposed = supposedIn(question);
  try {
    return isSnapshot(told) ? await judgeSnapshot(told, supposed) : await judgeDeclared(told, supposed);
  } catch (error) {
    // Facts that the engine cannot digest, whoever made them so: the node is named, and the others go on.
    return { problem: `it could not be judged: ${error instanceof Error ? error.message : String(error)}` };
  }
}

async function judgeSnapshot(told: Snapshot, { driver, gpus }: Supposed): Promise<Judged> {
  // What anybody may have sent is held to the schema, as every snapshot in a file is.
  const read = await readSnapshot(serializeSnapshot(told));
  if ("problem" in read) return { problem: `it is not a snapshot: ${read.problem}` };
  const whatIf = { ...(driver === undefined ? {} : { driver }), ...(gpus ? { gpus } : {}) };
  const judged = await checkTarget(await openTarget(read.snapshot, whatIf), { programs: [], activities: [], python: [] });
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

async function judgeDeclared({ file, files }: DeclaredFiles, { driver, gpus }: Supposed): Promise<Judged> {
  const own = files[`/${file}`];
  if (own?.kind !== "file" || own.text === undefined) return { problem: "the dependency file itself is not among its files" };
  const answer = await checkDependencyFile({
    file,
    text: own.text,
    read: async (path, only) => replayed(files[`/${path}`], only),
    ...(driver === undefined ? {} : { driver }),
    ...(gpus ? { gpus } : {}),
  });
  if ("problem" in answer) return { problem: answer.problem };
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
