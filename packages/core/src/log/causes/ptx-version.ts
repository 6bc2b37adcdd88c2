import { compareDotted } from "../../knowledge/dotted.ts";
import { cudaToolkits } from "../../knowledge/texts/cuda-toolkits.generated.ts";
import { weights, type Problem, type Suspect } from "../cause.ts";
import type { Facts } from "../fact.ts";
import { fix, ptxasLine } from "../fixes.ts";

const toolkitWithPtx = (version: string) => cudaToolkits().toolkits.find((each) => each.ptx === version)?.cuda;

/** A ptxas that is older than the PTX it is given. */
export default function ptx(facts: Facts): Problem[] {
  // The driver has a ptxas of its own; with its error code beside it, that one spoke.
  if (facts.all("cuda-error").some(({ code }) => code === 222)) return [];
  return facts
    .all("ptx-version")
    .filter(({ linker }) => !linker)
    .slice(0, 1)
    .map((fact): Problem => {
      const [wanted, known] = [toolkitWithPtx(fact.wanted), toolkitWithPtx(fact.known)];
      const evidence = [fact, ...facts.notices("triton-ptxas")];
      const old: Suspect = {
        cause: "toolkit-too-old",
        name: "ptxas",
        required: `PTX ${fact.wanted}${wanted === undefined ? "" : ` (CUDA ${wanted})`}`,
        found: `PTX ${fact.known}${known === undefined ? "" : ` (CUDA ${known})`}`,
        certainty: "likely",
        message: `ptxas${known === undefined ? "" : ` of CUDA ${known}`} reads PTX up to ${fact.known} and was given ${fact.wanted}`,
        evidence,
        next: ["which -a ptxas; ptxas --version", "echo $TRITON_PTXAS_PATH"],
        fixes: [
          fix("where TRITON_PTXAS_PATH is set, let Triton's own ptxas run", "unset TRITON_PTXAS_PATH"),
          fix(
            `or use ptxas of CUDA ${wanted ?? "a newer release"} or newer${wanted === undefined ? "" : ", where that toolkit is installed"}`,
            ...(wanted === undefined ? [] : [ptxasLine(wanted)]),
          ),
        ],
      };
      // Triton computed a PTX version that its own ptxas never had: no published toolkit has it.
      const never =
        wanted === undefined && known !== undefined && 0 < facts.notices("triton-ptxas").length && compareDotted(fact.known, "8.0") > 0;
      const bug: Suspect = {
        ...old,
        cause: "upstream-bug",
        name: "triton",
        certainty: "likely",
        message: `Triton asked for PTX ${fact.wanted}, which no published toolkit reads: its table from CUDA to PTX releases is wrong`,
        fixes: [fix("install a release of Triton (and PyTorch) with a corrected table", "pip install --upgrade triton")],
      };
      return { weight: weights.said, suspects: never ? [bug, { ...old, certainty: "possible" }] : [old] };
    });
}
