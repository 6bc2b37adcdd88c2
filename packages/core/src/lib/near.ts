/** The known names that a mistyped one may have meant, nearest first; none when all are far off. */
export function nearNames(word: string, known: Iterable<string>): string[] {
  const wanted = word.toLowerCase();
  return (
    [...known]
      .map((name) => ({ name, far: name.includes(wanted) && 2 < wanted.length ? 0 : editsBetween(wanted, name.toLowerCase()) }))
      // A third of the letters: `sovle` is `solve`, but `foo` is not `fix`.
      .filter(({ far }) => far <= Math.ceil(wanted.length / 3))
      .sort((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1))
      .slice(0, 3)
      .map(({ name }) => name)
  );
}

/** Letters to add, drop or change (Levenshtein). */
export function editsBetween(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const changed = above[column - 1]! + (a[row - 1] === b[column - 1] ? 0 : 1);
      line.push(Math.min(changed, above[column]! + 1, line[column - 1]! + 1));
    }
    above = line;
  }
  return above[b.length]!;
}
