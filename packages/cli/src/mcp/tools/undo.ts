import { counted, list, object, string, type Tool } from "../tool.ts";

export const undo: Tool<{ id: string; restored: string[] }> = {
  name: "undo",
  title: "Undo what was applied",
  description: "Undoes what `apply` did, byte for byte: the last run, or the one of a journal. Ask the user before you call it.",
  command: "fix",
  fixed: ["--undo"],
  words: [{ name: "journal", help: "the journal that `apply` returned; absent: the last one" }],
  options: [],
  changes: true,
  data: object({ journal: string(), restored: list(string()) }),
  brief: ({ id, restored }) => ({ summary: `undone: ${counted(restored.length, "thing")} as before`, data: { journal: id, restored } }),
};
