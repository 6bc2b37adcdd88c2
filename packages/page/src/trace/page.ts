// The page that `culprit trace --html` writes.
import { blockOf, recordingOf, type PageData } from "./data.ts";
import { showTrace } from "./view.ts";

async function start(): Promise<void> {
  const data = JSON.parse(document.getElementById("data")!.textContent!) as PageData;
  const packed = document.getElementById("events")?.textContent ?? "";
  // Nothing was drawn, or nothing could be.
  const shown = packed === "" ? { ...data, tracks: [], counters: [], arrows: 0 } : data;
  showTrace(document.body, shown, recordingOf(shown, packed === "" ? new Uint32Array(0) : await blockOf(packed)));
}

void start();
