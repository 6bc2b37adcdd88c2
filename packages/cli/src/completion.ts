import { frameworkIds, ruleIds } from "@culprit/core";
import { commands } from "./commands.ts";
import { bashCompletion } from "./completion/bash.ts";
import { fishCompletion } from "./completion/fish.ts";
import { completed } from "./completion/completed.ts";
import { zshCompletion } from "./completion/zsh.ts";
import { print } from "./print.ts";
import { everywhere, UsageError, type Input } from "./usage.ts";

const shells = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

export async function run(input: Input): Promise<number> {
  const [name = "", ...others] = input.words;
  const shell = Object.hasOwn(shells, name) ? shells[name as keyof typeof shells] : undefined;
  if (!shell || 0 < others.length) throw new UsageError("`culprit completion` takes the name of one shell: bash, zsh or fish");
  print(shell(completed(commands, everywhere, { frameworks: frameworkIds, rules: ruleIds, shells: Object.keys(shells) })));
  return 0;
}
