// What ARCHITECTURE.md promises: every invariant names tests that hold it. Those that no other test holds are held here.
import fs from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import * as library from "../packages/core/src/index.ts";
import type { Snapshot } from "../packages/core/src/index.ts";

const invariants = [
  ...fs
    .readFileSync("ARCHITECTURE.md", "utf8")
    .split("\n## Invariants\n")[1]!
    .matchAll(/^(\d+)\. (.*)$/gm),
].map(([, number, text]) => ({ number: Number(number), text: text! }));

test("invariants are counted without a gap", () => {
  expect(invariants.map(({ number }) => number)).toEqual(Array.from({ length: invariants.length }, (_, index) => index + 1));
  expect(invariants.length).toBeGreaterThan(10);
});

test.each(invariants)("invariant $number names tests that there are: $text", ({ text }) => {
  const files = [...text.matchAll(/`(tests\/[^`]+\.test\.ts)`/g)].map(([, file]) => file!);
  expect(files, "no test is named").not.toEqual([]);
  for (const file of files) expect(fs.existsSync(file), `${file} is not there`).toBe(true);
});

const sources = ["core", "machine", "cli"].flatMap((name) =>
  fs
    .readdirSync(`packages/${name}/src`, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => ({ file: `${name}/${file}`, text: fs.readFileSync(`packages/${name}/src/${file}`, "utf8") })),
);

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
}

describe("2: a snapshot is a value", () => {
  const name = "cases/h200-system-cudnn-first/snapshot.json.gz";
  const read = (): Snapshot => JSON.parse(gunzipSync(fs.readFileSync(name)).toString()) as Snapshot;
  const question = { programs: [], activities: ["convolution" as const], python: ["/opt/torch/.venv"] };
  const ask = async (snapshot: Snapshot) => {
    const open = (whatIf = {}) => library.openTarget(snapshot, whatIf);
    const fixed = await library.fixTarget(await open(), question);
    return JSON.stringify([
      fixed,
      await library.checkStack(snapshot, { environment: { LD_LIBRARY_PATH: "/nowhere" }, driver: "525.60.13", ldconfig: true }, question),
      await library.listStack(await open({ unset: ["LD_LIBRARY_PATH"] })),
      await library.whyOfProgram(await open(), "libcudnn.so.9"),
      library.serializeSnapshot(library.redactSnapshot(snapshot)),
    ]);
  };

  test("no question, what-if or fix changes the one that was handed in, and it is answered the same again", async () => {
    const snapshot = frozen(read());
    const answer = await ask(snapshot);
    expect((await ask(read())) === answer).toBe(true);
    expect(answer.includes("cudnn-parts-from-two-releases")).toBe(true);
  });
});

describe("7: what is run and written", () => {
  // Where programs are started, and which. Change this on purpose, together with invariant 7.
  const started: { [file: string]: string[] } = {
    "cli/mcp/child.ts": ["process.execPath"],
    "cli/run.ts": ["command", '"mkfifo"', '"script"', '"script"'],
    "machine/apply/attributes.ts": ['toolAt("cp")', "toolAt(name)"],
    "machine/apply/child.ts": ['"/bin/sh"'],
    "machine/apply/who.ts": ['"/bin/ls"'],
    "machine/target/sent.ts": ["ssh[0]!"],
    "machine/target/shell.ts": ["command[0]!"],
  };

  test("programs are started where it is written that they are, and nowhere else", () => {
    const found = sources.filter(({ text }) => /["'](?:node:)?(?:child_process|worker_threads|cluster|vm)["']/.test(text));
    const calls = found.map(({ file, text }) => [
      file,
      [...text.matchAll(/(?<![.\w])(?:spawn|spawnSync|exec|execSync|execFile|execFileSync|fork)\((toolAt\([^)]*\)|[^,)]*)/g)].map(
        ([, what]) => what!,
      ),
    ]);
    expect(Object.fromEntries(calls)).toEqual(started);
    const tools = sources.find(({ file }) => file === "machine/apply/attributes.ts")!.text.matchAll(/\brunOn\("(\w+)"/g);
    expect([...new Set([...tools].map(([, name]) => name))].sort()).toEqual(["cp", "touch"]);
    expect(sources.filter(({ text }) => /\bopenShell\(\[/.test(text)).map(({ file }) => file)).toEqual(["machine/target/host.ts"]);
  });

  test("code that looks at targets has no means to write", () => {
    const writing =
      /\bfs(?:\.promises)?\.(?:write|append|mkdir|mkdtemp|rm|unlink|rename|chmod|chown|fchmod|lchown|copyFile|cp|symlink|link|truncate|utimes|createWriteStream)\w*\(|O_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND)\b|openSync\([^)]*"[\w+]*[wa+]/;
    const looking = sources.filter(({ file }) => file.startsWith("machine/target/"));
    expect(looking.length).toBeGreaterThan(10);
    expect(looking.filter(({ text }) => writing.test(text)).map(({ file }) => file)).toEqual([]);
    for (const line of ["fs.writeFileSync(a, b)", "fs.openSync(a, fs.constants.O_RDWR)", 'fs.openSync(a, "w")'])
      expect(line).toMatch(writing);
    const script = fs.readFileSync("packages/machine/src/target/host.sh", "utf8").replace(/^#.*$/gm, "");
    expect(script.match(/>(?!&|\/dev\/null).*|\b(?:rm|mv|cp|tee|touch|mkdir|ln|chmod)\b/g)).toBe(null);
  });
});

describe("8: a published schema keeps what it has", () => {
  interface Schema {
    properties?: { [name: string]: unknown };
    required?: string[];
  }
  /** `ElfFact.needed!`: the exclamation mark says that it is required. */
  const fieldsOf = ({ definitions }: { definitions: { [name: string]: Schema } }): string[] =>
    Object.entries(definitions).flatMap(([type, { properties = {}, required = [] }]) =>
      Object.keys(properties).map((field) => `${type}.${field}${required.includes(field) ? "!" : ""}`),
    );

  test("every field of snapshot@1 is there and as optional as it was; what was added is optional", () => {
    const now = fieldsOf(JSON.parse(fs.readFileSync("schema/snapshot-1.schema.json", "utf8")));
    const then = fs.readFileSync("tests/snapshot-1.fields", "utf8").trim().split("\n");
    expect(now).toEqual(expect.arrayContaining(then));
    const types = new Set(then.map((field) => field.split(".")[0]!));
    const added = now.filter((field) => !then.includes(field) && types.has(field.split(".")[0]!));
    expect(added.filter((field) => field.endsWith("!"))).toEqual([]);
  });
});

test("15: no class stands on another, but on Error", () => {
  const bases = sources.flatMap(({ file, text }) =>
    [...text.matchAll(/^(?:export )?(?:abstract )?class \w+ extends (\w+)/gm)].map(([, base]) => `${file}: ${base}`),
  );
  expect(bases.filter((each) => !each.endsWith(": Error"))).toEqual([]);
  expect(bases.length).toBeGreaterThan(3);
});
