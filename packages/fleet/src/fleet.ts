// The answers that need more than one question to the store.
import { setTimeout as later } from "node:timers/promises";
import { differingPaths, readRoots, unknownGpu, type Check, type StackText } from "@culprit/core";
import { engine } from "./engine.ts";
import { hasChanges, questionOf, type Supposed } from "./judge/judge.ts";
import { Refusal } from "./refusal.ts";
import { joinLimits, readFacts } from "./store/facts.ts";
import { enqueue } from "./store/jobs.ts";
import {
  comparisonsOf,
  differencesBetween,
  judgedStacks,
  keepComparisons,
  machinesOf,
  nodesFor,
  outliers,
  verdictsOf,
  type Comparison,
  type MachineRow,
  type Outlier,
  type RollOutNode,
} from "./store/questions.ts";
import type { Sql, Store } from "./store/sql.ts";
import { answerWhatIf, type Pair, type Place, type Variant, type WhatIfAnswer } from "./whatif.ts";

export interface WhatIfRequest extends Supposed {
  pool?: string;
  /** Names with `*`. */
  nodes?: string;
  /** Images, processes and files would run on the machines of this group. */
  to?: string;
}

/** Clients and proxies wait for five minutes; what was judged until then is kept, and asking again goes on from there. */
const mostPatience = 240_000;

/** Judges every distinct stack as it would be, and compares. `wake` tells workers of this process that there is something to do. */
export async function whatIf(store: Store, request: WhatIfRequest, wake: () => void, patience = mostPatience): Promise<WhatIfAnswer> {
  const { pool, nodes: names, to, ...supposed } = request;
  const among = await nodesFor(store, { ...(pool === undefined ? {} : { pool }), ...(names === undefined ? {} : { names }) });
  if (among.length === 0 && (pool ?? names) !== undefined) throw noneAmong(pool, names);
  const nodes = to === undefined ? among : movable(among, names ?? "*");
  const work: Work = { store, wake, until: Date.now() + patience, stacks: [...new Set(nodes.map(({ stack }) => stack))] };
  const variants = to === undefined ? [await variantOf(work, supposed)] : await variantsIn(work, to, supposed);
  return answerWhatIf(nodes, variants, {
    ...supposed,
    ...(pool === undefined ? {} : { pool }),
    ...(to === undefined ? {} : { to }),
  });
}

/** Nothing would break where nothing is: a misspelt name must not read as a good answer. */
function noneAmong(pool: string | undefined, names: string | undefined): Refusal {
  const named = names === undefined ? "no node" : `no node called \`${names.slice(0, 200)}\``;
  return new Refusal(404, pool === undefined ? `there is ${named}` : `${named} is in the group \`${pool.slice(0, 200)}\``);
}

export interface Work {
  store: Store;
  wake: () => void;
  until: number;
  stacks: string[];
}

function movable(nodes: RollOutNode[], names: string): RollOutNode[] {
  const found = nodes.filter(({ kind }) => ["image", "process", "declaration"].includes(kind));
  if (found.length === 0)
    throw new Refusal(404, `no image, process or dependency file is called \`${names.slice(0, 200)}\`: machines are not moved`);
  return found;
}

/** What each stack is like now, and would be. */
async function variantOf({ store, wake, until, stacks }: Work, supposed: Supposed): Promise<Variant> {
  const question = questionOf(supposed);
  await allJudged(store, stacks, "", wake, until);
  await allJudged(store, stacks, question, wake, until);
  const [now, then] = [await verdictsOf(store, stacks, "", engine), await verdictsOf(store, stacks, question, engine)];
  const before = new Map(now.map((row) => [row.stack, row]));
  // Where nothing is asked about but changes, who has nothing of it is as he is.
  const isOnlyChanges = hasChanges(supposed) && supposed.driver === undefined && supposed.gpus === undefined;
  const pairs = new Map<string, Pair>();
  for (const row of then) {
    const first = before.get(row.stack);
    const problem = first?.problem ?? row.problem;
    const untouched = isOnlyChanges && row.done?.done.length === 0;
    pairs.set(
      row.stack,
      first && problem === null
        ? { now: first.answer as Check, supposed: row.answer as Check, untouched }
        : problem === null
          ? {}
          : { problem },
    );
  }
  return { pairs };
}

/** The same for each kind of machine of a group: what they have is what would be there. */
async function variantsIn(work: Work, group: string, supposed: Supposed): Promise<Variant[]> {
  const { store, wake, until, stacks } = work;
  const before = await machinesOf(store, group);
  if (before.length === 0) throw new Refusal(404, `no machine is in the group \`${group.slice(0, 200)}\``);
  await allJudged(store, [...new Set(before.map(({ stack }) => stack))], "", wake, until);
  const places = new Map<string, Place>();
  for (const machine of await machinesOf(store, group)) {
    const { name, ...what } = await placeOf(machine, supposed);
    const known = places.get(name);
    if (known) known.nodes.push(machine.node);
    else places.set(name, { name, ...what, nodes: [machine.node] });
  }
  const variants: Variant[] = [];
  for (const place of places.values()) {
    const { driver, gpus } = place;
    const unknown: Pair = { problem: `${place.name} on ${place.nodes[0]} of ${group}: what would be there is not known` };
    variants.push(
      driver === undefined || gpus === undefined
        ? { place, pairs: new Map(stacks.map((stack) => [stack, unknown])) }
        : { ...(await variantOf(work, { ...supposed, driver, gpus })), place },
    );
  }
  return variants;
}

/** One stack on each kind of machine of a group. */
export const placedIn = async (work: Work & { stacks: [string] }, group: string): Promise<Pair[]> =>
  (await variantsIn(work, group, {})).map(({ pairs }) => pairs.get(work.stacks[0]) ?? {});

/** A GPU that nothing is known of by its name may be known by its architecture. */
async function placeOf({ driver: own, gpus: found }: MachineRow, supposed: Supposed): Promise<Omit<Place, "nodes">> {
  const driver = supposed.driver ?? own ?? undefined;
  const gpus: string[] = [];
  for (const { name, architecture } of found) {
    const known = (await unknownGpu(name)) === undefined ? name : architecture;
    if (known !== null) gpus.push(known);
  }
  const given = supposed.gpus ?? (0 < found.length && gpus.length === found.length ? [...new Set(gpus)] : undefined);
  const words = [driver === undefined ? "no known driver" : `driver ${driver}`, given ? given.join(", ") : "no known GPU"];
  return { name: words.join(", "), ...(driver === undefined ? {} : { driver }), ...(given ? { gpus: given } : {}) };
}

async function allJudged(store: Store, stacks: string[], question: string, wake: () => void, until: number): Promise<void> {
  const judged = await judgedStacks(store, stacks, question, engine);
  let open = stacks.filter((each) => !judged.has(each));
  if (open.length === 0) return;
  await store.tx(async (sql) => enqueue(sql, open, question));
  wake();
  for (let pause = 20; 0 < open.length && Date.now() < until; pause = Math.min(pause * 1.5, 500)) {
    await later(pause);
    const done = await judgedStacks(store, open, question, engine);
    open = open.filter((each) => !done.has(each));
  }
}

export interface Deviation extends Outlier {
  differences: { what: string; usual: string; here: string }[];
  /** How many facts differ, and some of their paths. */
  facts: { amount: number; paths: string[] };
}

/** Who differs from most of its group, and in what. Nodes of one stack differ in the same; all pairs of stacks are compared at once. */
export async function deviations(sql: Sql, group?: string): Promise<Deviation[]> {
  const found = await outliers(sql, group);
  const pairs = new Map(found.map(({ usual, stack }) => [`${usual} ${stack}`, [usual, stack] as [string, string]]));
  const [compared, contents] = await Promise.all([comparisons(sql, pairs), differencesBetween(sql, [...pairs.values()])]);
  const differences = new Map([...pairs.keys()].map((key, index) => [key, [...compared.get(key)!.settings, ...contents[index]!]]));
  return found.map((outlier) => {
    const key = `${outlier.usual} ${outlier.stack}`;
    const its = differences.get(key)!;
    // Facts are many: they are told where nothing of what people know differs.
    return { ...outlier, differences: its, facts: its.length === 0 ? compared.get(key)!.facts : { amount: 0, paths: [] } };
  });
}

/** What was not compared before is compared now, and remembered. */
async function comparisons(sql: Sql, pairs: Map<string, [usual: string, here: string]>): Promise<Map<string, Comparison>> {
  const known = await comparisonsOf(sql, [...pairs.values()]);
  const lacking = [...pairs].filter(([key]) => !known.has(key));
  if (lacking.length === 0) return known;
  // Each stack may be as large as a stack may be: of many only some are held at a time.
  for (let from = 0; from < lacking.length; from += comparedAtOnce) {
    const fresh = await compared(sql, lacking.slice(from, from + comparedAtOnce));
    await keepComparisons(sql, fresh);
    for (const [key, comparison] of fresh) known.set(key, comparison);
  }
  return known;
}

const comparedAtOnce = 16;

async function compared(sql: Sql, pairs: [key: string, pair: [usual: string, here: string]][]): Promise<Map<string, Comparison>> {
  const roots = await readRoots([...new Set(pairs.flatMap(([, pair]) => pair))], readFacts(sql));
  const opened = pairs.map(([, [usual, here]]) => [roots.get(usual)!, roots.get(here)!] as [StackText, StackText]);
  const paths = await differingPaths(opened, readFacts(sql), joinLimits);
  return new Map(
    opened.map(([[usual], [here]], index) => {
      const other = [...otherKeys(usual, here), ...paths[index]!];
      const facts = { amount: other.length, paths: other.slice(0, 5) };
      return [pairs[index]![0], { settings: otherSettings(usual, here), facts }];
    }),
  );
}

const otherKeys = (a: object, b: object): string[] =>
  Object.keys({ ...a, ...b }).filter((key) => JSON.stringify(a[key as never]) !== JSON.stringify(b[key as never]));

/** What a stack says before it names any folder. */
type Settings = { environment?: { [name: string]: string }; kernel?: string; cpu?: { level?: number; vendor?: string } };

const settingsOf = ({ environment = {}, kernel = "unknown", cpu = {} }: Settings): Map<string, string> =>
  new Map([...Object.entries(environment), ["kernel", kernel], ["processor", `${cpu.vendor ?? "unknown"}, x86-64-v${cpu.level ?? "?"}`]]);

function otherSettings(first: Settings, second: Settings): Deviation["differences"] {
  const [usual, here] = [settingsOf(first), settingsOf(second)];
  return [...new Set([...usual.keys(), ...here.keys()])]
    .map((what) => ({ what, usual: usual.get(what) ?? "none", here: here.get(what) ?? "none" }))
    .filter((each) => each.usual !== each.here);
}
