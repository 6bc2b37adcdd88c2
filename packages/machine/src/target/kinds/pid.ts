import { defineTargetKind } from "../target-kind.ts";
import { pid } from "../pid.ts";

export default defineTargetKind({
  id: "pid",
  kind: "process",
  prefix: "pid:",
  form: "`pid:N`",
  forms: "`pid:N`",
  help: "a running process (`pid:N`)",
  place: 3,
  open(number) {
    if (!/^\d+$/.test(number)) throw new Error(`\`pid:${number}\` is not a process: pid:1234 is`);
    return pid(Number(number));
  },
});
