/** What a case asks, with the names of the command's options; a case without `question.json` asks what the bare command asks. */
export interface Question {
  /** Of a machine: `check`, or `fix` for the plan. */
  command?: "check" | "fix";
  /** The snapshot, where it is that of another case. */
  input?: string;
  /** Of a log: the snapshot of the machine that it is explained with. */
  target?: string;
  for?: string[];
  do?: string[];
  python?: string[];
  env?: { [name: string]: string };
  unset?: string[];
  cwd?: string;
  cpu?: string;
  ldconfig?: boolean;
  driver?: string;
  gpu?: string[];
  colab?: string;
  "python-version"?: string;
  /** The report shows what is only a note, too. */
  all?: boolean;
}

const kinds: { [name in keyof Required<Question>]: "text" | "list" | "map" | "flag" } = {
  command: "text",
  input: "text",
  target: "text",
  for: "list",
  do: "list",
  python: "list",
  env: "map",
  unset: "list",
  cwd: "text",
  cpu: "text",
  ldconfig: "flag",
  driver: "text",
  gpu: "list",
  colab: "text",
  "python-version": "text",
  all: "flag",
};

/** A typing error must not turn a question into another one. */
export function readQuestion(text: string, name: string): Question {
  const problem = (what: string) => new Error(`question.json of the case ${name}: ${what}`);
  const value = JSON.parse(text) as { [key: string]: unknown };
  for (const [key, given] of Object.entries(value)) {
    const kind = (kinds as { [key: string]: string })[key];
    if (kind === undefined) throw problem(`there is no \`${key}\`; there is ${Object.keys(kinds).join(", ")}`);
    if (!fits(given, kind)) throw problem(`\`${key}\` is not a ${kind}`);
  }
  if (value["command"] !== undefined && value["command"] !== "check" && value["command"] !== "fix")
    throw problem(`\`command\` is check or fix; logs and traces have only one`);
  return value as Question;
}

function fits(given: unknown, kind: string): boolean {
  const isText = (each: unknown) => typeof each === "string";
  if (kind === "text") return isText(given);
  if (kind === "flag") return given === true;
  if (kind === "list") return Array.isArray(given) && given.every(isText);
  return typeof given === "object" && given !== null && !Array.isArray(given) && Object.values(given).every(isText);
}
