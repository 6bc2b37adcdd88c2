// What is installed, taken away and moved, asked of a fleet: the same as `culprit check --with --replace --without` says of each target.
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  checkChanges,
  openTarget,
  type Changes,
  type Check,
  type DeclaredFiles,
  type Snapshot,
  type Told,
} from "../../packages/core/src/index.ts";
import { whatIf } from "../../packages/fleet/src/fleet.ts";
import { changedDeclaration } from "../../packages/fleet/src/judge/declaration.ts";
import { inThisThread } from "../../packages/fleet/src/judge/pool.ts";
import { beginWork, type Work } from "../../packages/fleet/src/judge/work.ts";
import { whatIfReport } from "../../packages/fleet/src/report/whatif.ts";
import { keepFacts } from "../../packages/fleet/src/store/facts.ts";
import { takeIn } from "../../packages/fleet/src/store/nodes.ts";
import { migrate } from "../../packages/fleet/src/store/migrations.ts";
import { openEmbedded, type Store } from "../../packages/fleet/src/store/sql.ts";
import { caseSnapshot, pushOf } from "./cases.ts";

const old = JSON.parse(JSON.stringify(caseSnapshot("numba-with-cuda-12.6")).replaceAll("580.159.04", "535.104.05")) as Snapshot;
const machines = new Map([
  ["h200-healthy", caseSnapshot("h200-healthy")],
  ["h200-system-cudnn-first", caseSnapshot("h200-system-cudnn-first")],
  ["with-535", old],
]);
const question = { programs: [], activities: [], python: [] };
let store: Store;
let work: Work;

async function push(name: string, told: Told, group: string): Promise<void> {
  const { manifest, texts } = pushOf(told, { group });
  await keepFacts(store, [...texts.values()]);
  expect(await takeIn(store, name, manifest, [])).toEqual({ state: "stored" });
}

const requirements = (file: string, text: string): DeclaredFiles => ({
  schema: "culprit/declared@1",
  culprit: "0",
  target: { kind: "declaration", name: file },
  file,
  files: { [`/${file}`]: { kind: "file", size: text.length, text } },
});

beforeAll(async () => {
  store = await openEmbedded(undefined);
  await migrate(store);
  work = beginWork(store, inThisThread(), (sentence) => expect(sentence).toBe("nothing fails"));
  for (const [name, snapshot] of machines) await push(name, snapshot, snapshot === old ? "old" : "h200");
  // As the image that this root was made from: a host brings the driver.
  const { files, ...rest } = caseSnapshot("h200-healthy");
  const own = Object.entries(files).filter(([path]) => !/^\/(?:proc|dev|sys)\/|nvidia\/?\d|libcuda\.so|libnvidia-/.test(path));
  await push("image", { ...rest, target: { kind: "image", name: "image:app.tar" }, files: Object.fromEntries(own) }, "h200");
  await push("job", requirements("requirements.txt", "torch==2.4.1\nnvidia-cudnn-cu12==9.1.0.70\n"), "h200");
  await push(
    "locked",
    requirements("Pipfile.lock", '{"_meta": {"pipfile-spec": 6}, "default": {"torch": {"version": "==2.4.1"}}}'),
    "h200",
  );
});
afterAll(async () => {
  await work.end();
  await store.end();
});

const sorted = (all: object[]) => all.map((each) => JSON.stringify(each)).sort();
const plain = (findings: object[]) =>
  sorted(
    (JSON.parse(JSON.stringify(findings)) as { [key: string]: unknown }[]).map((each) =>
      Object.fromEntries(
        Object.entries(each)
          .filter(([key]) => !["effect", "nodes", "at"].includes(key))
          .sort(([a], [b]) => (a < b ? -1 : 1)),
      ),
    ),
  );

test.each<Changes>([
  { with: ["torch==2.6.0"] },
  { replace: ["torch==2.4.1"] },
  { with: ["nvidia-cudnn-cu12==9.1.0.70"] },
  { without: ["cudnn"] },
  { without: ["cuda-toolkit"] },
  { without: ["nvidia-cudnn-cu13"], replace: ["numba==0.60.0"] },
])("%j: each machine is judged as `culprit check` judges it", async (changes) => {
  const answer = await whatIf(store, changes, work.wake);
  for (const [name, snapshot] of machines) {
    const judged = await checkChanges(await openTarget(snapshot), question, changes);
    if ("problem" in judged) throw new Error(judged.problem);
    expect(plain(answer.findings.filter(({ nodes }) => nodes.includes(name)))).toEqual(plain(judged.check.findings));
    const { outcome } = answer.nodes.find((each) => each.name === name)!;
    expect([name, outcome === "untouched"]).toEqual([name, judged.done.length === 0]);
  }
});

test("a toolkit that is taken away breaks who needs it, and names the file", async () => {
  const answer = await whatIf(store, { without: ["cuda-toolkit"] }, work.wake);
  const broken = answer.findings.filter(({ effect, severity }) => effect === "new" && severity === "error");
  expect(broken.map(({ rule }) => rule)).toContain("library-missing");
  expect(broken.flatMap(({ nodes }) => nodes)).toContain("h200-healthy");
  expect(whatIfReport(answer)).toMatch(/^without cuda-toolkit: 6 nodes .* would break/);
  // No version of it is that old: nobody is concerned.
  const none = await whatIf(store, { without: ["cuda-toolkit<9"] }, work.wake);
  expect(none.nodes.map(({ outcome }) => outcome)).toEqual(none.nodes.map(() => "untouched"));
  expect(none.waves).toEqual([]);
});

test("what worked with a toolkit, and is only noted where there never was one, breaks without it", async () => {
  const judge = async (snapshot: Snapshot, changes: Changes) => {
    const judged = await checkChanges(await openTarget(snapshot, {}), question, changes);
    if ("problem" in judged) throw new Error(judged.problem);
    return judged.check.findings.filter(({ subject }) => subject === "libnvvm.so");
  };
  const numba = caseSnapshot("numba-with-cuda-12.6");
  const [lost] = await judge(numba, { without: ["cuda-toolkit==12.6"] });
  expect(lost).toMatchObject({ rule: "library-missing", severity: "error" });
  expect(lost!.breaks).toContainEqual({ framework: "numba", activity: "compile" });
  // What is away already is no loss.
  const { files, ...rest } = numba;
  const without = {
    ...rest,
    files: Object.fromEntries(Object.entries(files).filter(([path]) => !path.startsWith("/usr/local/cuda-12.6/nvvm"))),
  };
  for (const { severity } of await judge({ ...without, complete: true } as Snapshot, { without: ["/opt/elsewhere"] }))
    expect(severity).toBe("info");
});

test("what a package needs of others is told with the places of both", async () => {
  const answer = await whatIf(store, { replace: ["torch==2.6.0"] }, work.wake);
  const unmet = answer.findings.find(({ rule, nodes }) => rule === "pins-not-met" && nodes.includes("h200-healthy"))!;
  expect(unmet.because.join("\n")).toMatch(/torch(?:vision|audio)-[\d.]+\.dist-info/);
  expect(unmet.because.join("\n")).toContain("pip install torch==2.6.0 in /opt/torch/.venv");
  expect(JSON.stringify(answer)).not.toContain("changes-of-an-environment");
  expect(answer.nodes.find(({ name }) => name === "with-535")!.outcome).toBe("untouched");
});

test("what nothing is known of is not promised", async () => {
  const answer = await whatIf(store, { with: ["no-such-package==1.0"] }, work.wake);
  expect(answer.nodes.filter(({ kind }) => kind === "machine").map(({ outcome }) => outcome)).not.toContain("fine");
  expect(answer.unknown.map(({ subject }) => subject).join("\n")).toContain("no-such-package==1.0 in /opt/torch/.venv");
});

test("a line of a requirements.txt is changed, and what a lock file would say is not guessed", async () => {
  const answer = await whatIf(store, { with: ["nvidia-cudnn-cu12==8.9.7.29"], nodes: "*o*" }, work.wake);
  const outcomes = new Map(answer.nodes.map(({ name, outcome }) => [name, outcome]));
  expect(answer.findings.filter(({ nodes }) => nodes.includes("job")).map(({ rule }) => rule)).toContain("requirements-clash");
  expect(outcomes.get("job")).toBe("breaks");
  expect(outcomes.get("locked")).toBe("unknown");
  const gone = await whatIf(store, { without: ["torch"], nodes: "job" }, work.wake);
  expect(gone.nodes[0]!.outcome).not.toBe("unknown");
});

test("lines of a requirements.txt keep their numbers, and one that goes on goes as a whole", async () => {
  const file = "requirements.txt";
  const text = "# ours\ntorch==2.4.1 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\ntensorflow==2.18.1\n";
  const declared = { file, text, check: {} as Check, installed: [{ name: "torch" }, { name: "tensorflow" }] };
  const changed = async (changes: Changes) => (await changedDeclaration(declared, changes)).text;
  expect(await changed({ with: ["numpy==1.26.4"] })).toBe(`${text}numpy==1.26.4\n`);
  expect(await changed({ replace: ["torch==2.6.0"] })).toBe("# ours\ntorch==2.6.0\n\n\ntensorflow==2.18.1\n");
  expect(await changed({ without: ["torch"] })).toBe("# ours\n\n\n\ntensorflow==2.18.1\n");
});

test("images and files are moved to a group: what its machines have decides", async () => {
  const answer = await whatIf(store, { to: "old" }, work.wake);
  expect(answer.nodes.map(({ name }) => name)).toEqual(["image", "job", "locked"]);
  expect(answer.places).toEqual([expect.objectContaining({ nodes: ["with-535"] })]);
  const { driver, gpus } = answer.places![0]!;
  expect(driver).toMatch(/^535\./);
  const asked = await whatIf(store, { driver: driver!, gpus: gpus! }, work.wake);
  for (const name of ["image", "job"])
    expect(plain(answer.findings.filter(({ nodes }) => nodes.includes(name)))).toEqual(
      plain(asked.findings.filter(({ nodes }) => nodes.includes(name))),
    );
  await expect(whatIf(store, { to: "nobody" }, work.wake)).rejects.toThrow("no machine is in the group `nobody`");
  await expect(whatIf(store, { to: "old", nodes: "h200*" }, work.wake)).rejects.toThrow("machines are not moved");
  expect(whatIfReport(answer)).toMatch(/^moved to old \(driver 535/);
});
