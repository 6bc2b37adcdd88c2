import { parseArgs, type ParseArgsConfig } from "node:util";
import { everywhere, UsageError, type Command, type Input } from "./usage.ts";

/** Words and options of a command, checked against its table. */
export async function parse(command: Command, argv: string[]): Promise<Input> {
  const known = [...command.options, ...everywhere];
  const options: NonNullable<ParseArgsConfig["options"]> = {};
  for (const { name, short, value, multiple } of known) {
    options[name] = { type: value === undefined ? "boolean" : "string", multiple: multiple ?? false, ...(short ? { short } : {}) };
  }
  try {
    const { values, positionals } = parseArgs({ args: withCommandApart(command, argv), options, allowPositionals: true, strict: true });
    const empty = known.find(({ name, value }) => value !== undefined && [values[name]].flat().includes(""));
    if (empty) throw new Error(`'--${empty.name}' is empty`);
    return { words: positionals, options: values as Input["options"] };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const option = /'(?:-\w, )?(--?[\w-]+)/.exec(message)?.[1] ?? "an option";
    const meantOne = known.find(({ name, short }) => option === `--${name}` || option === `-${short}`);
    if (!meantOne) {
      const near = await meant(option.replace(/^--?/, ""), known, "--");
      throw new UsageError(
        `\`culprit ${command.name}\` has no option \`${option}\`; ${near ?? `\`culprit ${command.name} --help\` lists the options`}`,
        { cause: error },
      );
    }
    const reason = meantOne.value === undefined ? `\`${option}\` takes no value` : `\`${option}\` needs a value (${meantOne.value})`;
    throw new UsageError(`${reason}; \`culprit ${command.name} --help\` lists the options`, { cause: error });
  }
}

/** What `culprit run` is to start has options of its own: all behind its name is its. */
function withCommandApart({ name, options }: Command, argv: string[]): string[] {
  if (name !== "run" || argv.includes("--")) return argv;
  const valued = new Set([...options, ...everywhere].filter(({ value }) => value !== undefined).map((option) => `--${option.name}`));
  for (let at = 0; at < argv.length; at += 1) {
    if (!argv[at]!.startsWith("-")) return [...argv.slice(0, at), "--", ...argv.slice(at)];
    if (valued.has(argv[at]!)) at += 1;
  }
  return argv;
}

/** What a slip of the finger was to be; loaded for that alone. */
export async function meant(word: string, known: { name: string }[], before = ""): Promise<string | undefined> {
  const { nearNames } = await import("@culprit/core");
  const names = known.map(({ name }) => name);
  const near = word.length < 3 ? [] : nearNames(word, names).slice(0, 2);
  return near.length === 0 ? undefined : `did you mean ${near.map((name) => `\`${before}${name}\``).join(" or ")}?`;
}
