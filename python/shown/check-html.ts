import { culpritLine, type Asked } from "@culprit/core/lib/asked";
import { placeWords } from "@culprit/core/lib/place";
import { commandLine } from "@culprit/core/lib/shell";
import type { Check } from "@culprit/core/model/check";
import type { Advice, Finding } from "@culprit/core/model/finding";
import { affectedWords, examinedWords, listed } from "@culprit/core/report/affected";
import { severityCounts } from "@culprit/core/report/check";
import { frameworkRows } from "@culprit/core/report/frameworks";
import { headline, isSlow, says } from "@culprit/core/report/headline";
import { html, prose, type Content, type Html } from "@culprit/core/report/html";
import { endOf } from "@culprit/core/report/said";
import { marks, statusWords } from "@culprit/core/report/status";

/** The findings, worst first and open; one line for each program; what is only a note or unknown, closed. */
export function checkHtml(check: Check, asked: Asked | undefined): Html {
  const loud = check.findings.filter(({ severity }) => severity !== "info");
  const notes = check.findings.filter(({ severity }) => severity === "info");
  const words =
    check.status === "findings"
      ? listed(severityCounts(loud))
      : check.status === "nothing-to-check"
        ? `${statusWords(check)}: ${examinedWords(check)}`
        : statusWords(check);
  const isBad = loud.some(({ severity }) => severity === "error");
  const kind = check.status === "findings" ? (isBad ? "bad" : "odd") : check.status === "ok" ? "good" : "odd";
  return html`${headlineHtml(check.status === "findings" && !isBad ? "!" : marks[check.status], kind, capital(words))}
  ${loud.map((finding) => findingHtml(finding, check, asked, true))} ${programsHtml(check)}
  ${folded(
    `${notes.length} note${notes.length === 1 ? "" : "s"}`,
    notes.map((finding) => findingHtml(finding, check, asked, false)),
  )}
  ${folded(
    `${check.unknown.length} unknown`,
    check.unknown.length === 0
      ? []
      : [
          html`<ul>
            ${check.unknown.map(({ subject, reason }) => html`<li>${prose(subject)}: ${prose(reason)}</li>`)}
          </ul>`,
        ],
  )}`;
}

export const headlineHtml = (mark: string, kind: "good" | "bad" | "odd", words: string): Html =>
  html`<div class="verdict"><span class="${kind}">${mark}</span> <strong>${prose(words)}</strong></div>`;

const capital = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

function findingHtml(finding: Finding, check: Check, asked: Asked | undefined, isOpen: boolean): Html {
  const { message, severity, because, evidence, breaks, endangers, advice, rule, sources } = finding;
  const head = headline(finding);
  const [mark, kind] = { error: ["✗", "bad"], warning: ["!", "odd"], info: ["i", "faint"] }[severity];
  const commands = [["help", rule], ...(severity === "info" || finding.place ? [] : [["fix", rule]])];
  const summary = html`<summary><span class="${kind}">${mark}</span> <strong>${prose(head)}</strong></summary>`;
  const table = html`<table>
    ${rowHtml("fix", advice.map(adviceHtml))} ${rowHtml("at", finding.place ? [prose(placeWords(finding.place))] : [])}
    ${rowHtml("because", [...(says(head, message) ? [] : [message]), ...because].map(prose))}
    ${rowHtml("breaks", breaks.length === 0 ? [] : [prose(affectedWords(breaks, check))])}
    ${rowHtml(isSlow(finding) ? "slows" : "may break", endangers.length === 0 ? [] : [prose(affectedWords(endangers, check))])}
    ${rowHtml("error", endOf(finding).map(prose))} ${rowHtml("evidence", evidence.map(prose))} ${rowHtml("source", sources.map(prose))}
    ${rowHtml(
      "more",
      commands.map((each) => html`<code>${culpritLine(each, asked)}</code>`),
    )}
  </table>`;
  return isOpen
    ? html`<details open class="is-${kind}">${summary} ${table}</details>`
    : html`<details class="is-${kind}">${summary} ${table}</details>`;
}

function adviceHtml({ words, command }: Advice): Html {
  return command ? html`${prose(words)}${commandHtml(commandLine(command))}` : prose(words);
}

/** A command stands alone, so that it can be marked and copied whole. */
export const commandHtml = (command: string): Html => html`<pre class="command">${command}</pre>`;

/** What there are many of is shown in part, and the rest opens. */
export function rowHtml(label: string, items: Content[]): Html {
  if (items.length === 0) return html``;
  const lines = items.map((item) => html`<div>${item}</div>`);
  const few = lines.slice(0, lines.length <= most + 1 ? lines.length : most);
  const rest = lines.slice(few.length);
  return html`<tr>
    <th>${label}</th>
    <td>${few}${rest.length === 0 ? "" : folded(`and ${rest.length} more`, rest)}</td>
  </tr>`;
}

const most = 3;

export const folded = (title: string, content: Html[]): Html =>
  content.length === 0
    ? html``
    : html`<details class="aside">
        <summary>${title}</summary>
        ${content}
      </details>`;

function programsHtml(check: Check): Html {
  const rows = frameworkRows(check);
  const kinds = { "✓": "good", "✗": "bad", "!": "odd", "?": "odd", "–": "faint" } as const;
  return rows.length === 0
    ? html``
    : html`<table class="programs">
        ${rows.map(
          ({ mark, name, words }) =>
            html`<tr>
              <td><span class="${kinds[mark]}">${mark}</span></td>
              <th>${name}</th>
              <td>${words}</td>
            </tr>`,
        )}
      </table>`;
}
