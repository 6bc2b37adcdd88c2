import { shown } from "@culprit/core/lib/shown";
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { askedBy, unnamed } from "./asked.ts";
import { givenFile, givenMachine, isArchive, isMachine, pageWith, type Given } from "./drop-page.ts";
import { livePage } from "./live-page.ts";
import { note, print } from "./print.ts";
import { flag, text, type Input } from "./usage.ts";
import { forPrograms, frameworkRun, openWhere, shellOf } from "./where.ts";
import { refuseUnwritable, writeWhole } from "./write-whole.ts";

export async function run(input: Input): Promise<number> {
  const output = text(input, "output");
  if (output !== undefined) refuseUnwritable(output, "the page");
  const page = await pageOf(input, output === undefined || flag(input, "full"));
  if (output !== undefined) {
    await writeWhole(output, [page], "the page", { mode: 0o600 });
    print(`The page is \`${shown(output)}\`: any browser opens it, offline.\n`);
    return 0;
  }
  await show(page);
  return 0;
}

async function pageOf(input: Input, full: boolean): Promise<string> {
  const [word] = input.words;
  if (asksNothing(input)) return pageWith([]);
  const machines = await Promise.all(input.words.map(isMachine));
  if (input.words.length <= 1 && !machines.includes(false)) return machinePage(input, word, full);
  const given: Given[] = [];
  for (const [index, each] of input.words.entries()) {
    if (!machines[index]) given.push(await givenFile(each, full));
    else {
      const { activities, python } = frameworkRun(input, []);
      given.push(
        await givenMachine(
          each,
          await openWhere(input, await targetOf(each)),
          { programs: [], activities, python, ...shellOf(input) },
          full,
        ),
      );
    }
  }
  return pageWith(given);
}

/** Neither a word nor an option that changes a question. */
const asksNothing = ({ words, options }: Input): boolean =>
  words.length === 0 && Object.keys(options).every((name) => ["output", "full", "color", "quiet", "knowledge"].includes(name));

/** An image that is named as a file is one all the same. */
const targetOf = async (word: string): Promise<string> => ((await isArchive(word)) ? `image:${word}` : word);

async function machinePage(input: Input, given: string | undefined, full: boolean): Promise<string> {
  const word = given === undefined ? undefined : await targetOf(given);
  const examination = await openWhere(input, word);
  const { activities, python } = frameworkRun(input, []);
  const programs = await forPrograms(input, examination);
  const asked = full ? askedBy(input, word) : unnamed(askedBy(input, word));
  return livePage(examination, { question: { programs, activities, python, ...shellOf(input) }, asked, accepted: [], full });
}

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
