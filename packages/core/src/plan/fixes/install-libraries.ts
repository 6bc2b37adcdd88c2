import { pipOf } from "../../diagnose/pip.ts";
import type { Stack } from "../../diagnose/stack.ts";
import type { PackageFact } from "../../model/finding.ts";
import { versionWithin } from "../../knowledge/published.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { defineFix, type Candidate } from "../fix.ts";
import { changedFolders, installCommand, refusalIn, rivalsIn, typed, withWheel, type WheelChange } from "../wheels.ts";

/** Installs a framework once more with the libraries that its own metadata asks for: all of them in one step, in the versions that it wants. */
export default defineFix({
  id: "install-libraries",
  title: "Install a framework with its own libraries",
  proposes(stack, { facts: { packages = [] } }, snapshot) {
    const brought = packages.filter((each) => each.role === "install" && each.with !== undefined);
    const environment = stack.environments.find(({ prefix }) => prefix === brought[0]?.environment);
    return environment ? candidatesFor(stack, environment, brought, snapshot) : [];
  },
});

function candidatesFor(stack: Stack, environment: WheelChange["environment"], brought: PackageFact[], { files }: Snapshot): Candidate[] {
  const words = brought[0]!.with!;
  const requirement = words.at(-1)!;
  const wheels = brought.flatMap(({ name, wants }): WheelChange[] => {
    const version = versionWithin(name, wants ?? "");
    return version === undefined ? [] : [{ environment, name, version }];
  });
  // It would overwrite another one that fills the same places.
  if (wheels.some(({ name }) => 0 < rivalsIn(environment, name).length)) return [];
  const isKnown = wheels.length === brought.length;
  const refusal = refusalIn(environment);
  // An extra that pins all that it brings brings just that. Else pip chooses, and may bring more: what is applied is what was proven.
  const isExact = requirement.includes("[") && brought.every(({ wants = "" }) => /^==[^*]+$/.test(wants));
  const own = pipOf(environment, "install", ...words);
  const canApply = isKnown && refusal === undefined && environment.kind !== "conda";
  return [
    {
      title: `install ${requirement} in ${environment.prefix}`,
      reach: environment.prefix === "/usr" ? "machine" : "environment",
      safety: canApply ? "safe" : "display-only",
      commands: [...(refusal?.first ?? []), ...typed(own, stack.variables)],
      steps: canApply
        ? [
            {
              do: "run",
              command: isExact ? own : installCommand(environment, wheels),
              changes: [...new Set(wheels.flatMap((each) => changedFolders(each, files)))],
            },
          ]
        : [],
      ...(refusal ? { warning: refusal.because } : {}),
      changes: wheels.map(({ name }) => `${name} in ${environment.prefix}`),
      ...(isKnown && !refusal
        ? { simulate: (snapshot: Snapshot) => wheels.reduce((facts, each) => withWheel(facts, each), snapshot) }
        : {}),
    },
  ];
}
