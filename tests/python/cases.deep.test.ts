// Every case of the case book, asked in Python: the answer is that of the npm build, to the last field.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { casesIn, openCase } from "../cases/book.ts";
import { needs } from "../needs.ts";
import { answering, askedOf } from "./cases.ts";
import { hasPython, installWheel, quiet, type Installed } from "./wheel.ts";

describe("in Python", needs({ "Python 3.9 with venv": hasPython }), () => {
  let made: Installed;
  beforeAll(() => {
    made = installWheel();
  });
  afterAll(() => fs.rmSync(made.scratch, { recursive: true, force: true }));
  const asked = casesIn("cases").flatMap((name) => askedOf(openCase("cases", name)) ?? []);

  test("the case book is asked about", () => expect(asked.length).toBeGreaterThan(90));

  test.each(asked)("$name is answered as by the command", ({ words, call }) => {
    const env = quiet(made.scratch);
    const python = path.join(made.environment, "bin/python");
    const said = execFileSync(python, ["-c", answering], { input: `${JSON.stringify(call)}\n`, env, maxBuffer: 1 << 28 });
    const text = call.text === undefined ? "" : fs.readFileSync(call.text);
    const npm = spawnSync(process.execPath, [path.resolve("packages/cli/bin/culprit.cjs"), ...words, "--json"], {
      env,
      input: text,
      cwd: made.scratch,
      maxBuffer: 1 << 28,
    });
    expect(JSON.parse(said.toString())).toEqual(JSON.parse(npm.stdout.toString()));
  });
});
