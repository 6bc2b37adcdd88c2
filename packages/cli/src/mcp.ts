import { describeRules, ruleIds, rulePage, stepText, version } from "@culprit/core";
import { commands } from "./commands.ts";
import { parts } from "./parts.ts";
import { flag, UsageError, type Input } from "./usage.ts";

export async function run(input: Input): Promise<number> {
  if (0 < input.words.length)
    throw new UsageError("`culprit mcp` takes no words: a coding agent starts it and talks to it over standard input");
  const library = { version, commands, describeRules, ruleIds, rulePage, stepText };
  await (await parts.mcp()).serve({ isReadOnly: flag(input, "read-only"), allowsHosts: flag(input, "allow-hosts") }, library);
  return 0;
}
