import { fix } from "./fixes.ts";

/** Where conda does not say what excludes what. */
export const saysMore = [
  fix("solve into a new environment, with all channels named at once, so that conda says what excludes what"),
  fix("the newer solver says more about the reason", "conda install -n base conda-libmamba-solver", "conda config --set solver libmamba"),
];
