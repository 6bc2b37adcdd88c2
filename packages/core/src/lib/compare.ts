// Two answers, or the facts behind them, side by side.

/** What a finding is called in another answer. */
export const identityOf = ({ rule, subject }: { rule: string; subject: string }) => `${rule} ${subject}`;

/** What is wrong in one answer and not in the other; what is only a note does not count. */
export function onlyIn<Found extends { rule: string; subject: string; severity: string }>(findings: Found[], others: Found[]): Found[] {
  const known = new Set(others.map(identityOf));
  return findings.filter((finding) => finding.severity !== "info" && !known.has(identityOf(finding)));
}

export type Facts = { [subject: string]: string };

/** What differs between two lists of facts; absent: not there. */
export function changesBetween<Kind extends string>(
  kind: Kind,
  a: Facts,
  b: Facts,
): { kind: Kind; subject: string; a?: string; b?: string; explains: { in: "a" | "b"; finding: string }[] }[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])]
    .filter((subject) => a[subject] !== b[subject])
    .sort()
    .map((subject) => ({
      kind,
      subject,
      ...(a[subject] === undefined ? {} : { a: a[subject] }),
      ...(b[subject] === undefined ? {} : { b: b[subject] }),
      explains: [],
    }));
}
