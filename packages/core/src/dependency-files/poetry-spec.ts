// Poetry's notation of versions: https://python-poetry.org/docs/dependency-specification/

/** `^2.1` → `>=2.1,<3`; undefined where PEP 440 has no words for it (`||`). */
export function poetrySpecifier(text: string): string | undefined {
  if (text.includes("|")) return undefined;
  const clauses: string[] = [];
  for (const part of text.split(",").map((each) => each.replace(/\s+/g, ""))) {
    if (part === "" || part === "*") continue;
    const [, sign = "", version] = /^(\^|~=|~|===|==|=|!=|<=|>=|<|>)?(\d[\w.*+!-]*)$/.exec(part) ?? [];
    if (version === undefined) return undefined;
    const numbers = version.split(".").map(Number);
    if (sign === "^" || sign === "~") {
      if (numbers.some((number) => Number.isNaN(number))) return undefined;
      const significant =
        sign === "^"
          ? Math.max(
              0,
              numbers.findIndex((number) => number !== 0),
            )
          : Math.min(1, numbers.length - 1);
      const at = sign === "^" && numbers.every((number) => number === 0) ? numbers.length - 1 : significant;
      const next = numbers.slice(0, at + 1).map((number, index) => (index === at ? number + 1 : number));
      clauses.push(`>=${version}`, `<${next.join(".")}`);
    } else if (sign === "" || sign === "=" || sign === "==") clauses.push(`==${version}`);
    else clauses.push(`${sign}${version}`);
  }
  return clauses.join(",");
}
