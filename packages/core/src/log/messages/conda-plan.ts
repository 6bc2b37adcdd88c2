import type { Signature } from "../signature.ts";

/** What conda is about to install, in its plan; and packages that no channel has. */
export default [
  {
    literals: ["/linux-64::", "/win-64::", "/osx-64::", "/linux-aarch64::", "/noarch::"],
    pattern:
      /\b[\w.-]{2,40}\/(?:linux-64|win-64|linux-aarch64|osx-64|noarch)::(?<name>pytorch|tensorflow|cpuonly|jaxlib)-(?<version>\d[\w.]{0,30})-(?<build>[\w.]{1,60})/,
    examples: ["  pytorch            pytorch/win-64::pytorch-1.10.0-py3.6_cpu_0", "  cpuonly            pytorch/noarch::cpuonly-2.0-0"],
    facts: ({ name, version, build }) => {
      const cpu = /cpu/.test(`${name} ${build}`);
      const id = name === "cpuonly" || name === "pytorch" ? "torch" : name === "jaxlib" ? "jax" : name!;
      return [
        { kind: "package", manager: "conda", name: name!, version: version!, build: build! },
        ...(cpu || /cuda/.test(build!)
          ? [{ kind: "framework" as const, id, ...(name === "cpuonly" ? {} : { version: version! }), cpuOnly: cpu }]
          : []),
      ];
    },
    single: true,
  },
  {
    literals: ["packagesnotfounderror"],
    pattern:
      /PackagesNotFoundError: The following packages are (?:not available from current channels|missing from the target environment):?\s{1,8}- (?<subject>[\w.=<>*-]{2,60})/,
    examples: ["PackagesNotFoundError: The following packages are not available from current channels:   - cudatoolkit=11.1"],
    facts: ({ subject }) => ({ kind: "notice", id: "conda-no-package", subject: subject! }),
  },
] satisfies Signature[];
