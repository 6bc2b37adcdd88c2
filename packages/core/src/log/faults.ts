import type { Cause } from "../model/cause.ts";
import { weights, type Problem } from "./cause.ts";
import type { Fact } from "./fact.ts";

// Whatever fails because of the driver fails because of all of these.
const ofDriver = new Set<Cause>([
  "driver-too-old",
  "driver-not-exposed",
  "kernel-module-missing",
  "kernel-module-mismatch",
  "stub-library",
  "forward-compat-misuse",
  "ptx-newer-than-driver",
]);
// Software that is older than the GPU, seen from several sides.
const ofAge = new Set<Cause>(["arch-unsupported", "toolkit-too-old", "ptx-newer-than-driver", "wrong-wheel-cuda-version"]);
const ofPackages = new Set<Cause>(["package-conflict", "wrong-wheel-cuda-version", "wrong-wheel-cpu-only", "upstream-bug"]);
const harmless = new Set<Cause>(["benign-warning", "not-a-mismatch"]);

/**
 * The fault that each problem belongs to, from 1. What is told behind another problem is most often what came of it; a fault of its own is
 * only what a program says outright, on lines of its own, and what no problem before it explains.
 */
export function faultsOf(problems: Problem[]): number[] {
  const heads: Problem[] = [];
  return problems.map((problem) => {
    const same = heads.findIndex((head) => comesOf(problem, head));
    if (0 <= same) return same + 1;
    if (heads.length === 0 || isOwnFault(problem)) return heads.push(problem);
    return 1;
  });
}

function isOwnFault({ weight, suspects: [head] }: Problem): boolean {
  return weights.failed <= weight && head!.certainty !== "possible" && !harmless.has(head!.cause);
}

function comesOf(problem: Problem, before: Problem): boolean {
  const [head, first] = [problem.suspects[0]!, before.suspects[0]!];
  const lines = new Set(linesOf(before));
  if (linesOf(problem).some((line) => lines.has(line))) return true;
  if (head.library !== undefined && head.library === first.library && head.library !== "libcuda") return true;
  if (head.cause === first.cause) return isOneStory(problem, before);
  if (ofDriver.has(first.cause) && problem.suspects.some(({ cause }) => ofDriver.has(cause))) return !isRuntimeMissing(problem);
  if (ofAge.has(first.cause) && ofAge.has(head.cause)) return true;
  return ofPackages.has(first.cause) && ofPackages.has(head.cause) && namesOther(problem, before);
}

const linesOf = ({ suspects }: Problem) => suspects.flatMap(({ evidence }) => evidence.map(({ at }) => at.line)).filter((line) => 0 < line);

// The same cause twice is one story, unless two programs tell it.
function isOneStory(problem: Problem, before: Problem): boolean {
  const [one, other] = [tellerOf(problem), tellerOf(before)];
  return one === undefined || other === undefined || one === other;
}

function tellerOf({ suspects }: Problem): string | undefined {
  const teller = suspects[0]!.evidence.find((fact): fact is Fact<"not-found"> => fact.kind === "not-found")?.by;
  return teller === "loader" ? undefined : teller;
}

// Docker without NVIDIA's runtime is no matter of the driver.
const isRuntimeMissing = ({ suspects }: Problem) =>
  suspects[0]!.evidence.some((fact) => fact.kind === "container" && fact.what === "no-runtime");

function namesOther(problem: Problem, before: Problem): boolean {
  const said = (each: Problem) => each.suspects[0]!.evidence.map(({ at }) => at.text).join("\n");
  const [name, first] = [problem.suspects[0]!.name, before.suspects[0]!.name];
  return (name !== undefined && said(before).includes(name)) || (first !== undefined && said(problem).includes(first));
}
