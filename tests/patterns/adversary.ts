// Strings that a pattern has the most trouble with, made from the pattern itself: every part of it as often as it may be, and then something
// that does not fit. Each is to be repeated; what is slow once is slow from every place of a long line.

type Node =
  | { kind: "text"; text: string }
  | { kind: "class"; fits: RegExp }
  | { kind: "choice"; of: Node[][] }
  | { kind: "again"; node: Node; least: number; most: number }
  | { kind: "nothing" };

const palette = [
  "a",
  "1",
  " ",
  ".",
  "/",
  "-",
  "_",
  ":",
  "=",
  ",",
  "'",
  '"',
  "(",
  ")",
  "[",
  "]",
  "<",
  ">",
  "+",
  "\\",
  "{",
  "x",
  "A",
  "\t",
  ";",
  "$",
  "#",
  "@",
  "*",
  "é",
  "\n",
];

/** The most that a part without an end is repeated. */
const unbounded = 120;

export function parsePattern({ source, flags }: RegExp): Node[] {
  let at = 0;
  const kept = flags.replace(/[gyd]/g, "");
  const sequences = (): Node[][] => {
    const all: Node[][] = [[]];
    while (at < source.length && source[at] !== ")") {
      if (source[at] === "|") {
        at += 1;
        all.push([]);
      } else all.at(-1)!.push(quantified(atom()));
    }
    return all;
  };
  const atom = (): Node => {
    const character = source[at]!;
    if (character === "(") {
      const head = /^\((?:\?(?:<?([=!])|:|<\w+>))?/.exec(source.slice(at))!;
      at += head[0].length;
      const of = sequences();
      at += 1;
      return head[1] === undefined ? { kind: "choice", of } : { kind: "nothing" };
    }
    if (character === "[") {
      let end = at + 1;
      while (source[end] !== "]") end += source[end] === "\\" ? 2 : 1;
      const text = source.slice(at, end + 1);
      at = end + 1;
      return { kind: "class", fits: new RegExp(`^${text}$`, kept) };
    }
    if (character === "\\") {
      const text = /^\\(?:p\{[^}]+\}|u\{[0-9a-f]+\}|u[0-9a-f]{4}|x[0-9a-f]{2}|k<\w+>|[^])/i.exec(source.slice(at))![0];
      at += text.length;
      if (/^\\[bB]$|^\\k|^\\[1-9]/.test(text)) return { kind: "nothing" };
      return { kind: "class", fits: new RegExp(`^${text}$`, kept) };
    }
    at += 1;
    if (character === "^" || character === "$") return { kind: "nothing" };
    return character === "." ? { kind: "class", fits: /^.$/ } : { kind: "text", text: character };
  };
  const quantified = (node: Node): Node => {
    const found = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(source.slice(at));
    if (!found) return node;
    at += found[0].length;
    const [, sign, least, comma, most] = found;
    if (sign !== undefined) return { kind: "again", node, least: sign === "+" ? 1 : 0, most: sign === "?" ? 1 : unbounded };
    return { kind: "again", node, least: Number(least), most: comma === "" ? Number(least) : most === "" ? unbounded : Number(most) };
  };
  const all = sequences();
  return all.length === 1 ? all[0]! : [{ kind: "choice", of: all }];
}

/** What fits a part, made of `letter` where that fits, and as long as it may be or as short. */
function written(node: Node, letter: string, isLong: boolean): string {
  switch (node.kind) {
    case "nothing":
      return "";
    case "text":
      return node.text;
    case "class":
      return node.fits.test(letter) ? letter : (palette.find((each) => node.fits.test(each)) ?? "");
    case "choice": {
      const texts = node.of.map((sequence) => sequence.map((each) => written(each, letter, isLong)).join(""));
      return texts.toSorted((a, b) => (isLong ? b.length - a.length : a.length - b.length))[0] ?? "";
    }
    case "again": {
      const text = written(node.node, letter, isLong);
      const times = isLong ? Math.min(node.most, unbounded) : node.least;
      return text.repeat(Math.max(1, Math.floor(Math.min(times, 400 / Math.max(1, text.length)))) * Math.min(1, times));
    }
  }
}

/** Units to be repeated up to the length of a line. */
export function attacksOn(pattern: RegExp, examples: readonly string[] = []): Set<string> {
  const nodes = parsePattern(pattern);
  const units = new Set<string>([
    "a",
    " ",
    "/",
    "1",
    ".",
    "a.",
    "a/",
    "a ",
    "lib.a.so",
    "\t",
    "\n",
    " \n",
    "\\",
    '"',
    "'",
    "-",
    "a=",
    "a:",
    "a,",
    "(",
    "[",
    "{",
  ]);
  const letters = palette.filter((letter) => pattern.source.includes(letter) || "a1 ./".includes(letter)).slice(0, 12);
  for (let end = 1; end <= nodes.length; end += 1) {
    // Patterns of many words are cut at every few of them.
    if (24 < nodes.length && nodes[end - 1]!.kind === "text" && nodes[end]?.kind === "text") continue;
    for (const letter of letters)
      for (const isLong of [true, false]) {
        const text = nodes
          .slice(0, end)
          .map((node) => written(node, letter, isLong))
          .join("");
        if (text !== "" && text.length < 4000) units.add(text).add(`${text}\u0001`);
      }
  }
  for (const node of nodes) for (const letter of letters) units.add(written(node, letter, false) || "a");
  for (const example of examples)
    for (const part of [0.25, 0.5, 0.75, 0.95, 1]) units.add(example.slice(0, Math.ceil(example.length * part)));
  units.delete("");
  return units;
}

/** The least of several measurements, in milliseconds of this process for each kilobyte; a busy machine makes single ones long. */
export function costOf(run: (text: string) => unknown, text: string, ceiling: number): number {
  const kilobytes = text.length / 1024;
  let least = Infinity;
  for (let again = 0; again < 6 && ceiling < least; again += 1) {
    const before = process.cpuUsage();
    run(text);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000 / kilobytes);
  }
  return least;
}

/** Every pattern with a line that costs more than the ceiling (milliseconds for each kilobyte). */
export function slowOnes(
  patterns: Iterable<{ name: string; pattern: RegExp; examples?: readonly string[] }>,
  ceiling: number,
  longest: number,
): string[] {
  const slow: string[] = [];
  for (const { name, pattern, examples } of patterns) {
    const plain = new RegExp(pattern.source, pattern.flags.replace("g", ""));
    const run = (text: string) => {
      plain.lastIndex = 0;
      return plain.exec(text);
    };
    attack: for (const unit of attacksOn(plain, examples))
      for (const ending of ["", "\u0001"]) {
        const line = (length: number) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length - ending.length) + ending;
        // A short line tells whether a long one is worth a try.
        if (costOf(run, line(2048), ceiling / 10) < ceiling / 10) continue;
        const cost = costOf(run, line(longest), ceiling);
        if (cost < ceiling) continue;
        slow.push(`${name}: ${cost.toFixed(1)} ms a kilobyte on ${JSON.stringify(unit.slice(0, 60))} (${plain.source.slice(0, 80)})`);
        break attack;
      }
  }
  return slow;
}
