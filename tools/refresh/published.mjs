// PyPI: what became of the packages that are listed. The listing itself is done by tools/published.mjs and tools/required.mjs.

/**
 * What differs between two listings, in words; and the rows that are to be kept. A package that lost all of its releases, or more than a
 * tenth of them at once, was not emptied: its index answered with something else.
 */
export function listingOf(before, after) {
  const changes = [];
  const doubts = [];
  const packages = after.map((row) => {
    const known = before.find(({ name }) => name === row.name);
    if (!known) {
      changes.push(`${row.name} is new here, with ${row.releases.length} releases`);
      return row;
    }
    const versions = versionsIn(row);
    const gone = versionsIn(known).filter((version) => !versions.includes(version));
    if (versions.length === 0 || Math.max(3, versionsIn(known).length / 10) < gone.length) {
      doubts.push(`${row.name}: ${gone.length} of ${versionsIn(known).length} releases would be gone at once; its row is as it was`);
      return known;
    }
    const added = versions.filter((version) => !versionsIn(known).includes(version));
    if (0 < added.length) changes.push(`${row.name} ${added.join(", ")}`);
    if (0 < gone.length) changes.push(`${row.name} ${gone.join(", ")}: gone from PyPI`);
    const yanked = row.releases.filter(
      ({ version, yanked: now }) => now && !known.releases.find((each) => each.version === version)?.yanked,
    );
    const told = yanked.map(({ version }) => version).filter((version) => !added.includes(version));
    if (0 < told.length) changes.push(`${row.name} ${told.join(", ")}: yanked`);
    return row;
  });
  for (const known of before)
    if (!after.some(({ name }) => name === known.name)) {
      doubts.push(`${known.name} would be gone; its row is as it was`);
      packages.push(known);
    }
  return { packages: packages.sort((a, b) => (a.name < b.name ? -1 : 1)), changes, doubts };
}

const versionsIn = ({ releases }) => releases.flatMap(({ version, versions }) => versions ?? [version]);
