// A line that a page of docs tells to type is one that culprit understands: its command, its options and their values.
import fs from "node:fs";
import { expect, test } from "vitest";
import { commands } from "../packages/cli/src/commands.ts";
import { parse } from "../packages/cli/src/parse.ts";
import { everywhere } from "../packages/cli/src/usage.ts";
import { frameworkIds, ruleIds } from "../packages/core/src/index.ts";

const pages = fs
  .readdirSync("docs", { recursive: true, encoding: "utf8" })
  .filter((name) => /^(README|start|try|reference|how-it-knows)\.md$|^(symptoms|guides)\/.*\.md$/.test(name))
  .map((name) => `docs/${name}`);

/** Lines of blocks to type, and code within sentences; what stands for something else is in capitals. */
function linesIn(source: string): string[] {
  const blocks = [...source.matchAll(/^```(?:sh|console)\b.*\n([\s\S]*?)^```$/gm)].flatMap(([, text]) => text!.split("\n"));
  const typed = blocks.flatMap(
    (line) => /(?:^|[$|&] |^srun \S+ |^env -u \S+ )(culprit(?: [^|#]*)?)/.exec(line.replace(/\s+#.*$/, ""))?.[1] ?? [],
  );
  const prose = source.replaceAll(/^```[\s\S]*?^```$/gm, "");
  const named = [...prose.matchAll(/`(culprit [^`]+)`/g)].map(([, line]) => line!);
  return [...typed, ...named].map((line) => line.replaceAll(/\$\([^)]*\)/g, "X").trim());
}

const wordsOf = (line: string) => [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, one, two, plain]) => one ?? two ?? plain!);

async function problemOf(line: string): Promise<string | undefined> {
  const [, first = "check", ...rest] = wordsOf(line);
  if (first === "COMMAND" || first.startsWith("--version")) return undefined;
  if (first === "help")
    return rest.every((word) => word.startsWith("--") || /^[A-Z]+$/.test(word) || ruleIds.includes(word)) ? undefined : "no help on it";
  const isOption = first.startsWith("--");
  const command = commands.find(({ name }) => name === (isOption ? "check" : first));
  if (!command) return `there is no command ${first}`;
  const { options } = await parse(command, isOption ? [first, ...rest] : rest);
  for (const { name, choices } of [...command.options, ...everywhere])
    for (const value of [options[name] ?? []].flat())
      if (choices && typeof value === "string" && !value.split(",").every((each) => choices.includes(each))) return `--${name} ${value}`;
  for (const program of [options["for"] ?? []].flat().flatMap((value) => String(value).split(",")))
    if (!/[/A-Z]/.test(program) && !frameworkIds.includes(program)) return `--for ${program}`;
  return undefined;
}

test("every line to type is understood", async () => {
  const problems: string[] = [];
  let lines = 0;
  for (const page of pages)
    for (const line of linesIn(fs.readFileSync(page, "utf8"))) {
      lines += 1;
      const problem = await problemOf(line).catch((error: Error) => error.message);
      if (problem !== undefined) problems.push(`${page}: \`${line}\`: ${problem}`);
    }
  expect(problems).toEqual([]);
  expect(lines).toBeGreaterThan(200);
});

test("a line that cannot work is noticed", async () => {
  expect(await problemOf("culprit chek")).toBe("there is no command chek");
  expect(await problemOf("culprit why cudnn --for pytorch")).toBe("--for pytorch");
  expect(await problemOf("culprit check --do profiling")).toBe("--do profiling");
  await expect(problemOf("culprit explain error.log --rot x")).rejects.toThrow(/has no option/);
});
