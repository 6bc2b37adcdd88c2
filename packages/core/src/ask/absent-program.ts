import { absolute } from "../lib/path.ts";
import { problemOf, type Problem } from "../model/problem.ts";
import type { Examination } from "./examination.ts";
import { settle } from "./settle.ts";

/** That the file of a program is not there: nothing is wrong with any library then. Undefined where it is, or that is not known. */
export async function absentProgram(examination: Examination, path: string): Promise<Problem | undefined> {
  const isAbsent = await settle(examination, (view) => {
    const at = view.lookup(path);
    if ("ask" in at) view.need(absolute(path, view.cwd), "object");
    return "error" in at && at.error === "ENOENT";
  });
  return isAbsent ? problemOf("not-found", `there is no file \`${path}\``) : undefined;
}
