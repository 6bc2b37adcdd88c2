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

/** Whether two values say the same: data, lists, records, maps and sets. What has methods of its own is only like itself. */
export function isEqual(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  const kind: unknown = Object.getPrototypeOf(one);
  if (kind !== Object.getPrototypeOf(other)) return false;
  if (Array.isArray(one))
    return one.length === (other as unknown[]).length && one.every((each, index) => isEqual(each, (other as unknown[])[index]));
  // In the order in which they came: what goes through them would see another one.
  if (one instanceof Map || one instanceof Set) return isEqual([...one], [...(other as Iterable<unknown>)]);
  if (kind !== Object.prototype) return false;
  const names = Object.keys(one);
  const others = Object.keys(other);
  return (
    names.length === others.length &&
    names.every((name, index) => name === others[index] && isEqual(one[name as keyof typeof one], other[name as keyof typeof other]))
  );
}
