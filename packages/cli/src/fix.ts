import fs from "node:fs";
import process from "node:process";
import {
  checkReport,
  fixTarget,
  checkTarget,
  fixReport,
  quietCheck,
  quietPlan,
  stepText,
  type Check,
  type Examination,
  type Plan,
  type Question,
  type Style,
} from "@culprit/core";
import { applyFixes, stepsOf } from "@culprit/machine/apply/apply";
import { journalHome, journals } from "@culprit/machine/apply/journal";
import { prospectOf, type Prospect } from "@culprit/machine/apply/prospect";
import { undoFixes } from "@culprit/machine/apply/undo";
import { caller, NotOurs, userName, whose } from "@culprit/machine/apply/who";
import { commandLine } from "@culprit/core/lib/shell";
import { shown } from "@culprit/core/lib/shown";
import { askedBy } from "./asked.ts";
import { digestOf } from "./plan-digest.ts";
import { flag, text, texts, UsageError, type Input } from "./usage.ts";
import { terminalStyle } from "./style.ts";
import { note, print, printAside, printJson } from "./print.ts";
import { sentenceOf } from "@culprit/core/lib/reason";
import { notKept } from "./promise.ts";
import { forPrograms, frameworkRun, openWhere, shellOf } from "./where.ts";

export async function run(input: Input): Promise<number> {
  const home = journalHome(process.env);
  if (flag(input, "undo")) return undo(input, home);
  if (text(input, "plan") !== undefined && !flag(input, "apply"))
    throw new UsageError("`--plan` says what may be applied: give it with `--apply`");
  if (1 < input.words.length) throw new UsageError("`culprit fix` takes one finding at most; without one it plans for all");
  const examination = await openWhere(input);
  const { activities, python } = frameworkRun(input, []);
  const programs = await forPrograms(input, examination);
  const asked = askedBy(input);
  const style = { ...terminalStyle(), asked };
  const question: Question = { programs, activities, python, ...shellOf(input), asked };
  const answer = await fixTarget(examination, question, input.words[0]);
  if ("problem" in answer) throw new UsageError(answer.problem);
  const { plan, check } = answer;
  if (!flag(input, "apply")) {
    reportPlan(input, plan, style);
    return plan.findings.some(({ severity }) => severity === "error") ? 1 : 0;
  }
  const root = rootOf(input, plan);
  refuseAnother(input, root, plan);
  if (plan.chosen.length === 0) {
    reportPlan(input, plan, style);
    return plan.findings.length === 0 ? 0 : 1;
  }
  const chosen = at(root, plan.chosen);
  const steps = stepsOf(chosen);
  if (flag(input, "dry-run")) {
    print(steps.map((step) => stepText(step.do === "run" ? step : { ...step, file: root + step.file })).join(""));
    return 0;
  }
  const prospects = guarded(() => prospectOf(root, steps));
  refuseMoved(examination, root, prospects);
  if (!flag(input, "yes")) await consent(prospects);
  const { id, changed } = guarded(() => applyFixes(home, root, chosen, (line) => printAside(`${shown(line)}\n`), prospects));
  // What was changed in files is seen by new shells: the question is asked again as they would ask it.
  const again = await openWhere(withFixedVariables(input, plan));
  const after = await checkTarget(again, question);
  if ("problem" in after) throw new UsageError(after.problem);
  return reportApplied(input, { id, changed, before: check, after: after.check, broken: notKept(plan, check, after.check) }, style);
}

function reportPlan(input: Input, plan: Plan, style: Style): void {
  if (flag(input, "json")) printJson({ ...plan, ...applicable(input, plan) }, 1);
  else print(flag(input, "quiet") ? quietPlan(plan) : fixReport(plan, style));
}

interface Applied {
  id: string;
  changed: string[];
  before: Check;
  after: Check;
  /** What the plan promised and the machine does not show. */
  broken: string[];
}

function reportApplied(input: Input, { id, changed, before, after, broken }: Applied, style: Style): number {
  if (flag(input, "json")) printJson({ schema: "culprit/applied@1", id, changed, notKept: broken, before: counts(before), after }, 1);
  else if (flag(input, "quiet")) print(quietCheck(after, "error"));
  else print(appliedReport(changed, id, before, after, style));
  if (0 < broken.length && !flag(input, "json"))
    print(`\nThe proof did not hold:\n${broken.map((each) => `  ${shown(each)}\n`).join("")}To undo: culprit fix --undo ${shown(id)}\n`);
  return 0 < broken.length || after.findings.some(({ severity }) => severity === "error") ? 1 : 0;
}

const counts = ({ findings }: Check) => ({
  errors: findings.filter(({ severity }) => severity === "error").length,
  warnings: findings.filter(({ severity }) => severity === "warning").length,
});

/** The name of a plan that can be applied where it was made; else why it cannot. */
function applicable(input: Input, plan: Plan): { digest: string } | { notApplicable: string } {
  if (plan.chosen.length === 0) return { notApplicable: "no fix here changes anything that culprit may change" };
  try {
    return { digest: digestOf(rootOf(input, plan), plan) };
  } catch (error) {
    return { notApplicable: sentenceOf(error) };
  }
}

/** Who agreed to one plan did not agree to another. */
function refuseAnother(input: Input, root: string, plan: Plan): void {
  const agreed = text(input, "plan");
  if (agreed !== undefined && agreed !== digestOf(root, plan))
    throw new UsageError(
      "the plan is by now another than `--plan` names: `culprit fix --json` shows it with its digest; nothing was changed",
    );
}

function appliedReport(changed: string[], id: string, before: Check, after: Check, style: Style): string {
  const done = changed.map((each) => `done: ${shown(each)}\n`).join("");
  const left = after.findings.some(({ severity }) => severity !== "info") ? `\n${checkReport(after, style)}` : "";
  return `${done}to undo: culprit fix --undo ${shown(id)}\n\nbefore: ${summary(before)}\nafter:  ${summary(after)}\n${left}`;
}

const summary = (check: Check) => {
  const { errors, warnings } = counts(check);
  return `${errors} error${errors === 1 ? "" : "s"}, ${warnings} warning${warnings === 1 ? "" : "s"}`;
};

// An edit of a start-up file reaches programs through a new shell: variables are then as the proof had them.
function withFixedVariables(input: Input, plan: Plan): Input {
  // Of two fixes that change one variable, the later one knows of the earlier.
  const changes = new Map(plan.chosen.flatMap((fix) => fix.variables ?? []).map(({ name, value }) => [name, value]));
  const env = texts(input, "env").filter((pair) => !changes.has(pair.split("=")[0]!));
  const set = [...changes].flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
  const unset = [...changes].flatMap(([name, value]) => (value === undefined ? [name] : []));
  return { ...input, options: { ...input.options, env: [...env, ...set], unset: [...texts(input, "unset"), ...unset] } };
}

/** Only this machine and a root folder can be changed; a program can only be run on this machine. */
function rootOf(input: Input, plan: Plan): string {
  const root = text(input, "root");
  const target = text(input, "target");
  if (target !== undefined && target !== "machine") throw new UsageError("only this machine or a root folder (--root) can be changed");
  if (root === undefined) return "";
  const runs = plan.chosen.some(({ steps }) => steps.some((step) => step.do === "run" && !isLdconfig(step)));
  if (runs) throw new UsageError("this fix runs a program, which a root folder cannot: apply it on the machine itself");
  const real = fs.realpathSync(root);
  return real === "/" ? "" : real;
}

// It alone knows how to work on another root.
const isLdconfig = ({ command }: { command: string[] }) => command[0] === "/sbin/ldconfig";

const at = (root: string, fixes: Plan["chosen"]): Plan["chosen"] =>
  root === ""
    ? fixes
    : fixes.map((fix) => ({
        ...fix,
        steps: fix.steps.map((step) => (step.do === "run" ? { ...step, command: [...step.command, "-r", root] } : step)),
      }));

/** A link that was swapped since the plan was made leads elsewhere than the plan says. */
function refuseMoved({ view }: Examination, root: string, prospects: Prospect[]): void {
  for (const { step, path } of prospects) {
    const planned = step.do === "run" ? undefined : view.lookup(step.file);
    if (planned && "found" in planned && root + planned.found !== path)
      throw new UsageError(
        `${root}${step.do === "run" ? "" : step.file} leads to ${path} by now, not to ${root}${planned.found}: nothing was changed`,
      );
  }
}

/** What will be done, to the letter, and whose it is. */
function prospectText({ step, path, owner }: Prospect): string {
  const belongs = `(${whose(owner, caller())})`;
  const what =
    step.do === "run"
      ? `run ${path} ${belongs}`
      : step.do === "write"
        ? `write ${path} ${belongs}`
        : `edit ${path}, line ${step.line} ${belongs}`;
  const changed = step.do === "run" ? step.changes.map((place) => `    changes ${shown(place)}\n`).join("") : "";
  const added = (text: string) =>
    text
      .replace(/\n$/, "")
      .split("\n")
      .map((line) => `+${line}`);
  const exact =
    step.do === "run"
      ? [`$ ${commandLine(step.command)}`]
      : step.do === "write"
        ? added(step.text)
        : [`-${step.before}`, ...(step.after === undefined ? [] : added(step.after))];
  return `  ${shown(what)}\n${exact.map((line) => `    ${shown(line)}\n`).join("")}${changed}`;
}

async function consent(prospects: Prospect[]): Promise<void> {
  if (!process.stdin.isTTY) throw new UsageError("not a terminal: pass --yes to apply, or --dry-run to look");
  printAside(`${prospects.map(prospectText).join("")}Apply? [y/N] `);
  const { createInterface } = await import("node:readline/promises");
  const reader = createInterface({ input: process.stdin });
  const answer = await reader.question("");
  reader.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new UsageError("nothing was changed");
}

function undo(input: Input, home: string): number {
  const [id] = input.words;
  const found = id === undefined ? guarded(() => journals(home)) : undefined;
  for (const problem of found?.problems ?? []) note(problem);
  const last = id ?? found?.journals.findLast(({ state }) => state !== "undone")?.id;
  if (last === undefined) throw new UsageError("there is nothing to undo");
  const { restored } = guarded(() => undoFixes(home, last));
  if (flag(input, "json")) printJson({ schema: "culprit/undone@1", id: last, restored }, 1);
  else print(undoneReport(last, restored));
  return 0;
}

const undoneReport = (last: string, restored: string[]): string =>
  `undone: ${shown(last)}\n${restored
    .slice(0, 10)
    .map((file) => `  ${shown(file)}\n`)
    .join("")}${10 < restored.length ? `  and ${restored.length - 10} more\n` : ""}`;

/** The administrator does nothing with another user's things: what that user would type. */
function ownerWouldType(owner: number): string {
  const command = commandLine(["culprit", ...process.argv.slice(2)]);
  return owner === caller().uid
    ? `let nobody else change it, then type \`${command}\` again`
    : `let ${userName(owner)} type \`${command}\``;
}

function guarded<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof NotOurs)
      throw new UsageError(`${error.message}: ${ownerWouldType(error.owner)}; nothing was changed`, { cause: error });
    throw new UsageError(sentenceOf(error), { cause: error });
  }
}
