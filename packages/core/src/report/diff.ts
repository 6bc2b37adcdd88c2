import type { Change, Difference } from "../model/diff.ts";
import { frameworkNamed, solvedFrameworks } from "../model/frameworks.ts";
import { reporting } from "../lib/shown.ts";
import { headline } from "./headline.ts";
import { columns, count, laidOut, plain, type Style } from "./style.ts";

interface Names {
  a: string;
  b: string;
}

/** First what explains a finding, then what people ask about first, then how much else there is; all of it on request. */
export const diffReport = reporting((answer: Difference, names: Names, style: Style = plain, { all = false } = {}): string => {
  const { findings, changes } = answer;
  const isWrong = 0 < findings.onlyInA.length + findings.onlyInB.length;
  if (changes.length === 0 && !isWrong) return laidOut([`${style.good("✓")} No difference that matters to a GPU stack.`], style);
  const guilty = changes.filter(({ explains }) => 0 < explains.length);
  const rest = changes.filter(({ explains }) => explains.length === 0);
  const lines = [...findingLines(answer, names, style), ...guiltyLines(guilty, names, style)];
  if (guilty.length === 0 && isWrong)
    lines.push("", "No single difference explains it: it takes several together, or one that cannot be tried out.");
  if (!isWrong)
    lines.push(`${count(changes.length, "difference")} between ${names.a} and ${names.b}; none of them makes or removes a finding`);
  if (0 < rest.length) lines.push("", ...restLines(rest, names, style, all, 0 < guilty.length));
  return laidOut(lines, style);
});

function findingLines({ findings }: Difference, names: Names, style: Style): string[] {
  const only = (where: string, list: Difference["findings"]["onlyInA"]) =>
    list.map((finding) => `${style.bad("✗")} only in ${where}: ${style.strong(headline(finding))}`);
  return [...only(names.a, findings.onlyInA), ...only(names.b, findings.onlyInB)];
}

function guiltyLines(guilty: Change[], names: Names, style: Style): string[] {
  if (guilty.length === 0) return [];
  const areFiles = guilty.every(({ kind }) => kind === "library");
  const title = areFiles ? "The files that make the difference" : "The differences that matter";
  return [
    "",
    style.strong(guilty.length === 1 ? "The difference that matters" : title),
    ...guilty.slice(0, 12).flatMap((change) => changeLines(change, names, style)),
    ...(12 < guilty.length ? [`  and ${guilty.length - 12} more`] : []),
  ];
}

/** So many are read before anybody asks for more. */
const mostShort = 14;

function restLines(rest: Change[], names: Names, style: Style, all: boolean, isElse: boolean): string[] {
  const title = style.strong(isElse ? "What else differs" : "What differs");
  if (all) return [title, ...rest.flatMap((change) => changeLines(change, names, style))];
  const prominent = rest
    .filter((change) => placeOf(change) < unasked)
    .sort((one, other) => placeOf(one) - placeOf(other))
    .slice(0, mostShort);
  const left = rest.length - prominent.length;
  if (prominent.length === 0) return [style.faint(`${count(left, "other difference")} (--all)`)];
  const rows = prominent.map(({ subject, kind, a = "(not there)", b = "(not there)" }) => [
    labelOf(kind, subject),
    `${shortened(a)} → ${shortened(b)}`,
  ]);
  return [title, ...columns(rows, "  ", style), ...(left === 0 ? [] : [style.faint(`  and ${count(left, "other")} (--all)`)])];
}

/** Some variables of images are a thousand characters long; `--all` shows them whole. */
const shortened = (value: string) => (value.length <= 160 ? value : `${value.slice(0, 120)}…`);

const unasked = 1000;
const byKind: { [kind in Change["kind"]]?: number } = { image: 0, python: 1, toolkit: 2, driver: 3, gpu: 4, variable: 5 };

/** In which order people ask: Python, CUDA, driver and GPU, then frameworks, NumPy and cuDNN; what is beyond that, hardly ever. */
function placeOf({ kind, subject, package: installed, a, b }: Change): number {
  const known = byKind[kind];
  if (known !== undefined) return known;
  const name = kind === "package" ? (installed?.name ?? subject) : subject;
  const rank = solvedFrameworks.findIndex((names) => names.packages.includes(name));
  if (kind === "package" && 0 <= rank) return 10 + rank;
  if (/^numpy$/.test(name)) return 30;
  if (/^(?:apt:|conda:)?(?:nvidia-cudnn-cu\d+|libcudnn\d*|cudnn)$/.test(name)) return 31;
  // `CUDA of …` of a dependency file; of a machine, what each framework would load.
  if (kind === "framework") return /^(?:CUDA|cudnn|cudart|cupti|nccl) of /.test(name) && a !== undefined && b !== undefined ? 40 : unasked;
  if (/^nvidia-nccl-cu\d+$/.test(name)) return 41;
  return kind === "package" && frameworkNamed(name)?.companions?.includes(name) ? 20 : unasked;
}

const labelOf = (kind: Change["kind"], subject: string): string =>
  ({
    python: "Python",
    toolkit: subject.startsWith("/") ? `toolkit ${subject}` : `CUDA ${subject}`,
    image: "base image",
    driver: "driver",
    gpu: subject,
    variable: subject,
    framework: subject,
    package: subject,
    library: subject,
  })[kind];

function changeLines({ kind, subject, a, b, setAt = {} }: Change, names: Names, style: Style): string[] {
  return [
    `  ${kind} ${subject}`,
    ...columns(
      [
        [names.a, `${a ?? "(not there)"}${by(setAt.a)}`],
        [names.b, `${b ?? "(not there)"}${by(setAt.b)}`],
      ],
      "    ",
      style,
    ),
  ];
}

const by = (line: string | undefined) => (line === undefined ? "" : `  (${line}, in a login shell)`);
