import type { SearchStep } from "../model/loads.ts";
import type { Why, WhyLoser, WhyPart, WhyRequest } from "../model/why.ts";
import { culpritLine } from "../lib/asked.ts";
import { nameOf } from "../lib/path.ts";
import { reporting } from "../lib/shown.ts";
import { count, laidOut, plain, type Style } from "./style.ts";

/** So many other copies are told; of more, how many there are. */
const mostLosers = 6;

/** The search as a person would draw it: who asked, rule by rule, path by path, who lost, and what would change the winner. */
export const whyReport = reporting((why: Why, style: Style = plain): string => {
  const { library, requests, losers, apart = [], changes, unknown } = why;
  const lines: string[] = [];
  if (requests.length === 0 && unknown.length === 0) lines.push(`nothing asks for \`${library}\``);
  const [first, ...others] = requests;
  if (first) lines.push(...requestLines(first, why, style));
  const same = others.filter(({ reused }) => reused);
  for (const request of others.filter(({ reused, failure }) => !reused && !failure)) lines.push("", ...requestLines(request, why, style));
  const vain = others.filter(({ failure }) => failure);
  if (0 < vain.length)
    lines.push("", "  Asked for in vain:", ...new Set(vain.map(({ name, requestedBy }) => `    ${name}  by ${requestedBy}`)));
  if (0 < same.length) {
    lines.push(
      "",
      `  ${same.length === 1 ? "One later request gets" : `${same.length} later requests get`} the same object, without a search:`,
    );
    lines.push(...new Set(same.map(({ name, requestedBy }) => `    ${name}  asked for by ${requestedBy}`)));
  }
  if (0 < apart.length) lines.push("", ...apartLines(apart, style));
  if (0 < losers.length) lines.push("", ...loserLines(losers, style));
  if (0 < changes.length) {
    lines.push("", style.strong(first?.file === undefined ? "What would change that" : "What would change the winner"));
    for (const { what, outcome, version, because } of changes) {
      lines.push(`  ${what}: ${outcome}${version === undefined ? "" : ` (${version})`}  ${style.faint(`(${because})`)}`);
    }
  }
  for (const { subject, reason } of unknown) lines.push("", `${style.strong("unknown")}  \`${subject}\`: ${reason}`);
  return laidOut(lines, style);
});

function loserLines(losers: WhyLoser[], style: Style): string[] {
  const lines = [style.strong(losers.length === 1 ? "Another copy, and why it loses" : "Other copies, and why each loses")];
  for (const { file, version, because } of losers.slice(0, mostLosers))
    lines.push(`  ${file}${version === undefined ? "" : ` (${version})`}`, `    ${style.faint(because)}`);
  if (mostLosers < losers.length)
    lines.push(style.faint(`  and ${count(losers.length - mostLosers, "other copy", "other copies")}: \`culprit list\` has all`));
  return lines;
}

function apartLines(apart: WhyPart[], style: Style): string[] {
  const [first] = apart as [WhyPart];
  return [
    `${style.strong("!")} ${count(apart.length, "part of it comes", "parts of it come")} from another copy: ${culpritLine(["why", first.name], style.asked)}`,
    ...apart.map(({ name, file, version }) => `    ${name}  ${file} (${version})`),
  ];
}

function requestLines(request: WhyRequest, why: Why, style: Style): string[] {
  const { name, requestedBy, notes, steps, file, version, path, reused, failure, hypothetical } = request;
  const lines: string[] = [];
  lines.push(
    file === undefined
      ? `${style.bad("✗")} ${style.strong(name)} is not found`
      : `${style.good("✓")} ${style.strong(path === name ? nameOf(name) : name)} is ${style.strong(file)}${version === undefined ? "" : ` (${version})`}`,
  );
  lines.push(`  ${hypothetical ? hypotheticalWords(why) : `asked for by ${requestedBy}${activityWords(why)}`}`);
  if (why.driverAssumed) lines.push(`  ${style.faint("note")}  no driver found; answered as if the host provided one`);
  if (reused)
    lines.push(
      `  already loaded: ${{ name: "the name was asked for before", soname: "its DT_SONAME is this name", file: "it is the same file" }[reused]}`,
    );
  for (const note of notes) lines.push(`  ${style.faint("note")}  ${note}`);
  if (0 < steps.length) {
    lines.push("");
    let rule = "";
    for (const step of withoutSubfolders(steps)) {
      const title = ruleTitle(step);
      if (title !== rule) lines.push(`  ${title}`);
      rule = title;
      lines.push(
        `    ${step.result === "taken" ? style.good("✓") : style.bad("✗")} ${step.path}${stepText(step)}${step.subfolders === 0 ? "" : style.faint(` (nor in ${step.subfolders} subfolders for processor features)`)}`,
      );
    }
  }
  if (file !== undefined && path !== undefined && path !== file && steps.at(-1)?.result === "taken")
    lines.push(`      ${style.faint(`→ ${file}`)}`);
  if (failure) lines.push("", `  ${failure.message}`);
  return lines;
}

const activityWords = ({ activity }: Why) => (activity === undefined ? "" : ` for the activity ${activity}`);

function hypotheticalWords({ program, frameworks }: Why): string {
  if (!program) return "as a program without search paths of its own would find it; what a framework finds: --for torch, for example";
  return frameworks
    ? `${frameworks.join(" and ")} would not ask for it; this is what a dlopen in ${program.path} would find`
    : `${program.path} does not ask for it at start; this is what a dlopen in it would find`;
}

// Each folder is searched in up to twenty subfolders for processor features, which are hardly ever there: they are told in one line.
function withoutSubfolders(steps: SearchStep[]): (SearchStep & { subfolders: number })[] {
  const lines: (SearchStep & { subfolders: number })[] = [];
  let subfolders = 0;
  for (const step of steps) {
    const inSubfolder = /\/(glibc-hwcaps\/[^/]+|tls|haswell|xeon_phi|avx512_1|x86_64|aarch64|atomics)\/[^/]*$/.test(step.path);
    if (inSubfolder && step.result === "absent") subfolders += 1;
    else {
      lines.push({ ...step, subfolders: step.result === "absent" ? subfolders : 0 });
      subfolders = 0;
    }
  }
  return lines;
}

function ruleTitle({ rule, of }: SearchStep): string {
  switch (rule) {
    case "rpath":
      return `RPATH of ${of}`;
    case "runpath":
      return `RUNPATH of ${of}`;
    case "ld-library-path":
      return "LD_LIBRARY_PATH";
    case "cache":
      return "the loader's cache";
    case "default":
      return "system folders";
    default:
      return "by its path";
  }
}

function stepText({ result }: SearchStep): string {
  const words: { [result in SearchStep["result"]]: string } = {
    taken: "",
    absent: "  no such file",
    error: "  cannot be opened",
    unreadable: "  cannot be read",
    "other-class": "  is for the other word size (32/64 bit): skipped",
    "other-machine": "  is for another processor: skipped",
    "newer-kernel": "  asks for a newer kernel: skipped",
    "not-trusted": "  is not set-user-ID: skipped in secure execution",
    fatal: "  is damaged: the search ends here",
    "no-entry": "  has no entry of this name",
  };
  return words[result];
}
