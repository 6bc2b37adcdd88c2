import { checkPage, fixTarget, redactSnapshot, serializeSnapshot, takeSnapshot, readSnapshot, openTarget } from "@culprit/core";
import { shown } from "@culprit/core/lib/shown";
import { spawn } from "node:child_process";
import crypto from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { gzipSync } from "node:zlib";
import { askedBy, unnamed } from "./asked.ts";
import { privateNames } from "./names.ts";
import { knowledgeFile, pageFile } from "./page-files.ts";
import { note, print } from "./print.ts";
import { flag, text, UsageError, type Input } from "./usage.ts";
import { forPrograms, frameworkRun, openWhere, shellOf } from "./where.ts";
import { refuseUnwritable, writeWhole } from "./write-whole.ts";

export async function run(input: Input): Promise<number> {
  const output = text(input, "output");
  if (output !== undefined) refuseUnwritable(output, "the page");
  if (1 < input.words.length) throw new UsageError("`culprit open` shows one target: name one");
  const [word] = input.words;
  const page = await pageOf(input, word, output === undefined || flag(input, "full"));
  if (output !== undefined) {
    await writeWhole(output, [page], "the page", { mode: 0o600 });
    print(`The page is \`${shown(output)}\`: any browser opens it, offline.\n`);
    return 0;
  }
  await show(page);
  return 0;
}

/** `full`: with all names, for the eyes of who sits here. */
async function pageOf(input: Input, word: string | undefined, full: boolean): Promise<string> {
  const examination = await openWhere(input, word);
  const { activities, python } = frameworkRun(input, []);
  const programs = await forPrograms(input, examination);
  const taken = await takeSnapshot(examination, programs.flat(), python);
  const text = serializeSnapshot(full ? taken : redactSnapshot(taken, await privateNames(examination)));
  // What the page shows first is what its engine would say: of the facts that are in it.
  const read = await readSnapshot(text);
  if ("problem" in read) throw new Error(read.problem);
  const asked = full ? askedBy(input, word) : unnamed(askedBy(input, word));
  const question = { programs, activities, python, ...shellOf(input), asked };
  const judged = await fixTarget(await openTarget(read.snapshot), question);
  if ("problem" in judged) throw new UsageError(judged.problem);
  const script = pageFile("page.js");
  const knowledge = Object.fromEntries((JSON.parse(pageFile("knowledge.json")) as string[]).map((name) => [name, knowledgeFile(name)]));
  const engine = `globalThis.culpritKnowledge=${JSON.stringify(knowledge)};${pageFile("engine.js")}`;
  return checkPage(
    { check: judged.check, stack: judged.stack, asked },
    {
      script,
      scriptHash: `sha256-${crypto.createHash("sha256").update(script).digest("base64")}`,
      styles: pageFile("page.css"),
      engine: packed(engine),
      facts: packed(text),
      question: JSON.stringify({ question, asked }),
    },
    `${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC`,
  );
}

const packed = (text: string): string => gzipSync(text, { level: 9 }).toString("base64");

/** In the user's own browser; where there is none, it is said where the page lies. */
async function show(page: string): Promise<void> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "culprit-"));
  const file = path.join(folder, "culprit.html");
  fs.writeFileSync(file, page, { mode: 0o600 });
  const hasDisplay = process.platform !== "linux" || ["DISPLAY", "WAYLAND_DISPLAY"].some((name) => (process.env[name] ?? "") !== "");
  const advice = hasDisplay ? "" : "There is no display here: copy it to where a browser is.\n";
  print(`The page is \`${file}\`.\n${advice}`);
  if (!hasDisplay) return;
  const opener = process.platform === "darwin" ? "open" : "xdg-open";
  const child = spawn(opener, [file], { stdio: "ignore", detached: true });
  await new Promise<void>((settle) => {
    child.once("error", () => {
      note(`no browser could be started with \`${opener}\`: open the page yourself`);
      settle();
    });
    child.once("spawn", settle);
  });
  child.unref();
}
