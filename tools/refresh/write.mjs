// Knowledge is written so that a diff shows facts: lines are filled up to a width, and a row begins on a line of its own.
const width = 150;

const spelled = (value) => {
  if (Array.isArray(value)) return `[${value.map(spelled).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}: ${spelled(inner)}`);
  return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
};

/** A value behind `before` on a line that begins with `indent` spaces. */
function laid(value, indent, before = "") {
  const line = spelled(value);
  if (indent + before.length + line.length <= width || typeof value !== "object" || value === null) return line;
  const isList = Array.isArray(value);
  const entries = isList
    ? value.map((inner) => ["", inner])
    : Object.entries(value).map(([key, inner]) => [`${JSON.stringify(key)}: `, inner]);
  const inside = " ".repeat(indent + 1);
  // Rows of objects stand one below the other.
  const isApart = isList && value.some((inner) => typeof inner === "object");
  const lines = [];
  for (const [key, inner] of entries) {
    const text = `${key}${laid(inner, indent + 1, key)}`;
    const last = lines.at(-1);
    const joins =
      last !== undefined &&
      !isApart &&
      !text.includes("\n") &&
      !last.includes("\n") &&
      inside.length + last.length + 2 + text.length + 1 <= width;
    if (joins) lines[lines.length - 1] = `${last}, ${text}`;
    else lines.push(text);
  }
  const [open, close] = isList ? "[]" : "{}";
  return `${open}\n${lines.map((each) => `${inside}${each}`).join(",\n")}\n${" ".repeat(indent)}${close}`;
}

/** The text of a file of knowledge. */
export function knowledgeText(file) {
  const parts = Object.entries(file).map(([key, value]) => {
    if (key === "sources") return ` "sources": {\n${laidSources(value)}\n }`;
    if (!Array.isArray(value)) return ` ${JSON.stringify(key)}: ${JSON.stringify(value)}`;
    return ` ${JSON.stringify(key)}: [\n${value.map((row) => `  ${laid(row, 2)}`).join(",\n")}\n ]`;
  });
  return `{\n${parts.join(",\n")}\n}\n`;
}

function laidSources(sources) {
  return Object.entries(sources)
    .map(([key, text]) => `  ${JSON.stringify(key)}: ${JSON.stringify(text)}`)
    .join(",\n");
}
