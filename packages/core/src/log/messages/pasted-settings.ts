import type { Signature } from "../signature.ts";

/** Settings that somebody pasted because they matter: of the driver, of Docker. */
export default [
  {
    literals: ["rmprofilingadminonly"],
    pattern: /\bRmProfilingAdminOnly: (?<value>[01])\b/,
    examples: ["RmProfilingAdminOnly: 1"],
    facts: ({ value }) => ({ kind: "variable", name: "RmProfilingAdminOnly", value: value! }),
    single: true,
  },
  {
    literals: ["cgroup driver:"],
    pattern: /\bCgroup Driver: (?<value>cgroupfs|systemd)\b/,
    examples: [" Cgroup Driver: systemd"],
    facts: ({ value }) => ({ kind: "variable", name: "Cgroup Driver", value: value! }),
    single: true,
  },
] satisfies Signature[];
