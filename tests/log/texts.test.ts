import { expect, test } from "vitest";
import { cleanLine } from "../../packages/core/src/log/clean.ts";
import { explainLog } from "../../packages/core/src/culprit.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const message = "ImportError: libcudart.so.12: cannot open shared object file: No such file or directory";

test.each([
  ["colours", `\u001b[31m\u001b[1m${message}\u001b[0m`],
  ["an address", message.replaceAll(" ", "%20").replaceAll("'", "%27")],
  ["a title of a terminal", `\u001b]0;train\u0007${message}`],
  ["a rank", `[rank3]: ${message}`],
  ["docker compose", `trainer-1  | ${message}`],
  ["kubectl", `[pod/trainer-0/main] ${message}`],
  ["the journal", `Jan 01 00:00:00 host trainer[394]: ${message}`],
  ["GitHub Actions", `2024-01-01T00:00:00.0000000Z ${message}`],
  ["a quotation", `> > ${message}`],
  ["pytest", `E       ${message}`],
  ["ray", `(RayWorker pid=1234, ip=10.0.0.1) ${message}`],
  ["a notebook's file", `      "\\u001b[0;31m${message}\\u001b[0m\\n",`],
])("%s before or around a line is taken off", (_, line) => {
  expect(cleanLine(line)).toBe(message);
});

test.each([
  [
    "escaped for HTML",
    bytes("Could not load dynamic library &#39;libcupti.so.12&#39;; dlerror: libcupti.so.12: cannot open shared object file"),
  ],
  ["wrapped between words", bytes("ImportError: libcupti.so.12: cannot open\nshared object file: No such file or directory")],
  ["wrapped within a word", bytes("ImportError: libcupti.so.12: cannot open sha\nred object file: No such file or directory")],
  [
    "after a progress bar",
    bytes("  1%|  | 1/99\r 50%|### | 50/99\rImportError: libcupti.so.12: cannot open shared object file: No such file"),
  ],
  ["with line ends of Windows", bytes("Traceback\r\nImportError: libcupti.so.12: cannot open shared object file: No such file\r\n")],
  [
    "in UTF-16 with a mark",
    Uint8Array.from(Buffer.from("\ufeffImportError: libcupti.so.12: cannot open shared object file\r\n", "utf16le")),
  ],
  ["in UTF-16 without a mark", Uint8Array.from(Buffer.from("ImportError: libcupti.so.12: cannot open shared object file\r\n", "utf16le"))],
  [
    "in UTF-16, the other way round",
    Uint8Array.from(Buffer.from("\ufeffImportError: libcupti.so.12: cannot open shared object file\r\n", "utf16le").swap16()),
  ],
  ["in Latin-1", Uint8Array.from(Buffer.from("Fehler f\u00fcr libcupti: libcupti.so.12: cannot open shared object file", "latin1"))],
])("a text is read %s", async (_, text) => {
  for (const chunks of [[text], [...text].map((byte) => Uint8Array.of(byte))]) {
    const { diagnoses } = await explainLog(chunks);
    expect(diagnoses[0]?.name).toBe("libcupti.so.12");
  }
});

test("evidence names the line, counted as an editor does", async () => {
  const { diagnoses, lines } = await explainLog([bytes(`one\r\ntwo\n50%\r60%\r70%\n${message}\nfive\n`)]);
  expect(diagnoses[0]!.evidence).toEqual([{ line: 4, text: message }]);
  expect(lines).toBe(5);
});

test("random bytes, endless lines and cut texts neither crash nor alarm", async () => {
  let seed = 7;
  const random = () => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) & 255;
  for (let round = 0; round < 30; round += 1) {
    const noise = Uint8Array.from({ length: 20_000 }, round % 2 === 0 ? random : () => 32 + (random() % 95));
    expect((await explainLog([noise])).diagnoses).toEqual([]);
  }
  const line = bytes("x".repeat(1 << 20));
  expect((await explainLog(Array.from({ length: 64 }, () => line))).diagnoses).toEqual([]);
  const whole = bytes(`noise\n${message}\nCUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH\n`);
  for (let end = 0; end < whole.length; end += 1) await explainLog([whole.subarray(0, end)]);
});

test("a message within a line that does not end is found", async () => {
  const long = [bytes("y".repeat(300_000)), bytes(` ${message} `), bytes("y".repeat(300_000))];
  expect((await explainLog(long)).diagnoses[0]?.name).toBe("libcudart.so.12");
});

test("memory and time stay small however long the log is", async () => {
  const block = bytes(`${"2024-01-01 00:00:00 INFO step 100 loss 0.5 cuda:0 torch.float16\n".repeat(15_000)}`);
  const started = performance.now();
  const before = process.memoryUsage().rss;
  function* log() {
    for (let count = 0; count < 60; count += 1) yield block;
    yield bytes(message);
  }
  const { diagnoses } = await explainLog(log());
  expect(diagnoses[0]?.name).toBe("libcudart.so.12");
  // 58 MB: on an idle machine a second; the bound allows for a busy one.
  expect(performance.now() - started).toBeLessThan(20_000);
  expect(process.memoryUsage().rss - before).toBeLessThan(200 << 20);
});

test("in a long log, lines that differ in their numbers alone are left after a while, and what is said once is still read", async () => {
  const progress = Array.from({ length: 40_000 }, (_, step) => `step ${step}: driver version check ok, cuda 12.4, loss 0.${step}`).join(
    "\n",
  );
  const text = `${progress}\nImportError: libcudnn.so.9: cannot open shared object file: No such file or directory\n${progress}\n`;
  const { diagnoses, lines } = await explainLog([new TextEncoder().encode(text)]);
  expect(lines).toBe(80_001);
  expect(diagnoses[0]).toMatchObject({ cause: "library-missing", name: "libcudnn.so.9" });
});
