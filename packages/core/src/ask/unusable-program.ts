import { absolute } from "../lib/path.ts";
import { normalName } from "../lib/pep508.ts";
import { pythonLines } from "../lib/python-lines.ts";
import { importsOf } from "../lib/python-import-lines.ts";
import { frameworks } from "../frameworks/index.generated.ts";
import { problemOf, type Problem } from "../model/problem.ts";
import { textAt } from "../survey/python.ts";
import type { View } from "../resolve/view.ts";
import type { Examination } from "./examination.ts";
import { settle } from "./settle.ts";

/**
 * That the loader would not start the file of a program, because there is none or it is a text: nothing is wrong with any library then.
 * Undefined where it would, or that is not known.
 */
export const unusableProgram = async (examination: Examination, path: string): Promise<Problem | undefined> =>
  settle(examination, (view) => {
    const at = view.lookup(path);
    if ("ask" in at) view.need(absolute(path, view.cwd), "object");
    if ("error" in at && at.error === "ENOENT") return problemOf("not-found", `there is no file \`${path}\``);
    if (!("found" in at) || at.entry.kind !== "file" || at.entry.unreadable !== undefined) return undefined;
    const object = view.object(at.found, at.entry);
    return object?.kind === "not-elf" && isScript(path, object.starts) ? scriptProblem(view, path, object.starts) : undefined;
  });

const isScript = (path: string, starts: string) => starts.startsWith("#!") || /\.(?:py|sh)$/.test(path);

/** A script is read by its interpreter: what that loads is decided by what the script imports or starts, and those have names. */
function scriptProblem(view: View, path: string, starts: string): Problem {
  const isPython = path.endsWith(".py") || /^#!.*\bpython/.test(starts);
  const names = isPython ? importedFrameworks(textAt(view, path) ?? "") : [];
  const instead =
    0 < names.length
      ? `what it imports, in this order: \`${names.join(",")}\``
      : isPython
        ? "the packages that it imports, by their names"
        : "the program that it starts";
  return problemOf("bad-question", `\`${path}\` is a script, which the loader does not read: ask about ${instead}`);
}

/** Frameworks of which a file imports something anywhere, in the order of its text. */
function importedFrameworks(text: string): string[] {
  const modules = pythonLines(text).flatMap((line) => importsOf(line).map((each) => each.split(/[.:]/)[0]!));
  return [...new Set(modules.flatMap((module) => frameworks.find(({ id }) => id === normalName(module))?.id ?? []))];
}
