// Answers in which every text is a random one, through every report: nothing may come out that steers, or begins a line of its own.
import {
  openTarget,
  checkHtml,
  checkMarkdown,
  checkReport,
  checkSarif,
  diffReport,
  checkDependencyFile,
  diffTargets,
  fixTarget,
  loadsOfFrameworks,
  whyOfFrameworks,
  listStack,
  explainLog,
  explainReport,
  fixReport,
  predictedReport,
  listReport,
  loadsReport,
  loadTraces,
  runReport,
  solveReport,
  solveRequest,
  stepText,
  targetsReport,
  whyReport,
  type Problem,
} from "../../packages/core/src/index.ts";
import { cleaned } from "../../packages/cli/src/print.ts";
import { withoutSecretsIn } from "../../packages/core/src/lib/secrets.ts";
import { jsonText } from "../../packages/core/src/lib/visible.ts";
import { terminalStyle } from "../../packages/cli/src/style.ts";
import { Dice } from "../fuzz/fuzz.ts";
import { h200, judge, mixedCudnn, withSetter } from "../report/judged.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const python = ["/opt/torch/.venv"];
const question = { programs: [], activities: [], python };

function whole<T>(answer: T): Exclude<T, Problem> {
  if (typeof answer === "object" && answer !== null && "problem" in answer) throw new Error(String(answer.problem));
  return answer as Exclude<T, Problem>;
}

async function trace() {
  const { openTrace, joinDrawings } = await loadTraces();
  const bytes = encode(
    JSON.stringify({
      schemaVersion: 1,
      deviceProperties: [{ id: 0, name: "NVIDIA H200", computeMajor: 9, computeMinor: 0 }],
      traceEvents: [
        { ph: "X", cat: "cuda_runtime", name: "cudaLaunchKernel", pid: 1, tid: 1, ts: 1, dur: 2, args: { correlation: 1 } },
        {
          ph: "X",
          cat: "kernel",
          name: "void some kernel",
          pid: 0,
          tid: 7,
          ts: 4,
          dur: 10,
          args: { correlation: 1, device: 0, stream: 7 },
        },
        { ph: "X", cat: "kernel", name: "void other kernel", pid: 0, tid: 7, ts: 90, dur: 10, args: { device: 0, stream: 7 } },
        { ph: "X", cat: "cpu_op", name: "aten::some op", pid: 1, tid: 1, ts: 12, dur: 60 },
      ],
    }),
  );
  const reading = openTrace(bytes, "/x/y.pt.trace.json", { drawn: 100, isCompressed: false });
  reading.push(bytes);
  reading.end();
  const file = reading.finish("/x/y.pt.trace.json", bytes.length, undefined);
  return {
    report: { schema: "culprit/trace@1" as const, files: [file] },
    drawing: joinDrawings([{ label: "rank 0", drawing: reading.drawing()! }]),
  };
}

/** Every report, as the command line prints it. */
export async function allReports() {
  const examination = () => openTarget(withSetter, mixedCudnn);
  const judged = await judge(withSetter, mixedCudnn);
  const { plan } = whole(await fixTarget(await examination(), question));
  const loads = whole(await loadsOfFrameworks(await examination(), { frameworks: ["torch"], activities: ["convolution"], python }));
  const why = whole(
    await whyOfFrameworks(await examination(), "libcudnn_graph.so.9", { frameworks: ["torch"], activities: ["convolution"], python }),
  );
  const difference = whole(await diffTargets(await examination(), await openTarget(h200), question));
  const inventory = await listStack(await examination(), python);
  const explanation = await explainLog([
    encode(
      "ImportError: libcudnn.so.9: cannot open shared object file: No such file or directory\n$ sudo apt install nvidia-cuda-toolkit\n",
    ),
  ]);
  const solution = whole(await solveRequest({ requirements: ["torch>=2.4"], driver: "535.104", gpus: ["T4"], places: [] }));
  const conflict = whole(await solveRequest({ requirements: ["torch==2.5.1", "cuda==11.0"], places: [], driver: "535.104" }));
  const declared = whole(
    await checkDependencyFile({
      file: "a/requirements.txt",
      text: "torch==2.4.1\nnvidia-cudnn-cu12==8.9.7.29\nx y\n",
      read: async () => ({ problem: "is not there" }),
    }),
  );
  const { traceReport, tracePage, perfettoTrace } = await loadTraces();
  const traced = await trace();
  const style = terminalStyle({ isTTY: true });
  const targets = {
    schema: "culprit/targets@1" as const,
    targets: [
      { target: "ssh:a b", check: judged.check, gpus: ["NVIDIA H200"] },
      { target: "ssh:b/c", problem: "cannot look at b/c: it is away" },
    ],
  };
  const terminal = <T>(answer: T, report: (answer: T) => string) => ({
    answer,
    kind: "terminal" as const,
    report: async (given: unknown) => cleaned(report(given as T)),
  });
  const json = (answer: unknown) => ({
    answer,
    kind: "json" as const,
    report: async (given: unknown) => jsonText(withoutSecretsIn(given), 1),
  });
  const pick = ({ check, stack: { variables, inventory: own, runs } }: typeof judged) => ({
    check,
    stack: { variables, inventory: own, runs: JSON.parse(JSON.stringify(runs)) as typeof runs },
  });
  const reported = pick(judged);
  return [
    terminal(judged.check, (check) => checkReport(check, style, { all: true })),
    terminal(inventory, (given) => listReport(given, style)),
    terminal(loads, (given) => loadsReport(given, style)),
    terminal(why, (given) => whyReport(given, style)),
    terminal(plan, (given) => fixReport(given, style)),
    terminal(
      plan.chosen.flatMap(({ steps }) => steps),
      (steps) => steps.map(stepText).join(""),
    ),
    terminal({ difference, names: { a: "/a b", b: "c/d" } }, (given) => diffReport(given.difference, given.names, style, { all: true })),
    terminal(explanation, (given) => explainReport(given, style)),
    terminal(
      {
        ended: "exit code 1",
        explanation,
        loaded: [{ library: "a/b", file: "/x/y.so", state: "loaded" as const }],
        frameworks: ["a b"],
        unseen: ["x y"],
      },
      (given) => runReport(given, style),
    ),
    terminal(solution, (given) => solveReport(given, style)),
    terminal(conflict, (given) => solveReport(given, style)),
    terminal(targets, (given) => targetsReport(given, style)),
    terminal(traced.report, (given) => traceReport(given, style)),
    {
      answer: declared.predicted,
      kind: "terminal" as const,
      report: async (given: unknown) => cleaned(await predictedReport(given as typeof declared.predicted)),
    },
    {
      answer: reported,
      kind: "markdown" as const,
      report: async (given: unknown) => cleaned(await checkMarkdown(given as typeof reported)),
    },
    { answer: reported, kind: "json" as const, report: async (given: unknown) => checkSarif(given as typeof reported) },
    { answer: reported, kind: "page" as const, report: async (given: unknown) => checkHtml(given as typeof reported) },
    {
      answer: { report: traced.report, names: traced.drawing!.names },
      kind: "page" as const,
      report: async (given: unknown) =>
        tracePage((given as typeof traced).report, { ...traced.drawing!, names: (given as { names: string[] }).names }, ""),
    },
    {
      answer: traced.drawing!.names,
      kind: "json" as const,
      report: async (given: unknown) => [...perfettoTrace({ ...traced.drawing!, names: given as string[] })].join(""),
    },
    json(judged.check),
    json(inventory),
    json(loads),
    json(plan),
    json(explanation),
    json(traced.report),
  ];
}

const blocks: [number, number][] = [
  [0, 0x20],
  [0x7f, 0xa1],
  [0xad, 0xae],
  [0x300, 0x370],
  [0x600, 0x620],
  [0x115f, 0x1161],
  [0x17b4, 0x17b6],
  [0x180b, 0x1810],
  [0x2000, 0x2070],
  [0x2800, 0x2801],
  [0x3164, 0x3165],
  [0xd800, 0xe000],
  [0xe000, 0xe010],
  [0xfe00, 0xfe10],
  [0xfeff, 0xff00],
  [0xffa0, 0xffa1],
  [0xfff0, 0x10000],
  [0x13430, 0x13440],
  [0x1bca0, 0x1bca4],
  [0x1d173, 0x1d17b],
  [0x1f600, 0x1f640],
  [0xe0000, 0xe0200],
  [0x20, 0x7f],
  [0x20, 0x7f],
];

const randomText = (dice: Dice) =>
  Array.from({ length: dice.below(14) }, () => {
    if (dice.chance(6))
      return dice.pick([
        "\n✗ FORGED",
        "\r\nFORGED",
        "\n\n# FORGED\n",
        "\u001b[2J",
        "\u001b]52;c;x\u0007",
        "\u2028FORGED",
        "\u0085FORGED",
        "](x)",
        "<b>",
        "`",
        "\u0001",
        "⚠\ufe0f",
      ]);
    const [from, to] = dice.pick(blocks);
    return String.fromCharCode(...codeUnits(from + dice.below(to - from)));
  }).join("");

const codeUnits = (code: number) => (code < 0x10000 ? [code] : [0xd800 + ((code - 0x10000) >> 10), 0xdc00 + ((code - 0x10000) & 0x3ff)]);

/** A few of each kind are enough. */
function short<T>(value: T): T {
  const cut = (each: unknown): unknown => {
    if (Array.isArray(each)) return each.slice(0, 4).map(cut);
    if (typeof each !== "object" || each === null || ArrayBuffer.isView(each)) return each;
    return Object.fromEntries(Object.entries(each).map(([key, item]) => [key, cut(item)]));
  };
  return cut(value) as T;
}

/** Texts that came from somewhere become others; words of ours stay. */
function scrambled(value: unknown, dice: Dice): unknown {
  if (typeof value === "string")
    return /[/ .]/.test(value) && !dice.chance(3) ? `${dice.chance(2) ? value : ""}${randomText(dice)}` : value;
  if (Array.isArray(value)) return value.map((each) => scrambled(each, dice));
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, scrambled(item, dice)]));
}

const steering = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/gu;
const isStray = (text: string, character: string, at: number) =>
  character !== "\n" && !(/[\ufe0e\ufe0f]/.test(character) && /\p{Extended_Pictographic}$/u.test(text.slice(Math.max(0, at - 2), at)));

// oxlint-disable-next-line no-control-regex
const colours = /\u001b\[(?:1|2|22|31|32|39)m/g;

/** What came through, by report. */
export async function strayCharacters(seed: number, rounds: number): Promise<string[]> {
  const reports = (await allReports()).map((each) => ({ ...each, answer: short(each.answer) }));
  const dice = new Dice(seed);
  const stray: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const at = dice.below(reports.length);
    const { answer, kind, report } = reports[at]!;
    const given = scrambled(answer, dice);
    let text = await report(given);
    if (kind === "terminal") text = text.replaceAll(colours, "");
    for (const match of text.matchAll(steering))
      if (isStray(text, match[0], match.index)) stray.push(`report ${at}: ${match[0].codePointAt(0)!.toString(16)}`);
    if ((kind === "terminal" || kind === "markdown") && /^[\s✗✓!#]*FORGED/m.test(text))
      stray.push(`report ${at}: a line was forged: ${JSON.stringify(/^.*FORGED.*$/m.exec(text)![0])}`);
    if (kind === "json") {
      const back: unknown = JSON.parse(text);
      if (typeof back !== "object") stray.push(`report ${at}: no document`);
    }
  }
  return stray;
}
