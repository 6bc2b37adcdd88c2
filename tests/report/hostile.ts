// Names of files are anybody's. These try to become markup, a link, a command for the terminal, or the end of a string.
import type { Judgement } from "../../packages/core/src/index.ts";

export const hostileNames = [
  `/opt/<script>alert(1)</script>`,
  `/opt/"><img src=x onerror=alert(1)>`,
  `/opt/' onmouseover='alert(1)`,
  "/opt/`<b>`|x|*bold*_em_",
  "/opt/[click](javascript:alert(1))",
  "/opt/</style></svg></title><script>alert(1)</script>",
  "/opt/\u001b[31mred\u202egnp.so\n# heading",
  "/opt/&lt;script&gt;&#x27;@someone #1 \ud800",
];

/** Puts a name into the place of every path of a judgement. */
export function withName(judgement: Judgement, name: string): Judgement {
  let next = 0;
  const changed = (value: unknown): unknown => {
    if (typeof value === "string") return value.startsWith("/") ? `${name}${(next += 1) % 7}` : value.replace(/\/\S+/g, name);
    if (Array.isArray(value)) return value.map(changed);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, changed(item)]));
  };
  return changed(judgement) as Judgement;
}
