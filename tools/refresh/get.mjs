// How sources are asked. What cannot be reached and what answers with something else leave their rows as they are, and each is told.

/** Nobody answered: no network, no such host, an error of the server. */
export class Unreachable extends Error {}
/** Somebody answered, and not with what was asked for: a page of an error, another form. */
export class Unreadable extends Error {}

/** The text at an address. */
export async function get(address) {
  let answer;
  try {
    answer = await fetch(address, { signal: AbortSignal.timeout(60_000), headers: { "user-agent": "culprit refresh" } });
  } catch (error) {
    throw new Unreachable(`${new URL(address).host} (${error.cause?.code ?? error.name})`);
  }
  if (!answer.ok) throw new Unreachable(`${new URL(address).host} (status ${answer.status})`);
  return answer.text();
}

export function parsed(text, what) {
  try {
    const value = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value;
  } catch {}
  throw new Unreadable(`${what} is not JSON`);
}

/** A key for a source that is new, or the one that it has. */
export function sourceKey(sources, text) {
  const known = Object.keys(sources).find((key) => sources[key] === text);
  if (known) return known;
  const most = Math.max(0, ...Object.keys(sources).map((key) => Number(/^s(\d+)$/.exec(key)?.[1] ?? 0)));
  sources[`s${most + 1}`] = text;
  return `s${most + 1}`;
}

export const compareDotted = (a, b) => {
  const [x, y] = [a.split(".").map(Number), b.split(".").map(Number)];
  for (let at = 0; at < Math.max(x.length, y.length); at += 1) if ((x[at] ?? 0) !== (y[at] ?? 0)) return (x[at] ?? 0) - (y[at] ?? 0);
  return 0;
};

/** Puts a row where its version belongs. */
export function insert(rows, row) {
  const at = rows.findIndex(({ version }) => 0 < compareDotted(version, row.version));
  rows.splice(at < 0 ? rows.length : at, 0, row);
}
