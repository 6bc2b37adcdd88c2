// Two targets side by side, for a page: what explains a finding first, then the rest.
import type { Change, Difference } from "../model/diff.ts";
import type { Pieces } from "./explain-html.ts";
import { headline } from "./headline.ts";
import { html, prose, type Html } from "./html.ts";
import { count } from "./style.ts";

interface Names {
  a: string;
  b: string;
}

export function differencePieces({ findings, changes }: Difference, names: Names): Pieces {
  const wrong = findings.onlyInA.length + findings.onlyInB.length;
  const guilty = changes.filter(({ explains }) => 0 < explains.length);
  const rest = changes.filter(({ explains }) => explains.length === 0);
  const [mark, look, words] =
    wrong === 0
      ? changes.length === 0
        ? ["✓", "good", "No difference that matters to a GPU stack"]
        : ["•", "info", `${count(changes.length, "difference")}; none of them makes or removes a finding`]
      : [
          "✗",
          "error",
          `${count(wrong, "finding")} in one of them only; ${count(guilty.length, "difference")} of ${changes.length} explain${guilty.length === 1 ? "s" : ""} it`,
        ];
  const head = html`<p class="verdict"><span class="${look!}">${mark} ${words}</span></p>
    <p class="faint">${names.a} beside ${names.b}</p>`;
  const only = (where: string, list: Difference["findings"]["onlyInA"]) =>
    list.map(
      (finding) =>
        html`<article class="${finding.severity}">
          <h3><span class="badge ${finding.severity}">only in ${where}</span> ${prose(headline(finding))}</h3>
        </article>`,
    );
  const answer = html`<section aria-labelledby="matters">
      <h2 id="matters">The difference that matters</h2>
      ${only(names.a, findings.onlyInA)} ${only(names.b, findings.onlyInB)} ${0 < guilty.length && tableOf(guilty, names)}
      ${guilty.length === 0 && html`<p>${wrong === 0 ? "None of them makes or removes a finding." : "No single difference explains it: it takes several together, or one that cannot be tried out."}</p>`}
    </section>
    ${
      0 < rest.length &&
      html`<section aria-labelledby="else">
        <h2 id="else">What else differs</h2>
        <details ${guilty.length === 0 && html` open`}>
          <summary>${count(rest.length, "difference")}</summary>
          ${tableOf(rest, names)}
        </details>
      </section>`
    }`;
  return { verdict: head.markup, answer: answer.markup };
}

const tableOf = (changes: Change[], names: Names): Html =>
  html`<div class="wide" role="region" tabindex="0" aria-label="Differences">
    <table>
      <thead>
        <tr>
          <th scope="col">what</th>
          <th scope="col">${names.a}</th>
          <th scope="col">${names.b}</th>
          <th scope="col">explains</th>
        </tr>
      </thead>
      <tbody>
        ${changes.map(row(names))}
      </tbody>
    </table>
  </div>`;

const row =
  (names: Names) =>
  ({ kind, subject, a, b, setAt = {}, explains }: Change): Html => {
    const cell = (label: string, value: string | undefined, at: string | undefined) =>
      html`<td data-label="${label}">
        ${value === undefined ? html`<span class="faint">not there</span>` : html`<code>${value}</code>`}${at !== undefined && html` <span class="faint">${at}</span>`}
      </td>`;
    const explained = explains.map((each) => `${each.finding.split(" ")[0]} in ${each.in === "a" ? names.a : names.b}`);
    return html`<tr>
      <td data-label="what">${kind} <code>${subject}</code></td>
      ${cell(names.a, a, setAt.a)} ${cell(names.b, b, setAt.b)}
      <td data-label="explains">${explained.join(", ")}</td>
    </tr>`;
  };
