// Versions of Debian packages: deb-version(7), as dpkg compares them.

/** Negative when `a` comes before `b`: epoch, then upstream version, then revision. */
export function compareDebianVersions(a: string, b: string): number {
  const [x, y] = [split(a), split(b)];
  return x.epoch - y.epoch || compareParts(x.upstream, y.upstream) || compareParts(x.revision, y.revision);
}

function split(text: string): { epoch: number; upstream: string; revision: string } {
  const colon = text.indexOf(":");
  const rest = text.slice(colon + 1).trim();
  const dash = rest.lastIndexOf("-");
  return {
    epoch: colon < 0 ? 0 : Number(text.slice(0, colon)),
    upstream: dash < 0 ? rest : rest.slice(0, dash),
    revision: dash < 0 ? "" : rest.slice(dash + 1),
  };
}

// Texts without digits and numbers alternate. In the texts `~` comes before the end, and letters before all else.
function compareParts(a: string, b: string): number {
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    while ((i < a.length && !isDigit(a, i)) || (j < b.length && !isDigit(b, j))) {
      const difference = weight(a, i) - weight(b, j);
      if (difference !== 0) return difference;
      i += 1;
      j += 1;
    }
    const [x, y] = [digits(a, i), digits(b, j)];
    const difference = x.number.length - y.number.length || (x.number < y.number ? -1 : x.number > y.number ? 1 : 0);
    if (difference !== 0) return difference;
    [i, j] = [x.end, y.end];
  }
  return 0;
}

const isDigit = (text: string, at: number) => text[at]! >= "0" && text[at]! <= "9";

function weight(text: string, at: number): number {
  if (text.length <= at || isDigit(text, at)) return 0;
  const character = text[at]!;
  if (character === "~") return -1;
  const code = character.charCodeAt(0);
  return /[A-Za-z]/.test(character) ? code : code + 256;
}

/** Compared as texts, so that numbers of any length do. */
function digits(text: string, at: number): { number: string; end: number } {
  let end = at;
  while (end < text.length && isDigit(text, end)) end += 1;
  return { number: text.slice(at, end).replace(/^0+/, ""), end };
}
