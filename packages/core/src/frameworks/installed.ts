import type { PythonEnvironment } from "../model/environment.ts";
import { packageNamed } from "../survey/python.ts";
import type { Framework, FrameworkCopy } from "./framework.ts";

export function installedIn(environment: PythonEnvironment, { packages }: Pick<Framework, "packages">): FrameworkCopy | undefined {
  const found = packages.map((name) => packageNamed(environment, name)).find((candidate) => candidate !== undefined);
  return found && { package: found, environment };
}
