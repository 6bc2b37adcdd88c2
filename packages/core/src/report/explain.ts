import type { Diagnosis, Explanation } from "../model/explain.ts";
import { reporting } from "../lib/shown.ts";
import { count, laidOut, plain, unbroken, type Style } from "./style.ts";

const certainties = { certain: "certain", likely: "likely", possible: "possible" };

/** The most likely cause in full, then in short what the text cannot rule out, then noise and warnings. */
export const explainReport = reporting((explanation: Explanation, style: Style = plain): string =>
  laidOut(explainLines(explanation, style), style),
);

/** The same for a report that holds it. */
export function explainLines({ diagnoses, noise, warnings, next, lines }: Explanation, style: Style): string[] {
  const out: string[] = [];
  const [first, ...others] = diagnoses;
  if (!first) {
    out.push(`Nothing in ${count(lines, "line")} says what is wrong with a GPU stack.`);
    for (const step of next) out.push(`  ${step}`);
  } else {
    out.push(...inFull(first, style));
    if (0 < others.length) {
      out.push("", style.strong(first.certainty === "certain" ? "Also" : "The text cannot rule out"));
      for (const { cause, name, message } of others)
        out.push(`  ${cause}${name === undefined ? "" : ` ${style.faint(`(${name})`)}`}: ${message}`);
    }
  }
  if (0 < warnings.length) {
    out.push("", style.strong("Steps in the text that do harm, or do not help"));
    for (const { line, text, message } of warnings) out.push(`  line ${line}: ${style.faint(shortened(text))}`, `    ${message}`);
  }
  const faults = first && first.cause !== "benign-warning";
  if (0 < noise.length && faults) {
    out.push("", style.strong("Only noise"));
    for (const { line, reason } of noise.slice(0, 6)) out.push(`  line ${line}: ${reason}`);
    if (6 < noise.length) out.push(`  and ${noise.length - 6} more`);
  }
  return out;
}

function inFull(diagnosis: Diagnosis, style: Style): string[] {
  const { cause, certainty, message, required, found, because, evidence, next, fixes, machine = [] } = diagnosis;
  const harmless = cause === "benign-warning" || cause === "not-a-mismatch";
  const out = [`${harmless ? style.good("✓") : style.bad("✗")} ${style.strong(message)}`, `  ${cause}, ${certainties[certainty]}`];
  if (required !== undefined) out.push(`  required  ${required}`);
  if (found !== undefined) out.push(`  found     ${found}`);
  for (const reason of because) out.push(`  because   ${reason}`);
  for (const { line, text } of evidence) out.push(`  ${style.faint(line === 0 ? `given: ${text}` : `line ${line}: ${shortened(text)}`)}`);
  for (const text of machine.slice(0, 8)) out.push(`  ${style.faint(`here: ${text}`)}`);
  if (0 < fixes.length) {
    out.push("", style.strong("What to do"));
    for (const { fix, title = fix, commands } of fixes) {
      out.push(`  ${title}`);
      for (const command of commands) out.push(`    ${unbroken(command)}`);
    }
  }
  if (0 < next.length && certainty !== "certain") {
    out.push("", style.strong("To be sure"));
    for (const step of next) out.push(`  ${unbroken(step)}`);
  }
  return out;
}

const shortened = (text: string) => (text.length <= 160 ? text : `${text.slice(0, 159)}…`);
