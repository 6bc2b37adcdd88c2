import type { Stack } from "../../diagnose/stack.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { Facts } from "../../model/finding.ts";
import { hasNoGpuCode } from "../../model/frameworks.ts";
import { defineFix, type Candidate } from "../fix.ts";
import {
  changedFolders,
  installCommand,
  ownPackage,
  refusalIn,
  removeCommand,
  rivalsIn,
  typed,
  withoutWheel,
  withWheel,
} from "../wheels.ts";

/** Of two packages that overwrite each other's files: removes the one that no framework needs, and puts the other back. */
export default defineFix({
  id: "remove-wheel",
  title: "Remove one of two packages that overwrite each other",
  proposes: (stack, { rule, facts }, { files }) =>
    !["packages-overwrite-each-other", "wheel-files-missing", "cpu-only-build"].includes(rule)
      ? []
      : [...pairs(facts), ...halves(stack, facts)].flatMap(({ environment: prefix, names, unwanted: only }) => {
          const environment = stack.environments.find((each) => each.prefix === prefix);
          if (!environment) return [];
          const refusal = refusalIn(environment);
          return (only === undefined ? names : [only]).flatMap((unwanted): Candidate[] => {
            const kept = names.find((name) => name !== unwanted)!;
            const version = ownPackage(environment, kept)?.version;
            if (version === undefined) return [];
            const install = { environment, name: kept, version };
            const commands = [removeCommand(environment, unwanted), installCommand(environment, [install])];
            const removed = ownPackage(environment, unwanted);
            const changes = [
              ...changedFolders(install, files),
              ...(removed ? changedFolders({ environment, name: unwanted, version: removed.version }, files) : []),
            ];
            return [
              {
                title: `remove ${unwanted} from ${prefix}, and install ${kept} ${version} again`,
                reach: "environment",
                safety: refusal ? "display-only" : "safe",
                ...(refusal ? { warning: refusal.because } : {}),
                commands: [...(refusal?.first ?? []), ...commands.flatMap((command) => typed(command, stack.variables))],
                steps: (refusal ? [] : commands).map((command) => ({ do: "run" as const, command, changes: [...new Set(changes)] })),
                changes: names.map((name) => `${name} in ${prefix}`),
                ...(refusal
                  ? {}
                  : { simulate: (snapshot: Snapshot) => withWheel(withoutWheel(snapshot, environment, unwanted), install, [], snapshot) }),
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
function halves({ environments }: Stack, { packages = [] }: Facts): Pair[] {
  return packages
    .filter(({ role }) => role === "reinstall")
    .flatMap(({ name, environment: prefix }) => {
      const environment = environments.find((each) => each.prefix === prefix);
      const rivals = environment ? rivalsIn(environment, name) : [];
      return rivals.map((rival) => ({ environment: environment!.prefix, names: [name, rival], unwanted: name }));
    });
}

function pairs({ packages = [] }: Facts): Pair[] {
  const names = packages.filter(({ role }) => role === "conflicts").map(({ name }) => name);
  const environment = packages.find(({ role }) => role === "conflicts")?.environment;
  if (environment === undefined || names.length !== 2) return [];
  // Of two of one folder the one without code for GPUs is not the one to keep.
  const plain = names.find(hasNoGpuCode);
  return [{ environment, names, ...(plain === undefined ? {} : { unwanted: plain }) }];
}
