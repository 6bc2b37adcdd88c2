import type { LogLine } from "../../model/explain.ts";
import { weights, type Problem, type Suspect } from "../cause.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix } from "../fixes.ts";
import { complaintIn } from "./complaint.ts";
import { featuresOf } from "./features.ts";
import { learned } from "./learned.ts";
import { rank } from "./rank.ts";
import { words, type Told } from "./words.ts";

/*
 * The last resort, where no line of a text is a message that is known: the causes of texts that use its words. It is never more than
 * possible, always a short list, and silent where nothing speaks of a GPU stack or nothing stands out.
 */

// Below this share of the first, it is mostly another one (`node tools/resemblance.mjs --score`); one line says less than several.
const leastShare = 0.1;
const leastOfOneLine = 0.3;
// Somebody complains, and names the stack: that nothing of it is to blame must stand out.
const leastOfNone = 0.4;
// So few words are those of any text.
const leastFeatures = 12;
const worthNaming = 0.06;
const most = 3;
const ofStack =
  /cuda|cudnn|cupti|nccl|nvidia|nvcc|\bgpus?\b|tensorrt|rocm|\bhip\b|geforce|\brtx\b|\bgtx\b|tesla|torch|tensorflow|onnxruntime|\bjax/i;

export function resembling(lines: LogLine[], facts: Facts): Problem[] {
  const complaint = lines.some(({ text }) => ofStack.test(text)) ? complaintIn(lines) : undefined;
  const features = complaint ? featuresOf(lines.map(({ text }) => text)).filter((feature) => learned().features.has(feature)) : [];
  if (!complaint || features.length < leastFeatures) return [];
  const all = rank(learned(), features);
  const ranked = all[0]!.share < leastOfNone ? all.filter(({ cause }) => cause !== "not-a-mismatch") : all;
  const first = ranked[0]!;
  const isOneLine = lines.length === 1;
  if (first.share < (isOneLine ? leastOfOneLine : leastShare) || (isOneLine && first.cause === "not-a-mismatch")) return [];
  // One alone would read as a claim.
  const named = ranked.filter(({ share }, at) => at < 2 || worthNaming <= share).slice(0, most);
  const [ended] = facts.notices("ended-with-error");
  const evidence: Fact[] = [ended ?? { kind: "notice", id: "resembles", at: complaint }];
  return [
    {
      weight: weights.other,
      symptom: "no line here is a known message: judged by its words alone",
      suspects: named.map(({ cause }, at) => suspectOf(cause, evidence, at === 0, nameFor(cause, lines, facts))),
    },
  ];
}

function suspectOf(cause: Told, evidence: Fact[], isFirst: boolean, name: string | undefined): Suspect {
  const { message, next, fix: how } = words[cause];
  return {
    cause,
    ...(name === undefined ? {} : { name }),
    certainty: "possible",
    message: `${isFirst ? "" : "or "}${message}`,
    evidence,
    next,
    fixes: [fix(how)],
  };
}

const ofLibrary = /^(?:library-|two-copies|mixed-|stub-)/;
const ofPackage = /^(?:package-conflict|wrong-|arch-unsupported|upstream-bug|stale-artefact)/;
const file = /(?<![\w./-])(?:lib[a-z][\w+-]{2,60}\.so(?:\.\d{1,4}){0,4}|(?:cu|nv)[a-z_]{2,30}\d{2}_[\d._]{1,12}\.dll)(?![\w-])/i;

/** The one library, or the one framework, that the text speaks of. */
function nameFor(cause: Told, lines: LogLine[], facts: Facts): string | undefined {
  const one = (named: string[]) => (new Set(named).size === 1 ? named[0] : undefined);
  if (ofLibrary.test(cause)) return one(lines.flatMap(({ text }) => file.exec(text)?.[0] ?? []));
  return ofPackage.test(cause) ? one(facts.all("framework").map(({ id }) => id)) : undefined;
}
