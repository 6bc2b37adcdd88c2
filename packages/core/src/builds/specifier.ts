import { compareDotted } from "../knowledge/dotted.ts";
import { memo, memoBy } from "../lib/memo.ts";
import { comparePythonVersions, isWithin, parsePythonVersion } from "../lib/pep440.ts";

/** Whether a version is within a specifier. */
export const isIn = (version: string, specifier: string): boolean => specifier === "" || isWithinSome(version, specifier);

// The same questions come again and again: the hardest request of bench/solve.mjs asks 25,000 different ones.
const isWithinSome = memoBy(
  34_000,
  (version: string, specifier: string) => `${version} ${specifier}`,
  (version, specifier): boolean => isPlainlyIn(version, specifier) ?? isWithin(version, specifier) === true,
);

/** As people write it: one release is also written as a range, `<=0.7.2,>=0.7.2`. */
export const plainly = (specifier: string): string => specifier.replace(/^(?:<=([\w.]+),>=|>=([\w.]+),<=)(\1|\2)$/, "==$3");

const plain = /^\d+(\.\d+)*$/;

/** The same for versions that are numbers and dots, which nearly all are, without reading more into them. */
export function isPlainlyIn(version: string, specifier: string): boolean | undefined {
  if (!plain.test(version)) return undefined;
  let all = true;
  for (const clause of specifier.split(",")) {
    const [, operator, wanted, isPrefix] = /^(==|>=|<=|<|>)(\d+(?:\.\d+)*)(\.\*)?$/.exec(clause) ?? [];
    if (operator === undefined || (isPrefix && operator !== "==")) return undefined;
    const order = isPrefix ? compareStart(version, wanted!) : compareDotted(version, wanted!);
    all &&=
      operator === "=="
        ? order === 0
        : operator === ">="
          ? order >= 0
          : operator === "<="
            ? order <= 0
            : operator === "<"
              ? order < 0
              : order > 0;
  }
  return all;
}

function compareStart(version: string, start: string): number {
  const parts = start.split(".");
  const own = version.split(".");
  return compareDotted(parts.map((_, index) => own[index] ?? "0").join("."), start);
}

/** Whether some version could be within all of these, when it is not known which versions there are. */
export const canMeet = (specifiers: string[]): boolean => isNonempty(specifiers.filter((specifier) => specifier !== "").join(","));

const isNonempty = memo(1000, (joined: string): boolean => {
  const clauses = joined.split(",").filter((clause) => clause !== "");
  // The ends of every range, and a step beyond each, stand for all versions.
  const probes = clauses.flatMap((clause) => {
    const version = clause.replace(/^[~=!<>]+/, "").replace(/\.\*$/, "");
    const parsed = parsePythonVersion(version);
    if (!parsed) return [];
    const { release } = parsed;
    const next = [...release.slice(0, -1), release.at(-1)! + 1].join(".");
    return [version, `${version}.0.1`, `${version}.1`, next, before(release)];
  });
  return clauses.length === 0 || probes.some((probe) => isIn(probe, joined));
});

function before(release: number[]): string {
  const last = release.findLastIndex((part) => 0 < part);
  return last < 0 ? "0" : [...release.slice(0, last), release[last]! - 1, 999999].join(".");
}

export const newestFirst = (a: string, b: string) => comparePythonVersions(b, a);
