import { identityOf } from "@culprit/core/lib/compare";
import type { Check, Plan } from "@culprit/core";

/** What a plan promised and the machine does not show after it: findings that stayed, and findings that nobody spoke of. */
export function notKept({ proof }: Pick<Plan, "proof">, before: Pick<Check, "findings">, after: Pick<Check, "findings">): string[] {
  const there = new Set(before.findings.map(identityOf));
  const left = new Set(after.findings.map(identityOf));
  const came = after.findings.filter(({ severity }) => severity !== "info").map(identityOf);
  return [
    ...proof.removes.filter((each) => left.has(each)).map((each) => `still there: ${each}`),
    ...came.filter((each) => !there.has(each) && ![...proof.adds, ...(proof.reveals ?? [])].includes(each)).map((each) => `new: ${each}`),
  ];
}
