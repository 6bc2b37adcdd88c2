// The engine beside the page: it holds the facts, and answers one experiment after the other.
import { describeRules } from "../../../core/src/judge/part.ts";
import type { RuleDescription } from "../../../core/src/model/rule.ts";
import { settleGround } from "../../../core/src/resolve/ground.ts";
import type { Snapshot } from "../../../core/src/model/snapshot.ts";
import { breath } from "./asking.ts";
import { answerTo, proposed } from "./engine.ts";
import { rehearsals } from "./experiment.ts";
import type { FromWorker, Made, ToWorker } from "./messages.ts";

let facts: Snapshot;
let made: Made;
let rules: RuleDescription[];
/** The last question. */
let latest = 0;
/** What is tried while nobody asks. */
let left: (() => Promise<unknown>)[] = [];
let waiting: ReturnType<typeof setTimeout> | undefined;

const answerMessage = async ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === "begin") {
    facts = JSON.parse(data.facts) as Snapshot;
    // Experiments lie over them: what one of them did not change, the next answer takes from the one before.
    settleGround(facts.files);
    made = data.made;
    rules = describeRules();
    const trials = rehearsals(facts.environment).map((one) => async () => {
      const answered = await answerTo(facts, made, rules, one);
      return "rest" in answered && answered.rest();
    });
    // What can be done is on the page already; trying it out is what somebody does first.
    left = [async () => proposed(facts, made), ...trials];
    return;
  }
  const { id, experiment } = data;
  latest = id;
  try {
    const answered = await answerTo(facts, made, rules, experiment);
    if ("problem" in answered) send({ kind: "problem", id, words: answered.problem });
    else {
      send({ kind: "answer", id, answer: answered.answer });
      // What has been asked meanwhile is heard first.
      await breath();
      if (latest === id) send({ kind: "rest", id, sections: answered.rest() });
    }
  } catch (error) {
    send({ kind: "problem", id, words: `this cannot be answered: ${error instanceof Error ? error.message : String(error)}` });
  }
  rehearseLater();
};

/**
 * While the page is read, experiments of each kind are made for nobody: the browser compiles what runs often, and the first answer that
 * somebody waits for is as quick as the tenth.
 */
function rehearseLater(): void {
  clearTimeout(waiting);
  const next = left[0];
  if (next)
    waiting = setTimeout(() => {
      left.shift();
      // What cannot be tried here says so when it is asked for.
      void next()
        .catch(() => undefined)
        .then(rehearseLater);
    }, 100);
}

globalThis.addEventListener("message", (event: MessageEvent<ToWorker>) => void answerMessage(event));

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has one listener, the page that made it
const send = (message: FromWorker) => globalThis.postMessage(message);
