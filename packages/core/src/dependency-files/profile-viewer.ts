import type { Installation } from "./install.ts";

/** A package that nobody installs who does not look at profiles, and so records them. */
export const profileViewer = ({ packages }: Pick<Installation, "packages">): string | undefined =>
  ["tensorboard-plugin-profile", "xprof"].find((name) => packages.has(name));
