import type { SearchStep } from "../model/loads.ts";
import type { Why, WhyRequest } from "../model/why.ts";
import { reporting } from "../lib/shown.ts";
import { plain, type Style } from "./style.ts";

/** The search as a person would draw it: who asked, rule by rule, path by path, and what would change the winner. */
export const whyReport = reporting(({ library, program, requests, changes, unknown }: Why, style: Style = plain): string => {
  const lines: string[] = [];
  if (requests.length === 0 && unknown.length === 0) lines.push(`nothing asks for \`${library}\``);
  const [first, ...others] = requests;
  if (first) lines.push(...requestLines(first, program?.path, style));
  const same = others.filter(({ reused }) => reused);
  for (const request of others.filter(({ reused, failure }) => !reused && !failure))
    lines.push("", ...requestLines(request, program?.path, style));
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
  if (0 < changes.length) {
    lines.push("", style.strong("What would change the winner"));
    for (const { what, outcome, version, because } of changes) {
      lines.push(`  ${what}: ${outcome}${version === undefined ? "" : ` (${version})`}  ${style.faint(`(${because})`)}`);
    }
  }
  for (const { subject, reason } of unknown) lines.push("", `${style.strong("unknown")}  \`${subject}\`: ${reason}`);
  return `${lines.join("\n")}\n`;
});

function requestLines(request: WhyRequest, program: string | undefined, style: Style): string[] {
  const { name, requestedBy, notes, steps, file, version, path, reused, failure, hypothetical } = request;
  const lines: string[] = [];
  lines.push(
    file === undefined
      ? `${style.bad("✗")} ${style.strong(name)} is not found`
      : `${style.good("✓")} ${style.strong(name)} is ${style.strong(file)}${version === undefined ? "" : ` (${version})`}`,
  );
  if (hypothetical)
    lines.push(
      program === undefined
        ? "  as a program without search paths of its own would find it"
        : `  ${program} does not ask for it at start; this is what a dlopen in it would find`,
    );
  else lines.push(`  asked for by ${requestedBy}`);
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
