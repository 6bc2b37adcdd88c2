// A thread that judges: facts and a question in, the answer out.
import { parentPort } from "node:worker_threads";
import { judgeText } from "./judge.ts";

parentPort!.on("message", async ({ text, question }: { text: string; question: string }) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread of Node, not a window
  parentPort!.postMessage(await judgeText(text, question));
});
