import { frameworks } from "./index.generated.ts";

/** The names that `loads`, `why` and `check` take for a program that is a framework. */
export const frameworkIds: string[] = frameworks.map(({ id }) => id);
