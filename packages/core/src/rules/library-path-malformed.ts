import type { PathElement } from "../survey/pointers.ts";
import { nameOf } from "../lib/path.ts";
import { quoted } from "../lib/shell.ts";
import type { Draft } from "../model/finding.ts";
import { variableFact } from "../diagnose/facts.ts";
import { defineMachineRule } from "./rule.ts";
import type { Stack } from "../diagnose/stack.ts";
import { isSetAt, settersOf, stopName, variableWords } from "../diagnose/words.ts";

export default defineMachineRule({
  id: "library-path-malformed",
  title: "An element of LD_LIBRARY_PATH cannot work",
  cause: "library-not-on-path",
  severity: "error",
  notOn: { "dependency-file": "where a variable leads is decided by folders, and a file does not show them" },
  page: {
    what: "LD_LIBRARY_PATH has an element that the loader cannot use as it is written: a `~` or `$NAME` that no shell replaced, quotes, spaces, the end of a Windows line, a comma between two folders, a missing slash, or a file.",
    why: "The loader takes each element as it is, between colons or semicolons: it knows neither home folders nor variables (but `$ORIGIN`, `$LIB` and `$PLATFORM`). Files such as /etc/environment, systemd units and quoted lines of shell scripts are not expanded. An element that does not exist is passed over in silence.",
    how: "Each element is looked up as the loader would; where it leads nowhere, what a shell would have made of it is looked up, too.",
    fix: "Write the folder out, in full, without quotes, with a colon between two.",
    observed: "An unexpanded tilde with a real program; the rest with small libraries and glibc's rules.",
  },
  blames(stack, stop, run) {
    const failed = stop.failure.underlying ?? stop.failure;
    if (failed.reason !== "not-found" || stop.failure.refusal?.kind === "version") return undefined;
    const name = nameOf(failed.name);
    const element = stack.pointers.searchPath.find(({ flaw, meant }) => flaw && meant.some(({ libraries }) => libraries.includes(name)));
    if (!element) return undefined;
    const draft = draftOf(stack, element);
    return {
      ...draft,
      specificity: 4,
      because: [...draft.because, `${stopName(run, stop)} needs ${name}, which lies there`],
    };
  },
  finds: (stack) => {
    const seen = new Set<string>();
    return stack.pointers.searchPath.flatMap((element) => {
      const isNew = !seen.has(element.text);
      seen.add(element.text);
      const isOdd = element.flaw !== undefined || element.text === "" || element.kind === "none";
      if (!isNew || !isOdd) return [];
      // A rest of the line that set it does no harm.
      const isRest = /^\$\{?LD_LIBRARY_PATH\}?$/.test(element.text);
      return [{ ...draftOf(stack, element), severity: element.flaw && !isRest ? ("warning" as const) : ("info" as const) }];
    });
  },
});

const flaws: { [flaw in NonNullable<PathElement["flaw"]>]: string } = {
  tilde: "the loader does not know `~`: only a shell replaces it, and none did",
  variable: "the loader does not know variables: only a shell replaces them, and none did",
  quotes: "the loader takes quotes for a part of the name",
  spaces: "the loader takes spaces for a part of the name",
  "line-end": "the line that sets it ends with a carriage return, as lines do on Windows, and a shell takes that for a part of the value",
  comma: "elements are divided by colons; a comma is a part of the name",
  relative: "without a slash before it, it is looked for in the current folder",
  file: "elements are folders, and this is a file",
};

function draftOf(stack: Stack, { text, flaw, meant }: PathElement): Draft {
  const [setter] = settersOf(stack, "LD_LIBRARY_PATH");
  const folders = meant.map(({ folder }) => folder);
  const written = JSON.stringify(text);
  const what =
    text === ""
      ? "LD_LIBRARY_PATH has an empty element, which means the current folder"
      : flaw === undefined
        ? `LD_LIBRARY_PATH names ${text}, which does not exist`
        : `LD_LIBRARY_PATH has an element that cannot work: ${written}`;
  return {
    subject: `LD_LIBRARY_PATH element ${written}`,
    message: `${what}${0 < folders.length ? ` (it was meant to be ${folders.join(" and ")})` : ""}`,
    because: [
      ...(flaw ? [flaws[flaw]] : [text === "" ? "a colon at the start, at the end or next to another" : "the loader passes over it"]),
      ...(isSetAt(stack, "LD_LIBRARY_PATH") ? [variableWords(stack, "LD_LIBRARY_PATH")] : []),
    ],
    evidence: meant
      .filter(({ libraries }) => 0 < libraries.length)
      .map(({ folder, libraries }) => `${folder} holds ${libraries.slice(0, 4).join(", ")}`),
    facts: { variables: [variableFact(stack, "LD_LIBRARY_PATH", [text])] },
    advice: [
      flaw === "line-end" && setter
        ? `take the carriage returns out of ${setter.file}: sed -i --follow-symlinks 's/\\r$//' ${quoted(setter.file)}`
        : `write ${0 < folders.length ? folders.join(":") : text === "" ? "it without the empty element" : "a folder that exists"}${setter ? ` in ${setter.file}, line ${setter.line}` : ""}, or take the element out`,
    ],
  };
}
