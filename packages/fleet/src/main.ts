import process from "node:process";
import { version } from "@culprit/core";
import { sentenceOf } from "@culprit/core/lib/reason";
import { FleetError } from "./client.ts";
import { queryCommand, removeCommand, tokenCommand, whatIfCommand } from "./commands/ask.ts";
import { exportCommand, importCommand } from "./commands/copy.ts";
import { serveCommand, workCommand } from "./commands/serve.ts";
import { print, say } from "./print.ts";
import { parse, UsageError, type Command } from "./usage.ts";

const commands: Command[] = [
  serveCommand,
  workCommand,
  queryCommand,
  whatIfCommand,
  tokenCommand,
  removeCommand,
  exportCommand,
  importCommand,
];

/** 0: done; 1: `whatif` found what would break; 2: it could not be done, in one sentence. */
async function main(argv: string[]): Promise<number> {
  const [first, ...rest] = argv;
  if (first === "--version" || first === "-V") {
    print(`culprit-fleet ${version}\n`);
    return 0;
  }
  if (first === undefined || first === "--help" || first === "-h" || first === "help") {
    const named = commands.find(({ name }) => name === rest[0]);
    print(named ? helpOf(named) : overview());
    return first === undefined ? 2 : 0;
  }
  const command = commands.find(({ name }) => name === first);
  if (!command)
    throw new UsageError(`there is no command \`${first}\`; the commands are ${commands.map(({ name }) => `\`${name}\``).join(", ")}`);
  const input = parse(command, rest);
  if (input.options["help"] === true) {
    print(helpOf(command));
    return 0;
  }
  return command.run(input);
}

const overview = (): string =>
  [
    "culprit-fleet: many machines, and what a new driver or GPU would break",
    "",
    ...commands.map(({ name, summary }) => `  ${name.padEnd(8)} ${summary}`),
    "",
    "Nodes push with `culprit push`. `culprit-fleet COMMAND --help` says more.",
    "",
  ].join("\n");

function helpOf({ usage, summary, details, options, examples }: Command): string {
  const names = options.map(({ name, value }) => `--${name}${value === undefined ? "" : ` ${value}`}`);
  const width = Math.max(...names.map((each) => each.length));
  return [
    usage,
    "",
    summary,
    ...(details === undefined ? [] : ["", details]),
    "",
    ...options.map(({ help }, index) => `  ${names[index]!.padEnd(width)}  ${help}`),
    "",
    ...examples.map(({ line, asks }) => `  ${line}\n      ${asks}`),
    "",
    "Exit code: 0 done, 1 (whatif only) something would break, 2 it could not be done.",
    "",
  ].join("\n");
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    say(error instanceof UsageError || error instanceof FleetError ? error.message : sentenceOf(error));
    if (process.env["CULPRIT_DEBUG"] && error instanceof Error) say(String(error.stack));
    // Whatever was begun meanwhile does not keep us.
    process.exit(2);
  },
);
