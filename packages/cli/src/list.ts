import { listStack, predictedReport, listReport } from "@culprit/core";
import { examineDeclared } from "./declared.ts";
import { print, printJson } from "./print.ts";
import { terminalStyle } from "./style.ts";
import { flag, texts, UsageError, type Input } from "./usage.ts";
import { openWhere } from "./where.ts";

export async function run(input: Input): Promise<number> {
  if (1 < input.words.length) throw new UsageError("`culprit list` takes one target at most");
  const declared = await examineDeclared(input, input.words[0]);
  if (declared) {
    if (flag(input, "json")) printJson(declared.predicted, 1);
    else print(await predictedReport(declared.predicted, terminalStyle().width));
    return 0;
  }
  const inventory = await listStack(await openWhere(input, input.words[0]), texts(input, "python"));
  if (flag(input, "json")) printJson(inventory, 1);
  else print(listReport(inventory, terminalStyle()));
  return 0;
}
