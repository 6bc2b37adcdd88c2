import type { Cause } from "../model/cause.ts";
import { weights, type Suspect } from "./cause.ts";
import type { Context } from "./context.ts";
import type { Fact, Facts } from "./fact.ts";
import { fix } from "./fixes.ts";

type Fixes = NonNullable<Suspect["fixes"]>;

/** What the lines of the message and the rest of the text make of it. */
export type Told<What> = (facts: Facts, context: Context, evidence: Fact<"notice">[]) => What;
export type ToldFixes = Told<Fixes>;

/** What a message that says all by itself may mean: a row of its emitter's file, beside the pattern and the example. */
export interface Meaning extends Partial<Omit<Suspect, "cause" | "certainty" | "message" | "evidence" | "fixes">> {
  /** How loudly it speaks; a hint where nothing is said. */
  weight?: number | ((facts: Facts, context: Context) => number);
  /** What is seen, whichever cause it is. */
  symptom?: string | Told<string>;
  /** Where the text says more than the message, another step speaks. */
  unless?: (facts: Facts, context: Context) => boolean;
  /** What the message and the rest of the text add to every cause. */
  about?: Told<Partial<Omit<Suspect, "cause" | "message" | "fixes">>>;
  /** The causes that fit, most likely first. */
  may: May[];
}

/** One cause that fits; what it does not say itself, its row says. Without a certainty it is possible. */
export interface May extends Partial<Omit<Suspect, "cause" | "message" | "evidence" | "fixes">> {
  cause: Cause;
  message: string | Told<string>;
  /** Where the rest of the text leaves it open. */
  when?: (facts: Facts, context: Context) => boolean;
  fixes?: Fixes | Told<Fixes>;
}

/** A matter of the host, of the command or of the program that no version changes. */
export const ownMatter = (name: string, message: string, how: string): Meaning => ({
  weight: weights.other + 1,
  name,
  may: [{ cause: "not-a-mismatch", certainty: "likely", message, fixes: [fix(how)] }],
});

/** A build without CUDA. */
export const cpuOnly = (name: string, found: string, evidence: Fact[], certainty: Suspect["certainty"], fixes: Fixes): Suspect => ({
  ...cpuBuild(name, found, certainty),
  evidence,
  fixes,
});

const cpuBuild = (name: string, found: string, certainty: Suspect["certainty"]) => ({
  cause: "wrong-wheel-cpu-only" as const,
  name,
  required: `a CUDA build of ${name}`,
  found,
  certainty,
  message: `${name === "the program" ? name : `the ${name} that is installed`} was built without CUDA: no driver and no toolkit can change that`,
  next: buildLines[name] ?? [`pip list | grep -i ${name}`],
});

// How to ask an installed build for its CUDA.
const buildLines: { [name: string]: string[] } = {
  torch: ['python -c "import torch; print(torch.__version__, torch.version.cuda)"'],
  tensorflow: ['python -c "import tensorflow as tf; print(tf.__version__, tf.test.is_built_with_cuda())"'],
  "the program": [],
};

/** A program says that it was built without CUDA. */
export const builtWithoutCuda = (name: string, how: Fixes[number] | Told<Fixes>, weight = weights.refused): Meaning => ({
  weight,
  may: [{ ...cpuBuild(name, "a build without CUDA", "likely"), fixes: typeof how === "function" ? how : [how] }],
});

/** The driver's library, of which many messages speak. */
export const libcuda = { name: "libcuda.so.1", library: "libcuda" };
