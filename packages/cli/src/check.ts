import {
  acceptFindings,
  checkFormatted,
  checkHtml,
  checkMarkdown,
  checkReport,
  checkSarif,
  checkSummary,
  checkOne,
  checkChanges,
  checkTarget,
  openQuestions,
  quietCheck,
  reportFormats,
  severities,
  unknownRule,
  type Acceptance,
  type Changes,
  type Check,
  type Examination,
  type Question,
  type Reported,
  type ReportFormat,
  type Severity,
} from "@culprit/core";
import type { Asked } from "@culprit/core/lib/asked";
import { shown } from "@culprit/core/lib/shown";
import { askedBy, unnamed } from "./asked.ts";
import { examineDeclared } from "./declared.ts";
import { kindOf } from "@culprit/machine/target/kinds";
import { meaning, projectIn } from "./folder.ts";
import { privateNames } from "./names.ts";
import { readProjectFile } from "./project.ts";
import { terminalStyle } from "./style.ts";
import { flag, text, texts, UsageError, type Input } from "./usage.ts";
import { note, print, printDocument, printJson } from "./print.ts";
import { forPrograms, frameworkRun, openWhere, shellOf } from "./where.ts";
import { refuseUnwritable, writeWhole } from "./write-whole.ts";

export async function run(input: Input): Promise<number> {
  const failOn = text(input, "fail-on") ?? "error";
  if (!["never", "unknown", ...severities].includes(failOn))
    throw new UsageError(`\`--fail-on ${failOn}\` is not error, warning, info, unknown or never`);
  const shapeOf = schemaOf(input);
  const forms = ["json", "markdown", "sarif", "html", "format"]
    .filter((name) => input.options[name] !== undefined)
    .map((name) => `\`--${name}\``);
  if (1 < forms.length) throw new UsageError(`give one of ${forms.join(" and ")}: a run writes one report`);
  formatOf(input);
  const page = text(input, "html");
  if (page !== undefined) refuseUnwritable(page, "the page");
  const ignored = texts(input, "ignore").map(ignoring);
  const own = readProjectFile(text(input, "config"));
  // Of no such level: `never`.
  const mildest = severities.indexOf((failOn === "unknown" ? "error" : failOn) as Severity);
  const accepted = [...ignored, ...own.accept];
  const measure: Measure = {
    accept: (check) => acceptFindings(check, accepted).check,
    isWrong: (check) =>
      check.findings.some(({ severity }) => severities.indexOf(severity) <= mildest) ||
      (failOn === "unknown" && 0 < openQuestions(check).length),
    shapeOf,
    failing: severities[mildest],
    // What makes a run fail is said even then.
    quietly: (check, of) => quietCheck(check, severities.find((each) => each === failOn) ?? "error", failOn === "unknown", of),
  };
  if (flag(input, "all-processes")) return (await import("./all-processes.ts")).run(input, measure);
  const targets = await import("./targets.ts");
  const named = targets.namedTargets(input);
  const project = await projectAt(named);
  const words = project ?? named;
  if (1 < words.length) return targets.run(input, words, measure, project ? "one by one" : "side by side");

  const meant = meaning(input, words[0]);
  const asked = askedFor(meant.input, meant.word);
  const judged = await judge(meant.input, meant.word, asked);
  const { check, unmet } = acceptFindings(judged.check, accepted);
  for (const acceptance of unmet) note(unmetWords(acceptance, ignored.includes(acceptance) ? "--ignore" : own.file));
  await report(meant.input, { ...judged, check, asked, accepted }, measure);
  return measure.isWrong(check) ? 1 : 0;
}

/** How checks are taken, whichever of them and however many there are. */
export interface Measure {
  accept: (check: Check) => Check;
  isWrong: (check: Check) => boolean;
  /** From which severity on a finding makes the run fail. */
  failing: Severity | undefined;
  /** The shape in JSON. */
  shapeOf: (check: Check) => object;
  /** What `--quiet` leaves of one; `of` says whose it is. */
  quietly: (check: Check, of?: string) => string;
}

const projectAt = async (words: string[]): Promise<string[] | undefined> =>
  words.length === 1 && kindOf(words[0]!)?.kind.id === "root" ? projectIn(words[0]!) : undefined;

/** The shape of a check in JSON: the present one, or the one before. */
function schemaOf(input: Input): (check: Check) => object {
  const schema = text(input, "schema") ?? "2";
  if (schema !== "1" && schema !== "2") throw new UsageError(`\`--schema ${schema}\` is not 1 or 2`);
  if (input.options["schema"] !== undefined && !flag(input, "json")) throw new UsageError("`--schema` is about `--json`: give both");
  return schema === "1" ? checkOne : (check) => check;
}

/** Which of the reports for programs that read lines is asked for. */
export function formatOf(input: Input): ReportFormat | undefined {
  const name = text(input, "format");
  const format = reportFormats.find((each) => each === name);
  if (name !== undefined && !format) throw new UsageError(`\`--format ${name}\` is none of ${reportFormats.join(", ")}`);
  return format;
}

const handedOn = ["markdown", "sarif", "html", "format"];

/** What is handed on names no host. */
const askedFor = (input: Input, word: string | undefined): Asked =>
  handedOn.some((form) => input.options[form] !== undefined) ? unnamed(askedBy(input, word)) : askedBy(input, word);

interface Judged extends Reported {
  /** Absent where a file was judged. */
  examined?: { examination: Examination; question: Question };
}

async function judge(input: Input, word: string | undefined, asked: Asked): Promise<Judged> {
  const declared = await examineDeclared(input, word);
  if (declared) return declared;
  const examination = await openWhere(input, word);
  const { activities, python } = frameworkRun(input, []);
  const question = { programs: await forPrograms(input, examination), activities, python, ...shellOf(input) };
  const changes = changesIn(input);
  const judged = changes
    ? await checkChanges(examination, { ...question, asked }, changes)
    : await checkTarget(examination, { ...question, asked });
  if ("problem" in judged) throw new UsageError(judged.problem);
  return { ...judged, examined: { examination, question } };
}

/** What would be installed and taken away; undefined where nothing is. */
function changesIn(input: Input): Changes | undefined {
  const changes = { with: texts(input, "with"), replace: texts(input, "replace"), without: texts(input, "without") };
  const given = Object.entries(changes).find(([, words]) => 0 < words.length)?.[0];
  if (given !== undefined && text(input, "html") !== undefined)
    throw new UsageError(`\`--${given}\` and \`--html\`: the page shows a target as it is, and changes of its own can be made there`);
  return given === undefined ? undefined : changes;
}

async function report(
  input: Input,
  judgement: Judged & { asked: Asked; accepted: Acceptance[] },
  { shapeOf, quietly, failing }: Measure,
): Promise<void> {
  const { check, asked, accepted, examined } = judgement;
  if (flag(input, "json")) return printJson(shapeOf(check), 1);
  // What is handed on names nobody.
  const names = () => privateNames(examined?.examination);
  const format = formatOf(input);
  if (format) {
    const target = asked.place?.kind === "host" ? "HOST" : (check.target.name ?? check.target.kind);
    const how = { failing, all: flag(input, "all") };
    return print(await checkFormatted(format, [{ target, check }], how, await names()));
  }
  if (flag(input, "sarif")) return printDocument(await checkSarif(judgement, await names()));
  const page = text(input, "html");
  if (page !== undefined) {
    const made = `${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC`;
    const text = examined
      ? await (await import("./live-page.ts")).livePage(examined.examination, { question: examined.question, asked, accepted, full: false })
      : await checkHtml(judgement, made, await names());
    await writeWhole(page, [text], "the page");
  }
  if (flag(input, "markdown")) return print(await checkMarkdown(judgement, await names()));
  if (flag(input, "quiet")) return print(quietly(check));
  const written = page === undefined ? "" : `\nThe page is \`${shown(page)}\`.\n`;
  // What makes the run fail is shown.
  const all = flag(input, "all") || text(input, "fail-on") === "info";
  const style = { ...terminalStyle(), asked };
  // What a page says of another host names no host: no commands to type.
  const told = page !== undefined && asked.place?.kind === "host" ? `${checkSummary(check, style)}\n` : checkReport(check, style, { all });
  print(`${told}${written}`);
}

function ignoring(value: string): Acceptance {
  const colon = value.indexOf(":");
  const rule = colon < 0 ? value : value.slice(0, colon);
  const problem = unknownRule(rule);
  if (problem !== undefined) throw new UsageError(`\`--ignore ${value}\`: ${problem}`);
  if (colon < 0) return { rule, reason: "ignored on the command line" };
  const subject = value.slice(colon + 1);
  if (subject === "") throw new UsageError(`\`--ignore ${value}\` names no subject after the colon`);
  return { rule, subject, reason: "ignored on the command line" };
}

function unmetWords({ rule, subject }: Acceptance, where: string): string {
  return `${where} names a finding that is not there: ${rule}${subject === undefined ? "" : `:${subject}`}`;
}
