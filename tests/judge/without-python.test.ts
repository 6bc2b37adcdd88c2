// A virtual environment without its Python is neither nothing nor healthy: what is in it was not judged, and the answer says why.
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { placeWithoutPython } from "../../packages/core/src/ask/choose.ts";
import { checkReport, checkStack, openTarget } from "../../packages/core/src/index.ts";
import { root } from "../../packages/machine/src/target/index.ts";
import { torch } from "../diagnose/python-stack.ts";
import { makeElf } from "../loader/make-elf.ts";
import { build, temporary, type Files } from "../loader/tree.ts";

const { folder, remove } = temporary();
afterAll(remove);

const venv = Object.fromEntries(Object.entries(torch()).map(([at, entry]) => [at.replace(/^\/venv\//, "/opt/venv/"), entry]));

async function told(name: string, more: Files, python: string[] = []) {
  const top = path.join(folder, name);
  build(top, {
    ...venv,
    "/opt/venv/pyvenv.cfg": { text: "home = /usr/local/bin\nversion = 3.11.7\n" },
    "/opt/venv/bin/python3": { link: "/usr/local/bin/python3.11" },
    ...more,
  });
  const check = await checkStack(root(top), { environment: {} }, { python });
  return {
    status: check.status,
    unknown: check.unknown.find(({ subject }) => subject === "/opt/venv")?.reason,
    report: checkReport(check),
  };
}

test("copied without the Python that made it", async () => {
  const { status, unknown, report } = await told("copied", {});
  expect([status, unknown]).toEqual([
    "incomplete",
    "has no Python that could start: it was made with the one in `/usr/local/bin`, which is not there",
  ]);
  expect(report).toMatch(/^ {2}unknown {3}\/opt\/venv: has no Python/);
});

test("beside a Python of another release", async () => {
  const { status, unknown } = await told("another", { "/usr/local/bin/python3.12": makeElf({ program: true }) });
  expect([status, unknown]).toEqual(["incomplete", "has no Python that could start: its `bin/python3` leads nowhere"]);
});

test("with its Python", async () => {
  expect((await told("whole", { "/usr/local/bin/python3.11": makeElf({ program: true }) })).unknown).toBeUndefined();
});

test("asked about by name", async () => {
  expect((await told("named", {}, ["/opt/venv"])).status).toBe("incomplete");
  const examination = await openTarget(root(path.join(folder, "named")), { environment: {} });
  expect(await placeWithoutPython(examination, ["/opt/venv"])).toBe(
    "`/opt/venv` has no Python that could start: it was made with the one in `/usr/local/bin`, which is not there",
  );
});
