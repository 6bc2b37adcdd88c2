// Conda's notation of what is asked for: https://docs.conda.io/projects/conda/en/stable/user-guide/concepts/pkg-specs.html#package-match-specifications
import type { Place } from "../model/check.ts";
import type { DeclaredPackage } from "../model/declaration.ts";
import { isWithin } from "../lib/pep440.ts";

/** `pytorch::pytorch=2.1.*=*cuda11.8*` → name and clauses; what PEP 440 has no words for is left out. */
export function readCondaSpec(text: string, place: Place): DeclaredPackage | undefined {
  const word = text.trim();
  const [, name, rest = ""] = /^(?:[\w./:-]*::)?([A-Za-z0-9_][\w.-]*)\s*([^]*)$/.exec(word) ?? [];
  if (name === undefined || /:\/\//.test(word)) return undefined;
  return { name: name.toLowerCase(), extras: [], specifier: clausesOf(rest.replace(/\[[^\]]*\]$/, "").trim()), text: word, place };
}

function clausesOf(rest: string): string {
  if (rest === "" || rest.includes("|")) return "";
  // `=2.1=build`: one equals sign means any version that begins so.
  const [, sign, version, build] = /^(={1,2})\s*([\w.*+!]+)(?:=(\S+))?$/.exec(rest) ?? /^()([\d][\w.*+!]*)(?:\s+(\S+))?$/.exec(rest) ?? [];
  if (version !== undefined) {
    const bare = version.replace(/\.?\*$/, "");
    if (bare === "") return "";
    const isExact = sign === "==" || (build !== undefined && !version.includes("*")) || (sign === "" && !version.includes("*"));
    return readable(isExact ? `==${bare}` : `==${bare}.*`);
  }
  const clauses = rest.split(/\s*,\s*/).map((clause) =>
    clause
      .replace(/\s+/g, "")
      .replace(/^=(?!=)(.*?)(?:\.?\*)?$/, "==$1.*")
      .replace(/^([\d.]+)\.?\*$/, "==$1.*"),
  );
  return readable(clauses.join(","));
}

const readable = (specifier: string) => (isWithin("1.0", specifier) === undefined ? "" : specifier);
