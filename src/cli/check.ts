import { checkReport, examine } from "../index.ts";
import { terminalStyle } from "./style.ts";
import { flag, UsageError, type Input } from "./usage.ts";
import { print } from "./print.ts";
import { chooseTarget } from "./where.ts";

export async function run(input: Input): Promise<number> {
  if (1 < input.words.length) throw new UsageError("`culprit check` takes one target at most");
  const check = await examine(await chooseTarget(input, input.words[0]));
  print(flag(input, "json") ? `${JSON.stringify(check, null, 1)}\n` : checkReport(check, terminalStyle()));
  return check.findings.some(({ severity }) => severity === "error") ? 1 : 0;
}
