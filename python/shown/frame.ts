import { html, prose, type Html } from "@culprit/core/report/html";
import { version } from "@culprit/core/version";

// Contrast is that of the page of `check --html` (WCAG AA); every colour has a sign beside it. Ground and text are both ours, so that it can be
// read whatever the page around it believes its colours to be.
const light = `--ground:#fff;--panel:#f6f7f9;--line:#c9ced6;--text:#1a1e24;--faint:#55606e;--link:#0b57c2;--bad:#b3161e;--odd:#7a4b00;--good:#14662c;color-scheme:light`;
const dark = `--ground:#14171c;--panel:#1c2027;--line:#434b57;--text:#e8ebf0;--faint:#a3adba;--link:#86b7ff;--bad:#ff9a96;--odd:#f2c063;--good:#86d79a;color-scheme:dark`;

// What the system prefers, unless the page says what it is: JupyterLab and Notebook 7, VS Code, Colab.
// Three times the same class: the rules of a page for all tables and code in its outputs (JupyterLab) weigh less.
const it = ".culprit-gpu".repeat(3);
const style = `
${it}{${light}}
@media (prefers-color-scheme:dark){${it}{${dark}}}
[data-jp-theme-light=true] ${it},body.vscode-light ${it},body.vscode-high-contrast-light ${it},html[theme=light] ${it}{${light}}
[data-jp-theme-light=false] ${it},body.vscode-dark ${it},body.vscode-high-contrast:not(.vscode-high-contrast-light) ${it},html[theme=dark] ${it}{${dark}}
${it}{background:var(--ground);color:var(--text);border:1px solid var(--line);border-radius:6px;padding:.6rem .8rem;margin:.3rem 0;font:14px/1.5 system-ui,sans-serif;max-width:70rem;text-align:left}
${it} .verdict{font-size:1.1em;margin:0 0 .4rem}
${it} .good{color:var(--good)}${it} .bad{color:var(--bad)}${it} .odd{color:var(--odd)}${it} .faint{color:var(--faint)}${it} .strong{font-weight:650}
${it} details{color:var(--text);background:var(--panel);border:1px solid var(--line);border-left-width:5px;border-radius:4px;padding:.35rem .6rem;margin:.4rem 0}
${it} details.is-bad{border-left-color:var(--bad)}${it} details.is-odd{border-left-color:var(--odd)}
${it} details.aside{background:none;border:0;padding:0;margin:.3rem 0}${it} details.aside>summary{color:var(--faint)}
${it} summary{cursor:pointer;overflow-wrap:anywhere}
${it} table{border-collapse:collapse;margin:.3rem 0 0;font-size:inherit;background:none;color:inherit;border:0}
${it} tr,${it} tr:hover,${it} tr:nth-child(odd){background:none}
${it} th,${it} td{border:0;padding:.1rem .9rem .1rem 0;text-align:left;vertical-align:top;line-height:inherit;font-size:inherit;overflow-wrap:anywhere;white-space:normal;background:none;color:inherit;max-width:none}
${it} th{font-weight:400;color:var(--faint);white-space:nowrap}
${it} .programs td:first-child{padding-right:.5rem}${it} .programs th{color:var(--text);font-weight:600}
${it} code,${it} pre{font:.9em/1.45 ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace;background:none;color:inherit;padding:0;border:0;overflow-wrap:anywhere;word-break:normal;white-space:pre-wrap}
${it} pre{margin:0}${it} pre.command{background:var(--ground);border:1px solid var(--line);border-radius:4px;padding:.25rem .5rem;margin:.2rem 0;user-select:all}
${it} ul{margin:.2rem 0;padding-left:1.4rem}${it} a{color:var(--link)}${it} .foot{color:var(--faint);font-size:.85em;margin-top:.5rem}
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
