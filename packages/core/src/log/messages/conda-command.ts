import { notice, type Signature } from "../signature.ts";

/** What somebody had conda install: where a framework came from decides what can mend it. */
export default [
  {
    ...notice(
      "conda-command",
      ["conda create", "conda install", "mamba create", "mamba install", "conda env create"],
      /\b(?:conda|mamba) (?:create|install)(?<subject> [^`;&|\n]{2,200})/,
      "conda create -n test jax",
      "mamba install -c conda-forge tensorflow=2.15",
    ),
    facts: ({ subject }) => ({ kind: "notice", id: "conda-command", subject: subject! }),
    single: true,
  },
] satisfies Signature[];
