import { Compile } from "typebox/schema";
import schema from "../../../../schema/snapshot-1.schema.json" with { type: "json" };

const validator = Compile(schema);

/** What is wrong with a document, and where; undefined when it fits the schema. */
export function findProblem(value: object): string | undefined {
  if (!validator.Check(value)) {
    const [, errors] = validator.Errors(value);
    // Of a union every branch complains; the deepest complaint is about the branch that was meant.
    const depth = ({ instancePath }: { instancePath: string }) => instancePath.split("/").length;
    const [deepest] = errors.filter(({ keyword }) => keyword !== "const" && keyword !== "anyOf").sort((a, b) => depth(b) - depth(a));
    const error = deepest ?? errors[0];
    return error ? `${place(error.instancePath)} ${error.message}` : "it does not fit the schema";
  }
  for (const path of Object.keys((value as { files: object }).files)) {
    if (path === "/") continue;
    if (!path.startsWith("/") || /\/(\.\.?)?(\/|$)/.test(path))
      return `\`files\` has the key \`${path}\`, which is not an absolute path without \`.\` and \`..\``;
  }
  return undefined;
}

const place = (pointer: string) =>
  pointer === ""
    ? "the document"
    : `\`${pointer
        .slice(1)
        .split("/")
        .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
        .join(" → ")}\``;
