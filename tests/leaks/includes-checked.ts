// Sets traps and reads every answer, as every report would show it.
import fs from "node:fs";
import path from "node:path";
import { checkMarkdown, checkReport, checkSarif, checkDependencyFile, predictedReport } from "../../packages/core/src/index.ts";
import { withoutSecretsIn } from "../../packages/core/src/lib/secrets.ts";
import { besideReader, leadsOut, readText } from "../../packages/machine/src/target/index.ts";
import { Dice } from "../fuzz/fuzz.ts";
import { setTrap } from "./includes.ts";

/** How traps that worked were set. */
export async function includesLeak(scratch: string, seed: number, rounds: number): Promise<string[]> {
  const dice = new Dice(seed);
  const worked: string[] = [];
  process.env["CULPRIT_TEST_MARKER"] = "marked-in-the-environment";
  for (let round = 0; round < rounds; round += 1) {
    const folder = fs.mkdtempSync(path.join(scratch, "trap-"));
    const { file, secret, how } = setTrap(folder, dice, `Xq${dice.below(1e9)}marker${round}Zk`);
    const content = await readText(file);
    if (!("problem" in content) && !leadsOut(file)) {
      const answer = await checkDependencyFile({ file, text: content.text, read: besideReader(file) });
      const texts =
        "problem" in answer
          ? [answer.problem]
          : [
              checkReport(answer.check, undefined, { all: true }),
              JSON.stringify(withoutSecretsIn(answer)),
              await checkMarkdown(answer),
              await checkSarif(answer),
              await predictedReport(answer.predicted),
            ];
      if (texts.some((text) => text.includes(secret) || text.includes("marked-in"))) worked.push(how);
    }
    fs.rmSync(folder, { recursive: true });
  }
  return worked;
}
