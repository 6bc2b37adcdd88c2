import { concerning, listReport, listStack, predictedReport, quietList, type Inventory } from "@culprit/core";
import fs from "node:fs";
import { kindOf } from "@culprit/machine/target/kinds";
import { examineDeclared } from "./declared.ts";
import { isEnvironment, meaning, projectIn } from "./folder.ts";
import { isBareWord } from "./framework-word.ts";
import { print, printJson } from "./print.ts";
import { terminalStyle } from "./style.ts";
import { flag, texts, UsageError, type Input } from "./usage.ts";
import { openWhere } from "./where.ts";

export async function run(given: Input): Promise<number> {
  const frameworks = given.words.filter((word) => isBareWord(word) && !fs.existsSync(word));
  const words = given.words.filter((word) => !frameworks.includes(word));
  if (1 < words.length) throw new UsageError("`culprit list` takes one target at most");
  const { input, word } = meaning(given, await ofProject(words[0]));
  const declared = await examineDeclared(input, word);
  if (declared && 0 < frameworks.length)
    throw new UsageError(`\`${frameworks[0]}\` is chosen among what is installed; \`${word}\` is a dependency file: leave one of them out`);
  if (declared) {
    if (flag(input, "json")) printJson(declared.predicted, 1);
    else if (!flag(input, "quiet")) print(await predictedReport(declared.predicted, terminalStyle().width));
    return 0;
  }
  const inventory = onlyOf(await listStack(await openWhere(input, word), texts(input, "python")), frameworks);
  if (flag(input, "json")) printJson(inventory, 1);
  else if (flag(input, "quiet")) print(quietList(inventory));
  else print(listReport(inventory, terminalStyle()));
  return 0;
}

/** What is installed for a project is its environment; without one, its only dependency file. */
async function ofProject(word: string | undefined): Promise<string | undefined> {
  const found = word !== undefined && kindOf(word)?.kind.id === "root" ? await projectIn(word) : undefined;
  if (!found) return word;
  const environment = found.find(isEnvironment);
  if (environment === undefined && 1 < found.length)
    throw new UsageError(`there are several dependency files in \`${word}\`: name one of ${found.map((file) => `\`${file}\``).join(", ")}`);
  return environment ?? found[0];
}

function onlyOf(inventory: Inventory, frameworks: string[]): Inventory {
  if (frameworks.length === 0) return inventory;
  const chosen = concerning(inventory, frameworks);
  const missing = frameworks.filter((id) => !chosen.frameworks.some(({ framework }) => framework === id));
  if (0 < missing.length)
    throw new UsageError(
      `${missing.join(" and ")} ${missing.length === 1 ? "is" : "are"} not installed in any environment that was found; \`--python DIR\` names one`,
    );
  return chosen;
}
