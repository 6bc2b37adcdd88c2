// A stop that comes of a package's having been built for another release of what it stands upon.
import { nameOf } from "../lib/path.ts";
import type { PythonPackage } from "../model/environment.ts";
import { isAmong, namesOf, providerOf } from "../model/frameworks.ts";
import type { Failure } from "../model/loads.ts";
import type { Run, Stop } from "./stack.ts";

export interface Upon {
  /** What it stands upon, as it is installed. */
  package: PythonPackage;
  /** The object that was built for another release of it. */
  object: string;
  failure: Failure;
}

/** What does not have what the stopped program was built for: a symbol of its libraries, or its way to count. */
export function lacksSymbolOf(run: Run, { failure }: Stop): Upon | undefined {
  const failed = failure.underlying ?? failure;
  const { refusal } = failure;
  if (refusal?.kind === "built-for" && failure.file !== undefined) {
    const found = installed(run, refusal.library);
    return found && { package: found, object: failure.file, failure };
  }
  // A symbol that is required of one library is that one's matter.
  if (failed.reason !== "undefined-symbol" || failed.file !== undefined) return undefined;
  const provider = run.loads.loads.map(({ file }) => providerOf(file)).find((each) => each !== undefined);
  const found = provider && installed(run, provider.id);
  return found && { package: found, object: failed.requestedBy, failure: failed };
}

const installed = ({ environment }: Run, framework: string) =>
  environment?.packages.find(({ name }) => isAmong(name, namesOf(framework)?.packages));

/** Why that ends it. */
export function builtForWords({ failure }: Stop, upon: Upon): string[] {
  const { name, version } = upon.package;
  const { refusal } = failure;
  if (refusal?.kind !== "built-for") return [`${nameOf(upon.object)} asks for a symbol that ${name} ${version} does not have`];
  if (refusal.required.startsWith("CUDA "))
    return [
      `${nameOf(upon.object)} was built for ${refusal.required}, and ${name} for ${refusal.found}: it compares them when it is imported`,
    ];
  return [
    `${nameOf(upon.object)} is loaded, but it registers its operators by numbers of ${name} ${refusal.required}, and ${version} counts otherwise: those for the GPU are registered for another device`,
  ];
}
