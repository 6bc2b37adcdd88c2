import type { ProposedFix, Step } from "../../packages/core/src/model/fix.ts";

export const fixOf = (...steps: Step[]): ProposedFix => ({
  fix: "test",
  title: "a change",
  reach: "machine",
  safety: "safe",
  commands: [],
  steps,
  cures: [],
  changes: [],
  proof: { removes: [], adds: [] },
});

export const set = "export LD_LIBRARY_PATH=/opt/lib:/usr/lib";
export const edit = (file: string, line: number, after?: string): Step => ({
  do: "edit",
  file,
  line,
  before: set,
  ...(after === undefined ? {} : { after }),
});
