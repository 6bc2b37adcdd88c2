import { nameOf } from "../lib/path.ts";
import type { Failure, Load, Loads } from "../model/loads.ts";
import { reporting } from "../lib/shown.ts";
import { columns, count, laidOut, plain, type Style } from "./style.ts";

interface Wanted {
  /** Everything that is loaded, and every path that was looked at; else GPU libraries, where there are any. */
  all?: boolean;
}

/** What a program would load, for a terminal. */
export const loadsReport = reporting((answer: Loads, style: Style = plain, { all = false }: Wanted = {}): string => {
  const { program, loads, failures, missed, unknown } = answer;
  const mapped = loads.filter(({ unmapped }) => !unmapped);
  const gpu = mapped.filter(({ library }) => library !== undefined);
  const shown = all || gpu.length === 0 ? mapped : gpu;
  const lines = [titleOf(answer, mapped.length, gpu.length, style)];
  if (program.builtAgainst) {
    const rows = Object.entries(program.builtAgainst).map(([library, { version, evidence }]) => [library, version, evidence]);
    lines.push("", "  built against", ...columns(rows, "    ", style));
  }
  for (const failure of failures) lines.push("", ...failureLines(failure, style, all));
  if (0 < shown.length) lines.push("", ...loadRows(shown, style));
  if (shown.length < mapped.length) lines.push(style.faint(`  and ${count(mapped.length - shown.length, "other object")} (--all)`));
  // What else makes an answer possible only stands under what cannot be told.
  if (unknown.length === 0 && shown.some(({ certainty }) => certainty === "possible"))
    lines.push("", `  ${style.faint("possible")}  what the program goes on to do decides whether it is loaded`);
  if (0 < missed.length) lines.push("", ...toleratedLines(missed, style, all));
  for (const { subject, reason } of unknown) lines.push("", `  ${style.strong("unknown")}  \`${subject}\`: ${reason}`);
  return laidOut(lines, style);
});

function titleOf({ program, failures }: Loads, objects: number, gpu: number, style: Style): string {
  const name = style.strong(program.path);
  const [first] = failures;
  if (first) return `${style.bad("✗")} ${name} would ${howItEnds(first, program.imports)}: ${count(failures.length, "failure")}`;
  if (objects === 0) return `${name} is statically linked: it loads nothing`;
  return `${style.good("✓")} ${name} would load ${count(objects, "object")}${gpu === 0 || gpu === objects ? "" : `, ${gpu} of them of GPU libraries`}`;
}

/** The interpreter itself starts; what it is given to do does not work. */
function howItEnds({ activity }: Failure, imports: string[] = []): string {
  if (imports.length === 0) return "not start";
  return activity === "import" ? `fail at the import of ${imports.join(", ")}` : `import ${imports.join(", ")} and fail at ${activity}`;
}

function loadRows(loads: Load[], style: Style): string[] {
  const rows = loads.map((load) => [nameOf(load.name), load.version ?? "", load.file, ruleText(load)]);
  const known = rows.some(([, version]) => version !== "");
  return columns(known ? rows : rows.map(([name, , ...rest]) => [name!, ...rest]), "  ", style);
}

export function ruleText({ via, from, requestedBy, certainty }: Pick<Load, "via" | "from" | "requestedBy" | "certainty">): string {
  const rule = {
    rpath: `RPATH of ${nameOf(from ?? requestedBy)}`,
    runpath: `RUNPATH of ${nameOf(requestedBy)}`,
    "ld-library-path": "LD_LIBRARY_PATH",
    cache: "ld.so.cache",
    default: "system folder",
    path: "by its path",
    preload: "preloaded",
    "already-loaded": "the loader itself",
  }[via];
  return certainty === "possible" ? `${rule} (possible)` : rule;
}

const mostTolerated = 3;

/** What is missed and done without, each once: ladders of names are climbed again and again. */
function toleratedLines(missed: Failure[], style: Style, all: boolean): string[] {
  const messages = [...new Set(missed.map(({ message }) => message))];
  const shown = all ? messages : messages.slice(0, mostTolerated);
  const more = messages.length - shown.length;
  return [
    ...shown.map((message) => `  ${style.faint("tolerated")}  ${message}`),
    ...(more === 0 ? [] : [style.faint(`  and ${count(more, "other")} that the program does without (--all)`)]),
  ];
}

function failureLines(failure: Failure, style: Style, all: boolean): string[] {
  const lines = [`  ${style.bad("✗")} ${failure.message}`];
  if (failure.requestedBy !== failure.name) lines.push(`    asked for by  ${failure.requestedBy}`);
  if (all && 0 < failure.tried.length) lines.push("    looked at", ...failure.tried.map((path) => `      ${path}`));
  else if (0 < failure.tried.length) lines.push(`    ${style.faint(`looked at ${count(failure.tried.length, "path")} (--all)`)}`);
  return lines;
}
