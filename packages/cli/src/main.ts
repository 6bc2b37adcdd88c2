import { existsSync } from "node:fs";
import process from "node:process";
import { clearProgress } from "./progress.ts";
import { sentenceOf } from "@culprit/core/lib/reason";
import { version } from "@culprit/core/version";
import { builtInDay } from "@culprit/core/knowledge-day.generated";
import { commands } from "./commands.ts";
import { meant, parse } from "./parse.ts";
import { beQuiet, print, printAside, ReaderGone, say } from "./print.ts";
import { isBareWord, isFrameworkWord } from "./framework-word.ts";
import { flag, text, texts, UsageError, type Command, type Input } from "./usage.ts";

/** argv → library → report → exit code. 0: nothing wrong; 1: something is; 2: our own failure or bad usage, in one sentence. */
async function main(argv: string[]): Promise<number> {
  const [first] = argv;
  if (first === "--version" || first === "-V" || first === "version") {
    print(`culprit ${version}, knowledge of ${builtInDay}\n`);
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
  const input = meaningFrameworks(command, await parse(command, named ? argv.slice(1) : argv));
  chooseColours(input);
  if (flag(input, "quiet")) beQuiet();
  if (input.options["help"]) {
    const { helpText } = await import("./help.ts");
    print(await helpText([command.name]));
    return 0;
  }
  const knowledge = text(input, "knowledge");
  if (knowledge !== undefined) await (await import("./knowledge.ts")).bringKnowledgeFile(knowledge);
  return (await command.run()).run(input);
}

/**
 * `culprit check torch` means the framework, or the package, where no file is called so; `culprit fix torch` the framework: its other words
 * are findings.
 */
function meaningFrameworks({ name }: Command, input: Input): Input {
  const isMeant = name === "check" ? isBareWord : name === "fix" ? isFrameworkWord : undefined;
  const named = isMeant ? input.words.filter((word) => isMeant(word) && !existsSync(word)) : [];
  if (named.length === 0) return input;
  const words = input.words.filter((word) => !named.includes(word));
  return { words, options: { ...input.options, for: [...texts(input, "for"), ...named] } };
}

function chooseColours(input: Input): void {
  const wish = text(input, "color") ?? "auto";
  if (!["auto", "always", "never"].includes(wish)) throw new UsageError(`\`--color ${wish}\` is none of auto, always and never`);
  if (wish === "never") process.env["NO_COLOR"] = "1";
  if (wish === "always") [process.env["NO_COLOR"], process.env["FORCE_COLOR"]] = ["", "1"];
}

async function refuseUnknownWord(word: string): Promise<void> {
  if (word.includes("/") || word.includes(":") || isFrameworkWord(word) || existsSync(word)) return;
  throw new UsageError(
    `there is no command or target \`${word}\`; ${(await meant(word, commands)) ?? `the commands are ${commands.map(({ name }) => `\`${name}\``).join(", ")}`}`,
  );
}

main(process.argv.slice(2)).then(
  (code) => {
    clearProgress();
    process.exitCode = code;
  },
  (error: unknown) => {
    if (error instanceof ReaderGone) return;
    process.exitCode = 2;
    say(sentenceOf(error));
    if (process.env["CULPRIT_DEBUG"] && error instanceof Error) printAside(`${error.stack}\n`);
  },
);
