/** Each thing that cannot be told, once. */
export function onceTold<T extends { subject: string; reason: string }>(all: T[]): T[] {
  const found = new Map<string, T>();
  for (const each of all) {
    const key = `${each.subject}\n${each.reason}`;
    if (!found.has(key)) found.set(key, each);
  }
  return [...found.values()];
}
