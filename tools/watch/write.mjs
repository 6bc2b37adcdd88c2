// Writes what was seen into knowledge/watched.json: a later watch of the same takes the place of the earlier.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const file = fileURLToPath(new URL("../../knowledge/watched.json", import.meta.url));
const today = () => new Date().toISOString().slice(0, 10);
const numbers = new Intl.Collator("en", { numeric: true });
/** For which CUDA something was installed as well, by the names of packages: `cu12`. */
const cudaOf = (packages = []) => packages.map((name) => /cu(?:da)?\d\d/.exec(name)?.[0].replace("da", "")).find(Boolean) ?? "";
/** The same frameworks in the same circumstances: on which Python and with which wheels, the last watch says. */
const keyOf = ({ source, frameworks, libraryPath, packages }) =>
  [Object.entries(frameworks).join("+"), source, cudaOf(packages), libraryPath ? "path" : ""].join(" ");

export function change(how) {
  const knowledge = JSON.parse(readFileSync(file, "utf8"));
  how(knowledge);
  knowledge.watched.sort((a, b) => numbers.compare(keyOf(a), keyOf(b)));
  knowledge.unwatched.sort((a, b) => numbers.compare(`${a.framework} ${a.release}`, `${b.framework} ${b.release}`));
  const lines = (rows) => rows.map((row) => `  ${JSON.stringify(row)}`).join(",\n");
  writeFileSync(
    file,
    `{\n "about": ${JSON.stringify(knowledge.about)},\n "sources": ${JSON.stringify(knowledge.sources, null, 1).replace(/\n/g, "\n ")},\n "apart": ${JSON.stringify(knowledge.apart)},\n "watched": [\n${lines(knowledge.watched)}\n ],\n "unwatched": [\n${lines(knowledge.unwatched)}\n ]\n}\n`,
  );
}

export function keepRow(row) {
  change((knowledge) => {
    const whole = { ...row, source: "watch", checked: today() };
    knowledge.watched = [...knowledge.watched.filter((each) => keyOf(each) !== keyOf(whole)), whole];
    const [[framework, release], ...others] = Object.entries(row.frameworks);
    if (others.length === 0)
      knowledge.unwatched = knowledge.unwatched.filter((each) => each.framework !== framework || each.release !== release);
  });
}

export function keepUnwatched({ id, version }, reason) {
  change((knowledge) => {
    const row = { framework: id, release: version, reason, source: "watch", checked: today() };
    knowledge.unwatched = [...knowledge.unwatched.filter((each) => each.framework !== id || each.release !== version), row];
  });
}
