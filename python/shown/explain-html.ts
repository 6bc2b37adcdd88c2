import type { Diagnosis, Explanation } from "@culprit/core/model/explain";
import { html, prose, type Html } from "@culprit/core/report/html";
import { commandHtml, folded, headlineHtml, rowHtml } from "./check-html.ts";

/** The most likely cause in full, or all that fit where the text cannot choose; then what it cannot rule out. */
export function explainHtml({ diagnoses, noise, warnings, next, lines, unexplained }: Explanation): Html {
  const [first] = diagnoses;
  if (!first)
    return html`${headlineHtml("?", "odd", `Nothing in ${lines} line${lines === 1 ? "" : "s"} says what is wrong with a GPU stack`)}
      <ul>
        ${next.map((step) => html`<li>${prose(step)}</li>`)}
      </ul>`;
  const open = first.symptom === undefined ? [first] : diagnoses.filter(({ symptom }) => symptom === first.symptom);
  const others = diagnoses.filter((each) => !open.includes(each));
  const isHarmless = first.cause === "benign-warning" || first.cause === "not-a-mismatch";
  return html`${
    1 < open.length
      ? headlineHtml("?", "bad", `${first.symptom}; ${open.length} causes fit`)
      : headlineHtml(isHarmless ? (unexplained ? "•" : "✓") : "✗", isHarmless ? (unexplained ? "odd" : "good") : "bad", titleOf(first))
  }
  ${open.map((each) => diagnosisHtml(each, 1 < open.length))}
  ${folded(
    `${first.certainty === "certain" || 1 < open.length ? "also" : "the text cannot rule out"} ${others.length} more`,
    others.map((each) => diagnosisHtml(each, true, false)),
  )}
  ${folded(
    "steps in the text that do harm, or do not help",
    warnings.map(({ line, message }) => html`<div>line ${line}: ${prose(message)}</div>`),
  )}
  ${folded(
    "only noise",
    noise.map(({ line, reason }) => html`<div>line ${line}: ${prose(reason)}</div>`),
  )}
  ${unexplained && isHarmless ? html`<div>What ended the program is not known here: <code>${unexplained.text}</code></div>` : ""}`;
}

const titleOf = ({ cause, message }: Diagnosis) => (cause === "not-a-mismatch" ? `not a version problem: ${message}` : message);

function diagnosisHtml(diagnosis: Diagnosis, isTitled: boolean, isOpen = true): Html {
  const { cause, certainty, required, found, because, evidence, machine = [], fixes, next, message } = diagnosis;
  const table = html`<table>
    ${rowHtml("cause", [html`${cause}, ${certainty}`])} ${rowHtml("required", required === undefined ? [] : [prose(required)])}
    ${rowHtml("found", found === undefined ? [] : [prose(found)])} ${rowHtml("because", because.map(prose))}
    ${rowHtml("here", machine.map(prose))}
    ${rowHtml(
      "fix",
      fixes.map(({ fix, title = fix, commands }) => html`${prose(title)}${commands.map(commandHtml)}`),
    )}
    ${rowHtml("to be sure", certainty === "certain" ? [] : next.map((step) => html`<code>${step}</code>`))}
    ${rowHtml(
      "text",
      evidence.map(({ line, text }) => html`${line === 0 ? "given: " : `line ${line}: `}<code>${text}</code>`),
    )}
  </table>`;
  if (!isTitled) return table;
  const summary = html`<summary><strong>${prose(message.replace(/^or /, ""))}</strong></summary>`;
  return isOpen
    ? html`<details open class="is-odd">${summary}${table}</details>`
    : html`<details class="is-odd">${summary}${table}</details>`;
}
