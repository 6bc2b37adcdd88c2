// The page that can be changed: its worker has the facts, and answers what the bench asks.
import { unpacked } from "../dom.ts";
import { Asking, type Ask } from "./asking.ts";
import { Bench } from "./bench.ts";
import { asItIs } from "./experiment.ts";
import type { FromWorker, Made, ToWorker } from "./messages.ts";

const by = (id: string): HTMLElement => document.getElementById(id)!;

async function begin(): Promise<void> {
  const made = JSON.parse(by("question").textContent!) as Made;
  const [engine, facts] = await Promise.all([unpacked("engine"), unpacked("facts")]);
  const address = URL.createObjectURL(new Blob([engine], { type: "text/javascript" }));
  const worker = new Worker(address);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- this is a worker, not a window
  const say = (message: ToWorker) => worker.postMessage(message);
  say({ kind: "begin", facts, made });
  const asking = new Asking();
  worker.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => asking.hear(data));
  const ask: Ask = async (experiment) => asking.ask((id) => say({ kind: "ask", id, experiment }));
  const base = await ask(asItIs);
  if (typeof base === "string") return;
  // What the page was made with has fixes, each proven: it is what is shown as it is.
  const shown = { verdict: by("verdict").innerHTML, wrong: by("answer").firstElementChild!.outerHTML };
  new Bench(made, { ...base, answer: { ...base.answer, ...shown } }, ask).start();
}

void begin();
