import { examineInventory, listReport } from "../index.ts";
import { print } from "./print.ts";
import { terminalStyle } from "./style.ts";
import { flag, texts, UsageError, type Input } from "./usage.ts";
import { openWhere } from "./where.ts";

export async function run(input: Input): Promise<number> {
  if (0 < input.words.length) throw new UsageError("`culprit list` takes no words; `--root DIR` and `--python DIR` say where to look");
  const inventory = await examineInventory(await openWhere(input), texts(input, "python"));
  print(flag(input, "json") ? `${JSON.stringify(inventory, null, 1)}\n` : listReport(inventory, terminalStyle()));
  return 0;
}
