import { firstToolkitFor, newestGcc } from "../../knowledge/host-compilers.ts";
import { chosenToolkit } from "../../diagnose/chosen-toolkit.ts";
import { variableFact } from "../../diagnose/facts.ts";
import { namesOf } from "../../model/frameworks.ts";
import { machineSide } from "../rule.ts";
import page from "./page.ts";

export default machineSide(page, {
  finds(stack) {
    const { hostCompiler } = stack.pointers;
    const chosen = chosenToolkit(stack);
    const version = chosen?.toolkit.nvcc === undefined ? undefined : chosen.toolkit.version;
    const newest = version === undefined ? undefined : newestGcc(version);
    if (!chosen || !hostCompiler || !newest || hostCompiler.gcc <= newest.gcc) return [];
    const cuda = version!.split(".").slice(0, 2).join(".");
    // Some start nvcc when they run; all else is compiled when somebody installs it from source.
    const compiling = stack.runs.flatMap(({ programs }) => programs.filter(({ id }) => namesOf(id)?.startsNvcc));
    const better = firstToolkitFor(hostCompiler.gcc);
    return [
      {
        subject: `nvcc of ${chosen.toolkit.path}`,
        ...(chosen.isExplicit || 0 < compiling.length ? {} : { severity: "info" as const }),
        certainty: newest.certain ? ("certain" as const) : ("likely" as const),
        short: `nvcc of CUDA ${cuda} takes gcc up to ${newest.gcc}, not ${hostCompiler.gcc}`,
        message: `nvcc of CUDA ${cuda} takes gcc up to ${newest.gcc}, and would find gcc ${hostCompiler.gcc}: whatever compiles CUDA code here fails`,
        because: [chosen.by, hostCompiler.by, "packages that come as wheels are not affected: nothing of them is compiled"],
        evidence: [`${chosen.toolkit.evidence ?? chosen.toolkit.path}: ${version}`, `gcc ${hostCompiler.gcc}: ${hostCompiler.compiler}`],
        advice: [
          {
            words: `with gcc ${newest.gcc} installed, for the build`,
            command: ["export", `CC=gcc-${newest.gcc}`, `CXX=g++-${newest.gcc}`, `NVCC_CCBIN=g++-${newest.gcc}`],
            scope: "shell" as const,
          },
          ...(better === undefined ? [] : [`or a toolkit of CUDA ${better} or newer, which takes gcc ${hostCompiler.gcc}`]),
        ],
        facts: {
          said: `#error -- unsupported GNU version! gcc versions later than ${newest.gcc} are not supported!`,
          ...(chosen.isExplicit ? { variables: [variableFact(stack, stack.pointers.homes[0]!.variable)] } : {}),
        },
        endangers: compiling.map(({ id }) => ({ framework: id, activity: "matmul" })),
        sources: newest.sources,
      },
    ];
  },
});
