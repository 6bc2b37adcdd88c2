import type { Stack } from "../../diagnose/stack.ts";
import { defineFix, type Candidate } from "../fix.ts";
import { changedFolders, installCommand, removeCommand, typed, withoutWheel, withWheel } from "../wheels.ts";

/** Of two packages that overwrite each other's files: removes the one that no framework needs, and puts the other back. */
export default defineFix({
  id: "remove-wheel",
  title: "Remove one of two packages that overwrite each other",
  proposes: (stack, { rule, subject, message }, { files }) =>
    rule !== "packages-overwrite-each-other"
      ? []
      : pairs(stack).flatMap(({ environment: prefix, names }) => {
          const environment = stack.environments.find((each) => each.prefix === prefix);
          if (!environment || !names.every((name) => `${subject} ${message}`.includes(name))) return [];
          return names.flatMap((unwanted): Candidate[] => {
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

function pairs({ sharedFiles }: Stack): { environment: string; names: string[] }[] {
  const found = new Map<string, { environment: string; names: string[] }>();
  for (const { environment, claims } of sharedFiles) {
    const names = [...new Set(claims.map((claim) => claim.package))].sort();
    if (names.length === 2) found.set(`${environment} ${names.join(" ")}`, { environment, names });
  }
  return [...found.values()];
}
