// Which parts of the program the kernels' time belongs to: a table, and its sentence.
import type { TraceScope, TraceScopes } from "../model/trace.ts";
import type { Account } from "./account.ts";
import type { OperatorSums } from "./operators.ts";
import { recordedScopes } from "./scope-tree.ts";
import { xlaScopes } from "./xla-scopes.ts";

/** `all`: the time of all kernels. */
export function scopesOf(
  { scopes, names }: Account,
  operators: Map<number, OperatorSums>,
  all: number,
): { modules?: TraceScopes; ranges?: TraceScopes } {
  const recorded = scopes.settled();
  const modules = recorded
    ? recordedScopes(recorded, "modules", names, all)
    : xlaScopes(
        [...operators].map(([name, sums]) => ({ name: names.text(name), ...sums })),
        all,
      );
  const ranges = recorded ? recordedScopes(recorded, "ranges", names, all) : [];
  return { ...(0 < modules.length ? { modules: told(modules) } : {}), ...(0 < ranges.length ? { ranges: told(ranges) } : {}) };
}

const percent = (share: number) => `${(100 * share).toFixed(0)} %`;

function told(rows: TraceScope[]): TraceScopes {
  const share = rows.filter(({ depth }) => depth === 0).reduce((sum, row) => sum + row.share, 0);
  const path = mostOf(rows);
  const last = path.at(-1)!;
  const several = 1 < last.instances ? ` (${last.instances.toLocaleString("en-US")} of them)` : "";
  const backward = last.total < 100 * last.backward ? `, ${percent(last.backward / last.total)} of that for the backward pass` : "";
  const [inner] = inside(rows, last);
  const within = inner && 0.1 * last.total < inner.total ? `; the largest part of it is \`${inner.name}\` (${percent(inner.share)})` : "";
  const message = `${percent(last.share)} of the kernels' time was launched in \`${path.map(({ name }) => name).join(" › ")}\`${several}${backward}${within}.`;
  return { message, share, rows };
}

/** The way down to where most of the time is: as long as one part has half of all that was launched, or nearly all of what is around it. */
function mostOf(rows: TraceScope[]): TraceScope[] {
  const [largest] = rows;
  const path: TraceScope[] = [];
  for (let next = largest; next;) {
    path.push(next);
    const [inner] = inside(rows, next);
    next = inner && (0.5 * largest!.total < inner.total || 0.9 * next.total < inner.total) ? inner : undefined;
  }
  return path;
}

/** What lies in it, without what lies in that. */
function inside(rows: TraceScope[], scope: TraceScope): TraceScope[] {
  const from = rows.indexOf(scope) + 1;
  const to = rows.findIndex(({ depth }, at) => from <= at && depth <= scope.depth);
  return rows.slice(from, to < 0 ? rows.length : to).filter(({ depth }) => depth === scope.depth + 1);
}
