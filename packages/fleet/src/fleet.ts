// The answers that need more than one question to the store.
import { setTimeout as later } from "node:timers/promises";
import { unknownGpu, walkStack, type Check } from "@culprit/core";
import { engine } from "./engine.ts";
import { hasChanges, questionOf, type Supposed } from "./judge/judge.ts";
import { Refusal } from "./refusal.ts";
import { joinLimits, readFacts } from "./store/facts.ts";
import { enqueue } from "./store/jobs.ts";
import {
  contentsOf,
  judgedStacks,
  machinesOf,
  nodesFor,
  outliers,
  verdictsOf,
  type Contents,
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

/** Judges every distinct stack as it would be, and compares. `wake` tells workers of this process that there is something to do. */
export async function whatIf(store: Store, request: WhatIfRequest, wake: () => void, patience = 600_000): Promise<WhatIfAnswer> {
  const { pool, nodes: names, to, ...supposed } = request;
  const among = await nodesFor(store, { ...(pool === undefined ? {} : { pool }), ...(names === undefined ? {} : { names }) });
  const nodes = to === undefined ? among : movable(among, names ?? "*");
  const work: Work = { store, wake, until: Date.now() + patience, stacks: [...new Set(nodes.map(({ stack }) => stack))] };
  const variants = to === undefined ? [await variantOf(work, supposed)] : await variantsIn(work, to, supposed);
  return answerWhatIf(nodes, variants, {
    ...supposed,
    ...(pool === undefined ? {} : { pool }),
    ...(to === undefined ? {} : { to }),
  });
}

interface Work {
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
        : { problem: problem ?? "it was not judged" },
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

/** Who differs from most of its group, and in what. */
export async function deviations(sql: Sql, group?: string): Promise<Deviation[]> {
  const contents = new Map<string, Promise<Contents>>();
  const files = new Map<string, ReturnType<typeof walkStack>>();
  const once = <T>(known: Map<string, Promise<T>>, stack: string, make: () => Promise<T>): Promise<T> => {
    const found = known.get(stack) ?? make();
    known.set(stack, found);
    return found;
  };
  const found = new Map<string, Pick<Deviation, "differences" | "facts">>();
  const answer: Deviation[] = [];
  for (const outlier of await outliers(sql, group)) {
    const key = `${outlier.usual} ${outlier.stack}`;
    const [usual, here] = await Promise.all(
      [outlier.usual, outlier.stack].map((each) => once(contents, each, () => contentsOf(sql, each))),
    );
    if (!found.has(key)) {
      const heads = await readFacts(sql)([outlier.usual, outlier.stack]);
      const [first, second] = [outlier.usual, outlier.stack].map((each) => headOf(heads.get(each)));
      const differences = [...differencesOf(settingsOf(first!), settingsOf(second!)), ...differencesOf(namesOf(usual!), namesOf(here!))];
      // Facts are many and slow to read: they are told where nothing of what people know differs.
      const facts =
        0 < differences.length
          ? { amount: 0, paths: [] }
          : await otherPaths(
              ...(await Promise.all(
                [outlier.usual, outlier.stack].map((each) => once(files, each, () => walkStack(each, readFacts(sql), joinLimits))),
              )),
            );
      found.set(key, { differences, facts });
    }
    answer.push({ ...outlier, ...found.get(key)! });
  }
  return answer;
}

type Joined = Awaited<ReturnType<typeof walkStack>>;

/** Facts are compared by their digests: none of them is read. */
function otherPaths(...[a, b]: Joined[]): Deviation["facts"] {
  const [first, second] = [a!, b!].map(({ found }) => new Map(found.map(([path, fact]) => [path, JSON.stringify(fact)])));
  const heads = Object.keys({ ...a!.head, ...b!.head }).filter((key) => JSON.stringify(a!.head[key]) !== JSON.stringify(b!.head[key]));
  const paths = [...new Set([...first!.keys(), ...second!.keys()])].filter((path) => first!.get(path) !== second!.get(path));
  return { amount: heads.length + paths.length, paths: [...heads, ...paths.sort()].slice(0, 5) };
}

type Settings = { environment?: { [name: string]: string }; kernel?: string; cpu?: { level?: number; vendor?: string } };

/** What a stack says before it names any folder. */
const headOf = (text: string | undefined): Settings => (text === undefined ? {} : (JSON.parse(text) as [Settings])[0]);

const settingsOf = ({ environment = {}, kernel = "unknown", cpu = {} }: Settings): Map<string, string> =>
  new Map([...Object.entries(environment), ["kernel", kernel], ["processor", `${cpu.vendor ?? "unknown"}, x86-64-v${cpu.level ?? "?"}`]]);

const namesOf = (contents: Contents): Map<string, string> =>
  new Map([
    ["driver", contents.driver ?? "none"],
    ["GPUs", contents.gpus.map(({ name, amount }) => (amount === 1 ? name : `${amount} × ${name}`)).join(", ") || "none"],
    ...listed(contents.copies.map(({ library, version }) => [library, version ?? "of unknown version"])),
    ...listed(contents.packages.map(({ name, version, environment }) => [`${name} in ${environment || "the file"}`, version])),
  ]);

const differencesOf = (usual: Map<string, string>, here: Map<string, string>): Deviation["differences"] =>
  [...new Set([...usual.keys(), ...here.keys()])]
    .map((what) => ({ what, usual: usual.get(what) ?? "none", here: here.get(what) ?? "none" }))
    .filter((each) => each.usual !== each.here);

function listed(pairs: [string, string][]): [string, string][] {
  const all = new Map<string, Set<string>>();
  for (const [name, version] of pairs) all.set(name, (all.get(name) ?? new Set()).add(version));
  return [...all].map(([name, versions]) => [name, [...versions].sort().join(", ")]);
}
