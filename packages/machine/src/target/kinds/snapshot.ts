import { defineTargetKind } from "../target-kind.ts";

export default defineTargetKind({
  id: "snapshot",
  takes: (entry) => !entry.isDirectory(),
  form: "a snapshot file",
  forms: "snapshot files",
  help: "a snapshot file",
  place: 2,
  open: (file, { readSnapshot }) => readSnapshot(file),
});
