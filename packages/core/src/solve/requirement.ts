import { gpuNamed, gpusLike, gpuTitle } from "../knowledge/gpus.ts";
import { gpuHint } from "../lib/gpu-hint.ts";
import { holdsFrameworks, isUponFrameworks, publishedPackage } from "../knowledge/published.ts";
import { parseRequirement } from "../lib/pep508.ts";
import { isIn } from "../builds/specifier.ts";
import { allNames, forCudaMajor, frameworkNamed, solvedFrameworks } from "../model/frameworks.ts";
import { problemOf, type Problem, type ProblemCode } from "../model/problem.ts";

/** One thing that was asked for, or that the machine is. */
export interface Requirement {
  /** As it was written, or as we would write it. */
  text: string;
  from: "asked" | "option" | "machine";
  wish: Wish;
}

export type Wish =
  | { kind: "package"; name: string; specifier: string; variant?: RegExp; extras?: string[] }
  /** A package that is only ever brought by others. */
  | { kind: "dependency"; name: string; specifier: string }
  | { kind: "driver"; version: string }
  /** `isListed`: the driver of the machine names it. */
  | { kind: "gpu"; name: string; sm: string; certain: boolean; isListed?: true }
  | { kind: "python" | "cuda" | "cudnn"; specifier: string };

/** Names that people use for the packages that we know. */
const aliases: { [name: string]: string } = {
  ...Object.fromEntries(solvedFrameworks.flatMap(({ solve, aliases: others = [] }) => others.map((alias) => [alias, solve.name]))),
  "cuda-toolkit": "cuda",
  cudatoolkit: "cuda",
};

/** What can be asked for: frameworks, and those that are made with them. */
export const packageNames = [...solvedFrameworks.map(({ solve }) => solve.name), ...allNames("companions")];

/** `problem` is one sentence: which requirement, and what was wrong. */
export function readRequirement(text: string, from: Requirement["from"] = "asked"): Requirement | Problem {
  const problem = (what: string, code: ProblemCode = "bad-question") =>
    problemOf(code, `the requirement \`${text}\` cannot be read: ${what}`);
  const [, word, value] = /^\s*(gpu|driver)\s*(?:[=:]|==|>=|\s)\s*(?<![<>!~])=?\s*(\S[^]*?)\s*$/i.exec(text) ?? [];
  if (/^\s*gpu\b/i.test(text)) return readGpu(text, from, value, problem);
  if (/^\s*driver\b/i.test(text)) {
    if (word === undefined || value === undefined || !/^\d+(\.\d+)*$/.test(value))
      return problem("a driver is given as `driver==535.104.05` or `driver==535`");
    return { text, from, wish: { kind: "driver", version: value } };
  }
  // `cuda=12.4` is how conda writes it.
  const parsed = parseRequirement(text.replace(/^(\s*(?:python|cuda|cudnn)\s*)=(?=[^=])/i, "$1=="));
  if ("problem" in parsed) return problem(parsed.problem);
  if (parsed.url !== undefined) return problem("an address says nothing about versions");
  const name = aliases[parsed.name] ?? parsed.name;
  if (name === "python" || name === "cuda" || name === "cudnn") {
    const specifier = asPrefixes(parsed.specifier);
    return { text, from, wish: { kind: name, specifier } };
  }
  const one = forCudaMajor(name);
  if (one?.names.solve)
    return {
      text,
      from,
      wish: { kind: "package", name: one.names.solve.name, specifier: parsed.specifier, variant: new RegExp(`^cuda${one.major}$`) },
    };
  if (packageNames.includes(name)) {
    const other = parsed.extras.find((each) => /^(tpu|rocm|cpu|metal)/.test(each));
    if (other !== undefined) return problem(`\`${other}\` is not for NVIDIA's GPUs, and those are what is known here`, "unsupported");
    const label = /\+(cu\d+)$/.exec(parsed.specifier)?.[1];
    // TensorFlow's extra means the libraries of that release, whichever CUDA they are for.
    const extra = parsed.extras.map((each) => (each === "and-cuda" ? "cuda\\d+" : each)).find((each) => each.startsWith("cuda"));
    const variant = label !== undefined ? new RegExp(`^${label}$`) : extra === undefined ? undefined : new RegExp(`^${extra}(-pip)?$`);
    return {
      text,
      from,
      wish: { kind: "package", name, specifier: parsed.specifier.replace(/\+cu\d+$/, ""), ...(variant ? { variant } : {}) },
    };
  }
  const known = publishedPackage(name);
  const likely = [...packageNames, "python", "cuda", "cudnn", "driver", "gpu"].find((each) => isNear(name, each));
  if (!known)
    return problemOf(
      "not-known",
      `the requirement \`${text}\` is about a package that is not known here${likely === undefined ? "" : ` (did you mean \`${likely}\`?)`}; known are ${packageNames.join(", ")}, their libraries, python, cuda, cudnn, driver and gpu`,
    );
  // xformers: made for one torch, and no part of it.
  const isMadeForOne = holdsFrameworks(name) && frameworkNamed(name)?.packages.includes(name) === true;
  if ((isUponFrameworks(name) || isMadeForOne) && known.releases.some(({ version }) => isIn(version, parsed.specifier)))
    return {
      text,
      from,
      wish: { kind: "package", name, specifier: parsed.specifier, ...(0 < parsed.extras.length ? { extras: parsed.extras } : {}) },
    };
  if (parsed.specifier !== "" && !known.releases.some(({ version }) => isIn(version, parsed.specifier)))
    return problemOf("not-known", `the requirement \`${text}\` cannot be met: PyPI has no such release of ${name}`);
  return { text, from, wish: { kind: "dependency", name, specifier: parsed.specifier } };
}

function readGpu(
  text: string,
  from: Requirement["from"],
  value: string | undefined,
  problem: (what: string, code?: ProblemCode) => Problem,
): Requirement | Problem {
  if (value === undefined) return problem("a GPU is given as `gpu=T4`");
  const known = gpuNamed(value);
  if (!known) return problem(`no GPU \`${value}\` is known${gpuHint(gpusLike(value))}`, "not-known");
  // What is known of packages is known of those for x86-64, and of PyPI's own for arm64 those of Jetson's GPUs make no use.
  if (known.kind === "jetson")
    return problemOf(
      "unsupported",
      `the requirement \`${text}\` cannot be met here: a Jetson has an arm64 processor, and takes the wheels and containers that NVIDIA makes for its JetPack; known here are packages for x86-64`,
    );
  return { text, from, wish: { kind: "gpu", name: gpuTitle(value), sm: known.sm, certain: known.certain } };
}

/** One letter more, less, other, or two that changed places. */
function isNear(a: string, b: string): boolean {
  let from = 0;
  while (from < a.length && a[from] === b[from]) from += 1;
  let end = 0;
  while (end < Math.min(a.length, b.length) - from && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const [mine, other] = [a.slice(from, a.length - end), b.slice(from, b.length - end)];
  return (mine.length <= 1 && other.length <= 1) || (mine.length === 2 && mine === [...other].reverse().join(""));
}

// `cuda==12.4` means 12.4.1, too, and `python==3.11` any 3.11: people leave out what they do not care about.
const asPrefixes = (specifier: string) =>
  specifier
    .split(",")
    .map((clause) => (/^(==|!=)[^*]*$/.test(clause) ? `${clause}.*` : clause.replace(/^>(\d[\d.]*)$/, ">=$1.999999")))
    .join(",");
