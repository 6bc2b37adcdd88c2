// One question, asked of a program that is started plainly, and of one that is started from a login shell.
import type { Examination } from "../ask/examination.ts";
import { recall } from "../ask/recall.ts";
import { identityOf } from "../lib/compare.ts";
import { statusOf, type Check } from "../model/check.ts";
import { severities, type Finding } from "../model/finding.ts";
import type { Problem } from "../model/problem.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { viewOf } from "../resolve/view.ts";
import { loginShell, type LoginShell } from "../survey/login.ts";
import type { Judgement, Shell } from "./question.ts";

type Judge = (examination: Examination) => Promise<Judgement | Problem>;

/** What was judged, and in which shell: where a login shell adds something that is wrong, in that. */
export interface InShells {
  examination: Examination;
  judgement: Judgement;
  /** Where to plan: in a login shell, if all that is wrong is wrong there, too. What it sets may come to light behind a fix. */
  planned?: { examination: Examination; stack: Judgement["stack"] };
}

/** Of a machine that is not the one at which one sits, nobody has said how programs are started there. */
const shellFor = ({ target, running }: Snapshot, asked: Shell | undefined): Shell =>
  asked ?? (["root", "image", "host"].includes(target.kind) && !running ? "both" : "none");

export async function inShells(examination: Examination, asked: Shell | undefined, judge: Judge): Promise<InShells | Problem> {
  const { snapshot } = examination.view;
  const shell = shellFor(snapshot, asked);
  const login =
    shell === "none"
      ? undefined
      : await recall(examination, "login shell", [examination.named], (view) => loginShell(view, examination.named));
  const there = login && 0 < login.sets.length ? asLogin(examination, login) : undefined;
  if (there && shell === "login") return single(there, await judge(there), login);
  const plain = await judge(examination);
  if (!there || !login || "problem" in plain) return single(examination, plain, login);
  const second = await judge(there);
  if ("problem" in second) return single(examination, plain, login);
  const missing = (findings: Finding[], others: Finding[]) => {
    const known = new Set(others.map(identityOf));
    return new Set(findings.filter((each) => !known.has(identityOf(each))));
  };
  const added = missing(second.check.findings, plain.check.findings);
  const gone = missing(plain.check.findings, second.check.findings);
  const findings = [
    ...plain.check.findings.map((each) => (gone.has(each) ? notInLogin(each, login) : each)),
    ...[...added].map((each) => onlyInLogin(each, login)),
  ].toSorted((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity));
  const check: Check = withUnclear({ ...plain.check, findings }, login);
  const isWorse = [...added].some(({ severity }) => severity !== "info");
  return {
    examination: isWorse ? there : examination,
    judgement: { check: { ...check, status: statusOf(check) }, stack: isWorse ? second.stack : plain.stack },
    ...(isWorse || 0 < gone.size ? {} : { planned: { examination: there, stack: second.stack } }),
  };
}

const asLogin = (examination: Examination, { environment, sets }: LoginShell): Examination => ({
  ...examination,
  view: viewOf({ ...examination.view.snapshot, environment }),
  setAt: Object.fromEntries(sets.map(({ name, file, line }) => [name, `${file}:${line}`])),
});

function single(examination: Examination, judged: Judgement | Problem, login: LoginShell | undefined): InShells | Problem {
  if ("problem" in judged) return judged;
  return { examination, judgement: login ? { ...judged, check: withUnclear(judged.check, login) } : judged };
}

const withUnclear = (check: Check, { unclear }: LoginShell): Check =>
  0 < unclear.length && 0 < check.judged.length ? { ...check, unknown: [...check.unknown, ...unclear] } : check;

/** A guard in a start-up file keeps scripts out (`bash -lc`), and lets those in who sit before a terminal. */
const shellOf = ({ sets }: LoginShell) => (sets.some(({ interactive }) => interactive) ? "an interactive login shell" : "a login shell");

const settings = ({ sets }: LoginShell) =>
  sets.map(({ name, value, file, line }) => `${file}:${line} sets ${name}=${value}`).join(", and ");

const onlyInLogin = (finding: Finding, login: LoginShell): Finding => ({
  ...finding,
  shell: "login",
  message: `in a login shell: ${finding.message}`,
  short: finding.short ?? finding.message,
  because: [`only ${shellOf(login)} has it so: ${settings(login)}`, ...finding.because],
});

const notInLogin = (finding: Finding, login: LoginShell): Finding => ({
  ...finding,
  shell: "none",
  because: [`not in ${shellOf(login)}, where ${settings(login)}`, ...finding.because],
});
