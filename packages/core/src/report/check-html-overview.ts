import { activities } from "../model/activity.ts";
import type { Check } from "../model/check.ts";
import { fatesOf, type Fate, type ProgramFates } from "./frameworks.ts";
import { html, pathHtml, type Html } from "./html.ts";

const marks: { [fate in Fate]: { mark: string; look: string } } = {
  works: { mark: "✓", look: "good" },
  fails: { mark: "✗", look: "error" },
  "at risk": { mark: "!", look: "warning" },
  "slow at first": { mark: "!", look: "warning" },
  unknown: { mark: "?", look: "warning" },
  "without CUDA": { mark: "–", look: "info" },
};

/** What works and what does not, to be taken in at a glance: a row for each program, a column for each activity. */
export function overviewSection(check: Check): Html {
  const rows = fatesOf(check);
  const columns = activities.filter((activity) => rows.some(({ fates }) => activity in fates));
  const places = [...new Set(rows.map(({ environment }) => environment))];
  return html`<section aria-labelledby="overview">
    <h2 id="overview">What works</h2>
    ${rows.length === 0 && html`<p>There was no program to examine.</p>`}
    ${places.map((place) =>
      environmentTable(
        place,
        rows.filter(({ environment }) => environment === place),
        columns,
      ),
    )}
  </section>`;
}

function environmentTable(place: string | undefined, rows: ProgramFates[], columns: string[]): Html {
  return html`<div class="wide" role="region" tabindex="0" aria-label="${`What works in ${place ?? "programs"}`}">
    <table class="overview">
      <caption>
        ${place === undefined ? "Programs" : html`In ${pathHtml(place)}`}
      </caption>
      <thead>
        <tr>
          <th scope="col">program</th>
          ${columns.map((activity) => html`<th scope="col">${activity}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map((row) => programRow(row, columns))}
      </tbody>
    </table>
  </div>`;
}

function programRow({ name, fates }: ProgramFates, columns: string[]): Html {
  // A build without CUDA does all that it does without a GPU: said once.
  if (Object.values(fates).every((fate) => fate === "without CUDA"))
    return html`<tr>
      <th scope="row">${name}</th>
      <td colspan="${columns.length}"><span class="badge info">– without CUDA</span></td>
    </tr>`;
  return html`<tr>
    <th scope="row">${name}</th>
    ${columns.map((activity) => {
      const fate = fates[activity];
      if (fate === undefined)
        return html`<td data-label="${activity}" class="none"><span class="faint" title="there is no such activity of it">–</span></td>`;
      const { mark, look } = marks[fate];
      return html`<td data-label="${activity}"><span class="badge ${look}">${mark} ${fate}</span></td>`;
    })}
  </tr>`;
}
