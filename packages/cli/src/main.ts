import { existsSync } from "node:fs";
import { parseArgs, type ParseArgsConfig } from "node:util";
import process from "node:process";
import { version } from "@culprit/core/version";
import { commands } from "./commands.ts";
import { print, printAside, ReaderGone, say } from "./print.ts";
import { isFrameworkWord } from "./framework-word.ts";
import { text, texts, UsageError, type Command, type Input } from "./usage.ts";

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
  const input = meaningFrameworks(command, await parse(command, withCommandApart(command, named ? argv.slice(1) : argv)));
  chooseColours(input);
  if (input.options["help"]) {
    const { helpText } = await import("./help.ts");
    print(await helpText([command.name]));
    return 0;
  }
  return (await command.run()).run(input);
}

/** What `culprit run` is to start has options of its own: all behind its name is its. */
function withCommandApart({ name, options }: Command, argv: string[]): string[] {
  if (name !== "run" || argv.includes("--")) return argv;
  const valued = new Set(options.filter(({ value }) => value !== undefined).map((option) => `--${option.name}`));
  for (let at = 0; at < argv.length; at += 1) {
    if (!argv[at]!.startsWith("-")) return [...argv.slice(0, at), "--", ...argv.slice(at)];
    if (valued.has(argv[at]!)) at += 1;
  }
  return argv;
}

/** `culprit check torch` means the framework, where no file is called so. */
function meaningFrameworks({ name }: Command, input: Input): Input {
  const meant = name === "check" ? input.words.filter((word) => isFrameworkWord(word) && !existsSync(word)) : [];
  if (meant.length === 0) return input;
  const words = input.words.filter((word) => !meant.includes(word));
  return { words, options: { ...input.options, for: [...texts(input, "for"), ...meant] } };
}

function chooseColours(input: Input): void {
  const wish = text(input, "color") ?? "auto";
  if (!["auto", "always", "never"].includes(wish)) throw new UsageError(`\`--color ${wish}\` is none of auto, always and never`);
  if (wish === "never") process.env["NO_COLOR"] = "1";
  if (wish === "always") [process.env["NO_COLOR"], process.env["FORCE_COLOR"]] = ["", "1"];
}

async function parse(command: Command, argv: string[]): Promise<Input> {
  const options: NonNullable<ParseArgsConfig["options"]> = { help: { type: "boolean", short: "h" }, color: { type: "string" } };
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
  if (word.includes("/") || word.includes(":") || isFrameworkWord(word) || existsSync(word)) return;
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
