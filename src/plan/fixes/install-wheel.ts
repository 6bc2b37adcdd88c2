import { copyAt } from "../../diagnose/words.ts";
import type { Run, Stack } from "../../diagnose/stack.ts";
import type { Finding } from "../../model/check.ts";
import type { PythonEnvironment } from "../../model/environment.ts";
import { defineFix, type Candidate } from "../fix.ts";
import { changedFolders, installCommand, withWheel } from "../wheels.ts";

/** Brings a wheel in the very version that a framework pins, or puts one back whose files are gone or damaged. */
export default defineFix({
  id: "install-wheel",
  title: "Install a wheel in an exact version",
  proposes: (stack, finding) =>
    wanted(stack, finding).map(({ environment, name, version, files }): Candidate => {
      const command = installCommand({ environment, name, version });
      const installed = environment.packages.find((found) => found.name === name);
      const isConda = environment.kind === "conda" && !installed;
      return {
        title: `${installed?.version === version ? "install again" : "install"} ${name} ${version} in ${environment.prefix}`,
        reach: environment.prefix === "/usr" ? "machine" : "environment",
        safety: isConda ? "display-only" : "safe",
        commands: [command.join(" ")],
        steps: isConda ? [] : [{ do: "run", command, changes: changedFolders({ environment, name, version }) }],
        ...(installed && installed.version !== version ? { warning: `${name} ${installed.version} is replaced` } : {}),
        changes: [`${name} in ${environment.prefix}`],
        simulate: (snapshot) => withWheel(snapshot, { environment, name, version }, files),
      };
    }),
});

interface Wanted {
  environment: PythonEnvironment;
  name: string;
  version: string;
  files: string[];
}

function wanted(stack: Stack, finding: Finding): Wanted[] {
  const found = new Map<string, Wanted>();
  const add = (environment: PythonEnvironment | undefined, name: string, version: string | undefined, files: string[] = []) => {
    if (environment && version !== undefined) found.set(`${environment.prefix} ${name}`, { environment, name, version, files });
  };
  for (const { package: name, environment, files } of stack.inventory.missing) {
    const prefix = stack.environments.find((each) => each.prefix === environment);
    if (finding.subject === `${name} in ${environment}`)
      add(prefix, name, prefix?.packages.find((each) => each.name === name)?.version, files);
  }
  const owner = copyAt(stack, finding.subject)?.owner;
  if (owner?.kind === "pip" && finding.cause === "library-damaged")
    add(environmentOf(stack, finding.subject), owner.name, owner.version, [finding.subject]);
  for (const run of stack.runs) {
    if (!run.environment || !touches(run, finding)) continue;
    for (const [library, { evidence }] of run.programs.flatMap(({ compiledFor }) => Object.entries(compiledFor))) {
      const [, name, version] = /: ((?:nvidia|cuda)[\w-]*)==([\d.]+)$/.exec(evidence) ?? [];
      const installed = run.environment.packages.find((each) => each.name === name);
      const concerns = finding.message.includes(name ?? "\0") || isAbout(finding, library);
      if (name !== undefined && concerns && installed?.version !== version) add(run.environment, name, version);
    }
  }
  return [...found.values()];
}

const touches = ({ programs }: Run, { breaks, endangers }: Finding) =>
  programs.some(({ id }) => [...breaks, ...endangers].some(({ framework }) => framework === id));

/** Whether a finding speaks of a library, by the names of its objects. */
const isAbout = ({ subject, message }: Finding, library: string) => `${subject} ${message}`.toLowerCase().includes(library);

const environmentOf = ({ environments }: Stack, file: string) => environments.find(({ prefix }) => file.startsWith(`${prefix}/`));
