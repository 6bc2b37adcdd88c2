import { compareDotted } from "../../knowledge/dotted.ts";
import { frameworkRelease } from "../../knowledge/frameworks.ts";
import { weights, type Problem } from "../cause.ts";
import { majorOf, type Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { installFixes, whyLine, withoutSearchPath } from "../fixes.ts";
import { objectNamed } from "../objects.ts";

/** cuDNN did not start, and the text says with which release the program was compiled and which one is there. */
export default function unfitCudnn(facts: Facts, context: Context): Problem[] {
  const failed = [
    ...facts.all("cudnn-status").filter(({ status }) => /NOT_INITIALIZED|INTERNAL_ERROR|EXECUTION_FAILED|BAD_PARAM/.test(status)),
    ...facts.notices("cudnn-not-initialized"),
  ];
  if (failed.length === 0 || facts.has("version-pair")) return [];
  const needs = compiledWith(facts, context);
  const has = present(facts, context);
  if (!needs || !has) return otherCuda(failed, context);
  const fits = majorOf(needs.version) === majorOf(has.version) && compareDotted(minorOf(has.version), minorOf(needs.version)) >= 0;
  if (fits) return otherCuda(failed, context);
  const name = `libcudnn.so.${majorOf(needs.version)}`;
  const object = objectNamed(name)!;
  const base = {
    name,
    library: "cudnn",
    required: `cuDNN ${needs.version}`,
    found: `cuDNN ${has.version}`,
    evidence: [...failed, needs.fact, has.fact],
    next: [whyLine(name, context)],
  };
  return [
    {
      weight: weights.hint + 1,
      suspects: [
        {
          ...base,
          cause: "library-wrong-version",
          certainty: "likely",
          message: `the program was compiled with cuDNN ${needs.version}, and cuDNN ${has.version} is there: ${
            majorOf(needs.version) === majorOf(has.version) ? "an older minor does not serve it" : "another major cannot stand in for it"
          }`,
          fixes: installFixes(object, context),
        },
        {
          ...base,
          cause: "library-shadowed",
          certainty: "possible",
          message: "or the right release is installed, too, and another copy is found first",
          fixes: [withoutSearchPath()],
        },
      ],
    },
  ];
}

const minorOf = (version: string) => version.split(".").slice(0, 2).join(".");

interface Told {
  version: string;
  fact: Fact;
}

function compiledWith(facts: Facts, context: Context): Told | undefined {
  const parts = facts.all("header-version");
  const [major, minor, patch] = (["major", "minor", "patch"] as const).map((part) => parts.find((fact) => fact.part === part)?.value);
  if (major !== undefined && minor !== undefined) return { version: [major, minor, patch ?? "0"].join("."), fact: parts[0]! };
  const { cudnn, facts: told } = context.framework("program");
  if (cudnn !== undefined) return { version: cudnn, fact: told.find((fact) => fact.cudnn !== undefined)! };
  return ofRelease(context);
}

/** jaxlib's label says its cuDNN (0.4.23+cuda12.cudnn89); of other releases of JAX and TensorFlow it is known. */
function ofRelease(context: Context): Told | undefined {
  const labelled = context.packages(/^jaxlib$/).find(({ version }) => version.includes("cudnn"));
  const label = /cudnn(\d)(\d{1,2})$/.exec(labelled?.version ?? "");
  if (labelled && label) return { version: `${label[1]}.${label[2]}`, fact: labelled };
  const { speaker } = context;
  if (speaker !== "jax" && speaker !== "tensorflow") return undefined;
  const { version, facts: told } = context.framework(speaker);
  const release = version === undefined ? undefined : frameworkRelease(speaker, version)?.release;
  const pin = release?.pins?.["nvidia-cudnn-cu12"] ?? release?.pins?.["nvidia-cudnn-cu11"];
  const least = /(?:>=|==)(\d{1,2}\.\d{1,2})/.exec(pin ?? "")?.[1];
  const fact = told.find((each) => each.version === version);
  return least === undefined || !fact ? undefined : { version: least, fact };
}

function present(facts: Facts, context: Context): Told | undefined {
  for (const fact of [...facts.all("opened"), ...facts.all("file")]) {
    const named = [fact.path ?? "", fact.kind === "file" ? (fact.target ?? "") : ""].map((path) => objectNamed(path));
    const suffix = named.find((each) => each?.stem === "libcudnn" && each.suffix !== "")?.suffix;
    if (suffix !== undefined) return { version: suffix, fact };
  }
  const installed = context.packages(/^(?:nvidia-cudnn(?:-cu\d{2})?|cudnn|libcudnn\d?)$/)[0];
  return installed && { version: installed.version.replace(/[^\d.].*$/, ""), fact: installed };
}

/** A package of cuDNN says for which CUDA it was made: 8.9.2.26-1+cuda12.1. */
function otherCuda(failed: Fact[], context: Context): Problem[] {
  const installed = context.packages(/^libcudnn\d?/).find(({ version }) => version.includes("+cuda"));
  const made = /\+cuda(\d{1,2}\.\d{1,2})/.exec(installed?.version ?? "")?.[1];
  const runs = context.toolkits.find(({ from }) => from !== "said");
  if (!installed || made === undefined || !runs || majorOf(made) === majorOf(runs.version)) return [];
  return [
    {
      weight: weights.hint + 1,
      suspects: [
        {
          cause: "library-wrong-version",
          name: `libcudnn.so.${majorOf(installed.version)}`,
          library: "cudnn",
          required: `cuDNN for CUDA ${majorOf(runs.version)}`,
          found: `${installed.name} ${installed.version}, made for CUDA ${made}`,
          certainty: "likely",
          message: `the cuDNN that is installed was made for CUDA ${made}, and CUDA ${runs.version} is used`,
          evidence: [...failed, installed, runs],
          next: [`apt-cache policy ${installed.name}`],
          fixes: [],
        },
      ],
    },
  ];
}
