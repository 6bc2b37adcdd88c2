import type { InstallContext } from "./context.ts";
import { install, type Installed } from "./install.ts";

/**
 * Whether pip takes a package with some extras more, beside all that is asked for: the libraries that they bring can be others than those that
 * a neighbour pins, or not be on PyPI at all. Advice that pip would refuse is none.
 */
export function goesWith(
  { declaration, image, before, installation: { python, clashes } }: InstallContext,
  installed: Installed,
  extras: string[],
  /** The first release that has them. */
  since?: string,
): boolean {
  const from = since === undefined ? {} : { specifier: `>=${since}` };
  const steps = declaration.steps.map((step) =>
    step.kind === "install"
      ? {
          ...step,
          packages: step.packages.map((each) =>
            each === installed.asked ? { ...each, ...from, extras: [...each.extras, ...extras] } : each,
          ),
        }
      : step,
  );
  const tried = install(steps, {
    packages: image?.packages ?? [...(before?.packages.values() ?? [])],
    ...(python === undefined ? {} : { python }),
  });
  return tried.clashes.length <= clashes.length;
}
