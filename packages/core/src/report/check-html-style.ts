// Colours are checked for contrast (WCAG AA); every colour has a word beside it.
const light = `
  --ground: #ffffff; --panel: #f6f7f9; --line: #c9ced6; --text: #1a1e24; --faint: #55606e; --link: #0b57c2; --focus: #0b57c2;
  --error: #b3161e; --error-ground: #fdecec; --warning: #7a4b00; --warning-ground: #fdf1d8; --info: #35506e; --info-ground: #e8eff7;
  --good: #14662c; --good-ground: #e4f4e8;
  --environment: #e3edfb; --toolkit: #e2f3e4; --system: #fbeedd; --driver: #efe6f8; --elsewhere: #eceef1; --shade: #1a1e2440;`;
const dark = `
  --ground: #14171c; --panel: #1c2027; --line: #434b57; --text: #e8ebf0; --faint: #a3adba; --link: #86b7ff; --focus: #86b7ff;
  --error: #ff9a96; --error-ground: #44191b; --warning: #f2c063; --warning-ground: #3b2c0c; --info: #a9c7ea; --info-ground: #1f2f42;
  --good: #86d79a; --good-ground: #16331e;
  --environment: #1d3554; --toolkit: #1c3b24; --system: #4a3415; --driver: #3a2a52; --elsewhere: #2b313a; --shade: #e8ebf040;`;

export const styleSheet = `
:root { color-scheme: light;${light} }
@media (prefers-color-scheme: dark) { :root:not(:has(#colours-light:checked)) { color-scheme: dark;${dark} } }
:root:has(#colours-dark:checked) { color-scheme: dark;${dark} }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
/* A path in plain words is broken, too, where there is no room for it. */
body { margin: 0; overflow-wrap: break-word; background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
header, nav, main, footer { max-width: 80rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 1.5rem; }
h1 { font-size: 1.1rem; font-weight: 600; color: var(--faint); margin: 0; }
h2 { font-size: 1.35rem; margin: 2.5rem 0 .75rem; }
h3 { font-size: 1.05rem; margin: 1.25rem 0 .5rem; overflow-wrap: anywhere; }
.verdict { font-size: 1.6rem; font-weight: 650; line-height: 1.25; margin: .25rem 0; }
.verdict .error { color: var(--error); } .verdict .warning { color: var(--warning); } .verdict .good { color: var(--good); }
.faint { color: var(--faint); }
.good { color: var(--good); }
.glance { list-style: none; padding: 0; margin: .5rem 0 .25rem; display: flex; flex-wrap: wrap; gap: .35rem .9rem; }
.glance li { min-width: 0; overflow-wrap: anywhere; }
.ground { margin: .25rem 0 0; overflow-wrap: anywhere; }
.proof { color: var(--faint); }
.permalink { color: var(--faint); text-decoration: none; padding: 0 .3rem; font-weight: 400; opacity: .6; }
.permalink:hover, .permalink:focus-visible { opacity: 1; text-decoration: underline; }
article:target { outline: 3px solid var(--focus); outline-offset: 2px; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: 2px; }
.skip { position: absolute; left: -99rem; } .skip:focus { left: 1rem; top: .5rem; background: var(--ground); padding: .25rem .5rem; }
nav ul { list-style: none; padding: 0; margin: 1rem 0 0; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; }
nav a { display: inline-block; padding: .35rem 0; }
fieldset { border: 0; padding: 0; margin: .75rem 0 0; display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: center; }
legend { float: left; padding: 0; color: var(--faint); }
fieldset label { padding: .35rem 0; }
code { font: .9em/1.4 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
code.command { display: block; background: var(--ground); border: 1px solid var(--line); border-radius: 4px; padding: .35rem .6rem; margin: .25rem 0; user-select: all; white-space: pre-wrap; }
article { background: var(--panel); border: 1px solid var(--line); border-left-width: 6px; border-radius: 6px; padding: .75rem 1rem 1rem; margin: 0 0 1rem; }
article.error { border-left-color: var(--error); } article.warning { border-left-color: var(--warning); } article.info { border-left-color: var(--info); }
article h3 { margin-top: 0; }
.badge, .chip { display: inline-block; border-radius: 4px; padding: 0 .45rem; font-size: .85rem; font-weight: 600; line-height: 1.5; }
.badge.error { color: var(--error); background: var(--error-ground); } .badge.warning { color: var(--warning); background: var(--warning-ground); }
.badge.info { color: var(--info); background: var(--info-ground); } .badge.good { color: var(--good); background: var(--good-ground); }
.chip { font-weight: 400; color: var(--text); border: 1px solid var(--line); }
.chip.environment { background: var(--environment); } .chip.toolkit { background: var(--toolkit); } .chip.system { background: var(--system); }
.chip.driver { background: var(--driver); } .chip.elsewhere { background: var(--elsewhere); }
dl { display: grid; grid-template-columns: minmax(6rem, max-content) 1fr; gap: .15rem 1rem; margin: .5rem 0; }
dt { color: var(--faint); grid-column: 1; } dd { margin: 0; grid-column: 2; min-width: 0; overflow-wrap: anywhere; }
#answer > section { content-visibility: auto; contain-intrinsic-size: auto 40rem; overflow-clip-margin: .75rem; }
summary { cursor: pointer; padding: .25rem 0; overflow-wrap: anywhere; }
summary h3 { display: inline; }
h4 { margin: .75rem 0 .25rem; }
details.run { border: 1px solid var(--line); border-radius: 6px; padding: .25rem 1rem; margin: 0 0 .75rem; }
.drawing { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; padding: .5rem; margin: .5rem 0; }
svg.graph { display: block; }
.graph text { font: 11px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: var(--text); white-space: pre; }
.graph .name { font-weight: 600; }
.graph rect { stroke: var(--line); stroke-width: 1; fill: var(--elsewhere); }
.graph .root rect { fill: var(--ground); stroke: var(--text); }
.graph .environment rect { fill: var(--environment); } .graph .toolkit rect { fill: var(--toolkit); } .graph .system rect { fill: var(--system); } .graph .driver rect { fill: var(--driver); }
.graph .rule { fill: var(--text); opacity: .85; }
.graph .contested rect { stroke: var(--error); stroke-dasharray: 5 3; stroke-width: 2; }
.graph .guilty rect { stroke: var(--error); stroke-width: 2; }
.graph .guilty .name { fill: var(--error); }
.graph .edge { fill: none; stroke: var(--faint); stroke-width: 1.2; }
.graph .branch:hover > .edge, .graph .branch:focus-within > .edge { stroke: var(--link); stroke-width: 3; }
.graph .branch:hover > .box rect, .graph .branch:focus-within > .box rect { stroke: var(--link); stroke-width: 2.5; }
.legend { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .25rem .75rem; margin: .5rem 0; }
ul.tree { list-style: none; margin: 0; padding-left: 0; }
ul.tree ul.tree { margin-left: .5rem; padding-left: .9rem; border-left: 2px solid var(--line); }
ul.tree dl { padding: 0 0 .5rem 1.1rem; }
ul.tree .by { color: var(--faint); }
ol.search { margin: 0; padding-left: 1.4rem; } ol.search .taken { font-weight: 600; }
details:has(> dl:target) { background: var(--info-ground); border-radius: 4px; }
ul.copies { list-style: none; padding: 0; margin: 0; }
ul.copies li { padding: .4rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
ul.copies .version { font-weight: 600; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem 1rem .3rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
td:not(:last-child) { overflow-wrap: normal; }
th { font-weight: 600; color: var(--faint); white-space: nowrap; }
.wide { overflow-x: auto; margin: 0 0 1rem; --under: var(--ground); }
.drawing { --under: var(--panel); }
/* A shade where there is more to the side; it goes as soon as the end is in sight. */
.wide, .drawing, pre {
  background:
    linear-gradient(to right, var(--under) 40%, transparent) left / 2.5rem 100% no-repeat local,
    linear-gradient(to left, var(--under) 40%, transparent) right / 2.5rem 100% no-repeat local,
    linear-gradient(to right, var(--shade), transparent) left / .8rem 100% no-repeat scroll,
    linear-gradient(to left, var(--shade), transparent) right / .8rem 100% no-repeat scroll,
    var(--under);
}
table.overview { font-size: .88rem; }
table.overview .badge { padding: 0 .25rem; font-size: .8rem; }
table.overview caption { text-align: left; color: var(--faint); padding: .25rem 0; }
table.overview th[scope="row"] { color: var(--text); }
table.overview th, table.overview td { padding-right: .3rem; white-space: nowrap; }
table.overview th[scope="col"] { white-space: normal; vertical-align: bottom; overflow-wrap: normal; }
tr.guilty td { background: var(--error-ground); }
footer { color: var(--faint); font-size: .9rem; padding-top: 2rem; padding-bottom: 3rem; }
@media (max-width: 40rem) {
  header, nav, main, footer { padding-left: 1rem; padding-right: 1rem; }
  .verdict { font-size: 1.3rem; }
  dl { grid-template-columns: 1fr; } dt, dd { grid-column: 1; } dd + dt { margin-top: .4rem; }
  thead { position: absolute; left: -99rem; }
  table, tbody, tr, td { display: block; border: 0; padding: 0; }
  th[scope="row"] { border: 0; padding: 0; }
  tr { border-top: 1px solid var(--line); padding: .4rem 0; }
  table.overview caption, table.overview th[scope="row"] { display: block; }
  table.overview td { display: inline-block; margin: 0 .75rem .15rem 0; }
  table.overview td.none { display: none; }
  td[data-label]:not(:empty)::before { content: attr(data-label) " "; color: var(--faint); }
  details.run { padding: .25rem .6rem; }
}
@media print {
  nav, fieldset, .skip { display: none; }
  article { break-inside: avoid; }
  /* What a finding rests on is read on paper, too. */
  article details.evidence::details-content { content-visibility: visible; }
  table.overview { font-size: .72rem; }
}
`;
