import type { TraceDrawing, TraceFile, TraceReport, TraceScopes } from "../model/trace.ts";
import { shown } from "../lib/shown.ts";
import { jsonText, mapTexts } from "../lib/visible.ts";
import { colours } from "./check-html.ts";
import { styleSheet } from "./check-html-style.ts";
import { escaped } from "./html.ts";
import { pagePolicy } from "./page-policy.ts";
import { script, scriptHash, styles } from "./trace-page.generated.ts";
import { count } from "./style.ts";
import { size, time } from "../lib/units.ts";
import { breakdownParts, meaning, tellingRows } from "./trace.ts";

/** The numbers of a drawing as one block of 32-bit words: for each row all starts, all durations, all names, all details; then the arrows, and the counters. */
export function packDrawing({ tracks, span, arrows, counters }: TraceDrawing): Uint8Array {
  const events = tracks.reduce((sum, { rows }) => sum + rows.reduce((inner, { starts }) => inner + starts.length, 0), 0);
  const points = counters.reduce((sum, { times }) => sum + times.length, 0);
  const words = new Uint32Array(events * 4 + arrows.length + points * 2);
  const unit = 0 < span ? 0xffff_ffff / span : 0;
  let at = 0;
  for (const { rows } of tracks)
    for (const { starts, durations, names, details } of rows) {
      const { length } = starts;
      for (let index = 0; index < length; index += 1) {
        words[at + index] = starts[index]! * unit;
        words[at + length + index] = durations[index]! * unit;
        words[at + 2 * length + index] = names[index]!;
        words[at + 3 * length + index] = details[index]!;
      }
      at += 4 * length;
    }
  words.set(arrows, at);
  at += arrows.length;
  for (const { times, values } of counters) {
    const most = highest(values);
    for (let index = 0; index < times.length; index += 1) {
      words[at + index] = times[index]! * unit;
      words[at + times.length + index] = (values[index]! * 0xffff_ffff) / most;
    }
    at += 2 * times.length;
  }
  return new Uint8Array(words.buffer);
}

const highest = (values: Float64Array): number => values.reduce((most, value) => Math.max(most, value), 0) || 1;

/** What the script of a page is given besides the block: what the numbers mean. */
export const drawingData = ({ files }: TraceReport, drawing: TraceDrawing | undefined) => ({
  names: drawing?.names ?? [],
  details: drawing?.details ?? [],
  span: drawing?.span ?? 0,
  tracks: (drawing?.tracks ?? []).map(({ label, kind, rows }) => ({ label, kind, rows: rows.map(({ starts }) => starts.length) })),
  arrows: drawing?.arrows.length ?? 0,
  counters: (drawing?.counters ?? []).map(({ label, times, values }) => ({ label, length: times.length, most: highest(values) })),
  kernels: kernelsOf(files),
});

/** One page that needs nothing else: the verdicts, where the time went, a timeline to move in, and the kernels as areas. `packed`: the block, gzip and base64. */
export function tracePage(report: TraceReport, drawing: TraceDrawing | undefined, packed: string): string {
  const { files } = report;
  const [first] = files;
  const title = files.length === 1 ? nameOf(first!.file) : `${files.length} profiles`;
  const drawn = drawing !== undefined && 0 < drawing.events;
  return [
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">`,
    `<meta http-equiv="Content-Security-Policy" content="${pagePolicy({ scriptHash })}"><meta name="color-scheme" content="light dark">`,
    `<title>${html(title)} · culprit trace</title><style>${styleSheet}${styles}</style></head><body class="trace">`,
    `<a class="skip" href="#main">To the verdict</a>`,
    `<header><h1>culprit trace of ${html(title)}</h1><div id="verdict">${verdictHtml(files)}</div></header><main id="main">`,
    traceSections(report, drawing),
    `</main><footer>${colours.markup}<p>Made by culprit. Nothing leaves this page: no address is ever asked.</p></footer>`,
    `<script type="application/json" id="data">${json(drawingData(report, drawing))}</script>`,
    ...(drawn ? [`<script type="application/octet-stream" id="events">${packed}</script>`] : []),
    `<script>${script}</script></body></html>\n`,
  ].join("\n");
}

/** What a page that shows more than profiles puts into its places. */
export const tracePieces = (report: TraceReport, drawing: TraceDrawing | undefined): { verdict: string; answer: string } => ({
  verdict: verdictHtml(report.files),
  answer: traceSections(report, drawing),
});

function traceSections({ files }: TraceReport, drawing: TraceDrawing | undefined): string {
  const kernels = kernelsOf(files);
  const left = drawing && 0 < drawing.left ? ` Events shorter than ${time(drawing.left)} were left out.` : "";
  return [
    ...(1 < files.length ? [table(files)] : []),
    ...files.map((file) => fileSection(file, files.length === 1)),
    ...(drawing && 0 < drawing.events
      ? [
          `<section aria-labelledby="timeline-title"><h2 id="timeline-title">Timeline</h2><p class="faint">${drawing.events.toLocaleString("en-US")} events that have a duration are drawn.${left} How high a column is filled is how much of its time was busy. Scroll to zoom, drag to pan, drag with Shift for the sums of a range, click an event for details${0 < kernels.length ? "; the table of kernels below has the sums" : ""}.</p>`,
          timelineControls,
          `<canvas id="minimap" role="img" aria-label="The whole recording; the part in view is framed"></canvas><canvas id="timeline" tabindex="0" role="application" aria-labelledby="timeline-title" aria-describedby="told"></canvas><p id="told" aria-live="polite"></p><div id="sums" aria-live="polite"></div></section>`,
        ]
      : []),
    ...(0 < kernels.length
      ? [
          `<section aria-labelledby="kernels-title"><h2 id="kernels-title">Kernels</h2><div id="treemap" role="group" aria-label="Kernels by share of time"></div>`,
          kernelTable(kernels),
          "</section>",
        ]
      : []),
  ].join("\n");
}

const timelineControls = `<p class="field"><label for="find-event">find</label><input id="find-event" type="search" placeholder="part of a name; Enter: the next one"><button type="button" id="find-previous" aria-label="The one before">↑</button><button type="button" id="find-next" aria-label="The next one">↓</button><span id="found" class="faint" aria-live="polite"></span></p>`;

const looks: { [verdict: string]: string } = { healthy: "good", partial: "warning", "cpu-only": "warning" };

function verdictHtml(files: TraceFile[]): string {
  const verdicts = new Set(files.map(({ verdict }) => verdict));
  const look = verdicts.size === 1 ? (looks[files[0]!.verdict] ?? "error") : "warning";
  const mark = { good: "✓", warning: "!", error: "✗" }[look]!;
  const told = files.length === 1 ? files[0]!.file : `${files.length} files`;
  return `<p class="verdict"><span class="${look}">${mark} ${html(headline(files))}</span></p><p class="faint">${html(told)}</p>`;
}

/** What came of it, first of all. */
function headline(files: TraceFile[]): string {
  const [first, ...others] = files;
  if (others.length === 0) return capital(meaning[first!.verdict]);
  const verdicts = [...new Set(files.map(({ verdict }) => verdict))];
  const told = verdicts.map((verdict) => `${files.filter((file) => file.verdict === verdict).length} × ${meaning[verdict]}`);
  return verdicts.length === 1
    ? `${count(files.length, "profile")}: ${meaning[first!.verdict]}`
    : `${count(files.length, "profile")}: ${told.join("; ")}`;
}

const capital = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
const nameOf = (file: string) => file.slice(file.lastIndexOf("/") + 1);
const html = escaped;
// Messages put names and commands into backticks.
const words = (text: string) => html(text).replace(/`([^`]+)`/g, "<code>$1</code>");
// Within a script, only the opening of a tag could end it.
const json = (value: unknown) => jsonText(mapTexts(value, shown)).replaceAll("<", "\\u003c");
const percent = (part: number, all: number) => (0 < all ? `${((100 * part) / all).toFixed(1)} %` : "");

function table(files: TraceFile[]): string {
  const rows = files.map(
    ({ file, verdict, rank, kernels, launches, unmatchedLaunches, work }) =>
      `<tr><td class="${verdict}">${verdict}</td><td>${html(file)}</td><td class="number">${rank ?? ""}</td><td class="number">${kernels.toLocaleString("en-US")}</td><td class="number">${launches.toLocaleString("en-US")}</td><td class="number">${unmatchedLaunches.toLocaleString("en-US")}</td><td class="number">${percent(work.kernels, work.span)}</td></tr>`,
  );
  return `<div class="scroll"><table><thead><tr><th>verdict</th><th>file</th><th class="number">rank</th><th class="number">kernels</th><th class="number">launches</th><th class="number">without kernel</th><th class="number">busy</th></tr></thead><tbody>${rows.join("")}</tbody></table></div>`;
}

function fileSection(file: TraceFile, alone: boolean): string {
  const { verdict, because, causes, work, gaps, steps, versions, devices } = file;
  const about = [
    file.framework,
    versions.cupti && `CUPTI ${versions.cupti.api}${versions.cupti.toolkit === undefined ? "" : ` (CUDA ${versions.cupti.toolkit})`}`,
    versions.runtime && `runtime ${versions.runtime}`,
    versions.driver && `driver for CUDA ${versions.driver}`,
    versions.hip && `HIP ${versions.hip}`,
    ...new Set(devices.map(({ name, kind }) => name ?? kind)),
    file.rank === undefined ? undefined : `rank ${file.rank}`,
    `${file.events.toLocaleString("en-US")} events, ${size(file.bytes)}`,
  ].filter((part) => part !== undefined && part !== "");
  const bars: [string, number, string][] = [["kernels", work.kernels, ""]];
  if (0 < work.communication)
    bars.push(["of them communication", work.communication, `${time(work.exposedCommunication)} while no kernel computed`]);
  if (0 < work.copies) bars.push(["copies", work.copies, ""]);
  bars.push(["idle", work.idle, 0 < work.idleBetweenLaunches ? `${time(work.idleBetweenLaunches)} in gaps of at most 20 µs` : ""]);
  // No level of headings is left out.
  const heading = (text: string) => (alone ? `<h2>${text}</h2>` : `<h3>${text}</h3>`);
  return [
    `<section class="file">${alone ? "" : `<h2>${html(nameOf(file.file))}: ${html(meaning[verdict])}</h2>`}<p><strong class="${verdict}">${verdict}</strong> <span class="faint">${html(about.join(" · "))}</span></p>`,
    `<ul>${because.map((reason) => `<li>${words(reason)}</li>`).join("")}</ul>`,
    ...(0 < causes.length
      ? [
          `${heading(causes.length === 1 ? "The cause" : "What it may be, most likely first")}<ul>${causes.map(({ message, certainty, check }, index) => `<li>${words(message)} <span class="faint">(${certainty})</span>${causes[index + 1]?.check === check ? "" : `<br><span class="faint">to be sure:</span> ${words(check)}`}</li>`).join("")}</ul>`,
        ]
      : []),
    // What to change comes before the numbers that it rests on.
    ...(0 < file.conclusions.length
      ? [
          `${heading("What to change first")}<ol>${file.conclusions.map(({ message, advice }) => `<li>${words(message)}${advice === undefined ? "" : ` <strong>${words(advice)}</strong>`}</li>`).join("")}</ol>`,
        ]
      : []),
    ...(0 < work.span
      ? [
          `${heading("Where the time of the GPU went")}<table><tbody>${bars.map(([name, part, note]) => `<tr><td>${name}</td><td class="number">${time(part)}</td><td class="number">${percent(part, work.span)}</td><td style="width:40%"><span class="bar" style="width:${((100 * part) / work.span).toFixed(2)}%"></span></td><td class="faint">${html(note)}</td></tr>`).join("")}</tbody></table>`,
        ]
      : []),
    ...(file.breakdown
      ? [
          `<p>${1 < steps.count ? "A step is" : "All of it is"} ${breakdownParts(file.breakdown)
            .map(([name, part]) => `${name} ${percent(part, file.breakdown!.span)}`)
            .join(", ")}.</p>`,
        ]
      : []),
    ...scopeTable("Modules", file.modules, heading),
    ...scopeTable("Ranges", file.ranges, heading),
    ...(0 < gaps.length
      ? [
          `${heading("Longest gaps on the GPU, and what the host did")}<ul>${gaps.map(({ duration, start, device, meanwhile }) => `<li data-start="${start}" data-duration="${duration}">${time(duration)} at ${time(start)} on GPU ${device}: ${meanwhile.length === 0 ? '<span class="faint">nothing that was recorded</span>' : meanwhile.map((name) => html(name)).join(" → ")}</li>`).join("")}</ul>`,
        ]
      : []),
    ...(0 < steps.count ? [`<p>${count(steps.count, "step")}, median ${time(steps.median)}</p>`] : []),
    "</section>",
  ].join("\n");
}

/** Which parts of the program the kernels were launched in. */
function scopeTable(what: string, scopes: TraceScopes | undefined, heading: (text: string) => string): string[] {
  if (!scopes || scopes.share < 0.05) return [];
  const rows = tellingRows(scopes.rows).map(
    ({ name, depth, instances, total, own, backward, share }) =>
      `<tr><td class="number">${(100 * share).toFixed(1)} %</td><td class="number">${time(total)}</td><td class="number">${time(own)}</td><td class="number">${0 < backward ? percent(backward, total) : ""}</td><td style="padding-left:${depth + 0.5}em">${1 < instances ? `${instances.toLocaleString("en-US")} × ` : ""}${html(name)}</td></tr>`,
  );
  return [
    `${heading(`${what} by the time of their kernels`)}<p>${words(scopes.message)}</p><div class="scroll"><table><thead><tr><th class="number">share</th><th class="number">total</th><th class="number">its own</th><th class="number">backward</th><th>${what.toLowerCase()}</th></tr></thead><tbody>${rows.join("")}</tbody></table></div>`,
  ];
}

interface PageKernel {
  short: string;
  name: string;
  count: number;
  total: number;
  share: number;
  kind: string;
}

// Kernels that differ only in what a short name leaves out are one.
function kernelsOf(files: TraceFile[]): PageKernel[] {
  const found = new Map<string, PageKernel>();
  // Over all kernels, not over the longest ones that are listed: each share is of its own file's.
  const all = files.reduce((sum, { top }) => sum + allOf(top), 0);
  for (const { top } of files)
    for (const { short, name, count, total, kind } of top) {
      const same = found.get(short);
      if (same) {
        same.count += count;
        same.total += total;
      } else found.set(short, { short, name, count, total, share: 0, kind });
    }
  const kernels = [...found.values()].sort((a, b) => b.total - a.total);
  for (const kernel of kernels) kernel.share = 0 < all ? kernel.total / all : 0;
  return kernels;
}

/** The time of all kernels of a file: what a kernel and its share say together. */
const allOf = ([first]: TraceFile["top"]) => (first && 0 < first.share ? first.total / first.share : 0);

function kernelTable(kernels: PageKernel[]): string {
  const number = (label: string, value: number, text: string) =>
    `<td class="number" data-label="${label}" data-value="${value}">${text}</td>`;
  const rows = kernels.map(
    ({ short, name, count, total, share, kind }) =>
      `<tr data-short="${html(short)}">${number("share", share, `${(100 * share).toFixed(1)} %`)}${number("total", total, time(total))}${number("times", count, count.toLocaleString("en-US"))}${number("mean", total / count, time(total / count))}<td data-label="kernel"><button type="button" title="${html(name)}">${html(short)}</button>${kind === "communication" ? ' <span class="faint">communication</span>' : ""}</td></tr>`,
  );
  const head = (name: string, isNumber = true, sorted = "") =>
    `<th${isNumber ? ' class="number"' : ""}${sorted} scope="col"><button type="button">${name}</button></th>`;
  return `<p class="field"><label for="filter">find a kernel</label><input id="filter" type="search"></p><div class="scroll"><table id="kernels"><thead><tr>${head("share", true, ' aria-sort="descending"')}${head("total")}${head("times")}${head("mean")}${head("kernel", false)}</tr></thead><tbody>${rows.join("")}</tbody></table></div>`;
}
