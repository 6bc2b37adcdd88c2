// Names that differ in a number, written as clusters write them: node[001-003,007].

const most = 10_000;

/** `node[01-03,7]` as node01, node02, node03, node7; a name without brackets is itself. Undefined where that would be too many. */
export function expandRanges(text: string): string[] | undefined {
  const found = /^(.*?)\[(\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*)\](.*)$/s.exec(text);
  if (!found) return [text];
  const rest = expandRanges(found[3]!);
  const names: string[] = [];
  for (const part of found[2]!.split(",")) {
    const [first = "", last = first] = part.split("-");
    for (let number = Number(first); number <= Number(last); number += 1)
      for (const end of rest ?? []) {
        if (names.length === most) return undefined;
        names.push(`${found[1]}${String(number).padStart(first.length, "0")}${end}`);
      }
  }
  return rest && names;
}

/** The other way round: those that differ in one number are written as one. In the order in which they first come. */
export function joinRanges(names: string[]): string[] {
  const groups = new Map<string, { before: string; after: string; numbers: string[] }>();
  for (const name of names) {
    // The last number of a host's own name; of an address, its last.
    const [, before = name, digits = "", after = ""] =
      /^(.*\d\.\d+\.\d+\.)(\d{1,9})()$/s.exec(name) ?? /^([^.]*?)(\d{1,9})([^\d.]*(?:\..*)?)$/s.exec(name) ?? [];
    const key = JSON.stringify([before, after, digits === ""]);
    const group = groups.get(key) ?? { before, after, numbers: [] };
    group.numbers.push(digits);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ before, after, numbers }) => {
    const parts = runsOf([...new Set(numbers)]);
    return `${before}${parts.length === 1 && !parts[0]!.includes("-") ? parts[0] : `[${parts.join(",")}]`}${after}`;
  });
}

/** 01, 02, 03 and 7 as 01-03 and 7. */
function runsOf(numbers: string[]): string[] {
  const runs: { from: string; to: string }[] = [];
  // Those of one length are together, where some of them begin with a zero.
  const padded = new Set(numbers.filter((digits) => digits.startsWith("0")).map((digits) => digits.length));
  const width = (digits: string) => (padded.has(digits.length) ? digits.length : 0);
  for (const digits of numbers.sort((a, b) => width(a) - width(b) || Number(a) - Number(b))) {
    const last = runs.at(-1);
    if (last && width(last.to) === width(digits) && Number(last.to) + 1 === Number(digits)) last.to = digits;
    else runs.push({ from: digits, to: digits });
  }
  return runs.flatMap(({ from, to }) => (from === to ? [from] : Number(from) + 1 === Number(to) ? [from, to] : [`${from}-${to}`]));
}
