// Versions of Python packages: https://packaging.python.org/en/latest/specifications/version-specifiers/

import { memo } from "./memo.ts";

export interface PythonVersion {
  epoch: number;
  release: number[];
  /** Alpha, beta or candidate, with its number. */
  pre?: ["a" | "b" | "rc", number];
  post?: number;
  dev?: number;
  /** Parts of the label after `+`: numbers as numbers. */
  local?: (string | number)[];
}

const pattern =
  /^v?(?:(?<epoch>\d+)!)?(?<release>\d+(?:\.\d+)*)(?:[-_.]?(?<pre>alpha|a|beta|b|preview|pre|c|rc)[-_.]?(?<preNumber>\d*))?(?<post>-(?<postAlone>\d+)|[-_.]?(?:post|rev|r)[-_.]?(?<postNumber>\d*))?(?<dev>[-_.]?dev[-_.]?(?<devNumber>\d*))?(?:\+(?<local>[a-z0-9]+(?:[-_.][a-z0-9]+)*))?$/;

/** Undefined for a text that is no version. A search compares the same versions again and again. */
export const parsePythonVersion = memo(4000, (text: string): PythonVersion | undefined => {
  const parts = pattern.exec(text.trim().toLowerCase())?.groups;
  if (!parts) return undefined;
  const { epoch, release, pre, preNumber, post, postAlone, postNumber, dev, devNumber, local } = parts;
  return {
    epoch: Number(epoch ?? 0),
    release: release!.split(".").map(Number),
    ...(pre === undefined ? {} : { pre: [pre.startsWith("a") ? "a" : pre.startsWith("b") ? "b" : "rc", Number(preNumber ?? 0)] }),
    ...(post === undefined ? {} : { post: Number(postAlone ?? postNumber ?? 0) }),
    ...(dev === undefined ? {} : { dev: Number(devNumber ?? 0) }),
    ...(local === undefined ? {} : { local: local.split(/[-_.]/).map((part) => (/^\d+$/.test(part) ? Number(part) : part)) }),
  };
});

/** Negative when `a` comes before `b`. Texts that are no versions come before all others, in alphabetical order. */
export function comparePythonVersions(a: string, b: string): number {
  const [x, y] = [parsePythonVersion(a), parsePythonVersion(b)];
  if (!x || !y) return x ? 1 : y ? -1 : a < b ? -1 : a > b ? 1 : 0;
  return comparePublic(x, y) || compareLocal(x.local, y.local);
}

function comparePublic(a: PythonVersion, b: PythonVersion): number {
  return a.epoch - b.epoch || compareReleases(a.release, b.release) || compareLists(tailOf(a), tailOf(b));
}

function compareReleases(a: number[], b: number[]): number {
  for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

// 1.dev0 < 1a0.dev0 < 1a0 < 1a0.post0 < 1rc0 < 1 < 1.post0.dev0 < 1.post0: each part has a place even when it is absent.
function tailOf({ pre, post, dev }: PythonVersion): number[] {
  const kind = pre ? { a: 0, b: 1, rc: 2 }[pre[0]] : dev !== undefined && post === undefined ? -1 : 3;
  return [kind, pre?.[1] ?? 0, post ?? -1, dev ?? Infinity];
}

function compareLists(a: number[], b: number[]): number {
  const index = a.findIndex((value, at) => value !== b[at]);
  return index < 0 ? 0 : a[index]! < b[index]! ? -1 : 1;
}

// A version with a label comes after the same without; numbers come after texts.
function compareLocal(a: (string | number)[] = [], b: (string | number)[] = []): number {
  for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
    const [x, y] = [a[index], b[index]];
    if (x === y) continue;
    if (x === undefined || y === undefined) return x === undefined ? -1 : 1;
    if (typeof x !== typeof y) return typeof x === "string" ? -1 : 1;
    return x < y ? -1 : 1;
  }
  return 0;
}

/** Whether a version is within a specifier such as `>=12.1,<13.0`; undefined when one of them cannot be read. */
export function isWithin(version: string, specifier: string): boolean | undefined {
  const candidate = parsePythonVersion(version);
  if (!candidate) return undefined;
  let all = true;
  for (const clause of specifier.split(",").map((text) => text.trim())) {
    if (clause === "") continue;
    const within = meets(version, candidate, clause);
    if (within === undefined) return undefined;
    all &&= within;
  }
  return all;
}

function meets(text: string, candidate: PythonVersion, clause: string): boolean | undefined {
  const [, operator, written] = /^(~=|===|==|!=|<=|>=|<|>)\s*(\S+)$/.exec(clause) ?? [];
  if (operator === undefined || written === undefined) return undefined;
  if (operator === "===") return text.toLowerCase() === written.toLowerCase();
  const prefix = written.endsWith(".*");
  if (prefix && operator !== "==" && operator !== "!=") return undefined;
  const wanted = parsePythonVersion(prefix ? written.slice(0, -2) : written);
  if (!wanted) return undefined;
  if (prefix) return isBelow(candidate, wanted, wanted.release.length) === (operator === "==");
  // A label of the candidate counts only where the specifier has one itself.
  const order = comparePublic(candidate, wanted) || (wanted.local ? compareLocal(candidate.local, wanted.local) : 0);
  switch (operator) {
    case "==":
      return order === 0;
    case "!=":
      return order !== 0;
    case "<=":
      return order <= 0;
    case ">=":
      return order >= 0;
    case "~=":
      return wanted.release.length < 2 ? undefined : order >= 0 && isBelow(candidate, wanted, wanted.release.length - 1);
    // Neither lets in a pre- or post-release of the very version that it names.
    case "<":
      return comparePublic(candidate, wanted.pre || wanted.dev !== undefined ? wanted : { ...wanted, dev: 0 }) < 0;
    default:
      return (
        order > 0 && (wanted.post !== undefined || candidate.post === undefined || comparePublic(withoutPost(candidate), wanted) !== 0)
      );
  }
}

function withoutPost({ epoch, release, pre }: PythonVersion): PythonVersion {
  return { epoch, release, ...(pre ? { pre } : {}) };
}

function isBelow(candidate: PythonVersion, wanted: PythonVersion, length: number): boolean {
  return (
    candidate.epoch === wanted.epoch && wanted.release.slice(0, length).every((part, index) => (candidate.release[index] ?? 0) === part)
  );
}
