import { examineWhy, whyReport } from "../index.ts";
import { terminalStyle } from "./style.ts";
import { flag, text, UsageError, type Input } from "./usage.ts";
import { print } from "./print.ts";
import { openWhere, programPath } from "./where.ts";

export async function run(input: Input): Promise<number> {
  const [library, ...others] = input.words;
  if (library === undefined || 0 < others.length)
    throw new UsageError("`culprit why` needs the name of one library, for example `culprit why libcudnn.so.9`");
  const examination = await openWhere(input);
  const program = text(input, "for");
  const why = await examineWhy(examination, library, program === undefined ? undefined : programPath(program, examination));
  print(flag(input, "json") ? `${JSON.stringify(why, null, 1)}\n` : whyReport(why, terminalStyle()));
  return why.requests.some(({ failure }) => failure) ? 1 : 0;
}
