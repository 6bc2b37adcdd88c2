// Two targets side by side, for a page: what explains a finding first, then the rest.
import type { Change, Difference } from "../model/diff.ts";
import type { Finding } from "../model/finding.ts";
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
  const makes = (side: "a" | "b", { rule, subject }: Finding) =>
    guilty.filter(({ explains }) => explains.some((each) => each.in === side && each.finding === `${rule} ${subject}`));
  const only = (side: "a" | "b", list: Finding[]) => list.map((finding) => card(finding, names[side], makes(side, finding), names));
  const told = new Set([
    ...findings.onlyInA.flatMap((finding) => makes("a", finding)),
    ...findings.onlyInB.flatMap((finding) => makes("b", finding)),
  ]);
  const untold = guilty.filter((change) => !told.has(change));
  const answer = html`<section aria-labelledby="matters">
      <h2 id="matters">The difference that matters</h2>
      ${only("a", findings.onlyInA)} ${only("b", findings.onlyInB)} ${0 < untold.length && tableOf(untold, names)}
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

/** What is wrong in one of them, and what is otherwise there and makes it so. */
function card(finding: Finding, where: string, changes: Change[], names: Names): Html {
  const { severity } = finding;
  const tried =
    changes.length === 1
      ? `What makes the difference; with it as in the other, this ${severity} is gone (tried on a copy of the facts):`
      : `What makes the difference; with it as in the other, this ${severity} is gone (tried on a copy of the facts, some only together):`;
  return html`<article class="${severity}">
    <h3><span class="badge ${severity}">only in ${where}</span> ${prose(headline(finding))}</h3>
    ${0 < changes.length && html`<p>${tried}</p>`}
    ${changes.map(
      ({ kind, subject, a, b, setAt = {} }) =>
        html`<p>
            <strong>${kind} <code>${subject}</code></strong>
          </p>
          <dl>
            <dt>${names.a}</dt>
            <dd>${valueHtml(a, setAt.a)}</dd>
            <dt>${names.b}</dt>
            <dd>${valueHtml(b, setAt.b)}</dd>
          </dl>`,
    )}
  </article>`;
}

const valueHtml = (value: string | undefined, at: string | undefined): Html =>
  html`${value === undefined ? html`<span class="faint">not there</span>` : html`<code>${value}</code>`}${at !== undefined && html` <span class="faint">${at}</span>`}`;

const tableOf = (changes: Change[], names: Names): Html =>
  html`<div class="wide" role="region" tabindex="0" aria-label="Differences">
    <table>
      <thead>
        <tr>
          <th scope="col">what</th>
          <th scope="col">${names.a}</th>
          <th scope="col">${names.b}</th>
        </tr>
      </thead>
      <tbody>
        ${changes.map(row(names))}
      </tbody>
    </table>
  </div>`;

const row =
  (names: Names) =>
  ({ kind, subject, a, b, setAt = {} }: Change): Html =>
    html`<tr>
      <td data-label="what">${kind} <code>${subject}</code></td>
      <td data-label="${names.a}">${valueHtml(a, setAt.a)}</td>
      <td data-label="${names.b}">${valueHtml(b, setAt.b)}</td>
    </tr>`;
