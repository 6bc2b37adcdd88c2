// Writes docs/files-sample.md: what `culprit check` says about the public files of docs/files-sample.json.
// `node tools/files-sample.mjs FOLDER` runs it: FOLDER holds, for each row, the folder `at` with the file and what it names, as in its
// repository. `--answers FILE` takes answers that were made before: an object from `at` to an answer of `check --json`.
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values, positionals } = parseArgs({ options: { answers: { type: "string" } }, allowPositionals: true });
const rows = JSON.parse(readFileSync(path.join(root, "docs/files-sample.json"), "utf8"));
const made = values.answers === undefined ? {} : JSON.parse(readFileSync(values.answers, "utf8"));
const command = path.join(root, "packages/cli/bin/culprit.cjs");

const judged = [];
for (const row of rows) judged.push({ ...row, answer: made[row.at] ?? (await answerOf(row)) });
writeFileSync(path.join(root, "docs/files-sample.md"), page(judged));

async function answerOf({ at, path: file }) {
  const options = { cwd: path.join(positionals[0] ?? ".", at), maxBuffer: 2 ** 28 };
  try {
    return JSON.parse((await promisify(execFile)(process.execPath, [command, "check", file, "--json"], options)).stdout);
  } catch (error) {
    return error.stdout ? JSON.parse(error.stdout) : { status: "refused", findings: [], unknown: [], refusal: String(error.stderr).trim() };
  }
}

function page(all) {
  const count = (status) => all.filter(({ answer }) => answer.status === status).length;
  const share = ((100 * count("incomplete")) / all.length).toFixed(1);
  const told = all.flatMap((row) => faults(row.answer).map((finding) => ({ row, finding })));
  const uv = (verdict) => all.filter((row) => row.uv === verdict).length;
  return `# Public dependency files, and what \`check\` says about them

${all.length} files of public repositories: ${count("ok")} ok, ${count("findings")} with findings, ${count("nothing-to-check")} without anything to check, ${count("incomplete")} incomplete (${share} %), ${count("refused")} refused. The aim is at most 15 % incomplete.

What each file should come to was written down before the first run. A file was checked with those files of its repository beside it that are at hand; where one that it names is not among them, that is the reason given. \`uv pip compile\` was asked for ${uv("sat") + uv("unsat") + uv("undecided")} of them, with five Pythons: it can satisfy ${uv("sat")}, refuses ${uv("unsat")}, and cannot decide ${uv("undecided")} (an index that was not reached, a source that must be built, another platform). No file that it satisfies is called a clash: ${clashes(all)}.

\`docs/files-sample.json\` names the files with their commits; \`node tools/files-sample.mjs FOLDER\` writes this page.

## Findings

${table(
  ["file", "finding", "sure", "is it true?"],
  told.map(({ row, finding }) => [nameOf(row), `${finding.rule}: ${finding.message}`, finding.certainty, row.truth?.[finding.rule] ?? ""]),
)}

## Incomplete

${table(
  ["file", "because"],
  all.filter(({ answer }) => answer.status === "incomplete").map((row) => [nameOf(row), reasonOf(row.answer)]),
)}

## All

${table(
  ["file", "status", "uv"],
  all.map((row) => [nameOf(row), row.answer.status, row.uv ?? ""]),
)}
`;
}

function faults({ findings = [] }) {
  return findings.filter(({ severity }) => severity !== "info");
}

function nameOf({ repository, path: file }) {
  return `${repository} \`${file}\``;
}

/** Files that uv satisfies and that pip would refuse all the same, by what is said here. */
function clashes(all) {
  const found = all.filter(({ uv, answer }) => uv === "sat" && faults(answer).some(({ rule }) => rule === "requirements-clash"));
  return found.length === 0 ? "none is" : found.map(nameOf).join(", ");
}

/** The first two things that could not be judged, and how many are left. */
function reasonOf({ unknown }) {
  const open = [
    ...new Set(
      unknown
        .filter(({ aside, reason }) => !aside && !reason.startsWith("it is made for Colab"))
        .map(({ subject, reason }) => `${subject.replace(/^.*\//, "")}: ${reason}`),
    ),
  ];
  return `${open.slice(0, 2).join("; ")}${2 < open.length ? `; and ${open.length - 2} more` : ""}`;
}

function table(head, lines) {
  const cell = (text) => String(text).replaceAll("|", "\\|").replaceAll("<", "&lt;").replace(/\s+/g, " ");
  return [head, head.map(() => "---"), ...lines].map((line) => `| ${line.map(cell).join(" | ")} |`).join("\n");
}
