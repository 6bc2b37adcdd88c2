// A stop that comes of a package's having been built for another release of what it stands upon.
import { nameOf } from "../lib/path.ts";
import type { PythonPackage } from "../model/environment.ts";
import { namesOf } from "../model/frameworks.ts";
import type { Run, Stop } from "./stack.ts";

/** Whether a symbol is of the interpreter, and of no package. */
export const isOfPython = (symbol: string) => /^_?Py[A-Z_]/.test(symbol);

/**
 * Whether a symbol is of C++'s own library, and speaks of nobody else's types (which are written with their length):
 * `std::string::_M_replace_cold`, which came with GCC 13.
 */
export const isOfStandardLibrary = (symbol: string) => /^_ZN?K?S[tabsiod]/.test(symbol) && !/[INKPR]\d/.test(symbol);

/** What the stopped program was built for another release of, as it is installed; undefined where it stops for another reason. */
export function uponOf({ programs, environment }: Run, { program, failure }: Stop): PythonPackage | undefined {
  const failed = failure.underlying ?? failure;
  // A symbol that is required of one library is that one's matter.
  const isLacking =
    failed.reason === "undefined-symbol" && failed.file === undefined && !isOfPython(failed.name) && !isOfStandardLibrary(failed.name);
  if (!isLacking && failure.refusal?.kind !== "built-for") return undefined;
  const ids = programs.find(({ id }) => id === program)?.upon ?? [];
  // Others that are only imported have no libraries that it could be linked with.
  const linked = ids.filter((id) => namesOf(id)?.provides);
  return environment?.packages.find(({ name }) => (0 < linked.length ? linked : ids).some((id) => namesOf(id)?.packages.includes(name)));
}

/** Why that ends it. */
export function builtForWords({ failure }: Stop, { name, version }: PythonPackage): string[] {
  const { refusal, file } = failure;
  const failed = failure.underlying ?? failure;
  if (refusal?.kind !== "built-for") return [`${nameOf(failed.requestedBy)} asks for a symbol that ${name} ${version} does not have`];
  const object = nameOf(file ?? failure.name);
  return refusal.required.startsWith("CUDA ")
    ? [`${object} was built for ${refusal.required}, and ${name} for ${refusal.found}: they are compared at the import`]
    : [
        `${object} is loaded, but it registers its operators by numbers of ${name} ${refusal.required}, and ${version} counts otherwise: they land at another device, or at none`,
      ];
}
