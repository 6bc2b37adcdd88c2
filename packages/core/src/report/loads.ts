import { nameOf } from "../lib/path.ts";
import type { Failure, Load, Loads } from "../model/loads.ts";
import { reporting } from "../lib/shown.ts";
import { columns, count, plain, type Style } from "./style.ts";

/** What a program would load, for a terminal. */
export const loadsReport = reporting((answer: Loads, style: Style = plain): string => {
  const { program, loads, failures, missed, unknown } = answer;
  const lines: string[] = [];
  const mapped = loads.filter(({ unmapped }) => !unmapped);
  const stops = 0 < failures.length;
  if (mapped.length === 0 && !stops) lines.push(`${style.strong(program.path)} is statically linked: it loads nothing`);
  else if (stops) lines.push(`${style.bad("✗")} ${style.strong(program.path)} would not start: ${count(failures.length, "failure")}`);
  else lines.push(`${style.good("✓")} ${style.strong(program.path)} would load ${count(mapped.length, "object")}`);

  if (program.builtAgainst) {
    const rows = Object.entries(program.builtAgainst).map(([library, { version, evidence }]) => [library, version, evidence]);
    lines.push("", "  built against", ...columns(rows, "    "));
  }
  for (const failure of failures) lines.push("", ...failureLines(failure, style));
  if (0 < mapped.length) {
    lines.push("");
    const rows = mapped.map((load) => [nameOf(load.name), load.version === undefined ? "" : load.version, load.file, ruleText(load)]);
    const known = rows.some(([, version]) => version !== "");
    for (const line of columns(known ? rows : rows.map(([name, , ...rest]) => [name!, ...rest]), "  ")) lines.push(line);
  }
  // What else makes an answer possible only stands under what cannot be told.
  if (unknown.length === 0 && mapped.some(({ certainty }) => certainty === "possible"))
    lines.push("", `  ${style.faint("possible")}  what the program goes on to do decides whether it is loaded`);
  for (const failure of missed) lines.push("", `  ${style.faint("tolerated")}  ${failure.message}`);
  for (const { subject, reason } of unknown) lines.push("", `  ${style.strong("unknown")}  \`${subject}\`: ${reason}`);
  return `${lines.join("\n")}\n`;
});

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

function failureLines(failure: Failure, style: Style): string[] {
  const lines = [`  ${style.bad("✗")} ${failure.message}`];
  if (failure.requestedBy !== failure.name) lines.push(`    asked for by  ${failure.requestedBy}`);
  if (0 < failure.tried.length) lines.push("    looked at", ...failure.tried.map((path) => `      ${path}`));
  return lines;
}
