import { defineTargetKind } from "../target-kind.ts";
import { root } from "../root.ts";

export default defineTargetKind({
  id: "root",
  kind: "root",
  takes: (entry) => entry.isDirectory(),
  form: "a root folder",
  forms: "root folders",
  help: "a root folder",
  place: 1,
  open: (folder) => root(folder),
});
