import type { Toolkit } from "../model/inventory.ts";
import { variableFact } from "../diagnose/facts.ts";
import { defineMachineRule } from "./rule.ts";
import type { Stack } from "../diagnose/stack.ts";
import { isSetAt, unique, variableWords } from "../diagnose/words.ts";

export default defineMachineRule({
  id: "cuda-home-wrong",
  title: "CUDA_HOME, PATH and LD_LIBRARY_PATH do not lead to one toolkit",
  cause: "cuda-home-wrong",
  severity: "warning",
  notOn: { "dependency-file": "where a variable leads is decided by folders, and a file does not show them" },
  page: {
    what: "CUDA_HOME or CUDA_PATH leads nowhere, or to a folder without nvcc, while a toolkit is installed elsewhere; or CUDA_HOME, the nvcc on PATH and the libraries on LD_LIBRARY_PATH are of different toolkits.",
    why: "A toolkit was upgraded or removed and the variable stayed; a line for one toolkit was added to a start-up file after a line for another. What compiles with one and runs with the other meets missing symbols, or errors that name neither.",
    how: "Each of the three is followed through all links to an installed toolkit, and their versions are compared. Different minors of one major go together, which is only noted.",
    fix: "Let all three lead to one toolkit: `export CUDA_HOME=/usr/local/cuda-X.Y PATH=$CUDA_HOME/bin:$PATH`. Wheels need none of them to run.",
    observed: "The rules of torch.utils.cpp_extension and of other builds are known from their sources; no build was run.",
  },
  finds(stack) {
    const { toolkits } = stack.inventory;
    const withCompiler = toolkits.filter(({ nvcc }) => nvcc !== undefined);
    const [home] = stack.pointers.homes;
    if (home && home.kind !== "unknown" && !home.nvcc) {
      const others = withCompiler.filter(({ path }) => path !== home.real);
      // Without any compiler nothing can be built, and for running it makes no difference.
      if (others.length === 0) return [];
      const [best] = others.toSorted((a, b) => Number(b.onPath ?? false) - Number(a.onPath ?? false));
      return [
        {
          subject: home.variable,
          short: `${home.variable} ${home.kind === "folder" ? "has no bin/nvcc" : "leads nowhere"}`,
          message: `${home.variable}=${home.value} ${home.kind === "folder" ? "has no bin/nvcc" : "leads nowhere"}, though a toolkit is installed: ${others.map(toolkitWords).join(", ")}`,
          because: [
            "whatever builds CUDA code asks this variable first, and does not look further",
            ...(!isSetAt(stack, home.variable) ? [] : [variableWords(stack, home.variable)]),
          ],
          evidence: others.map(({ path, nvcc }) => `${path}: ${nvcc}`),
          advice: [
            {
              words: `let ${home.variable} lead to the toolkit that is installed, or unset it`,
              command: ["export", `${home.variable}=${best!.path}`],
              scope: "shell",
            },
          ],
          facts: { variables: [variableFact(stack, home.variable)] },
        },
      ];
    }
    const pointed = pointedAt(stack);
    const versions = unique(pointed.map(({ toolkit }) => minorOf(toolkit)));
    if (versions.length < 2) return [];
    const isOtherMajor = 1 < new Set(versions.map((version) => version.split(".")[0])).size;
    return [
      {
        subject: "toolkits",
        ...(isOtherMajor ? {} : { severity: "info" as const }),
        short: `${pointed.map(({ from }) => from).join(" and ")} lead to different toolkits`,
        message: `${pointed.map(({ from, toolkit }) => `${from} leads to CUDA ${minorOf(toolkit)}`).join(", ")}: these are different toolkits`,
        because: [
          "what is compiled with one toolkit and finds the libraries of another at run time may not work",
          ...pointed.filter(({ from }) => isSetAt(stack, from)).map(({ from }) => variableWords(stack, from)),
        ],
        evidence: pointed.map(({ from, toolkit }) => `${from}: ${toolkit.path} (${toolkit.evidence ?? "its version is not known"})`),
        advice: ["let all of them lead to one toolkit; take the folder of the other out"],
        facts: { variables: pointed.map(({ from }) => variableFact(stack, from)) },
      },
    ];
  },
});

/** The toolkits that each of the three leads to, where its version is known. */
function pointedAt({ inventory: { toolkits }, pointers: { homes, searchPath } }: Stack): { from: string; toolkit: Toolkit }[] {
  const at = (real: string | undefined) =>
    toolkits.find(({ path }) => real !== undefined && (real === path || real.startsWith(`${path}/`)));
  const [home] = homes;
  const found = [
    { from: home?.variable ?? "CUDA_HOME", toolkit: at(home?.real) },
    { from: "PATH", toolkit: toolkits.find(({ onPath }) => onPath) },
    { from: "LD_LIBRARY_PATH", toolkit: searchPath.map(({ real }) => at(real)).find((toolkit) => toolkit !== undefined) },
  ];
  return found.filter((each): each is { from: string; toolkit: Toolkit } => each.toolkit?.version !== undefined);
}

const minorOf = ({ version = "" }: Toolkit) => version.split(".").slice(0, 2).join(".");
const toolkitWords = ({ path, version }: Toolkit) => (version === undefined ? path : `${path} (CUDA ${version})`);
