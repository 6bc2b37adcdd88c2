// A thread that judges: facts and a question in, the answer out.
import { parentPort } from "node:worker_threads";
import type { Told } from "@culprit/core";
import { judgeTold } from "./judge.ts";

parentPort!.on("message", async ({ told, question }: { told: string; question: string }) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread of Node, not a window
  parentPort!.postMessage(await judgeTold(JSON.parse(told) as Told, question));
});
