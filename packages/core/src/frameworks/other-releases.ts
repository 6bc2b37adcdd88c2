// A package beside releases of others that it does not take by its own word: its import may work, and nobody tried what it does with them.
import type { PythonEnvironment, PythonPackage } from "../model/environment.ts";
import type { UnknownThing } from "../model/unknown.ts";
import type { View } from "../resolve/view.ts";
import { unmetBy } from "../survey/requirements.ts";
import type { Framework } from "./framework.ts";
import { misfitsBelow, otherTorch } from "./torch/layouts.ts";

export function otherReleases(view: View, environment: PythonEnvironment, program: Framework, found: PythonPackage): UnknownThing[] {
  const { wishing } = view;
  const about = `${program.id} ${found.version}`;
  const open: UnknownThing[] = misfitsBelow(wishing, environment, found).map(({ name, version }) => ({
    subject: `what ${about} does with ${name}`,
    kind: "package",
    reason: `${name} ${version} was made for another torch, and whether it fits this one cannot be seen`,
  }));
  const torch = program.inPython ? undefined : otherTorch(wishing, environment, found);
  if (torch)
    open.unshift({
      subject: about,
      kind: "package",
      reason: `its compiled code was made for torch ${torch.pin}, and ${torch.version} is installed: torch keeps the layouts of its classes within a minor release alone, and whether they fit (or it crashes) cannot be seen`,
    });
  const unmet = unmetBy(wishing, environment, found);
  if (unmet.length === 0) return open;
  const names = [...new Set(unmet.map(({ name }) => name))].join(", ");
  const listed = unmet.map(({ name, specifier, version }) => `${name}${specifier}, and ${version} is installed`).join("; ");
  return [
    ...open,
    {
      subject: `what ${about} does with ${names}`,
      kind: "package",
      reason: `it asks for ${listed}: beyond its import that was not followed`,
    },
  ];
}
