import { keptWith } from "../lib/memo.ts";
import { folderOf, nameOf } from "../lib/path.ts";
import { placeWords } from "../lib/place.ts";
import type { Check } from "../model/check.ts";
import type { Advice, Finding } from "../model/finding.ts";
import type { Copy, InstalledFramework, Inventory } from "../model/inventory.ts";
import type { RuleDescription } from "../model/rule.ts";
import { culpritLine, type Asked } from "../lib/asked.ts";
import { commandLine } from "../lib/shell.ts";
import { affectedWords } from "./affected.ts";
import { headline, isSlow, says } from "./headline.ts";
import { styleSheet } from "./check-html-style.ts";
import { headOf, resultWords } from "./check-html-head.ts";
import { pagePolicy } from "./page-policy.ts";
import { overviewSection } from "./check-html-overview.ts";
import { flat, graphSvg, guiltyPaths, originWords, treeList, treeOf, turningPoint, type Node, type Origin } from "./check-html-graph.ts";
import { endOf } from "./said.ts";
import { html, pathHtml, prose, type Content, type Html } from "./html.ts";
import type { Judged, JudgedRun } from "./judged.ts";
import { sectionsOf } from "./rule-page.ts";
import { count } from "./style.ts";
import { targetKinds } from "../model/target-kinds.ts";

/** What makes a page that can be changed: `facts` and `engine` are packed (gzip, base64), `question` is JSON. */
export interface Live {
  script: string;
  /** `sha256-…` of the script: no other one may run. */
  scriptHash: string;
  styles: string;
  engine: string;
  facts: string;
  question: string;
}

/** One page that needs nothing but itself: no address, no font, and no script unless it is live; it may be opened from a disk or an attachment. */
export function htmlReport(judged: Judged, rules: RuleDescription[], version: string, made?: string, live?: Live): string {
  const { check } = judged;
  const policy = pagePolicy(live ? { scriptHash: live.scriptHash, workers: ["blob:"] } : {});
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${{ markup: policy }}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>culprit check: ${resultWords(check)}</title>
        <style>
          ${{ markup: live ? `${styleSheet}${live.styles}` : styleSheet }}
        </style>
      </head>
      <body${live && html` class="live"`}>
        <a class="skip" href="#main">To the findings</a>
        <header>
          <h1>culprit check of ${targetWords(check, judged.asked)}</h1>
          <div id="verdict">${headOf(judged)}</div>
        </header>
        ${navigation(check, live !== undefined)}
        <main id="main">
          ${
            live &&
            html`<section id="what-if" aria-labelledby="what-if-title" hidden></section>
              <div id="changes" role="status" aria-live="polite"></div>`
          }
          <div id="answer">${findingsSection(judged, rules)} ${restOf(judged)}</div>
        </main>
        <footer>
          ${colours}
          <p>
            Made by culprit ${version}${made !== undefined && ` on ${made}`}. Nothing was run and nothing was changed.
            ${
              live
                ? html`The facts and the engine are in this page, and nothing leaves it: no address is ever asked.`
                : html`This page names files as they are called; <code>culprit check --markdown</code> replaces names of people and hosts.`
            }
          </p>
        </footer>
      </body>
    </html> `;
  // Indentation is for those who read the template; names hold no line breaks by now.
  const markup = page.markup.replace(/\n\s+/g, "\n").trimEnd();
  return `${live ? markup.replace("</body>", () => `${liveScripts(live)}</body>`) : markup}\n`;
}

// Names are anybody's: what would end the element or steer a reader of the source is spelled out, and read back as it was.
const plainJson = (text: string) => text.replace(/[^ -~]|</g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);

// Packed texts are letters and digits.
const liveScripts = ({ script, engine, facts, question }: Live): string =>
  [
    `<script type="application/octet-stream" id="engine">${engine}</script>`,
    `<script type="application/octet-stream" id="facts">${facts}</script>`,
    `<script type="application/json" id="question">${plainJson(question)}</script>`,
    `<script>${script}</script>`,
  ].join("\n");

/** What a live page puts in the place of the answer that it shows, as markup. */
export interface AnswerPieces {
  verdict: string;
  findings: string;
  /** All that is below them: twice the work of judging, so it is made when what matters was handed over. */
  rest: () => string[];
}

/** Made by the same code, so that it cannot look different. */
export function answerPieces(judged: Judged, rules: RuleDescription[]): AnswerPieces {
  return {
    verdict: headOf(judged).markup,
    findings: findingsSection(judged, rules).markup,
    rest: () => restOf(judged).map(({ markup }) => markup),
  };
}

function navigation({ target }: Check, isLive: boolean): Html {
  const places = [
    ...(isLive ? [["what-if-title", "What if"]] : []),
    ["findings", "Findings"],
    // A file that says what will be installed has no copies and loads nothing.
    ...(target.kind === "declaration"
      ? []
      : [
          ["overview", "What works"],
          ["loads", "Who loads what"],
          ["frameworks", "Frameworks"],
          ["copies", "Library copies"],
          ["machine", "Machine"],
        ]),
  ];
  if (places.length < 2) return html``;
  return html`<nav aria-label="On this page">
    <ul>
      ${places.map(([id, words]) => html`<li><a href="#${id}">${words}</a></li>`)}
    </ul>
  </nav>`;
}

/** What works, who loads what, and from where: of a machine. A file that says what will be installed has none of it. */
function restOf(judged: Judged): Html[] {
  const {
    check,
    stack: { inventory, runs },
  } = judged;
  if (check.target.kind === "declaration") return [];
  return [
    overviewSection(check),
    loadsSection(judged),
    frameworksSection(inventory, check),
    copiesSection(inventory, runs),
    machineSection(inventory),
  ];
}

/** Facts out of a file are of some machine, at some time: never of the one at which the page is read. */
function targetWords({ target }: Check, asked: Asked | undefined): string {
  const words = target.name ?? targetKinds[target.kind];
  // A file that says what will be installed is no machine that was saved in one.
  if (target.kind === "declaration") return words;
  if (asked?.place?.kind !== "snapshot") return words;
  return `${target.kind === "machine" && target.name === undefined ? "the machine" : words} saved in ${nameOf(asked.place.name)}`;
}

// Works without a script: the style sheet looks which one is chosen.
export const colours = html`<fieldset>
  <legend>Colours</legend>
  <label><input type="radio" name="colours" id="colours-auto" checked /> as the system</label>
  <label><input type="radio" name="colours" id="colours-light" /> light</label>
  <label><input type="radio" name="colours" id="colours-dark" /> dark</label>
</fieldset>`;

function findingsSection({ check, asked }: Judged, rules: RuleDescription[]): Html {
  const article = (finding: Finding) => findingArticle(finding, { check, rules, asked });
  const shown = check.findings.filter(({ severity }) => severity !== "info");
  const unusual = check.findings.filter(({ severity }) => severity === "info");
  const folded = (title: string, content: Content) =>
    html`<details>
      <summary><h3>${title}</h3></summary>
      ${content}
    </details>`;
  return html`<section aria-labelledby="findings">
    <h2 id="findings">Findings</h2>
    ${shown.length === 0 && nothingWrong(check)} ${shown.map(article)}
    ${0 < unusual.length && folded(`Notes (${unusual.length})`, unusual.map(article))}
    ${
      0 < check.accepted.length &&
      folded(
        `Accepted (${check.accepted.length})`,
        html`<ul>
          ${check.accepted.map(({ finding, reason }) => html`<li>${prose(finding.message)} <code>${finding.rule}</code>: ${prose(reason)}</li>`)}
        </ul>`,
      )
    }
    ${
      0 < check.unknown.length &&
      folded(
        `Unknown (${check.unknown.length})`,
        html`<ul id="unknown">
          ${check.unknown.map(({ subject, reason }) => html`<li>${prose(subject)}: ${prose(reason)}</li>`)}
        </ul>`,
      )
    }
  </section>`;
}

/** A list without anything in it leaves its reader wondering. */
function nothingWrong({ status, unknown }: Check): Html {
  if (status === "ok") return html`<p><span class="badge good">healthy</span> No mismatch was found that breaks or endangers anything.</p>`;
  if (status === "nothing-to-check") return html`<p>There was no program to examine, so nothing was judged.</p>`;
  return html`<p>
    Nothing wrong was found in what could be judged. ${0 < unknown.length && "What could not be judged is listed below as unknown."}
  </p>`;
}

/** By its rule, and which one of that rule it is: a link to it says what it is about. */
function idOf(finding: Finding, { findings }: Check): string {
  const alike = findings.filter(({ rule }) => rule === finding.rule);
  const number = alike.indexOf(finding) + 1;
  return `finding-${finding.rule}${number === 1 ? "" : `-${number}`}`;
}

interface Around {
  check: Check;
  rules: RuleDescription[];
  asked: Asked | undefined;
}

function findingArticle(finding: Finding, { check, rules, asked }: Around): Html {
  const { severity, message, because, evidence, breaks, endangers, advice, sources, rule, subject } = finding;
  const fixes = finding.fixes.filter(({ safety }) => safety !== "display-only");
  const rows = (label: string, texts: Content[]) =>
    0 < texts.length &&
    html`<dt>${label}</dt>
      ${texts.map((text) => html`<dd>${text}</dd>`)}`;
  const described = rules.find(({ id }) => id === rule);
  const head = headline(finding);
  const id = idOf(finding, check);
  return html`<article class="${severity}" id="${id}">
    <h3>
      <span class="badge ${severity}">${severity}</span> ${prose(head)}
      <a class="permalink" href="#${id}" aria-label="${`Link to: ${head}`}">#</a>
    </h3>
    <dl>
      ${[
        rows("what to do", [
          ...advice.filter(({ command }) => !command || !isTested(command, fixes)).map(adviceHtml),
          ...fixes.map((fix) => fixHtml(fix, advice, `${rule} ${subject}#${finding.fixes.indexOf(fix)}`)),
        ]),
        rows("at", finding.place ? [placeWords(finding.place)] : []),
        rows("because", [...(says(head, message) ? [] : [message]), ...because].map(prose)),
        rows("breaks", 0 < breaks.length ? [affectedWords(breaks, check)] : []),
        rows(isSlow(finding) ? "slows" : "may break", 0 < endangers.length ? [affectedWords(endangers, check)] : []),
        rows(
          "error",
          endOf(finding).map((text) => html`<code>${text}</code>`),
        ),
        rows("source", sources.map(prose)),
      ]}
    </dl>
    ${
      0 < evidence.length &&
      html`<details class="evidence">
        <summary>Evidence (${evidence.length})</summary>
        <ul>
          ${evidence.map((text) => html`<li>${prose(text)}</li>`)}
        </ul>
      </details>`
    }
    <details>
      <summary>About the rule <code>${rule}</code></summary>
      <dl>
        ${[
          ...(described ? sectionsOf(described.page).map(([heading, text]) => rows(heading.toLowerCase(), [prose(text)])) : []),
          rows("to ignore", [html`<code class="command">${culpritLine(["check", "--ignore", `${rule}:${subject}`], asked)}</code>`]),
        ]}
      </dl>
    </details>
  </article>`;
}

/** A command that was tried is shown with how that went, and only there. */
const isTested = (command: string[], fixes: Finding["fixes"]) => fixes.some(({ commands }) => commands.includes(commandLine(command)));

/** `key`: how a page that can be changed names it. */
function fixHtml(fix: Finding["fixes"][number], advice: Advice[], key: string): Html {
  const { commands, proof, safety } = fix;
  const said = advice.find(({ command }) => command && isTested(command, [fix]));
  const goes = proof.removes.length === 1 ? "the finding goes" : `${count(proof.removes.length, "finding")} go`;
  const comes =
    proof.adds.length === 0 ? "no other comes" : `${count(proof.adds.length, "other")} ${proof.adds.length === 1 ? "comes" : "come"}`;
  const told = `tried on a copy of the facts: ${goes}, and ${comes}${safety === "unsafe" ? "; look at it first" : ""}`;
  return html`${said && html`${prose(`${said.words}:`)} `}${commands.map((line) => html`<code class="command">${line}</code>`)}
    <span class="proof" data-fix="${key}"><span class="good">✓</span> ${told}</span>`;
}

function adviceHtml({ words, command }: Advice): Html {
  return html`${prose(command ? `${words}:` : words)}${command && html`<code class="command">${commandLine(command)}</code>`}`;
}

const runName = ({ programs }: JudgedRun) =>
  programs.map(({ id, package: found }) => `${nameOf(id)}${found ? ` ${found.version}` : ""}`).join(" with ");

function loadsSection({ check, stack: { inventory, runs } }: Judged): Html {
  const namesGuilty = ({ programs, loads }: JudgedRun) => {
    const isGuilty = guiltyFiles(
      check,
      programs.map(({ id }) => id),
    );
    return loads.loads.some(({ file }) => isGuilty.has(file));
  };
  const worst = (run: JudgedRun) => 2 * Number(0 < run.stops.length) + Number(namesGuilty(run));
  const ordered = [...runs.entries()].sort(([, a], [, b]) => worst(b) - worst(a));
  return html`<section aria-labelledby="loads">
    <h2 id="loads">Who loads what</h2>
    ${runs.length === 0 ? html`<p>There was no program to examine.</p>` : howToRead}
    ${ordered.map(([index, run], position) => runDetails(run, { prefix: `load-${index}`, isFirst: position === 0 }, inventory, check))}
  </section>`;
}

const howToRead = html`<p>
    Read from top to bottom: who asks, and what the loader finds. Each box names the library and its version, the rule of the loader that
    led there, where the file comes from, the activity that needs it, and the copy that was not taken. A dashed edge: LD_LIBRARY_PATH or
    LD_PRELOAD put it in the place of another; ✗: a finding names it.
  </p>
  <ul class="legend">
    ${(Object.entries(originWords) as [Origin, string][]).map(([origin, words]) => html`<li><span class="chip ${origin}">${words}</span></li>`)}
  </ul>`;

/** Where a program stands among the others: the first that is guilty is unfolded. */
interface Place {
  prefix: string;
  isFirst: boolean;
}

/** A live page is drawn anew for every experiment, and most programs are as they were: one that is, is drawn as it was. */
function runDetails(run: JudgedRun, place: Place, inventory: Inventory, check: Check): Html {
  const files = guiltyFiles(
    check,
    run.programs.map(({ id }) => id),
  );
  const { copies, toolkits } = inventory;
  const stops = run.stops.flatMap(({ activity, failure }) => [activity, failure]);
  const who = [runName(run), run.environment?.prefix, place.prefix, place.isFirst, run.undisturbed?.loads];
  const given = [...who, copies, toolkits, ...stops, files.size, ...[...files].sort()];
  const drawn = drawnOf(run.loads);
  if (drawn.given.length !== given.length || drawn.given.some((each, index) => each !== given[index]))
    Object.assign(drawn, { given, details: drawRun(run, place, inventory, files) });
  return drawn.details;
}

const drawnOf = keptWith((_loads: JudgedRun["loads"]): { given: unknown[]; details: Html } => ({ given: [], details: html`` }));

function drawRun(run: JudgedRun, { prefix, isFirst }: Place, inventory: Inventory, files: Set<string>): Html {
  const { nodes, left } = treeOf(run, inventory, (file) => files.has(file), prefix);
  const name = runName(run);
  const guilty = guiltyPaths(nodes);
  const reusers = new Map<string, string[]>();
  for (const { file, requestedBy } of run.loads.reused ?? []) {
    const known = reusers.get(file) ?? [];
    if (!known.includes(requestedBy)) reusers.set(file, [...known, requestedBy]);
  }
  const stops = [...new Set(run.stops.map(({ activity, failure }) => `${activity}: ${failure.message}`))];
  // The first guilty path comes alone, and of it the step at which the search went elsewhere; all else is unfolded on demand.
  return html`<details class="run" ${isFirst && 0 < guilty.length && html` open`}>
    <summary>
      <h3>${name}</h3>
      ${run.environment && html`<span class="faint">in ${run.environment.prefix}</span>`}
      ${0 < stops.length ? html`<span class="badge error">would stop</span>` : 0 < guilty.length && html`<span class="badge error">in a finding</span>`}
    </summary>
    ${
      0 < stops.length &&
      html`<ul>
        ${stops.map((text) => html`<li>would stop at ${prose(text)}</li>`)}
      </ul>`
    }
    ${nodes.length === 0 && html`<p>It loads no GPU library.</p>`}
    ${
      0 < guilty.length &&
      html`<h4>What leads to the guilty ${flat(guilty).filter((node) => node.guilty).length === 1 ? "file" : "files"}</h4>
        ${treeDrawing(`What leads ${name} to what a finding names`, name, guilty)} ${treeList(guilty, reusers, turningPoint(guilty)?.id)}`
    }
    ${
      0 < nodes.length &&
      html`<details>
        <summary>All that it loads for a GPU (${count(flat(nodes).length, "object")})</summary>
        ${treeDrawing(`What ${name} would load`, name, nodes)}
        <h4>The same as a list</h4>
        ${treeList(nodes, reusers)}
      </details>`
    }
    ${
      0 < left.length &&
      html`<details>
        <summary>${count(left.length, "other object")} of the system and of Python</summary>
        <ul>
          ${left.map((load) => html`<li>${pathHtml(load.file)}</li>`)}
        </ul>
      </details>`
    }
  </details>`;
}

const treeDrawing = (title: string, name: string, nodes: Node[]): Html =>
  html`<div class="drawing" role="region" tabindex="0" aria-label="${`Drawing: ${title}`}">${graphSvg(title, name, nodes)}</div>`;

/** Whether a finding that concerns these programs is about a file. */
function guiltyFiles({ findings }: Check, programs: string[]): Set<string> {
  const concerning = findings.filter(({ severity, breaks, endangers }) => {
    const affected = [...breaks, ...endangers];
    return severity !== "info" && (affected.length === 0 || affected.some(({ framework }) => programs.includes(framework)));
  });
  return new Set(
    concerning.flatMap(({ subject, facts: { loads = [], copies = [] } }) => [
      subject,
      ...loads.filter(({ role }) => role !== "asks").map(({ file }) => file),
      ...copies.filter(({ role }) => role !== "right").map(({ file }) => file),
    ]),
  );
}

function table(caption: string, columns: string[], rows: { cells: Content[]; guilty?: boolean }[]): Html {
  // Roles are said, because a style sheet that stacks cells on a phone would take them away.
  return html`<table role="table" aria-label="${caption}">
    <thead role="rowgroup">
      <tr role="row">
        ${columns.map((title) => html`<th role="columnheader" scope="col">${title}</th>`)}
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${rows.map(
        ({ cells, guilty }) =>
          html`<tr role="row" ${guilty && html`class="guilty"`}>
            ${cells.map((cell, index) => html`<td role="cell" data-label="${columns[index]!}">${cell}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function frameworksSection({ frameworks }: Inventory, check: Check): Html {
  return html`<section aria-labelledby="frameworks">
    <h2 id="frameworks">Frameworks: compiled for, would load</h2>
    ${frameworks.length === 0 && html`<p>None was found.</p>`} ${frameworks.map((each) => frameworkBlock(each, check))}
  </section>`;
}

function frameworkBlock({ framework, version, environment, cpuOnly, compiledFor, wouldLoad }: InstalledFramework, check: Check): Html {
  const libraries = [...new Set([...Object.keys(compiledFor), ...Object.keys(wouldLoad)])].sort();
  const isGuilty = guiltyFiles(check, [framework]);
  const rows = libraries
    .map((library) => {
      const loads = wouldLoad[library] ?? [];
      const guilty = loads.some(({ file }) => isGuilty.has(file));
      return {
        guilty,
        cells: [
          library,
          compiledFor[library]?.version,
          html`${[...new Set(loads.map((load) => load.version ?? "?"))].join(" and ")}
          ${guilty && html`<span class="badge error">in a finding</span>`}`,
          byFolder(loads.map(({ file }) => file)),
        ],
      };
    })
    .toSorted((one, other) => Number(other.guilty) - Number(one.guilty));
  const guilty = rows.some((row) => row.guilty);
  return html`<details class="run">
    <summary>
      <h3>${framework} ${version}</h3>
      <span class="faint">in ${environment}</span> ${guilty && html`<span class="badge error">in a finding</span>`}
    </summary>
    ${
      rows.length === 0
        ? html`<p>${cpuOnly === undefined ? "It asks for no GPU library." : prose(`It is built without CUDA: ${cpuOnly}.`)}</p>`
        : table(`${framework} ${version}`, ["library", "compiled for", "would load", "from"], rows)
    }
  </details>`;
}

/** Each folder once, with the files that come from it. */
function byFolder(files: string[]): Html[] {
  const folders = new Map<string, string[]>();
  for (const file of files) folders.set(folderOf(file), [...(folders.get(folderOf(file)) ?? []), nameOf(file)]);
  return [...folders].map(([folder, names]) =>
    names.length === 1
      ? html`<div>${pathHtml(`${folder}/${names[0]!}`)}</div>`
      : html`<div>${pathHtml(`${folder}/`)}: ${names.map((name, index) => html`${0 < index && ", "}<code>${name}</code>`)}</div>`,
  );
}

const hows: { [how in Copy["evidence"][number]["how"]]: string } = {
  constant: "the file says so",
  "file name": "by its name",
  owner: "by its package",
};

/** How the version is known; two that disagree are both told. */
function versionWords({ version, evidence }: Copy): string {
  const [first] = evidence;
  if (version === undefined || !first) return "";
  const others = evidence.filter((each) => each.version !== version);
  const own = evidence.find((each) => each.version === version) ?? first;
  return `${hows[own.how]}${others.map((each) => `, ${each.version} ${hows[each.how]}`).join("")}`;
}

function copiesSection({ copies }: Inventory, runs: JudgedRun[]): Html {
  const users = new Map<string, Map<string, string>>();
  for (const run of runs)
    for (const { file, activity, unmapped } of run.loads.loads) {
      if (unmapped) continue;
      const known = users.get(file) ?? new Map<string, string>();
      if (!known.has(runName(run))) known.set(runName(run), activity);
      users.set(file, known);
    }
  const libraries = [...new Set(copies.map(({ library }) => library))].sort();
  const entry = (copy: Copy) => {
    const { file, version, owner, stub } = copy;
    const known = versionWords(copy);
    const loaders = [...(users.get(file) ?? [])].map(([name, activity]) => `${name} (${activity})`);
    const sorting = html` data-version="${version ?? ""}"${owner && html` data-owner="${owner.name}"`}${0 < loaders.length && html` data-loaded`}`;
    return html`<li data-file="${file}" ${sorting}>
      <span class="version">${version ?? "version unknown"}</span
      >${known !== "" && html` <span class="faint">(${known})</span>`}${stub && html` <span class="badge info">stub</span>`}
      ${pathHtml(file)}<br /><span class="faint"
        >${owner ? `of the ${owner.kind} package ${owner.name}${owner.version === undefined ? "" : ` ${owner.version}`}; ` : ""}${loaders.length === 0 ? "nobody would load it" : `loaded by ${loaders.join(", ")}`}</span
      >
    </li>`;
  };
  return html`<section aria-labelledby="copies">
    <h2 id="copies">Library copies (${copies.length})</h2>
    ${copies.length === 0 && html`<p>None was found.</p>`}
    ${libraries.map((library) => {
      const found = copies.filter((copy) => copy.library === library);
      const loaded = found.filter(({ file }) => users.has(file)).length;
      return html`<details>
        <summary>
          <h3>${library}</h3>
          <span class="faint">${count(found.length, "copy", "copies")}, ${loaded} loaded</span>
        </summary>
        <ul class="copies">
          ${found.map(entry)}
        </ul>
      </details>`;
    })}
  </section>`;
}

function machineSection({ driver, gpus, toolkits, environments, variables }: Inventory): Html {
  const row = (label: string, texts: Content[], nothing: string) =>
    html`<dt>${label}</dt>
      ${(0 < texts.length ? texts : [nothing]).map((text) => html`<dd>${text}</dd>`)}`;
  const driverTexts = [
    ...(driver.kernel === undefined ? [] : [`${driver.kernel}${driver.module === undefined ? "" : ` (${driver.module})`}`]),
    ...(driver.profilingAdminOnly === undefined
      ? []
      : [`profiling is ${driver.profilingAdminOnly ? "for administrators only" : "for everybody"}`]),
    ...(driver.wsl ? ["WSL2: the driver is that of Windows"] : []),
    ...(driver.container ? ["in a container"] : []),
  ];
  return html`<section aria-labelledby="machine">
    <h2 id="machine">Machine</h2>
    <dl>
      ${[
        row("driver", driverTexts, "none seen"),
        row(
          "GPUs",
          gpus.map(({ name, architecture }) => `${name}${architecture === undefined ? "" : ` (${architecture})`}`),
          "none seen",
        ),
        row(
          "CUDA toolkits",
          toolkits.map(
            ({ version, path, onPath }) => html`${version ?? "?"} in ${pathHtml(path)}${onPath && ", its nvcc is first on PATH"}`,
          ),
          "none found",
        ),
        row(
          "Python",
          environments.map(
            ({ prefix, kind, version, packages }) =>
              html`${version} (${kind}) in ${pathHtml(prefix)}, ${count(packages.length, "package")}`,
          ),
          "no environment found",
        ),
        row(
          "set in start-up files",
          variables.map(({ name, file, line, text }) => html`${pathHtml(`${file}:${line}`)} ${name}: <code>${text}</code>`),
          "nothing",
        ),
      ]}
    </dl>
  </section>`;
}
