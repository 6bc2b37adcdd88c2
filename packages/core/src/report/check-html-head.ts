// What a page begins with: the verdict, each program in a word, and what it was judged upon.
import type { Check } from "../model/check.ts";
import { listed, whereWords } from "./affected.ts";
import { severityCounts } from "./check.ts";
import { frameworkRows, type ProgramRow } from "./frameworks.ts";
import { html, type Content, type Html } from "./html.ts";
import type { Judged } from "./judged.ts";
import { marks, statusWords } from "./status.ts";

export function headOf({ check, stack: { inventory } }: Judged): Html {
  return html`${verdict(check)} ${programs(check)} ${ground(check, inventory)}`;
}

export function resultWords(check: Check): string {
  const counts = severityCounts(check.findings.filter(({ severity }) => severity !== "info"));
  return check.status === "findings" ? listed(counts) : statusWords(check);
}

function verdict(check: Check): Html {
  const worst = check.findings.find(({ severity }) => severity !== "info")?.severity;
  const words = resultWords(check);
  return html`<p class="verdict">
    ${
      worst === undefined
        ? html`<span class="${check.status === "ok" ? "good" : "warning"}"
            >${marks[check.status]} ${words.charAt(0).toUpperCase()}${words.slice(1)}</span
          >`
        : html`<span class="${worst}">${worst === "error" ? "✗" : "!"} ${words}</span>`
    }
  </p>`;
}

const looks: { [mark in ProgramRow["mark"]]: string } = { "✗": "error", "!": "warning", "?": "warning", "✓": "good", "–": "info" };

/** So many can be taken in at once; the others are counted, and stand in the table of what works. */
const most = 12;

function programs(check: Check): Html {
  const rows = frameworkRows(check, "below");
  if (rows.length === 0) return html`<p class="faint">no framework was found to examine${whereWords(check)}</p>`;
  const left = rows.length - most;
  return html`<ul class="glance" aria-label="What was examined">
    ${rows.slice(0, most).map(programChip)} ${0 < left && html`<li class="faint">and ${left} more</li>`}
  </ul>`;
}

/** Who is harmed says by what; all of it is in the table of what works. */
function programChip({ mark, name, words }: ProgramRow): Html {
  const isHarmed = mark === "✗" || mark === "!";
  return html`<li>
    <span class="badge ${looks[mark]}" title="${words}">${mark} ${name}</span
    >${isHarmed && html` <span class="faint">${words.split("; ")[0]}</span>`}
  </li>`;
}

/** Driver, GPUs, toolkits, the day of the knowledge, and how much is unknown. */
function ground(check: Check, { driver, gpus, toolkits }: Judged["stack"]["inventory"]): Html {
  const { driver: askedDriver, gpus: askedGpus = [] } = check.assumed ?? {};
  const kernel = driver.kernel ?? askedDriver;
  const isMachine = check.target.kind !== "declaration";
  const versions = [...new Set(toolkits.flatMap(({ version }) => version ?? []))];
  const parts: Content[] = [
    kernel === undefined ? isMachine && "no driver seen" : `driver ${kernel}`,
    ...counted(0 < gpus.length ? gpus.map(({ name }) => name) : askedGpus),
    0 < versions.length && `CUDA toolkit ${listed(versions)}`,
    check.knowledge !== undefined && `knowledge of ${check.knowledge}`,
    0 < check.unknown.length && html`<a href="#unknown">${check.unknown.length} unknown</a>`,
  ].filter((part) => part !== false);
  return html`<p class="faint ground">${parts.map((part, index) => html`${0 < index && " · "}${part}`)}</p>`;
}

/** `8 × NVIDIA H200`. */
const counted = (names: string[]): string[] =>
  [...new Set(names)].map((name) => {
    const times = names.filter((each) => each === name).length;
    return times === 1 ? name : `${times} × ${name}`;
  });
