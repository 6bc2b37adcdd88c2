import { Compile } from "typebox/schema";
import { complaintOf } from "../lib/schema-complaint.ts";
import schema from "../../../../schema/snapshot-1.schema.json" with { type: "json" };

const validator = Compile(schema);

/** What is wrong with a document, and where; undefined when it fits the schema. */
export function findProblem(value: object): string | undefined {
  if (!validator.Check(value)) {
    const [, errors] = validator.Errors(value);
    return complaintOf(errors);
  }
  for (const path of Object.keys((value as { files: object }).files)) {
    if (path === "/") continue;
    if (!path.startsWith("/") || /\/(\.\.?)?(\/|$)/.test(path))
      return `\`files\` has the key \`${path}\`, which is not an absolute path without \`.\` and \`..\``;
  }
  return undefined;
}
