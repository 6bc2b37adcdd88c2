// Versions of RPM packages, as rpm compares them: [epoch:]version[-release].

/** Negative when `a` comes before `b`. A side without a release is equal to every release of its version. */
export function compareRpmVersions(a: string, b: string): number {
  const [x, y] = [split(a), split(b)];
  return (
    compareRpmParts(x.epoch, y.epoch) ||
    compareRpmParts(x.version, y.version) ||
    (x.release === "" || y.release === "" ? 0 : compareRpmParts(x.release, y.release))
  );
}

function split(text: string): { epoch: string; version: string; release: string } {
  const [, epoch, rest] = /^(?:(\d*):)?([^]*)$/.exec(text)!;
  const dash = rest!.lastIndexOf("-");
  return {
    epoch: epoch || "0",
    version: dash < 0 ? rest! : rest!.slice(0, dash),
    release: dash < 0 ? "" : rest!.slice(dash + 1),
  };
}

/** Runs of digits and runs of letters are compared one by one; what stands between them only keeps them apart, but for `~` and `^`. */
export function compareRpmParts(a: string, b: string): number {
  const [x, y] = [runs(a), runs(b)];
  for (let index = 0; ; index += 1) {
    const [left, right] = [x[index], y[index]];
    // `~` comes before the end of the other side, and the end before `^`; both before anything else.
    if (left === "~" || right === "~") {
      if (left !== right) return left === "~" ? -1 : 1;
      continue;
    }
    if (left === "^" || right === "^") {
      if (left === right) continue;
      if (left === undefined || right === undefined) return left === undefined ? -1 : 1;
      return left === "^" ? -1 : 1;
    }
    if (left === undefined || right === undefined) return left === right ? 0 : left === undefined ? -1 : 1;
    const difference = compareRuns(left, right);
    if (difference !== 0) return difference;
  }
}

const runs = (text: string) => text.match(/[0-9]+|[A-Za-z]+|[~^]/g) ?? [];

// A number comes after a text. Numbers of any length: without leading zeros the longer one is larger.
function compareRuns(a: string, b: string): number {
  const [isNumber, isOtherNumber] = [/^\d/.test(a), /^\d/.test(b)];
  if (isNumber !== isOtherNumber) return isNumber ? 1 : -1;
  if (!isNumber) return a < b ? -1 : a > b ? 1 : 0;
  const [x, y] = [a.replace(/^0+/, ""), b.replace(/^0+/, "")];
  return x.length - y.length || (x < y ? -1 : x > y ? 1 : 0);
}
