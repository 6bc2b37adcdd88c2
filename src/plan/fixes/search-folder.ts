import { nameOf } from "../../lib/path.ts";
import { defineFix, type Candidate } from "../fix.ts";
import { withText, withVariable } from "../simulate.ts";

const name = "LD_LIBRARY_PATH";

/** Leads the loader to a library that is installed where nobody looks: for one command, or whenever its environment is active. */
export default defineFix({
  id: "search-folder",
  title: "Let a folder be searched",
  proposes(stack, finding) {
    if (finding.rule !== "library-not-on-path") return [];
    const copy = stack.inventory.copies.find(
      ({ file, names, soname, stub }) => !stub && [file, ...names, soname ?? ""].some((path) => nameOf(path) === finding.subject),
    );
    if (!copy) return [];
    const at = [...copy.names, copy.file].find((path) => nameOf(path) === finding.subject) ?? copy.file;
    const folder = at.slice(0, at.lastIndexOf("/"));
    const value = [folder, ...(stack.variables[name] ? [stack.variables[name]] : [])].join(":");
    const simulate: Candidate["simulate"] = (snapshot) => withVariable(snapshot, name, value);
    const found: Candidate[] = [
      {
        title: `start one command with ${folder} in ${name}`,
        reach: "command",
        safety: "safe",
        commands: [`env ${name}=${value} COMMAND`],
        steps: [],
        changes: [],
        simulate,
      },
    ];
    const environment = stack.environments.find(({ prefix, kind }) => folder.startsWith(`${prefix}/`) && kind !== "system");
    if (environment?.kind === "conda") {
      const file = `${environment.prefix}/etc/conda/activate.d/culprit-libraries.sh`;
      const text = `export ${name}="${folder}\${${name}:+:$${name}}"\n`;
      found.push({
        title: `search ${folder} whenever ${environment.prefix} is active`,
        reach: "environment",
        safety: "safe",
        commands: [`printf '%s' '${text.trim()}' > ${file}`],
        steps: [{ do: "write", file, text }],
        changes: [file],
        simulate: (snapshot) => withVariable(withText(snapshot, file, text), name, value),
      });
    }
    return found;
  },
});
