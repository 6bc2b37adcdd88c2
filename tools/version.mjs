// The version is said once, in packages/core/src/version.ts. `npm run set-version -- 0.2.0` changes it there and wherever it is repeated, and
// gives the changelog its date; `-- --check [v0.2.0]` says what disagrees; `-- --notes` prints what the changelog says about it.
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";

const source = "packages/core/src/version.ts";
const number = String.raw`\d+\.\d+\.\d+(?:-(?:alpha|beta|rc)\.\d+)?`;

/** Where it is repeated: a pattern whose first group stands before the version. */
const places = [
  { file: source, pattern: `(version = ")${number}` },
  { file: "packages/cli/package.json", pattern: `("version": ")${number}` },
  { file: "packages/fleet/package.json", pattern: `("version": ")${number}` },
  { file: "action.yml", pattern: `(release of culprit on npm\\n    default: )${number}` },
  { file: "ci/culprit.gitlab-ci.yml", pattern: `(release of culprit on npm\\n      default: |culprit/v)${number}` },
  { file: "package-lock.json", pattern: `("packages/cli": \\{\\n {6}"name": "culprit",\\n {6}"version": ")${number}` },
  { file: "Containerfile", pattern: `(release/culprit-)${number}` },
  { file: "docs/ci.md", pattern: `([\\w.-]+/culprit@v|culprit@|[\\w.-]+/v(?=[\\d.]+/ci/)|rev: v|culprit-gpu==|vendor/culprit-)${number}` },
];

/** `1.0.0-beta.2` → `1.0.0b2` (https://packaging.python.org/en/latest/specifications/version-specifiers/); undefined where PyPI has no spelling. */
export function pythonVersion(text) {
  const [, release, kind, serial] = /^(\d+\.\d+\.\d+)(?:-(alpha|beta|rc)\.(\d+))?$/.exec(text) ?? [];
  if (release === undefined) return undefined;
  return kind === undefined ? release : `${release}${{ alpha: "a", beta: "b", rc: "rc" }[kind]}${serial}`;
}

const read = (file) => readFileSync(file, "utf8");
export const versionNow = () => new RegExp(`version = "(${number})"`).exec(read(source))[1];

/** What does not say the version that it should. */
export function disagreements(tag) {
  const version = versionNow();
  const wrong = places.flatMap(({ file, pattern }) => {
    const found = [...read(file).matchAll(new RegExp(pattern, "g"))].map(([all, before]) => all.slice(before.length));
    if (found.length === 0) return [`${file} does not say its version where it should`];
    return found.filter((each) => each !== version).map((each) => `${file} says ${each}, not ${version}`);
  });
  if (notesOf(version) === undefined) wrong.push(`CHANGELOG.md says nothing about ${version}`);
  if (tag !== undefined && tag !== `v${version}`) wrong.push(`the tag is ${tag}, and the version ${version}`);
  if (tag !== undefined && /\(unreleased\)/.test(headingOf(version) ?? "")) wrong.push(`CHANGELOG.md says that ${version} is unreleased`);
  return wrong;
}

const headingOf = (version) =>
  read("CHANGELOG.md")
    .split("\n")
    .find((line) => line.startsWith(`## ${version} `));

/** What the changelog says about a version. */
export function notesOf(version) {
  const heading = headingOf(version);
  if (heading === undefined) return undefined;
  const [, rest] = read("CHANGELOG.md").split(`${heading}\n`);
  return rest.split(/^## /m)[0].trim();
}

function change(version, day) {
  for (const { file, pattern } of places) writeFileSync(file, read(file).replaceAll(new RegExp(pattern, "g"), `$1${version}`));
  const log = read("CHANGELOG.md");
  const [first] = /^## .*$/m.exec(log);
  // What is written down since the last release is of this one.
  const heading = `## ${version} (${day})`;
  writeFileSync(
    "CHANGELOG.md",
    first.endsWith("(unreleased)") ? log.replace(first, heading) : log.replace(first, `${heading}\n\n${first}`),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.chdir(fileURLToPath(new URL("..", import.meta.url)));
  const [word, tag] = process.argv.slice(2);
  if (word === "--check") {
    const wrong = disagreements(tag);
    for (const each of wrong) console.error(each);
    process.exit(wrong.length === 0 ? 0 : 1);
  } else if (word === "--notes") console.log(notesOf(versionNow()));
  // The wheel has the same version, in PyPI's spelling.
  else if (pythonVersion(word ?? "") !== undefined) change(word, new Date().toISOString().slice(0, 10));
  else {
    console.error("give a version such as 0.2.0 or 0.2.0-beta.1 (alpha, beta or rc: npm and PyPI have both), --check [TAG] or --notes");
    process.exit(2);
  }
}
