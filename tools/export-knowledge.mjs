// Knowledge in one file, for programs that are older than it (`culprit --knowledge FILE`): `npm run refresh -- --export FILE` writes it.
import { readFileSync, writeFileSync } from "node:fs";
import { dayOf, readSubjects } from "./knowledge-texts.mjs";

/** Everything that the program reads, with its day and the release whose schemas it keeps; in the root of the repository. */
export function exportKnowledge(file) {
  const files = Object.fromEntries(readSubjects.map((subject) => [subject, JSON.parse(readFileSync(`knowledge/${subject}.json`, "utf8"))]));
  const { version } = JSON.parse(readFileSync("packages/cli/package.json", "utf8"));
  const day = dayOf(Object.values(files));
  writeFileSync(file, `${JSON.stringify({ schema: "culprit/knowledge@1", day, needs: version, files })}\n`);
  return day;
}
