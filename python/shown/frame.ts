import { html, prose, type Html } from "@culprit/core/report/html";
import { version } from "@culprit/core/version";

// Contrast is that of the page of `check --html` (WCAG AA); every colour has a sign beside it. Ground and text are both ours, so that it can be
// read whatever the page around it believes its colours to be.
const light = `--ground:#fff;--panel:#f6f7f9;--line:#c9ced6;--text:#1a1e24;--faint:#55606e;--link:#0b57c2;--bad:#b3161e;--odd:#7a4b00;--good:#14662c;color-scheme:light`;
const dark = `--ground:#14171c;--panel:#1c2027;--line:#434b57;--text:#e8ebf0;--faint:#a3adba;--link:#86b7ff;--bad:#ff9a96;--odd:#f2c063;--good:#86d79a;color-scheme:dark`;

// What the system prefers, unless the page says what it is: JupyterLab and Notebook 7, VS Code, Colab.
const style = `
.culprit-gpu{${light}}
@media (prefers-color-scheme:dark){.culprit-gpu{${dark}}}
[data-jp-theme-light=true] .culprit-gpu,body.vscode-light .culprit-gpu,html[theme=light] .culprit-gpu{${light}}
[data-jp-theme-light=false] .culprit-gpu,body.vscode-dark .culprit-gpu,body.vscode-high-contrast:not(.vscode-high-contrast-light) .culprit-gpu,html[theme=dark] .culprit-gpu{${dark}}
.culprit-gpu{background:var(--ground);color:var(--text);border:1px solid var(--line);border-radius:6px;padding:.6rem .8rem;margin:.3rem 0;font:14px/1.5 system-ui,sans-serif;max-width:70rem;text-align:left}
.culprit-gpu .verdict{font-size:1.1em;margin:0 0 .4rem}
.culprit-gpu .good{color:var(--good)}.culprit-gpu .bad{color:var(--bad)}.culprit-gpu .odd{color:var(--odd)}.culprit-gpu .faint{color:var(--faint)}.culprit-gpu .strong{font-weight:650}
.culprit-gpu details{color:var(--text);background:var(--panel);border:1px solid var(--line);border-left-width:5px;border-radius:4px;padding:.35rem .6rem;margin:.4rem 0}
.culprit-gpu details.bad{border-left-color:var(--bad)}.culprit-gpu details.odd{border-left-color:var(--odd)}
.culprit-gpu details.aside{background:none;border:0;padding:0;margin:.3rem 0}.culprit-gpu details.aside>summary{color:var(--faint)}
.culprit-gpu summary{cursor:pointer;overflow-wrap:anywhere}
.culprit-gpu table{border-collapse:collapse;margin:.3rem 0 0;font-size:inherit;background:none;color:inherit;border:0}
.culprit-gpu tr,.culprit-gpu tr:hover,.culprit-gpu tr:nth-child(odd){background:none}
.culprit-gpu th,.culprit-gpu td{border:0;padding:.1rem .9rem .1rem 0;text-align:left;vertical-align:top;overflow-wrap:anywhere;white-space:normal;background:none;color:inherit;max-width:none}
.culprit-gpu th{font-weight:400;color:var(--faint);white-space:nowrap}
.culprit-gpu .programs td:first-child{padding-right:.5rem}.culprit-gpu .programs th{color:var(--text);font-weight:600}
.culprit-gpu code,.culprit-gpu pre{font:.9em/1.45 ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace;background:none;color:inherit;padding:0;border:0;overflow-wrap:anywhere;white-space:pre-wrap}
.culprit-gpu pre{margin:0}.culprit-gpu pre.command{background:var(--ground);border:1px solid var(--line);border-radius:4px;padding:.25rem .5rem;margin:.2rem 0;user-select:all}
.culprit-gpu ul{margin:.2rem 0;padding-left:1.4rem}.culprit-gpu a{color:var(--link)}.culprit-gpu .foot{color:var(--faint);font-size:.85em;margin-top:.5rem}
`;

/** A piece of a page that brings its own style and no script. Where a page strips styles (a notebook that is not trusted), it is plain and whole. */
export function framed(content: Html, { beside, knowledge }: { beside: string[]; knowledge: string | undefined }): string {
  const day = knowledge === undefined ? "" : `, knowledge of ${knowledge}`;
  return html`<div class="culprit-gpu">
    <style>
      ${{ markup: style.trim().replaceAll("\n", "") }}</style
    >${content}${beside.map((each) => html`<div>${prose(each)}</div>`)}
    <div class="foot">culprit ${version}${day}</div>
  </div>`.markup;
}
