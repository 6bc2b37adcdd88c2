import { numberOf } from "../knowledge/gpu-code.ts";
import type { Suspect } from "./cause.ts";
import { madeBy, makersOf, smIn } from "./causes/architecture.ts";
import type { Context } from "./context.ts";
import type { Fact, Facts } from "./fact.ts";
import { fixesForGpu } from "./for-this-gpu.ts";
import { isServedOn } from "./torch-lines.ts";

// For what lies between, programs of many years have code.
const firstNew = 100;
const firstServed = 50;
const fails = /\b(?:work|works|working|support|supports|supported|run|runs|running|use|used|uses|using|compatible)\b/i;

/**
 * Who says that a GPU of the newest generation, or of a very old one, is not used may have a program without code for it. Where he says
 * that it does not work, that comes first; where he says that it is not seen, last.
 */
export function withGpuAge(suspects: Suspect[], evidence: Fact[], facts: Facts, context: Context): Suspect[] {
  const seen = smIn(facts);
  const number = seen && numberOf(seen.sm);
  const age = seen && number !== undefined ? ageOf(seen.sm, number, evidence) : undefined;
  if (!seen || number === undefined || age === undefined || suspects.some(({ cause }) => cause === "arch-unsupported")) return suspects;
  const first = evidence.some(({ at }) => fails.test(at.text));
  const arch = ofAge(age === "old", first, { ...seen, number }, evidence, facts, context);
  if (!first) return [...suspects, arch];
  const [top, ...rest] = suspects;
  return [arch, ...(top ? [{ ...top, message: top.message.startsWith("or ") ? top.message : `or ${top.message}` }] : []), ...rest];
}

function ageOf(sm: string, number: number, evidence: Fact[]): "old" | "new" | undefined {
  if (firstNew <= number) return "new";
  // An index of PyTorch that is named may have left it behind.
  const named = evidence.flatMap(({ at }) => [...at.text.matchAll(/\bcu\d{3}\b/g)].map(([variant]) => variant));
  return number < firstServed || named.some((variant) => !isServedOn(variant, sm)) ? "old" : undefined;
}

function ofAge(
  old: boolean,
  first: boolean,
  seen: { sm: string; fact: Fact; number: number },
  evidence: Fact[],
  facts: Facts,
  context: Context,
): Suspect {
  const { number } = seen;
  const gpu = seen.fact.kind === "gpu" ? (seen.fact.name ?? seen.sm) : "gpu" in seen.fact ? (seen.fact.gpu ?? seen.sm) : seen.sm;
  const torch = context.speaker === "torch";
  const program = torch ? "PyTorch" : "program";
  return {
    cause: "arch-unsupported",
    name: gpu,
    required: `code for ${seen.sm}${madeBy(seen.sm)}`,
    found: `a GPU of compute capability ${Math.floor(number / 10)}.${number % 10}`,
    certainty: "possible",
    message: `${first ? "" : "or "}the ${program} that is installed ${old ? `has left GPUs as old as this one behind (${seen.sm})` : `is older than this GPU (${seen.sm}) and has no code for it`}`,
    evidence: [...evidence, seen.fact],
    next: torch ? ['python -c "import torch; print(torch.__version__, torch.cuda.get_arch_list())"'] : [],
    fixes: fixesForGpu(
      { sm: seen.sm, makers: makersOf(seen.sm), by: torch ? "PyTorch" : "the program", old, extension: false },
      evidence,
      facts,
      context,
    ),
  };
}
