import { compareDotted } from "../../knowledge/dotted.ts";
import { architecture, smOf } from "../../knowledge/toolkits.ts";
import { weights, type Problem, type Suspect } from "../cause.ts";
import { type Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix, selectToolkit } from "../fixes.ts";
import { smIn } from "./architecture.ts";

/** A compiler does not know the architecture that it is to build for. */
export default function refusedArchitecture(facts: Facts, context: Context): Problem[] {
  return facts
    .all("arch-refused")
    .slice(0, 3)
    .map((fact): Problem => {
      const seen = smIn(facts);
      const sm = (fact.architecture === undefined ? undefined : smOf(fact.architecture)) ?? seen?.sm;
      const known = sm === undefined ? undefined : architecture(sm);
      const torch = context.framework("torch");
      const has = torch.cuda !== undefined && fact.tool === "nvrtc" ? torch.cuda : context.toolkits[0]?.version;
      const evidence = [fact, ...(seen ? [seen.fact] : []), ...(context.toolkits[0] ? [context.toolkits[0]] : [])];
      const required = known ? `CUDA ${known.first} or newer (for ${sm})` : `a ${fact.tool} that knows ${sm ?? "this GPU"}`;
      const gone =
        known?.last !== undefined && (has === undefined ? Number(known.last.split(".")[0]) < 12 : compareDotted(known.last, has) < 0);
      const isFermi = known === undefined && sm !== undefined && Number(/\d{2,3}/.exec(sm)?.[0] ?? 99) < 30;
      const found = has === undefined ? `${gone || isFermi ? "a newer" : "an older"} ${fact.tool}` : `CUDA ${has}`;
      // Fermi and older went before the list of architectures begins.
      if (isFermi) return tooOldToBuild(fact, sm, found, evidence);
      const base = {
        name: fact.tool,
        found,
        evidence,
        next: [`${fact.tool === "nvrtc" ? "nvcc" : fact.tool} --version`, "echo $CUDA_HOME; which -a nvcc"],
      };
      if (gone)
        return {
          weight: weights.said,
          suspects: [
            {
              ...base,
              cause: "arch-unsupported",
              required: `CUDA ${known.last} or older (for ${sm})`,
              certainty: "likely",
              message: `${fact.tool} builds no code for ${sm} any more: ${known.name} went with CUDA ${known.last}`,
              fixes: [fix(`take ${sm} out of the list of architectures, or use CUDA ${known.last}`)],
            },
            {
              ...base,
              cause: "upstream-bug",
              name: "the build's list of architectures",
              required: `an nvcc that still knows ${sm}`,
              certainty: "possible",
              message: `or the sources are older than this nvcc: their build files name ${sm} for everybody`,
              fixes: [fix(`take a newer release of the sources, or take ${sm} out of their setup.py or CMakeLists.txt`)],
            },
            {
              ...base,
              cause: "cuda-home-wrong",
              required: `CUDA ${known.last} or older`,
              certainty: "possible",
              message: "or another toolkit is meant, and CUDA_HOME or PATH selects this one",
              fixes: [],
            },
          ],
        };
      const old: Suspect = {
        ...base,
        cause: "toolkit-too-old",
        required,
        certainty: "likely",
        message: `${fact.tool}${has === undefined ? "" : ` of CUDA ${has}`} does not know ${sm ?? "this GPU"}${known ? `, which came with CUDA ${known.first}` : ""}`,
        fixes: [selectToolkit(`install CUDA ${known?.first ?? "of this GPU's generation"} or newer, and put it first`, known?.first)],
      };
      // A newer toolkit stands in the text: it is not the one that ran.
      const newer = context.toolkits.find(({ version, from }) => from !== "nvcc" && known && compareDotted(version, known.first) >= 0);
      const homeWrong: Suspect = {
        ...base,
        cause: "cuda-home-wrong",
        required: newer && fact.tool === "nvcc" ? `the nvcc of CUDA ${newer.version}` : required,
        certainty: "possible",
        message:
          newer && fact.tool === "nvcc"
            ? `CUDA ${newer.version} is spoken of, which knows ${sm ?? "this GPU"}, and CUDA_HOME or PATH selects an older nvcc`
            : "or a newer toolkit is installed, and CUDA_HOME or PATH selects the old one",
        fixes: [selectToolkit("select the newer toolkit", newer?.version)],
      };
      const arch: Suspect = {
        ...base,
        cause: "arch-unsupported",
        required,
        certainty: "likely",
        message: `the NVRTC that ${torch.version === undefined ? "the program" : `PyTorch ${torch.version}`} brings${has === undefined ? "" : ` (CUDA ${has})`} does not know ${sm ?? "this GPU"}`,
        fixes: [fix(`install a build with CUDA ${known?.first ?? "of this GPU's generation"} or newer`)],
      };
      if (fact.tool === "nvrtc") return { weight: weights.said, suspects: [arch, { ...old, certainty: "possible" }] };
      return {
        weight: weights.said,
        suspects:
          newer && fact.tool === "nvcc"
            ? [
                { ...homeWrong, certainty: "likely" },
                { ...old, certainty: "possible" },
              ]
            : [old, homeWrong],
      };
    });
}

function tooOldToBuild(fact: Fact<"arch-refused">, sm: string, found: string, evidence: Fact[]): Problem {
  const base = { name: fact.tool, found, evidence, next: [`${fact.tool} --version`, "nvidia-smi -L"] };
  return {
    weight: weights.said,
    suspects: [
      {
        ...base,
        cause: "arch-unsupported",
        required: `CUDA 8.0 or older (for ${sm})`,
        certainty: "likely",
        message: `${fact.tool} builds no code for ${sm} any more: CUDA 9 dropped Fermi`,
        fixes: [fix(`take ${sm} out of the list of architectures, and put in that of your GPU`)],
      },
      {
        ...base,
        cause: "cuda-home-wrong",
        required: "CUDA 8.0 or older",
        certainty: "possible",
        message: "or an older toolkit is meant, and CUDA_HOME or PATH selects this one",
        fixes: [],
      },
    ],
  };
}
