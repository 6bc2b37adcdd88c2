import { causes, type Cause } from "../model/cause.ts";
import type { Severity, WantedFact } from "../model/finding.ts";
import type { Diagnosis } from "../model/explain.ts";
import { placeWords } from "../lib/place.ts";
import { normalName } from "../lib/pep508.ts";
import { outputAt, subjectOf } from "../dependency-files/recorded.ts";
import type { InstallContext } from "../dependency-files/context.ts";
import { defineDependencyFileRule, type DependencyFileDraft } from "./rule.ts";
import { frameworkOf } from "../dependency-files/words.ts";

export default defineDependencyFileRule({
  id: "recorded-failure",
  title: "A notebook holds the error of a library from its last run",
  cause: "library-wrong-version",
  // Whatever the text says.
  otherCauses: causes,
  severity: "error",
  notOn: { machines: "only a notebook keeps what it printed; `culprit explain` reads logs" },
  page: {
    what: "The outputs that are stored in a notebook say that a GPU library, a driver or a build did not fit when it was last run.",
    why: "A notebook is given away with what it printed. Whoever opens it next, on the same image, meets the same fault; and on another one knows what to look for.",
    how: "Texts, results and errors of all cells are explained as `culprit explain` does it; lines of code in a traceback are left out. A cell that ended with the error is an error where nothing was run after it, else a warning, as is a message of a program that went on. What a machine without a GPU prints as well counts only where an output shows a GPU; that pip complained about packages, and what is merely possible, is only unusual. Where a cell shows the same fault, it is told once, with the output as evidence.",
    fix: "As the finding says; then run the notebook again from the top, so that its outputs are those of today.",
    observed: "In the stored outputs of public notebooks; on machines that cannot be asked any more.",
  },
  finds: (context) => {
    const { recorded } = context;
    if (!recorded) return [];
    // Causes that the same words leave open come one after the other, most likely first.
    const groups: { likeliest: Diagnosis; others: Diagnosis[]; lines: Set<number> }[] = [];
    for (const diagnosis of recorded.explanation.diagnoses) {
      const lines = diagnosis.evidence.map(({ line }) => line).filter((line) => 0 < line);
      const known = groups.find((group) => lines.some((line) => group.lines.has(line)));
      if (known) known.others.push(diagnosis);
      else groups.push({ likeliest: diagnosis, others: [], lines: new Set(lines) });
    }
    return groups.flatMap(({ likeliest, others }) => draftOf(context, likeliest, others) ?? []);
  },
});

function draftOf(
  context: InstallContext,
  diagnosis: Diagnosis,
  others: Diagnosis[],
): DependencyFileDraft<"warning" | "info", Cause> | undefined {
  // The message itself is meant, and not what was printed before about versions.
  const said = diagnosis.evidence.flatMap(({ line, text }) => {
    const at = outputAt(context.recorded!, line);
    return at ? [{ ...at, text }] : [];
  });
  const found =
    said.find(({ output }) => output.isError) ??
    said.find(({ text }) => diagnosis.name !== undefined && text.includes(diagnosis.name)) ??
    said[0];
  const severity = found && severityOf(context, diagnosis, found.output);
  if (!found || !severity) return undefined;
  const framework = diagnosis.name === undefined ? undefined : frameworkOf(normalName(diagnosis.name));
  // What is certain leaves nothing open, and the same cause in other words is no other one.
  const rest = diagnosis.certainty === "certain" ? [] : others.filter(({ cause }) => cause !== diagnosis.cause);
  const open = new Set(rest.map(({ message }) => message.replace(/^or /, "")).filter((message) => message !== diagnosis.message));
  const affected = framework === undefined ? [] : [{ framework, activity: "import" }];
  const isObject = /\.(?:so|dll)(?:\.|$)/.test(diagnosis.name ?? "");
  return {
    subject: subjectOf(diagnosis),
    place: found.place,
    cause: diagnosis.cause,
    certainty: diagnosis.certainty,
    short: `at the last run: ${diagnosis.message}`,
    message: `when this notebook was last run: ${diagnosis.message}`,
    because: [
      ...diagnosis.because,
      ...installedBy(context, diagnosis),
      ...[...open].slice(0, 3).map((message) => `it cannot be ruled out: ${message}`),
    ],
    evidence: said.map(({ place, text }) => `${placeWords(place)}: ${text}`),
    advice: diagnosis.fixes.map(({ fix, title = fix, commands }, index) => {
      const first = index === 0 ? title.replace(/^or /, "") : title;
      const [command, ...more] = commands;
      if (command === undefined) return first;
      // What a shell would read in another way stays as it was written.
      return more.length === 0 && /^[\w@%+=:,./ -]+$/.test(command)
        ? { words: first, command: command.split(" ") }
        : `${first}: ${commands.join("; ")}`;
    }),
    facts: {
      ...(diagnosis.library === undefined && !isObject ? {} : { wanted: wantedIn(diagnosis) }),
      ...(diagnosis.name === undefined || isObject ? {} : { packages: [{ role: "subject", name: diagnosis.name }] }),
    },
    ...(severity === "error" ? { breaks: affected } : { severity, endangers: affected }),
  };
}

const wantedIn = ({ name, library }: Diagnosis): WantedFact => ({
  name: name ?? library!,
  ...(library === undefined ? {} : { library }),
  requestedBy: "",
  tried: [],
});

function severityOf(
  { recorded, gpus, driver }: InstallContext,
  { cause, certainty, name, found, evidence }: Diagnosis,
  { isError, isLast }: { isError: boolean; isLast: boolean },
): Severity | undefined {
  if (cause === "benign-warning" || cause === "not-a-mismatch") return undefined;
  if (certainty === "possible") return "info";
  if (isError) return isLast ? "error" : "warning";
  // Who asks which nvcc is there compiles nothing yet.
  if (name === "nvcc") return undefined;
  // pip went on after that, and so did the notebook.
  if (cause === "package-conflict" && evidence.every(({ text }) => /which is (?:incompatible|not installed)/.test(text))) return "info";
  if (evidence.every(({ text }) => /you can ignore|if you don't plan/i.test(text))) return "info";
  const { seen } = recorded!.explanation;
  // Where another release lies, a GPU is meant.
  const isThere = cause === "library-wrong-version" && found !== undefined;
  const hasGpu = isThere || 0 < seen.gpus.length + seen.drivers.length + gpus.length || driver !== undefined;
  return hasGpu || !lacks.has(cause) ? "warning" : "info";
}

/** What a machine without a GPU lacks as well, or has on purpose. */
const lacks = new Set([
  "library-missing",
  "library-not-on-path",
  "library-wrong-version",
  "driver-not-exposed",
  "kernel-module-missing",
  "wrong-wheel-cpu-only",
]);

/** The lines that install what a diagnosis speaks of. */
function installedBy({ installation }: InstallContext, { name = "", message }: Diagnosis): string[] {
  const words = new Set(`${name} ${message}`.match(/[\w.-]+/g)?.map((word) => normalName(word).replace(/^pytorch$/, "torch")));
  const lines = installation.named.flatMap(({ declared, step }) =>
    step.manager === "pip" && words.has(normalName(declared.name))
      ? [`\`${declared.text}\` is installed at ${placeWords(declared.place)}`]
      : [],
  );
  return [...new Set(lines)].slice(0, 3);
}
