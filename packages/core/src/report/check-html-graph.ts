// Who asks for whom, drawn: a tree, since every object is brought in by one request.
import { folderOf, nameOf } from "../lib/path.ts";
import type { Copy, Inventory } from "../model/inventory.ts";
import type { Load } from "../model/loads.ts";
import { html, pathHtml, type Html } from "./html.ts";
import type { JudgedRun } from "./judged.ts";
import { ruleText } from "./loads.ts";
import { count } from "./style.ts";

/** An object of a process, and what it brought in. */
export interface Node {
  id: string;
  load: Load;
  origin: Origin;
  /** Copies of the same library that were not taken. */
  losers: Copy[];
  /** What would be loaded without LD_LIBRARY_PATH and LD_PRELOAD, where that differs. */
  otherwise?: Load;
  /** A finding names this file. */
  guilty: boolean;
  children: Node[];
}

export type Origin = "driver" | "environment" | "toolkit" | "system" | "elsewhere";

export const originWords: { [origin in Origin]: string } = {
  environment: "Python environment",
  toolkit: "CUDA toolkit",
  system: "system package",
  driver: "driver",
  elsewhere: "elsewhere",
};

/** The objects that matter for a GPU, below the requests that lead to them. */
export function treeOf(
  run: JudgedRun,
  inventory: Inventory,
  isGuilty: (file: string) => boolean,
  prefix: string,
): { nodes: Node[]; left: Load[] } {
  const nodes = new Map<string, Node>();
  const roots: Node[] = [];
  for (const [index, load] of run.loads.loads.entries()) {
    const node: Node = {
      id: `${prefix}-${index}`,
      load,
      origin: originOf(load, run, inventory),
      losers: losersOf(load, inventory),
      guilty: isGuilty(load.file),
      children: [],
    };
    const otherwise = otherwiseOf(load, run);
    if (otherwise) node.otherwise = otherwise;
    (nodes.get(load.requestedBy)?.children ?? roots).push(node);
    for (const name of [load.path, load.file]) if (!nodes.has(name)) nodes.set(name, node);
  }
  const left: Load[] = [];
  const matters = (node: Node): boolean => {
    node.children = node.children.filter(matters);
    const isWanted = node.load.library !== undefined || node.guilty || 0 < node.children.length;
    if (!isWanted) left.push(node.load);
    return isWanted;
  };
  return { nodes: roots.filter(matters), left };
}

function originOf({ file, library }: Load, { environment }: JudgedRun, { copies, toolkits }: Inventory): Origin {
  if (library === "libcuda" || library === "nvml") return "driver";
  const owner = copies.find((copy) => copy.file === file)?.owner;
  if (owner?.kind === "pip" || owner?.kind === "conda" || (environment && file.startsWith(`${environment.prefix}/`))) return "environment";
  if (toolkits.some(({ path, names }) => [path, ...names].some((folder) => file.startsWith(`${folder}/`)))) return "toolkit";
  return owner || /^\/(usr\/)?lib/.test(file) ? "system" : "elsewhere";
}

const stemOf = (path: string) => nameOf(path).split(".so")[0]!;

function losersOf({ library, file, name }: Load, { copies }: Inventory): Copy[] {
  if (library === undefined) return [];
  const stems = new Set([stemOf(file), stemOf(name)]);
  return copies.filter((copy) => copy.library === library && copy.file !== file && stems.has(stemOf(copy.file)));
}

function otherwiseOf({ library, file, name }: Load, { undisturbed }: JudgedRun): Load | undefined {
  if (library === undefined || !undisturbed || undisturbed.loads.some((load) => load.file === file)) return undefined;
  return undisturbed.loads.find((load) => load.library === library && stemOf(load.name) === stemOf(name));
}

/** Only what leads to an object that a finding names: nothing where there is none. */
export function guiltyPaths(nodes: Node[]): Node[] {
  return nodes.flatMap((node) => {
    const children = guiltyPaths(node.children);
    return node.guilty || 0 < children.length ? [{ ...node, id: `${node.id}-alone`, children }] : [];
  });
}

/** Where the search went elsewhere than it would without the variables; where it never did, the first that a finding names. */
export function turningPoint(nodes: Node[]): Node | undefined {
  const guilty = flat(nodes).filter((node) => node.guilty);
  return guilty.find(({ otherwise }) => otherwise) ?? guilty[0];
}

export const flat = (nodes: Node[]): Node[] => nodes.flatMap((node) => [node, ...flat(node.children)]);

/** Which rule of the loader answered. */
export const ruleOf = (load: Load) => ruleText({ ...load, certainty: "certain" });

const letter = 6.7;
const lineHeight = 15;
/** How much farther right what was brought in stands. */
const indent = 22;
/** Letters on a line of a box; what is longer is whole in the list. */
const most = 46;
const rowGap = 8;

interface Box {
  node: Node;
  lines: string[];
  x: number;
  y: number;
  width: number;
  height: number;
  children: Box[];
}

/**
 * The tree as one picture, from top to bottom, each step a little farther right: so the end of a path, which is what matters, is in sight on
 * a phone, too. Boxes lead to the object's entry in the list below; under a pointer the way to an object stands out.
 */
export function graphSvg(title: string, root: string, nodes: Node[]): Html {
  const rootHeight = lineHeight + 10;
  const rootWidth = widthOf([root]);
  let bottom = rowGap + rootHeight + rowGap;
  let right = rootWidth;
  const place = (node: Node, depth: number): Box => {
    const lines = linesOf(node);
    const box = { node, lines, x: 1 + depth * indent, y: bottom, width: widthOf(lines), height: lines.length * lineHeight + 10 };
    bottom += box.height + rowGap;
    right = Math.max(right, box.x + box.width);
    return { ...box, children: node.children.map((child) => place(child, depth + 1)) };
  };
  const boxes = nodes.map((node) => place(node, 1));
  const draw = (box: Box, under: number): Html => {
    const { node, lines, x, y } = box;
    return html`<g class="branch"
      ><path class="edge" d="M${number(x - indent / 2)} ${number(under)}V${number(y + rootHeight / 2)}H${number(x)}" /><a
        href="#${node.id}"
        class="box ${node.origin}${node.guilty ? " guilty" : ""}${node.otherwise ? " contested" : ""}"
        ><title>${titleOf(node)}</title
        ><rect x="${number(x)}" y="${number(y)}" width="${number(box.width)}" height="${box.height}" rx="4" /><text
          x="${number(x + 8)}"
          y="${number(y)}"
          >${lines.map(
            (line, index) =>
              html`<tspan x="${number(x + 8)}" dy="${index === 0 ? lineHeight + 1 : lineHeight}" ${index === 0 ? strong : faint}
                >${line}</tspan
              >`,
          )}</text
        ></a
      >${box.children.map((child) => draw(child, y + box.height))}</g
    >`;
  };
  return html`<svg
    class="graph"
    width="${number(right + 2)}"
    height="${number(bottom)}"
    viewBox="0 0 ${number(right + 2)} ${number(bottom)}"
    role="group"
    aria-label="${title}"
  >
    <g class="branch">
      <g class="box root">
        <rect x="1" y="${rowGap}" width="${number(rootWidth)}" height="${rootHeight}" rx="4" />
        <text x="9" y="${rowGap}"><tspan x="9" dy="${lineHeight + 1}" class="name">${root}</tspan></text>
      </g>
      ${boxes.map((box) => draw(box, rowGap + rootHeight))}
    </g>
  </svg>`;
}

const strong = html` class="name"`;
const faint = html` class="rule"`;
const number = (value: number) => Math.round(value * 10) / 10;
const widthOf = (lines: string[]) => Math.max(...lines.map((line) => line.length)) * letter + 18;
const cut = (text: string, length: number) => (text.length <= length ? text : `${text.slice(0, length - 1)}…`);

function linesOf({ load, losers, otherwise, guilty, origin }: Node): string[] {
  const mark = load.unmapped ? "(gone again) " : guilty ? "✗ " : "";
  const doubt = load.certainty === "possible" ? "  possible" : "";
  const [lost] = otherwise ? [otherwise] : losers;
  const more = losers.length - 1;
  return [
    cut(`${mark}${nameOf(load.name)}${load.version === undefined || isNamed(load) ? "" : `  ${load.version}`}${doubt}`, most + 8),
    cut(`${ruleOf(load)} · ${origin} · ${load.activity}`, most),
    ...(lost ? [cut(`not ${lost.version ?? "that"} in ${shortFolder(lost.file)}${0 < more ? `, +${more}` : ""}`, most)] : []),
  ];
}

/** The name ends with the version: said once is enough. */
const isNamed = ({ name, version }: Load) => name.endsWith(`.so.${version}`);

// The last folders tell one copy from another; the whole path is one click away.
function shortFolder(file: string): string {
  const folder = folderOf(file);
  const parts = folder.split("/");
  return folder.length <= 30 ? folder : `…/${parts.slice(-2).join("/")}`;
}

function titleOf({ load, losers }: Node): string {
  return [
    load.file,
    `asked for by ${load.requestedBy}, found by: ${ruleOf(load)}`,
    ...(0 < load.tried.length ? [`${count(load.tried.length, "path")} tried before it`] : []),
    ...losers.map(({ file, version }) => `not taken: ${file}${version === undefined ? "" : ` (${version})`}`),
  ].join("; ");
}

/** The same tree as a list, with all that a picture has no room for. */
export function treeList(nodes: Node[], reusers: Map<string, string[]>, open?: string): Html {
  return html`<ul class="tree">
    ${nodes.map((node) => {
      const { id, load, origin, otherwise, guilty, children } = node;
      const others = reusers.get(load.file) ?? [];
      return html`<li>
        <details${id === open && html` open`}>
          <summary>
            ${guilty && html`<span class="badge error">in a finding</span> `}<code class="name">${nameOf(load.name)}</code> ${!isNamed(load) && load.version}
            <span class="chip ${origin}">${originWords[origin]}</span> <span class="by">${ruleOf(load)}</span>
          </summary>
          <dl id="${id}">
            <dt>file</dt>
            <dd>${pathHtml(load.file)}</dd>
            <dt>asked for by</dt>
            <dd>${pathHtml(load.requestedBy)} at ${load.activity}${load.certainty === "possible" && ", possibly"}</dd>
            <dt>how it was found</dt>
            <dd>${searchList(node)}</dd>
            ${
              otherwise &&
              html`<dt>without the variables</dt>
                <dd>it would be ${pathHtml(otherwise.file)} ${otherwise.version}</dd>`
            }${
              0 < others.length &&
              html`<dt>also asked for by</dt>
                <dd>${others.map((path, index) => html`${0 < index && ", "}<code>${nameOf(path)}</code>`)}</dd>`
            }
          </dl>
        </details>
        ${0 < children.length && treeList(children, reusers, open)}
      </li>`;
    })}
  </ul>`;
}

/** Path by path, as the loader went; then the copies that it never came to. */
function searchList({ load, losers }: Node): Html {
  const shown = load.tried.slice(0, 40);
  const left = load.tried.length - shown.length;
  return html`<ol class="search">
    ${shown.map((path) => html`<li><span class="faint">nothing usable at</span> ${pathHtml(path)}</li>`)}
    ${0 < left && html`<li class="faint">and ${left} more paths</li>`}
    <li class="taken">✓ ${ruleOf(load)}: ${pathHtml(load.path)}</li>
    ${losers.map(
      (copy) =>
        html`<li>
          <span class="faint">${load.tried.includes(copy.file) ? "refused" : "never looked at, since the search had ended"}:</span>
          ${pathHtml(copy.file)} ${copy.version}${copy.stub && " (a stub)"}
        </li>`,
    )}
  </ol>`;
}
