import { folderOf, nameOf } from "../../lib/path.ts";
import type { Stack } from "../../diagnose/stack.ts";
import { defineFix, type Candidate } from "../fix.ts";
import { withText, withVariable } from "../simulate.ts";
import { quoted } from "../startup.ts";

const name = "LD_LIBRARY_PATH";

/** Leads the loader to a library that is installed where nobody looks: for one command, or whenever its environment is active. */
export default defineFix({
  id: "search-folder",
  title: "Let a folder be searched",
  proposes(stack, finding) {
    if (!["library-not-on-path", "cupti-missing"].includes(finding.rule) || finding.cause !== "library-not-on-path") return [];
    const copy = stack.inventory.copies.find(
      ({ file, names, soname, stub }) => !stub && [file, ...names, soname ?? ""].some((path) => nameOf(path) === finding.subject),
    );
    if (!copy) return [];
    const at = [...copy.names, copy.file].find((path) => nameOf(path) === finding.subject) ?? copy.file;
    const folder = at.slice(0, at.lastIndexOf("/"));
    // What asks for one of NVIDIA's wheels asks for more of them next: where one folder is not enough, all of them are tried.
    const site = folder.slice(0, folder.indexOf("/nvidia/") + 1);
    const beside = stack.inventory.copies
      .filter(({ file, owner }) => site !== "" && owner?.kind === "pip" && file.startsWith(`${site}nvidia/`))
      .map(({ file }) => file.slice(0, file.lastIndexOf("/")));
    const all = [...new Set([folder, ...beside])];
    return [[folder], ...(1 < all.length ? [all] : [])].flatMap((folders) => candidates(stack, folders));
  },
});

function candidates(stack: Stack, folders: string[]): Candidate[] {
  const searched = folders.join(":");
  const value = [searched, ...(stack.variables[name] ? [stack.variables[name]] : [])].join(":");
  const simulate: Candidate["simulate"] = (snapshot) => withVariable(snapshot, name, value);
  const found: Candidate[] = [
    {
      title: `start one command with ${folders.join(" and ")} in ${name}`,
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
    ({ prefix, kind }) => kind === "conda" && folders.every((folder) => folder.startsWith(`${prefix}/`) && /^[^"$`\\:;\n]+$/.test(folder)),
  );
  if (environment) {
    const file = `${environment.prefix}/etc/conda/activate.d/culprit-libraries.sh`;
    const text = `export ${name}="${searched}\${${name}:+:$${name}}"\n`;
    found.push({
      title: `search ${folders.join(" and ")} whenever ${environment.prefix} is active`,
      reach: "environment",
      safety: "safe",
      commands: [`mkdir -p ${quoted(folderOf(file))}`, `printf '%s\\n' ${quoted(text.trim())} > ${quoted(file)}`],
      steps: [{ do: "write", file, text }],
      warning: "shells in which it is active already must activate it again",
      changes: [file],
      variables: [{ name, value }],
      simulate: (snapshot) => withVariable(withText(snapshot, file, text), name, value),
    });
  }
  return found;
}
