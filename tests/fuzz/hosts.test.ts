// Another host may say anything: its answers are changed on the way, and whatever comes must be an answer or one sentence.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { openTarget, loadsOfEach, checkTarget } from "../../packages/core/src/index.ts";
import { hostScript } from "../../packages/machine/src/target/host-script.generated.ts";
import { lookThrough } from "../../packages/machine/src/target/host.ts";
import { openShell, type Shell } from "../../packages/machine/src/target/shell.ts";
import { makeElf } from "../loader/make-elf.ts";
import { fuzz, mutate, type Dice } from "./fuzz.ts";

const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "culprit-hostile-")));
fs.mkdirSync(`${scratch}/lib`);
fs.writeFileSync(`${scratch}/lib/libown.so.1.2`, makeElf({ soname: "libown.so.1" }));
fs.symlinkSync("libown.so.1.2", `${scratch}/lib/libown.so.1`);
fs.writeFileSync(`${scratch}/program`, makeElf({ program: true, needed: ["libown.so.1", "libc.so.6"], runpath: "$ORIGIN/lib" }));
const honest = openShell(["sh"], hostScript, { patience: 20, name: "sh" });
afterAll(() => {
  honest.end();
  fs.rmSync(scratch, { recursive: true, force: true });
});

const said = new Map<string, Promise<Buffer>>();
const truth = (command: string): Promise<Buffer> => {
  const known = said.get(command) ?? honest.ask(command);
  said.set(command, known);
  return known;
};

const numbers = ["-1", "0", "99999999999999999999", "1e9", "NaN", "0x10", "1.5", "9007199254740993", "18446744073709551615", ""];
const words = [
  "ENOENT",
  "EACCES",
  ".",
  "..",
  "/",
  "../../etc",
  "E".repeat(300),
  "a/b",
  "\u001b[2J",
  "x".repeat(70_000),
  "\n",
  "\0\0",
  "/proc/self",
];

async function lie(answer: Buffer, dice: Dice): Promise<Buffer> {
  const text = answer.toString("latin1");
  const at = dice.below(text.length + 1);
  switch (dice.below(9)) {
    case 0:
      return Buffer.alloc(0);
    case 1:
      return answer.subarray(0, at);
    case 2:
      return Buffer.concat([answer, answer, Buffer.from("\0")]);
    case 3:
      return Buffer.from(
        text.replace(/\d+/g, (number) => (dice.chance(3) ? dice.pick(numbers) : number)),
        "latin1",
      );
    case 4:
      return Buffer.from(text.slice(0, at) + dice.pick(words) + text.slice(at), "latin1");
    case 5:
      // The answer to another question.
      return dice.pick(await Promise.all(said.values()));
    case 6:
      return Buffer.from(
        text
          .split("\0")
          .map((word) => (dice.chance(3) ? dice.pick(words) : word))
          .join("\0"),
        "latin1",
      );
    case 7:
      return Buffer.from(text.slice(0, at) + dice.pick(["\0", "\n", "a", "/", "9"]).repeat(dice.below(100_000)), "latin1");
    default:
      return answer.length === 0 ? Buffer.from(dice.pick(words)) : Buffer.from(mutate([answer], dice));
  }
}

function liar(dice: Dice): Shell {
  const often = dice.pick([1, 3, 10, 30]);
  let asked = 0;
  return {
    async ask(command, most = Infinity) {
      asked += 1;
      if (5000 < asked) throw new Error("cannot look at liar: it is asked without end");
      const answer = await truth(command);
      // Who does not come past the first questions tries nothing.
      const given = (3 < asked || dice.chance(50)) && dice.chance(often) ? await lie(answer, dice) : answer;
      if (most < given.length) throw new Error("cannot look at liar: it prints without end");
      if (dice.chance(400)) throw new Error("cannot look at liar: it ended");
      return given;
    },
    end() {},
  };
}

test("no answer of a host ends in anything but an answer or one sentence", async () => {
  let answered = 0;
  await fuzz(
    "hosts",
    300,
    async (dice) => {
      try {
        const target = await lookThrough(liar(dice), "liar");
        const examination = await openTarget(target);
        if (dice.chance(60)) await checkTarget(examination, { programs: [], activities: [], python: [scratch] });
        else for await (const { loads } of loadsOfEach(examination, [`${scratch}/program`])) answered += loads.length === 0 ? 0 : 1;
      } catch (error) {
        const { message } = error as Error;
        if (!/^cannot look at liar: [^\n]{3,200}$/.test(message)) throw error;
      }
      // The truth about this machine has to be asked first.
    },
    15_000,
  );
  if (!process.env["FUZZ_SEED"]) expect(answered).toBeGreaterThan(20);
});
