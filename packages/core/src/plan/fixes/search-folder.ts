import { folderOf, nameOf } from "../../lib/path.ts";
import type { Stack } from "../../diagnose/stack.ts";
import type { Step } from "../../model/fix.ts";
import { defineFix, type Candidate } from "../fix.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { withText, withVariable } from "../simulate.ts";
import { textAt } from "../startup.ts";
import { quoted } from "../../lib/shell.ts";

const name = "LD_LIBRARY_PATH";

/** Leads the loader to a library that is installed where nobody looks: for one command, or whenever its environment is active. */
export default defineFix({
  id: "search-folder",
  title: "Let a folder be searched",
  proposes(stack, finding, snapshot) {
    const { rule, cause, facts } = finding;
    const wanted = facts.wanted?.name;
    if (wanted === undefined || !["library-not-on-path", "cupti-missing"].includes(rule) || cause !== "library-not-on-path") return [];
    const copy = stack.inventory.copies.find(
      ({ file, names, soname, stub }) => !stub && [file, ...names, soname ?? ""].some((path) => nameOf(path) === wanted),
    );
    if (!copy) return [];
    const at = [...copy.names, copy.file].find((path) => nameOf(path) === wanted) ?? copy.file;
    const folder = at.slice(0, at.lastIndexOf("/"));
    // What asks for one of NVIDIA's wheels asks for more of them next: where one folder is not enough, all of them are tried.
    const site = folder.slice(0, folder.indexOf("/nvidia/") + 1);
    const beside = stack.inventory.copies
      .filter(({ file, owner }) => site !== "" && owner?.kind === "pip" && file.startsWith(`${site}nvidia/`))
      .map(({ file }) => file.slice(0, file.lastIndexOf("/")));
    const all = [...new Set([folder, ...beside])];
    return [
      ...candidates(stack, [folder], snapshot),
      ...(1 < all.length ? candidates(stack, all, snapshot).map((each) => ({ ...each, wider: true as const })) : []),
    ];
  },
});

function candidates(stack: Stack, folders: string[], snapshot: Snapshot): Candidate[] {
  const searched = folders.join(":");
  const value = [searched, ...(stack.variables[name] ? [stack.variables[name]] : [])].join(":");
  const simulate: Candidate["simulate"] = (snapshot) => withVariable(snapshot, name, value);
  const found: Candidate[] = [
    {
      title: `start one command with ${named(folders)} in ${name}`,
      reach: "command",
      safety: "safe",
      commands: [`env ${name}=${quoted(value)} COMMAND`],
      steps: [],
      changes: [],
      simulate,
    },
  ];
  // A file that a shell reads: what would mean something to it, or to the loader, cannot be written there.
  const environment = stack.environments.find(
    ({ prefix, kind }) =>
      (kind === "conda" || kind === "venv") && folders.every((folder) => folder.startsWith(`${prefix}/`) && /^[^"$`\\:;\n]+$/.test(folder)),
  );
  const line = `export ${name}="${searched}\${${name}:+:$${name}}"`;
  const hook =
    environment && (environment.kind === "conda" ? condaHook(environment.prefix, line) : venvHook(environment.prefix, line, snapshot));
  if (environment && hook) {
    const { commands, step, text } = hook;
    found.push({
      title: `search ${named(folders)} whenever ${environment.prefix} is active`,
      reach: "environment",
      safety: "safe",
      commands,
      steps: [step],
      warning:
        environment.kind === "conda"
          ? "shells in which it is active already must activate it again"
          : `it counts for shells that read ${step.file}, not where its Python is called by its path; shells in which it is active already must activate it again`,
      changes: [step.file],
      workaround: true,
      variables: [{ name, value }],
      simulate: (given) => withVariable(withText(given, step.file, text), name, value),
    });
  }
  return found;
}

/** Three by their names; of more, where they are. */
function named(folders: string[]): string {
  const shared = folders[0]!.slice(0, folders[0]!.indexOf("/nvidia/") + 7);
  const isOne = 3 < folders.length && folders.every((folder) => folder.startsWith(`${shared}/`));
  return isOne ? `${folders.length} folders of ${shared}` : folders.join(" and ");
}

interface Hook {
  commands: string[];
  step: Extract<Step, { file: string }>;
  text: string;
}

/** conda reads every file of a folder when it activates an environment. */
function condaHook(prefix: string, line: string): Hook {
  const file = `${prefix}/etc/conda/activate.d/culprit-libraries.sh`;
  const text = `${line}\n`;
  return {
    commands: [`mkdir -p ${quoted(folderOf(file))}`, `printf '%s\\n' ${quoted(line)} > ${quoted(file)}`],
    step: { do: "write", file, text },
    text,
  };
}

/** A venv has one file for that: a line goes to its end. */
function venvHook(prefix: string, line: string, snapshot: Snapshot): Hook | undefined {
  const file = `${prefix}/bin/activate`;
  const lines = textAt(snapshot, file)?.split("\n");
  const last = lines?.findLastIndex((each) => each.trim() !== "") ?? -1;
  if (!lines || last < 0 || lines[last]!.endsWith("\\")) return undefined;
  const before = lines[last]!;
  const text = [...lines.slice(0, last + 1), line, ...lines.slice(last + 1)].join("\n");
  return {
    commands: [`printf '%s\\n' ${quoted(line)} >> ${quoted(file)}`],
    step: { do: "edit", file, line: last + 1, before, after: `${before}\n${line}` },
    text,
  };
}
