import { openQuestions, type Check, type JudgedProgram } from "../model/check.ts";
import type { Affected } from "../model/finding.ts";
import { nameOf } from "../lib/path.ts";
import { wrapped } from "../lib/lines.ts";
import { isSlow, refusesAll } from "./headline.ts";
import { processes } from "./affected.ts";
import { textWidth, type Style } from "./style.ts";

export interface ProgramRow {
  mark: "✓" | "✗" | "!" | "?" | "–";
  name: string;
  words: string;
}

/** So many can be read at once; the others are counted. */
const most = 12;

/** One line for each program that was judged, those that fail first: what of it works, and what does not. */
export function frameworkLines(check: Check, style: Style, all = false): string[] {
  const told = frameworkRows(check);
  const rows = all || told.length <= most + 1 ? told : told.slice(0, most);
  const wide = Math.min(36, Math.max(0, ...rows.map(({ name }) => name.length)));
  const left = told.length - rows.length;
  const lines = rows.flatMap(({ mark, name, words }) => {
    const head = name.padEnd(wide);
    const indent = head.length + 6;
    const [first = "", ...rest] = wrapped(words, textWidth(style, indent));
    const paint = { "✓": style.good, "✗": style.bad, "!": style.strong, "?": style.strong, "–": style.faint }[mark];
    return [`  ${paint(mark)} ${`${head}  ${first}`.trimEnd()}`, ...rest.map((line) => `${" ".repeat(indent)}${line}`)];
  });
  return left === 0 ? lines : [...lines, `    and ${left} more (--all)`];
}

/** What of each program works, and what does not; those that fail first. `findings`: where they stand, seen from here. */
export const frameworkRows = (check: Check, findings: "above" | "below" = "above"): ProgramRow[] =>
  rowsOf(check, findings).toSorted((one, other) => order.indexOf(one.mark) - order.indexOf(other.mark));

const order = ["✗", "!", "?", "✓", "–"];

function rowsOf(check: Check, place: "above" | "below"): ProgramRow[] {
  const { judged, findings, target } = check;
  // Where something could not be judged that concerns all, nobody gets a tick.
  const open = openQuestions(check);
  const fineOf = ({ name }: ProgramRow) => (open.some(({ kind, subject }) => kind !== "package" || subject === name) ? "?" : "✓");
  const loud = findings.filter(({ severity }) => severity !== "info");
  // An error that names nobody concerns everybody.
  // A cell or a line that fails leaves what was there before; of one installation nothing comes.
  const goesOn = target.kind === "declaration" && /\.(?:ipynb|sh)$/.test(target.name ?? "");
  const isOpen = loud.some(
    (finding) =>
      finding.severity === "error" && (finding.breaks.length + finding.endangers.length === 0 || (!goesOn && refusesAll(finding))),
  );
  const broken = loud.flatMap(({ breaks }) => breaks);
  const endangered = loud.filter((finding) => !isSlow(finding)).flatMap(({ endangers }) => endangers);
  const slowed = loud.filter(isSlow).flatMap(({ endangers }) => endangers);
  const rows = new Map<string, { row: ProgramRow; times: number }>();
  for (const programs of processes(judged)) {
    const made = rowOf(programs, { broken, endangered, slowed }, target.kind === "declaration");
    const row: ProgramRow =
      made.mark !== "✓" ? made : isOpen ? { ...made, mark: "!", words: `see the error ${place}` } : { ...made, mark: fineOf(made) };
    const known = rows.get(`${row.name} ${row.words}`);
    rows.set(`${row.name} ${row.words}`, { row, times: (known?.times ?? 0) + 1 });
  }
  return [...rows.values()].map(({ row, times }) => (times === 1 ? row : { ...row, name: `${row.name} (in ${times} environments)` }));
}

/** What an activity of a program comes to. */
export type Fate = "works" | "fails" | "at risk" | "slow at first" | "unknown" | "without CUDA";

export interface ProgramFates {
  name: string;
  environment?: string;
  /** By activity; one that is not in it was not judged. */
  fates: { [activity: string]: Fate };
}

/** What each program that was judged can do, activity by activity. */
export function fatesOf(check: Check): ProgramFates[] {
  const loud = check.findings.filter(({ severity }) => severity !== "info");
  // An error that names nobody concerns everybody.
  const concernsAll = loud.some(({ severity, breaks, endangers }) => severity === "error" && breaks.length + endangers.length === 0);
  const among = (affected: Affected[], programs: JudgedProgram[], activity: string) =>
    affected.some((each) => each.activity === activity && programs.some(({ program }) => program === each.framework));
  const fateOf = (programs: JudgedProgram[], activity: string, name: string): Fate => {
    const broken = loud.flatMap(({ breaks }) => breaks);
    if (among(broken, programs, activity) || among(broken, programs, "import")) return "fails";
    if (programs.every(({ cpuOnly }) => cpuOnly)) return "without CUDA";
    for (const finding of loud) if (among(finding.endangers, programs, activity)) return isSlow(finding) ? "slow at first" : "at risk";
    if (concernsAll) return "at risk";
    const isOpen = openQuestions(check).some(({ kind, subject }) => kind !== "package" || subject === name);
    return isOpen ? "unknown" : "works";
  };
  return processes(check.judged).map((programs) => {
    const name = programs.map(({ program, version = "" }) => `${nameOf(program)} ${version}`.trim()).join(" with ");
    const asked = [...new Set(programs.flatMap(({ activities }) => activities))];
    const environment = programs[0]?.environment;
    return {
      name,
      ...(environment === undefined ? {} : { environment }),
      fates: Object.fromEntries(asked.map((activity) => [activity, fateOf(programs, activity, name)])),
    };
  });
}

interface Lost {
  broken: Affected[];
  endangered: Affected[];
  slowed: Affected[];
}

/** What of a program fails, is at risk, is slow and works, in words. */
function partsOf({ fails, risky, slow, fine }: { [fate in "fails" | "risky" | "slow" | "fine"]: string[] }): string[] {
  return [
    ...(fails.length === 0
      ? []
      : [fine.length + risky.length + slow.length === 0 && 1 < fails.length ? "everything fails" : `fails: ${fails.join(", ")}`]),
    ...(risky.length === 0 ? [] : [`at risk: ${risky.join(", ")}`]),
    ...(slow.length === 0 ? [] : [`slow at first: ${slow.join(", ")}`]),
    ...(fine.length === 0 ? [] : [fails.length + risky.length + slow.length === 0 ? fine.join(", ") : `works: ${fine.join(", ")}`]),
  ];
}

function rowOf(programs: JudgedProgram[], { broken, endangered, slowed }: Lost, isFile: boolean): ProgramRow {
  const name = programs.map(({ program, version = "" }) => `${nameOf(program)} ${version}`.trim()).join(" with ");
  const asked = [...new Set(programs.flatMap(({ activities }) => activities))];
  // What a program has no model of is none of its activities, even where all that follows from its start fails.
  const among = (affected: Affected[]) => {
    const own = affected.filter(({ framework }) => programs.some(({ program }) => program === framework)).map(({ activity }) => activity);
    const known = own.filter((activity) => activity === "import" || asked.includes(activity));
    return [...new Set(known.length === 0 ? own : known)];
  };
  const fails = among(broken);
  if (programs.every(({ cpuOnly }) => cpuOnly)) {
    // A program of one's own has no build that has CUDA: it asks for it, or it does not.
    const words = programs.every(({ version }) => version === undefined) ? "needs no GPU library when it starts" : "a build without CUDA";
    return fails.includes("import") ? { mark: "✗", name, words: `fails: import; ${words}` } : { mark: "–", name, words };
  }
  const risky = among(endangered).filter((activity) => !fails.includes(activity));
  const slow = among(slowed).filter((activity) => !fails.includes(activity) && !risky.includes(activity));
  // Without its import a program does nothing else.
  const fine = fails.includes("import") ? [] : asked.filter((activity) => ![...fails, ...risky, ...slow].includes(activity));
  // What a file will install is judged as a whole.
  if (isFile && fails.length + risky.length + slow.length === 0) return { mark: "✓", name, words: "" };
  if (1 < fails.length && risky.length + slow.length === 0 && fine.length === 1 && fine[0] === "import")
    return { mark: "✗", name, words: "only its import works" };
  const parts = partsOf({ fails, risky, slow, fine });
  // Nothing that was asked about is among what is modelled of it: that is no tick.
  if (parts.length === 0 && programs.every(({ version }) => version !== undefined))
    return { mark: "–", name, words: "not judged: no model of what was asked" };
  return { mark: 0 < fails.length ? "✗" : 0 < risky.length + slow.length ? "!" : "✓", name, words: parts.join("; ") };
}
