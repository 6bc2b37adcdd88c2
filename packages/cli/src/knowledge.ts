import { bringKnowledge } from "@culprit/core";
import { reasonOf } from "@culprit/core/lib/reason";
import { readNamed } from "@culprit/machine/target/named";
import { note } from "./print.ts";
import { UsageError } from "./usage.ts";

const mostBytes = 64 << 20;

/** Newer knowledge than the program's own takes its place, before anything is asked. */
export async function bringKnowledgeFile(file: string): Promise<void> {
  let content: string;
  try {
    content = readNamed(file, mostBytes).toString("utf8");
  } catch (error) {
    throw new UsageError(`\`${file}\` cannot be read: ${reasonOf(error)}`, { cause: error });
  }
  const brought = await bringKnowledge(content, new Date().toISOString().slice(0, 10));
  if ("problem" in brought) throw new UsageError(`the knowledge in \`${file}\` cannot be used: ${brought.problem}`);
  if (brought.note !== undefined) note(`the knowledge in \`${file}\` is not used: ${brought.note}`);
}
