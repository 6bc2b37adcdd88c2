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
    const isEmptied = versions.length === 0 && 0 < gone.length;
    if (isEmptied || Math.max(3, versionsIn(known).length / 10) < gone.length) {
      doubts.push(`${row.name}: ${gone.length} of ${versionsIn(known).length} releases would be gone at once; its row is as it was`);
      return known;
    }
    const added = versions.filter((version) => !versionsIn(known).includes(version));
    if (0 < added.length) changes.push(`${row.name} ${added.join(", ")}`);
    if (0 < gone.length) changes.push(`${row.name} ${gone.join(", ")}: gone from PyPI`);
    const yanked = yankedIn(row).filter((version) => !yankedIn(known).includes(version) && !added.includes(version));
    if (0 < yanked.length) changes.push(`${row.name} ${yanked.join(", ")}: yanked`);
    return row;
  });
  for (const known of before)
    if (!after.some(({ name }) => name === known.name)) {
      doubts.push(`${known.name} would be gone; its row is as it was`);
      packages.push(known);
    }
  return { packages: packages.sort((a, b) => (a.name < b.name ? -1 : 1)), changes, doubts };
}

/** The text of such a listing: a package on a line, and each row of its releases on one, so that a diff shows releases. */
export function listingText({ about, sources, packages }) {
  const lines = packages.map(({ releases, ...row }) => {
    const inner = releases.map((release) => `   ${JSON.stringify(release)}`).join(",\n");
    return `  ${JSON.stringify({ ...row, releases: [] }).slice(0, -3)}[\n${inner}\n  ]}`;
  });
  return `{\n "about": ${JSON.stringify(about)},\n "sources": ${JSON.stringify(sources)},\n "packages": [\n${lines.join(",\n")}\n ]\n}\n`;
}

/** A row is about one release, or about several of which the same holds. */
const versionsOf = ({ version, versions }) => versions ?? [version];
const versionsIn = ({ releases }) => releases.flatMap(versionsOf);
const yankedIn = ({ releases }) => releases.filter(({ yanked }) => yanked).flatMap(versionsOf);
