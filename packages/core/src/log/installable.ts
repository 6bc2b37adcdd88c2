// Whether `pip install` of a line finds anything, where the text says for which Python and on what machine.
import { publishedPackage } from "../knowledge/published.ts";
import { isWithin } from "../lib/pep440.ts";
import { normalName, parseRequirement } from "../lib/pep508.ts";
import type { Facts } from "./fact.ts";

/** The Python of a text, where it names one only. */
export function pythonIn(facts: Facts): string | undefined {
  const named = new Set(facts.all("python").map(({ version }) => version));
  return named.size === 1 ? [...named][0] : undefined;
}

/** What is published for Linux on x86-64 alone, in part or as a whole: NCCL has no wheel for Windows, and CUDA's extras of both ask for it. */
const notForWindows = (name: string, extras: string[]) =>
  (name === "tensorflow" && extras.includes("and-cuda")) ||
  (name === "jax" && extras.some((extra) => extra.startsWith("cuda"))) ||
  /^nvidia-nccl|^jax-cuda/.test(name);

/** Files of PyPI for aarch64 there are none of. */
const notForArm = new Set(["onnxruntime-gpu"]);

export function isInstallable(line: string, facts: Facts): boolean {
  const [, asked] = /^(?:python3? -m )?(?:pip3?|uv pip) install ([^|;&]+)$/.exec(line.trim()) ?? [];
  if (asked === undefined || /--(?:extra-)?index-url|--find-links|\s-f\s|-r /.test(asked)) return true;
  const python = pythonIn(facts);
  return [...asked.matchAll(/"([^"]+)"|'([^']+)'|(\S+)/g)].every(([, double, single, bare]) => {
    const word = double ?? single ?? bare!;
    const read = word.startsWith("-") ? undefined : parseRequirement(word);
    if (!read || "problem" in read || "url" in read) return true;
    const name = normalName(read.name);
    if (facts.on("windows") && !facts.on("wsl2") && notForWindows(name, read.extras ?? [])) return false;
    if (facts.on("jetson") && notForArm.has(name)) return false;
    const releases = python === undefined ? undefined : publishedPackage(name)?.releases;
    const fitting = releases?.filter(({ version }) => isWithin(version, read.specifier) === true);
    // What nobody has looked into may be there.
    if (!fitting || fitting.length === 0) return true;
    return fitting.some(({ pythons }) => pythons?.includes(python!) ?? true);
  });
}
