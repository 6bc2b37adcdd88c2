// Where this repository is published is said once: in `repository` of packages/cli/package.json. It has no home yet, and lines that need one say
// OWNER/culprit. `npm run set-home -- acme/culprit` writes it everywhere; `-- --check [acme/culprit]` says what disagrees.
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";

const about = "packages/cli/package.json";
const nowhere = "OWNER/culprit";
const name = String.raw`[\w.-]+/[\w.-]+?`;

/** Lines that name it: what stands before, and what comes after. */
const places = [
  {
    file: "docs/ci.md",
    pattern: `(uses: |githubusercontent\\.com/|repo: https://github\\.com/)(${name})(?=@v|/v|\\n)`,
    except: /^actions\//,
  },
  { file: "ci/culprit.gitlab-ci.yml", pattern: `(githubusercontent\\.com/)(${name})(?=/v)` },
];
// What docs/ci.md says as long as there is none.
const note = /^> `OWNER\/culprit` stands for .*\n\n/m;

const read = (file) => readFileSync(file, "utf8");

/** `acme/culprit`; undefined as long as there is none. */
export const homeNow = () => /github\.com\/(.+?)(?:\.git)?$/.exec(JSON.parse(read(about)).repository?.url ?? "")?.[1];

/** What does not name the home that it should. */
export function homeDisagreements(wanted) {
  const home = homeNow() ?? nowhere;
  const wrong = places.flatMap(({ file, pattern, except }) => {
    const named = [...read(file).matchAll(new RegExp(pattern, "g"))].map(([, , found]) => found).filter((found) => !except?.test(found));
    if (named.length === 0) return [`${file} does not say where culprit is published, where it should`];
    return [...new Set(named)].filter((found) => found !== home).map((found) => `${file} says ${found}, not ${home}`);
  });
  if (note.test(read("docs/ci.md")) !== (homeNow() === undefined))
    wrong.push(`docs/ci.md ${homeNow() === undefined ? "does not say" : "says"} that there is no published home yet`);
  if (wanted !== undefined && wanted !== home) wrong.push(`this is ${wanted}, and the files say ${home}`);
  return wrong;
}

function change(home) {
  for (const { file, pattern, except } of places)
    writeFileSync(
      file,
      read(file).replaceAll(new RegExp(pattern, "g"), (all, before, found) => (except?.test(found) ? all : `${before}${home}`)),
    );
  writeFileSync("docs/ci.md", read("docs/ci.md").replace(note, ""));
  const fields = JSON.parse(read(about));
  const { name: title, version, description, ...rest } = fields;
  const repository = { type: "git", url: `git+https://github.com/${home}.git` };
  writeFileSync(about, `${JSON.stringify({ name: title, version, description, ...rest, repository }, null, 2)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.chdir(fileURLToPath(new URL("..", import.meta.url)));
  const [word, wanted] = process.argv.slice(2);
  if (word === "--check") {
    const wrong = homeDisagreements(wanted);
    for (const each of wrong) console.error(each);
    process.exit(wrong.length === 0 ? 0 : 1);
  } else if (/^[\w.-]+\/[\w.-]+$/.test(word ?? "")) change(word);
  else {
    console.error("give a repository of GitHub such as acme/culprit, or --check [acme/culprit]");
    process.exit(2);
  }
}
