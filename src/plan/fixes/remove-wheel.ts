import type { Stack } from "../../diagnose/stack.ts";
import { defineFix, type Candidate } from "../fix.ts";
import { changedFolders, installCommand, removeCommand, rivalsIn, typed, withoutWheel, withWheel } from "../wheels.ts";

/** Of two packages that overwrite each other's files: removes the one that no framework needs, and puts the other back. */
export default defineFix({
  id: "remove-wheel",
  title: "Remove one of two packages that overwrite each other",
  proposes: (stack, { rule, subject, message }, { files }) =>
    rule !== "packages-overwrite-each-other" && rule !== "wheel-files-missing"
      ? []
      : [...pairs(stack), ...halves(stack, subject)].flatMap(({ environment: prefix, names, unwanted: only }) => {
          const environment = stack.environments.find((each) => each.prefix === prefix);
          if (!environment || (only === undefined && !names.every((name) => `${subject} ${message}`.includes(name)))) return [];
          return (only === undefined ? names : [only]).flatMap((unwanted): Candidate[] => {
            const kept = names.find((name) => name !== unwanted)!;
            const version = environment.packages.find(({ name }) => name === kept)?.version;
            if (version === undefined) return [];
            const install = { environment, name: kept, version };
            const commands = [removeCommand(environment, unwanted), installCommand(environment, [install])];
            const removed = environment.packages.find(({ name }) => name === unwanted);
            const changes = [
              ...changedFolders(install, files),
              ...(removed ? changedFolders({ environment, name: unwanted, version: removed.version }, files) : []),
            ];
            return [
              {
                title: `remove ${unwanted} from ${prefix}, and install ${kept} ${version} again`,
                reach: "environment",
                safety: "safe",
                commands: commands.flatMap((command) => typed(command, stack.variables)),
                steps: commands.map((command) => ({ do: "run" as const, command, changes: [...new Set(changes)] })),
                changes: names.map((name) => `${name} in ${prefix}`),
                simulate: (snapshot) => withWheel(withoutWheel(snapshot, environment, unwanted), install),
              },
            ];
          });
        }),
});

interface Pair {
  environment: string;
  names: string[];
  unwanted?: string;
}

/** A package whose files are gone beside one that fills the same places: most likely that one took them, and it goes for good. */
function halves({ environments }: Stack, subject: string): Pair[] {
  return environments.flatMap((environment) =>
    environment.packages
      .filter(({ name }) => subject === `${name} in ${environment.prefix}`)
      .flatMap(({ name }) =>
        rivalsIn(environment, name).map((rival) => ({ environment: environment.prefix, names: [name, rival], unwanted: name })),
      ),
  );
}

function pairs({ sharedFiles }: Stack): Pair[] {
  const found = new Map<string, Pair>();
  for (const { environment, claims } of sharedFiles) {
    const names = [...new Set(claims.map((claim) => claim.package))].sort();
    if (names.length === 2) found.set(`${environment} ${names.join(" ")}`, { environment, names });
  }
  return [...found.values()];
}
