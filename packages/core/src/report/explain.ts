import type { Diagnosis, Explanation } from "../model/explain.ts";
import { reporting } from "../lib/shown.ts";
import { count, laidOut, plain, unbroken, type Style } from "./style.ts";

/** The most likely cause in full, or all that fit where the text cannot choose; then what it cannot rule out, noise and warnings. */
export const explainReport = reporting((explanation: Explanation, style: Style = plain): string =>
  laidOut(explainLines(explanation, style), style),
);

/** The same for a report that holds it. */
export function explainLines(explanation: Explanation, style: Style): string[] {
  const { diagnoses, noise, warnings, next, lines } = explanation;
  const [first] = diagnoses;
  const out = first
    ? diagnosed(explanation, first, style)
    : explanation.plain
      ? [
          `• ${style.strong(`an error of the program, and not of a GPU stack: ${explanation.plain.what}`)}`,
          `  ${style.faint(`line ${explanation.plain.line}: ${shortened(explanation.plain.text)}`)}`,
          ...readLine(explanation),
        ]
      : [
          lines === 0 ? "The input is empty." : `Nothing in ${count(lines, "line")} says what is wrong with a GPU stack.`,
          ...readLine(explanation),
          ...(explanation.alike
            ? [
                `  ${style.faint(`line ${explanation.alike.line}: ${shortened(explanation.alike.text)}`)}`,
                `  the nearest known message: ${shortened(explanation.alike.known)}`,
              ]
            : []),
          ...(explanation.question === undefined ? [] : [`  ${style.strong("What would decide it")}: ${explanation.question}`]),
          ...next.map((step) => `  ${step}`),
        ];
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

function diagnosed({ diagnoses: all, unexplained, question }: Explanation, first: Diagnosis, style: Style): string[] {
  const diagnoses = all.filter(({ fault = 1 }) => fault === 1);
  // One cause that is only possible is no answer: all that fit are.
  const open = first.symptom === undefined ? [first] : diagnoses.filter(({ symptom }) => symptom === first.symptom);
  const out = 1 < open.length ? asList(open, style) : inFull(first, unexplained !== undefined, style);
  if (question !== undefined) out.push("", `${style.strong("What would decide it")}: ${question}`);
  // What several lines leave open in the same way is told once.
  const told = new Set(open.map(({ cause }) => cause));
  const others = diagnoses.filter((each) => !open.includes(each) && !told.has(each.cause) && told.add(each.cause));
  if (0 < others.length) {
    out.push("", style.strong(first.certainty === "certain" || 1 < open.length ? "Also" : "The text cannot rule out"));
    for (const { cause, name, message } of others)
      out.push(`  ${cause}${name === undefined ? "" : ` ${style.faint(`(${name})`)}`}: ${message}`);
  }
  out.push(...otherFaults(all, style));
  if (unexplained && (first.cause === "benign-warning" || first.cause === "not-a-mismatch"))
    out.push(
      "",
      "What ended the program is not known here",
      `  ${style.faint(`line ${unexplained.line}: ${shortened(unexplained.text)}`)}`,
    );
  return out;
}

/** What else is wrong that has nothing to do with the first, each by its likeliest cause. */
function otherFaults(all: Diagnosis[], style: Style): string[] {
  const numbers = [...new Set(all.flatMap(({ fault = 1 }) => (1 < fault ? fault : [])))];
  return numbers.flatMap((number) => {
    const [head, ...others] = all.filter(({ fault }) => fault === number);
    const { cause, certainty, required, found, fixes } = head!;
    return [
      "",
      style.strong("A second, independent fault"),
      headline(head!, true, style),
      `  ${cause}, ${certainties[certainty]}${others.length === 0 ? "" : `; or ${[...new Set(others.map((each) => each.cause))].join(", ")}`}`,
      ...(required === undefined ? [] : [`  required  ${required}`]),
      ...(found === undefined ? [] : [`  found     ${found}`]),
      ...shown(head!, style),
      ...fixLines(fixes.slice(0, 2), ""),
    ];
  });
}

/** What was understood of the machine, in words. */
export const readWords = ({ seen }: Explanation): string[] => [
  ...seen.drivers.map((driver) => `driver ${driver}`),
  ...seen.toolkits.map((toolkit) => `CUDA ${toolkit}`),
  ...seen.gpus,
  ...seen.frameworks,
  ...seen.platforms,
];

// What was understood, where nothing could be concluded from it.
function readLine(explanation: Explanation): string[] {
  const read = readWords(explanation);
  return read.length === 0 ? [] : [`  read: ${read.slice(0, 12).join(", ")}`];
}

const certainties = { certain: "certain", likely: "likely", possible: "possible" };

// A green sign is only for what harmed nobody.
function headline({ cause, message, machine }: Diagnosis, ended: boolean, style: Style): string {
  if (cause === "benign-warning") return `${ended ? "•" : style.good("✓")} ${style.strong(message)}`;
  // With a machine beside it, that one was looked at and does not have what the text says.
  if (cause === "not-a-mismatch" && machine !== undefined) return `• ${style.strong(`this machine does not bear it out: ${message}`)}`;
  if (cause === "not-a-mismatch") return `• ${style.strong(`not a version problem: ${message}`)}`;
  return `${style.bad("✗")} ${style.strong(message)}`;
}

function inFull(diagnosis: Diagnosis, ended: boolean, style: Style): string[] {
  const { cause, certainty, required, found, because, fixes } = diagnosis;
  const out = [headline(diagnosis, ended, style), `  ${cause}, ${certainties[certainty]}`];
  if (required !== undefined) out.push(`  required  ${required}`);
  if (found !== undefined) out.push(`  found     ${found}`);
  for (const reason of because) out.push(`  because   ${reason}`);
  out.push(...shown(diagnosis, style));
  if (0 < fixes.length) out.push("", style.strong("What to do"), ...fixLines(fixes, ""));
  if (certainty !== "certain") out.push(...toBeSure([diagnosis], "To be sure", style));
  return out;
}

/** `TensorFlow sees no GPU; 5 causes fit:`, each with what to do if it is the one. */
function asList(open: Diagnosis[], style: Style): string[] {
  const first = open[0]!;
  const out = [`${style.bad("?")} ${style.strong(`${first.symptom}; ${open.length} causes fit:`)}`];
  open.forEach(({ cause, message }, index) => out.push(`  ${index + 1} ${alone(message)} ${style.faint(`(${cause})`)}`));
  const required = new Set(open.flatMap((each) => each.required ?? []));
  if (required.size === 1) out.push(`  required  ${[...required][0]}`);
  for (const reason of first.because) out.push(`  because   ${reason}`);
  out.push(...shown(first, style), ...toBeSure(open, "To find out which", style));
  // One way out often serves several causes.
  const ways = new Map<string, { fix: Diagnosis["fixes"][number]; of: number[] }>();
  open.forEach(({ fixes }, index) => {
    for (const fix of fixes) {
      const key = [fix.title ?? fix.fix, ...fix.commands].join("\n");
      ways.set(key, { fix, of: [...(ways.get(key)?.of ?? []), index + 1] });
    }
  });
  if (0 < ways.size) out.push("", style.strong("What to do"));
  for (const { fix, of } of ways.values()) out.push(...fixLines([fix], of.length === open.length ? "" : `if ${listed(of)}: `));
  return out;
}

const listed = (numbers: number[]) => (numbers.length === 1 ? `${numbers[0]}` : `${numbers.slice(0, -1).join(", ")} or ${numbers.at(-1)}`);

const alone = (message: string) => message.replace(/^or /, "");

function shown({ evidence, machine = [] }: Diagnosis, style: Style): string[] {
  return [
    ...evidence.map(({ line, text }) => `  ${style.faint(line === 0 ? `given: ${text}` : `line ${line}: ${shortened(text)}`)}`),
    ...machine.slice(0, 8).map((text) => `  ${style.faint(`here: ${text}`)}`),
  ];
}

const fixLines = (fixes: Diagnosis["fixes"], before: string): string[] =>
  fixes.flatMap(({ fix, title = fix, commands }) => [`  ${before}${title}`, ...commands.map((command) => `    ${unbroken(command)}`)]);

function toBeSure(diagnoses: Diagnosis[], title: string, style: Style): string[] {
  const steps = [...new Set(diagnoses.flatMap(({ next }) => next))].slice(0, 6);
  return steps.length === 0 ? [] : ["", style.strong(title), ...steps.map((step) => `  ${unbroken(step)}`)];
}

const shortened = (text: string) => (text.length <= 160 ? text : `${text.slice(0, 159)}…`);
