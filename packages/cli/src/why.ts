import { quietWhy, whyOfFrameworks, whyOfProgram, whyReport, type Examination, type Why } from "@culprit/core";
import { askedBy } from "./asked.ts";
import { print, printJson } from "./print.ts";
import { terminalStyle } from "./style.ts";
import { flag, texts, UsageError, type Input } from "./usage.ts";
import { frameworksMeant, frameworkRun, openWhere, programPath } from "./where.ts";

export async function run(input: Input): Promise<number> {
  const [library, ...others] = input.words;
  if (!library || 0 < others.length)
    throw new UsageError("`culprit why` needs the name of one library, for example `culprit why libcudnn.so.9`");
  const why = await ask(input, await openWhere(input), library);
  if (flag(input, "json")) printJson(why, 1);
  else if (flag(input, "quiet")) print(quietWhy(why));
  else print(whyReport(why, { ...terminalStyle(), asked: askedBy(input) }));
  return why.requests[0]?.failure ? 1 : 0;
}

async function ask(input: Input, examination: Examination, library: string): Promise<Why> {
  const programs = texts(input, "for").flatMap((value) => value.split(","));
  const meant = await frameworksMeant(programs, examination, texts(input, "python"));
  if (!meant && 1 < programs.length) throw new UsageError("several programs in one process must be frameworks");
  const [program] = programs.map((each) => (meant ? each : programPath(each, examination)));
  const why = meant
    ? await whyOfFrameworks(examination, library, frameworkRun(input, meant))
    : await whyOfProgram(examination, library, program);
  if ("problem" in why) throw new UsageError(why.problem);
  return why;
}
