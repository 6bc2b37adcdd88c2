// `--expect`: what a profile must keep to, for CI.
import { time } from "../lib/units.ts";
import type { TraceFile } from "../model/trace.ts";

/** One thing that is expected: `gpu`, or a number with its bound. */
export type Budget =
  | "gpu"
  | { metric: string; least: boolean; strict: boolean; factor: number; unit: "baseline" | "share" | "time" | "count" };

const metrics: { [name: string]: { unit: "time" | "share" | "count"; of: (file: TraceFile) => number | undefined } } = {
  step: { unit: "time", of: ({ steps }) => (0 < steps.count ? steps.median : undefined) },
  kernels: { unit: "count", of: ({ kernels }) => kernels },
  busy: { unit: "share", of: ({ work }) => (0 < work.span ? work.kernels / work.span : undefined) },
  idle: { unit: "share", of: ({ work }) => (0 < work.span ? work.idle / work.span : undefined) },
  ...Object.fromEntries(
    (["communication", "copies", "input", "compilation", "synchronisation", "host"] as const).map((part) => [
      part,
      { unit: "share", of: ({ breakdown }: TraceFile) => (breakdown ? breakdown[part] / breakdown.span : undefined) },
    ]),
  ),
};

export const budgetWords = `gpu, or one of ${Object.keys(metrics).join(", ")} with a bound: \`idle<=20%\`, \`step<=12ms\`, \`step<=1.05*baseline\``;

/** What `--expect` says, or why it says nothing. */
export function readBudgets(text: string): Budget[] | { problem: string } {
  const found: Budget[] = [];
  for (const part of text.split(",").map((each) => each.trim())) {
    const budget = readBudget(part);
    if (budget === undefined) return { problem: `\`--expect ${part}\` is not known; known is ${budgetWords}` };
    found.push(budget);
  }
  return found;
}

function readBudget(text: string): Budget | undefined {
  if (text === "gpu") return "gpu";
  const parsed = /^([a-z]+)\s*(<=|>=|<|>)\s*(\d{1,12}(?:\.\d{1,9})?)\s*(us|µs|ms|s|%|\*\s*baseline)?$/.exec(text);
  const [, metric, compared, number, suffix] = parsed ?? [];
  const known = metric !== undefined && Object.hasOwn(metrics, metric) ? metrics[metric] : undefined;
  if (!known) return undefined;
  const shared = { metric: metric!, least: compared!.startsWith(">"), strict: compared!.length === 1 };
  if (suffix?.includes("baseline")) return { ...shared, factor: Number(number), unit: "baseline" };
  const scales: { [suffix: string]: number } =
    known.unit === "time" ? { us: 1, µs: 1, ms: 1e3, s: 1e6 } : known.unit === "share" ? { "%": 0.01 } : { "": 1 };
  const scale = scales[suffix ?? ""];
  return scale === undefined ? undefined : { ...shared, factor: Number(number) * scale, unit: known.unit };
}

/** What is not kept, in sentences. What is no recording does not count, unless there is nothing else. The first one is the baseline. */
export function unmetBudgets(budgets: Budget[], files: TraceFile[]): string[] {
  const recordings = files.filter(({ verdict }) => verdict !== "not-a-trace");
  if (recordings.length === 0) return ["there is no recording among the files"];
  return budgets.flatMap((budget) => {
    if (budget === "gpu") return recordings.flatMap(({ kernels, file }) => (kernels === 0 ? [`\`${file}\` has no kernels`] : []));
    const [baseline] = recordings;
    if (budget.unit === "baseline" && recordings.length < 2)
      return ["there is no second profile to compare with the baseline, which is the first one"];
    const judged = budget.unit === "baseline" ? recordings.slice(1) : recordings;
    return judged.flatMap((file) => unmet(budget, file, baseline!) ?? []);
  });
}

function unmet(budget: Exclude<Budget, "gpu">, file: TraceFile, baseline: TraceFile): string | undefined {
  const { metric, least, strict, factor, unit } = budget;
  const known = metrics[metric]!;
  const value = known.of(file);
  const base = unit === "baseline" ? known.of(baseline) : 1;
  if (value === undefined || base === undefined)
    return `\`${metric}\` cannot be judged: ${(value === undefined ? file : baseline).file} has ${metric === "step" ? "no steps" : "nothing of it"}`;
  const bound = factor * base;
  const isKept = least ? bound < value || (!strict && value === bound) : value < bound || (!strict && value === bound);
  if (isKept) return undefined;
  const words = (number: number) =>
    known.unit === "time" ? time(number) : known.unit === "share" ? `${(100 * number).toFixed(1)} %` : String(number);
  return `\`${metric}\` of \`${file.file}\` is ${words(value)}, ${least ? "less" : "more"} than ${words(bound)}${unit === "baseline" ? ` (${factor} × ${words(base)})` : ""}`;
}
