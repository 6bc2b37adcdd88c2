// Pages that are made and not written: commands, the library, JSON Schemas, the case book. Each is Markdown, as if somebody had written it.
import { existsSync, readdirSync } from "node:fs";
import { textOf } from "./pages.mjs";
import { readLibrary } from "./library.mjs";

/** @param {{ commands: any[], everywhere: any[] }} table */
export const commandPages = ({ commands, everywhere }) => [
  {
    path: "commands/index.html",
    kind: "page",
    source: "packages/cli/src/commands.ts",
    markdown: [
      "# Commands",
      "Every command of `culprit`. `culprit COMMAND --help` prints the same, `culprit help --man COMMAND` a manual page.",
      "| command | what it tells |\n|---|---|",
    ]
      .join("\n\n")
      .concat("\n", commands.map(({ name, summary }) => `| [culprit ${name}](${name}.html) | ${cell(summary)} |`).join("\n"), "\n"),
  },
  ...commands.map((command) => ({
    path: `commands/${command.name}.html`,
    kind: "command",
    source: "packages/cli/src/commands.ts",
    markdown: commandMarkdown(command, everywhere),
  })),
];

const cell = (text) => text.replaceAll("|", "\\|").replaceAll("\n", " ");

function commandMarkdown({ name, usage, summary, details = "", options, exits, examples }, everywhere) {
  const rows = [...options, ...everywhere].map(
    ({ name: option, short, value, multiple, help }) =>
      `| \`${short ? `-${short}, ` : ""}--${option}${value ? ` ${cell(value)}` : ""}\` | ${cell(help)}${multiple ? " (may be repeated)" : ""} |`,
  );
  const codes = "words" in exits ? exits.words : `0 ${exits[0]}, 1 ${exits[1]}`;
  return [
    `# culprit ${name}`,
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
    `\`\`\`sh\n${usage}\n\`\`\``,
    ...details.split("\n"),
    "## Examples",
    ["| line | what it asks |", "|---|---|", ...examples.map(({ line, asks }) => `| \`${cell(line)}\` | ${cell(asks)} |`)].join("\n"),
    "## Options",
    ["| option | what it does |", "|---|---|", ...rows].join("\n"),
    "## Exit code",
    `${codes}; 2 culprit could not do it, and says why.`,
  ].join("\n\n");
}

/** Each case with its story, what was asked, and what culprit says. */
export const casePages = () =>
  readdirSync("cases")
    .filter((name) => existsSync(`cases/${name}/report.txt`))
    .map((name) => {
      const folder = `cases/${name}`;
      const question = `${folder}/question.json`;
      const asked = existsSync(question) ? ["## What is asked", `\`\`\`json\n${textOf(question).trim()}\n\`\`\``] : [];
      const input = readdirSync(folder).find((file) =>
        /^(log\.txt|Dockerfile|requirements\.txt|environment\.yml|Pipfile|pyproject\.toml)$/.test(file),
      );
      const shown = input === undefined ? [] : ["## What it looks at", `\`\`\`text\n${textOf(`${folder}/${input}`).trim()}\n\`\`\``];
      const report = ["## What culprit says", `\`\`\`console\n${textOf(`${folder}/report.txt`).trimEnd()}\n\`\`\``];
      return {
        path: `${folder}.html`,
        kind: "case",
        source: `${folder}/README.md`,
        markdown: [textOf(`${folder}/README.md`), ...asked, ...shown, ...report].join("\n\n"),
      };
    });

const exportMarkdown = ({ name, comment, declaration }) => `### ${name}\n\n${comment}\n\n\`\`\`ts\n${declaration}\n\`\`\``;

/** The library's exports, from the types that the build writes. */
export function libraryPage() {
  const parts = [
    ["culprit", "index.d.ts", "packages/core/src"],
    ["culprit/targets", "target/index.d.ts", "packages/machine/src"],
  ];
  const isType = ({ declaration }) => /^(interface|type) /.test(declaration);
  const sections = parts.flatMap(([name, file, folder]) => {
    const exported = readLibrary(`dist/types/${folder}/${file}`);
    const what = exported.filter((each) => !isType(each));
    return [`## ${name}`, ...what.map(exportMarkdown), `## Types of ${name}`, ...exported.filter(isType).map(exportMarkdown)];
  });
  return {
    path: "api.html",
    kind: "page",
    source: "packages/core/src/index.ts",
    markdown: [
      "# The library",
      'What `import { … } from "culprit"` and `"culprit/targets"` bring, with the words that stand beside each in the source. The library is pure and runs in Node, a browser and a worker; targets need Node. Whatever is not listed here may change any day.',
      ...sections,
    ].join("\n\n"),
  };
}

/** @param {string[]} files of schema/ */
export function schemaPage(files) {
  const sections = files.flatMap((file) => {
    const schema = JSON.parse(textOf(file));
    const rootName = nameIn(schema.$ref);
    const root = rootName === undefined ? schema : schema.definitions[rootName];
    const [id] = schema.$id.split("/").slice(-1);
    const others = Object.entries(schema.definitions ?? {}).filter(
      ([name, { properties }]) => properties && decodeURIComponent(name) !== rootName,
    );
    return [
      `## ${schema.$id}`,
      `${root.description ?? ""} [The schema](../${file}).`,
      fieldTable(root),
      ...others.flatMap(([name, definition]) => [`### ${headingOf(name, id)}`, definition.description ?? "", fieldTable(definition)]),
    ];
  });
  return {
    path: "schemas.html",
    kind: "page",
    // As if it lay in docs, where links of pages begin.
    source: "docs/schemas.md",
    markdown: [
      "# JSON Schemas",
      "What `--json`, `culprit snapshot` and `culprit.json` hold, field by field. A published schema keeps every field that it has; fields may be added.",
      ...sections,
    ].join("\n\n"),
  };
}

const nameIn = (reference) => (reference === undefined ? undefined : decodeURIComponent(reference.replace("#/definitions/", "")));
const headingOf = (name, id) => `${decodeURIComponent(name)} of ${id}`;

const fieldTable = ({ properties = {}, required = [] }) =>
  [
    "| field | kind | what |",
    "|---|---|---|",
    ...Object.entries(properties).map(
      ([field, shape]) =>
        `| \`${field}\`${required.includes(field) ? "" : " (may be absent)"} | ${kindOf(shape)} | ${cell(shape.description ?? "")} |`,
    ),
  ].join("\n");

/** In words. */
function kindOf({ type, $ref, items, enum: values, const: value, anyOf, additionalProperties }) {
  if ($ref !== undefined) return code(nameIn($ref));
  if (value !== undefined) return code(JSON.stringify(value));
  if (values) return values.map((each) => code(JSON.stringify(each))).join(" or ");
  if (type === "array") return `list of ${items === undefined || Array.isArray(items) ? "several kinds" : kindOf(items)}`;
  if (anyOf) return anyOf.map((each) => kindOf(each)).join(" or ");
  if (type === "object" && typeof additionalProperties === "object") return `object of ${kindOf(additionalProperties)}`;
  return Array.isArray(type) ? type.join(" or ") : (type ?? "anything");
}

const code = (text) => `\`${cell(text)}\``;
