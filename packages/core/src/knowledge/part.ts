// Knowledge that a user brings: newer than the program's own, in one file (`npm run refresh -- --export FILE`). It is held to the same
// schemas and laws as knowledge/ is, so that an answer from it is worth as much.
import { Compile } from "typebox/schema";
import { builtInDay } from "../knowledge-day.generated.ts";
import { readJson } from "../lib/read-json.ts";
import { complaintOf } from "../lib/schema-complaint.ts";
import { problemOf, type Problem } from "../model/problem.ts";
import { version } from "../version.ts";
import { compareDotted } from "./dotted.ts";
import { laws } from "./laws.ts";
import type { KnowledgeFiles } from "./laws/law.ts";
import { schemas } from "./schemas.generated.ts";
import { settleKnowledge, type BroughtKnowledge } from "./settled.ts";

const schemaId = "culprit/knowledge@1";

/** Text → knowledge that keeps schemas and laws; or one sentence that says what is wrong and where. */
export function readKnowledge(text: string, today: string): BroughtKnowledge | Problem {
  const read = readJson(text);
  if ("problem" in read) return read;
  const { value } = read;
  const { schema, day, needs, files } = (value ?? {}) as { [field: string]: unknown };
  if (typeof schema !== "string" || !schema.startsWith("culprit/knowledge@")) return problemOf("damaged", "it is no file of knowledge");
  if (schema !== schemaId) return problemOf("unsupported", `it is ${schema}, and culprit ${version} reads ${schemaId}`);
  if (typeof day !== "string" || !/^20\d\d-[01]\d-[0-3]\d$/.test(day)) return problemOf("damaged", "it does not say of which day it is");
  if (typeof needs !== "string" || !/^\d+(\.\d+)+$/.test(needs))
    return problemOf("damaged", "it does not say which release of culprit it is for");
  if (compareDotted(version, needs) < 0) return problemOf("unsupported", `it is for culprit ${needs} or newer, and this is ${version}`);
  const broken = problemIn((files ?? {}) as BroughtKnowledge["files"], today);
  if (broken !== undefined) return problemOf("damaged", broken);
  return { day, files: files as BroughtKnowledge["files"] };
}

/** The first that a schema or a law complains about. */
function problemIn(files: BroughtKnowledge["files"], today: string): string | undefined {
  for (const subject of Object.keys(files))
    if (!Object.hasOwn(schemas, subject)) return `it has \`${subject}\`, which culprit ${version} does not know`;
  for (const [subject, schema] of Object.entries(schemas)) {
    if (!Object.hasOwn(files, subject)) return `it lacks \`${subject}\``;
    const validator = Compile(schema);
    if (validator.Check(files[subject])) continue;
    const [, errors] = validator.Errors(files[subject]);
    return `\`${subject}\` is not as its schema says: ${complaintOf(errors)}`;
  }
  for (const { says, broken } of laws) {
    const [first] = broken(files as unknown as KnowledgeFiles, today);
    if (first !== undefined) return `a law of knowledge is broken (${says}): ${first}`;
  }
  return undefined;
}

/** What came of bringing knowledge: the day that counts, and a note where that is not the one of the file. */
export interface Brought {
  day: string;
  note?: string;
}

/** From now on this process answers with the knowledge of that text, unless its own is newer. */
export function bringKnowledge(text: string, today: string): Brought | Problem {
  const read = readKnowledge(text, today);
  if ("problem" in read) return read;
  if (read.day < builtInDay)
    return { day: builtInDay, note: `it is of ${read.day}, and what culprit ${version} knows by itself of ${builtInDay}: that is used` };
  if (!settleKnowledge(read)) return problemOf("bad-question", "a question was asked before it was read");
  return { day: read.day };
}
