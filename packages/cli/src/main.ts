import { parseArgs, type ParseArgsConfig } from "node:util";
import process from "node:process";
import { version } from "@culprit/core/version";
import { commands } from "./commands.ts";
import { print, printAside, ReaderGone, say } from "./print.ts";
import { UsageError, type Command, type Input } from "./usage.ts";

/** argv → library → report → exit code. 0: nothing wrong; 1: something is; 2: our own failure or bad usage, in one sentence. */
async function main(argv: string[]): Promise<number> {
  const [first] = argv;
  if (first === "--version" || first === "-V" || first === "version") {
    print(`culprit ${version}\n`);
    return 0;
  }
  if (first === "--help" || first === "-h" || first === "help") {
    const { helpText } = await import("./help.ts");
    print(await helpText(argv.slice(1)));
    return 0;
  }
  const named = commands.find(({ name }) => name === first);
  const command = named ?? commands[0]!;
  if (!named && first !== undefined && !first.startsWith("-")) await refuseUnknownWord(first);
  const input = await parse(command, named ? argv.slice(1) : argv);
  if (input.options["help"]) {
    const { helpText } = await import("./help.ts");
    print(await helpText([command.name]));
    return 0;
  }
  return (await command.run()).run(input);
}

async function parse(command: Command, argv: string[]): Promise<Input> {
  const options: NonNullable<ParseArgsConfig["options"]> = { help: { type: "boolean", short: "h" } };
  for (const { name, short, value, multiple } of command.options) {
    options[name] = { type: value === undefined ? "boolean" : "string", multiple: multiple ?? false, ...(short ? { short } : {}) };
  }
  try {
    const { values, positionals } = parseArgs({ args: argv, options, allowPositionals: true, strict: true });
    return { words: positionals, options: values as Input["options"] };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const option = /'(?:-\w, )?(--?[\w-]+)/.exec(message)?.[1] ?? "an option";
    const known = command.options.find(({ name, short }) => option === `--${name}` || option === `-${short}`);
    if (!known) {
      const near = await meant(option.replace(/^--?/, ""), command.options, "--");
      throw new UsageError(
        `\`culprit ${command.name}\` has no option \`${option}\`; ${near ?? `\`culprit ${command.name} --help\` lists the options`}`,
        { cause: error },
      );
    }
    const reason = known.value === undefined ? `\`${option}\` takes no value` : `\`${option}\` needs a value (${known.value})`;
    throw new UsageError(`${reason}; \`culprit ${command.name} --help\` lists the options`, { cause: error });
  }
}

// What a slip of the finger was to be; loaded for that alone.
async function meant(word: string, known: { name: string }[], before = ""): Promise<string | undefined> {
  const { nearNames } = await import("@culprit/core");
  const near =
    word.length < 3
      ? []
      : nearNames(
          word,
          known.map(({ name }) => name),
        ).slice(0, 2);
  return near.length === 0 ? undefined : `did you mean ${near.map((name) => `\`${before}${name}\``).join(" or ")}?`;
}

async function refuseUnknownWord(word: string): Promise<void> {
  const { existsSync } = await import("node:fs");
  if (word.includes("/") || word.includes(":") || existsSync(word)) return;
  throw new UsageError(
    `there is no command or target \`${word}\`; ${(await meant(word, commands)) ?? `the commands are ${commands.map(({ name }) => `\`${name}\``).join(", ")}`}`,
  );
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    if (error instanceof ReaderGone) return;
    process.exitCode = 2;
    say(error instanceof Error ? error.message : String(error));
    if (process.env["CULPRIT_DEBUG"] && error instanceof Error) printAside(`${error.stack}\n`);
  },
);
