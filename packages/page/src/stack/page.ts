// The page that can be changed: its worker has the facts, and answers what the bench asks.
import { unpacked } from "../dom.ts";
import { Bench } from "./bench.ts";
import { asItIs, type Experiment } from "./experiment.ts";
import type { Answer, FromWorker, Made, ToWorker } from "./messages.ts";

const by = (id: string): HTMLElement => document.getElementById(id)!;

async function begin(): Promise<void> {
  const made = JSON.parse(by("question").textContent!) as Made;
  const [engine, facts] = await Promise.all([unpacked("engine"), unpacked("facts")]);
  const address = URL.createObjectURL(new Blob([engine], { type: "text/javascript" }));
  const worker = new Worker(address);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- this is a worker, not a window
  const say = (message: ToWorker) => worker.postMessage(message);
  say({ kind: "begin", facts, made });
  let asked = 0;
  const waiting = new Map<number, (answer: Answer | string) => void>();
  worker.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => {
    waiting.get(data.id)?.(data.kind === "answer" ? data.answer : data.words);
    waiting.delete(data.id);
  });
  const ask = async (experiment: Experiment): Promise<Answer | string> =>
    new Promise((settle) => {
      asked += 1;
      waiting.set(asked, settle);
      say({ kind: "ask", id: asked, experiment });
    });
  const base = await ask(asItIs);
  if (typeof base === "string") return;
  // What the page was made with has fixes, each proven: it is what is shown as it is.
  const [, ...others] = base.answer;
  const findings = by("answer").firstElementChild!.outerHTML;
  new Bench(made, { ...base, verdict: by("verdict").innerHTML, answer: [findings, ...others] }, ask).start();
}

void begin();
