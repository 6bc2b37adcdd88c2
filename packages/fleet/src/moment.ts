/** `2026-11-15`, `2026-11-15T08:00Z`, `yesterday`, or how long ago: `24h`, `7d`, `90m`. */
export function momentOf(text: string, now: Date = new Date()): Date | undefined {
  const at = namedMoment(text, now);
  // Nothing is as old as 1970, and PostgreSQL's times begin later than JavaScript's.
  return at === undefined || Number.isNaN(at.getTime()) ? undefined : new Date(Math.max(0, at.getTime()));
}

function namedMoment(text: string, now: Date): Date | undefined {
  const ago = /^(\d{1,6})([mhdw])$/.exec(text);
  if (ago)
    return new Date(now.getTime() - Number(ago[1]) * { m: 60e3, h: 3600e3, d: 86_400e3, w: 604_800e3 }[ago[2] as "m" | "h" | "d" | "w"]);
  if (text === "yesterday") return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - 1));
  return /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2})?)?$/.test(text) ? new Date(text) : undefined;
}
