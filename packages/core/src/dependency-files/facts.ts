// What findings about files are made of, in the form that reports and comparisons go by.
import { normalName } from "../lib/pep508.ts";
import type { DeclaredPackage } from "../model/dependency-file.ts";
import type { PackageFact, VariableFact } from "../model/finding.ts";
import type { Installed } from "./install.ts";
import type { VariableStep } from "./variables.ts";

/** A package that would be there. */
export const installedFact = ({ name, version, variant, asked }: Installed, role: PackageFact["role"]): PackageFact => ({
  role,
  name,
  ...(version === undefined ? {} : { version: `${version}${variant === undefined ? "" : `+${variant}`}` }),
  ...(asked === undefined || asked.specifier === "" ? {} : { wants: asked.specifier }),
});

/** Of packages that do not go together, the one that is written last: where the fault begins. */
export const lastWritten = <Each extends Installed>(all: [Each, ...Each[]]): Each =>
  all.reduce((later, each) => ((later.step - each.step || later.place.line - each.place.line) < 0 ? each : later));

/** A package that a line asks for. */
export const declaredFact = ({ name, specifier }: DeclaredPackage, role: PackageFact["role"]): PackageFact => ({
  role,
  name: normalName(name),
  ...(specifier === "" ? {} : { wants: specifier }),
});

/** A variable that a line sets. */
export const stepFact = ({ name, place }: VariableStep, elements: string[] = []): VariableFact => ({
  name,
  ...(elements.length === 0 ? {} : { elements }),
  setAt: [{ file: place.file, line: place.line }],
});
