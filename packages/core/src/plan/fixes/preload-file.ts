import { defineFix } from "../fix.ts";
import { changeLines, textAt } from "../startup.ts";
import { quoted } from "../../lib/shell.ts";

const file = "/etc/ld.so.preload";

const namesIn = (lines: string[]) => lines.flatMap((text) => text.split(/[:\s]+/)).filter((each) => each !== "");

/** A library that every program of the machine is given, whether it wants it or not: its line is taken out. */
export default defineFix({
  id: "preload-file",
  title: "Take a library out of /etc/ld.so.preload",
  proposes(_stack, { facts }, snapshot) {
    const lines = textAt(snapshot, file)?.split("\n") ?? [];
    const preloaded = (facts.loads ?? []).filter(({ via, name }) => via === "preload" && namesIn(lines).includes(name));
    const guilty = new Set(preloaded.map(({ name }) => name));
    const isGuilty = (text: string) => namesIn([text]).some((each) => guilty.has(each));
    const setters = lines.flatMap((text, index) => (isGuilty(text) ? [{ name: file, file, line: index + 1, text }] : []));
    // What the loader makes of comments depends on what comes before them: such a file is for a person.
    if (lines.some((text) => text.includes("#"))) return [];
    const without = (text: string) =>
      namesIn([text])
        .filter((each) => !guilty.has(each))
        .join(" ");
    const change = changeLines(snapshot, setters, ({ text }) => without(text));
    if (!change) return [];
    return [
      {
        title: `take ${[...guilty].join(" and ")} out of ${file}`,
        reach: "machine",
        safety: "safe",
        commands: change.commands.map((command) => `sudo ${command}`),
        steps: change.steps,
        warning: `no program is given it any more; what is in ${quoted(file)} was put there for all of them`,
        changes: change.files,
        simulate: change.simulate,
      },
    ];
  },
});
