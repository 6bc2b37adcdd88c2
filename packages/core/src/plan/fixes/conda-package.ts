import { packageProviding } from "../../knowledge/packages.ts";
import type { Stack } from "../../diagnose/stack.ts";
import type { Finding } from "../../model/finding.ts";
import { defineFix, type Candidate } from "../fix.ts";
import { quoted } from "../../lib/shell.ts";

/** What conda installed, conda mends: it keeps its own account of files, which pip knows nothing of. */
export default defineFix({
  id: "conda-package",
  title: "Install a package with conda",
  proposes(stack, finding) {
    const again = damaged(stack, finding);
    const missing = again.length === 0 ? absent(stack, finding) : [];
    return [...again, ...missing].map(({ title, line }): Candidate => {
      return {
        title,
        reach: "environment",
        safety: "display-only",
        commands: [line],
        steps: [],
        warning: "conda may change other packages of the environment with it: it shows which before it does",
        changes: [],
      };
    });
  },
});

interface Line {
  title: string;
  line: string;
}

function damaged(stack: Stack, { facts: { copies = [] } }: Finding): Line[] {
  return copies.flatMap(({ role, file, owner }) => {
    const environment = stack.environments.find(({ prefix, kind }) => kind === "conda" && file.startsWith(`${prefix}/`));
    if (role !== "damaged" || owner?.kind !== "conda" || !environment) return [];
    const { name, version } = owner;
    return [
      {
        title: `install ${name} ${version} again in ${environment.prefix}`,
        line: `conda install --prefix ${quoted(environment.prefix)} --force-reinstall ${name}=${version}`,
      },
    ];
  });
}

function absent(stack: Stack, { rule, cause, facts: { wanted }, breaks }: Finding): Line[] {
  if (!wanted || !["library-missing", "cupti-missing"].includes(rule) || cause === "library-not-on-path") return [];
  const run = stack.runs.find(({ programs }) => programs.some(({ id }) => breaks.some(({ framework }) => framework === id)));
  const { environment } = run ?? {};
  const cuda = run?.programs.map(({ compiledFor }) => compiledFor["cuda"]?.version).find((version) => version !== undefined);
  const major = Number(cuda?.split(".")[0] ?? 0);
  const found = packageProviding(wanted.name, "conda").find(({ cudaMajors }) => cudaMajors === undefined || cudaMajors.includes(major));
  if (environment?.kind !== "conda" || !found || cuda === undefined) return [];
  const [, minor] = cuda.split(".");
  return [
    {
      title: `install ${found.name} for CUDA ${cuda} in ${environment.prefix}`,
      // One package says which CUDA all others are for.
      line: `conda install --prefix ${quoted(environment.prefix)} --channel conda-forge ${found.name} cuda-version=${major}${minor === undefined ? "" : `.${minor}`}`,
    },
  ];
}
