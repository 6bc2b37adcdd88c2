/** What a validator of JSON Schemas complains about. */
interface Complaint {
  keyword: string;
  instancePath: string;
  message: string;
}

/** What is wrong with a document, and where, in words: of all complaints the one that helps. */
export function complaintOf(complaints: Complaint[]): string {
  // Of a union every branch complains; the deepest complaint is about the branch that was meant.
  const depth = ({ instancePath }: Complaint) => instancePath.split("/").length;
  const [deepest] = complaints.filter(({ keyword }) => keyword !== "const" && keyword !== "anyOf").sort((a, b) => depth(b) - depth(a));
  const complaint = deepest ?? complaints[0];
  return complaint ? `${place(complaint.instancePath)} ${complaint.message}` : "it does not fit the schema";
}

const place = (pointer: string) =>
  pointer === ""
    ? "the document"
    : `\`${pointer
        .slice(1)
        .split("/")
        .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
        .join(" → ")}\``;
