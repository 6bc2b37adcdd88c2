import { settersOf } from "../../diagnose/words.ts";
import { defineFix, type Candidate } from "../fix.ts";
import { withText, withVariable } from "../simulate.ts";

/** A variable that should not be set at all: LD_PRELOAD that brings a wrong copy, CUDA_VISIBLE_DEVICES that hides every GPU. */
export default defineFix({
  id: "unset-variable",
  title: "Unset a variable",
  proposes(stack, finding) {
    const said = [finding.subject, finding.message, ...finding.because, ...finding.advice].join("\n");
    return ["LD_PRELOAD", "CUDA_VISIBLE_DEVICES", "PYTHONPATH"]
      .filter((name) => stack.variables[name] !== undefined && said.includes(name))
      .flatMap((name): Candidate[] => {
        const simulate: Candidate["simulate"] = (snapshot) => withVariable(snapshot, name, undefined);
        return [
          {
            title: `start one command without ${name}`,
            reach: "command",
            safety: "safe",
            commands: [`env -u ${name} COMMAND`],
            steps: [],
            changes: [],
            simulate,
          },
          {
            title: `unset ${name} in this shell`,
            reach: "shell",
            safety: "safe",
            commands: [`unset ${name}`],
            steps: [],
            changes: [],
            simulate,
          },
          ...settersOf(stack, name).map(({ file, line, text }): Candidate => ({
            title: `remove the line that sets ${name}, ${file}:${line}`,
            reach: file.startsWith("/etc/") || file.startsWith("/usr/") ? "machine" : "user",
            safety: "safe",
            commands: [`sed -i '${line}d' ${file}`],
            steps: [{ do: "edit", file, line, before: text }],
            warning: "shells that are open keep the old value",
            changes: [file],
            variables: [{ name }],
            simulate: (snapshot) => {
              const fact = snapshot.files[file];
              const lines = (fact?.kind === "file" ? (fact.text ?? "") : "").split("\n");
              lines.splice(line - 1, 1);
              return withVariable(withText(snapshot, file, lines.join("\n")), name, undefined);
            },
          })),
        ];
      });
  },
});
