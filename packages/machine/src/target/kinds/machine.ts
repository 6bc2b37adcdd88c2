import { defineTargetKind } from "../target-kind.ts";
import { machine } from "../machine.ts";

export default defineTargetKind({
  id: "machine",
  kind: "machine",
  word: "machine",
  form: "`machine`",
  forms: "`machine`",
  help: "`machine`, which is this one",
  place: 6,
  open: () => machine(),
});
