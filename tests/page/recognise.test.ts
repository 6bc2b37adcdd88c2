// What is dropped is taken for what it is: every input of the case book, and texts that are easily taken for something else.
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";
import { expect, test } from "vitest";
import { recogniseDropped } from "../../packages/page/src/drop/recognise.ts";

const kinds: { [name: string]: string } = {
  "snapshot.json.gz": "snapshot",
  "log.txt": "log",
  "trace.json": "trace",
  "trace.json.gz": "trace",
  "trace.xplane.pb": "trace",
};
const goldens = new Set(["README.md", "diagnosis.json", "report.txt", "question.json", "observed.json"]);
const inputs = fs
  .readdirSync("cases", { withFileTypes: true })
  .filter((each) => each.isDirectory())
  .flatMap(({ name }) =>
    fs
      .readdirSync(path.join("cases", name))
      .filter((file) => !goldens.has(file))
      .map((file) => `${name}/${file}`),
  )
  .filter((file) => fs.statSync(path.join("cases", file)).isFile());

test("there are inputs", () => expect(inputs.length).toBeGreaterThan(60));
test.each(inputs)("%s", (input) => {
  const name = path.basename(input);
  const bytes = fs.readFileSync(path.join("cases", input));
  const plain = bytes[0] === 0x1f && bytes[1] === 0x8b ? zlib.gunzipSync(bytes, { finishFlush: zlib.constants.Z_SYNC_FLUSH }) : bytes;
  expect(recogniseDropped(name, new Uint8Array(plain.subarray(0, 65_536))).kind).toBe(kinds[name] ?? "dependency-file");
});

const taken = (name: string, text: string) => recogniseDropped(name, new TextEncoder().encode(text)).kind;
test("a text is a list only where it has packages line by line", () => {
  expect(taken("list.txt", "torch==2.1.0\nnumpy>=1.26 # why\n-r base.txt\n")).toBe("dependency-file");
  expect(taken("question.txt", "I installed TensorFlow with pip\nand it does not see my GPU.\n\ntensorflow==2.12.0\n")).toBe("log");
  expect(taken("pasted text", "RuntimeError: CUDA error: no kernel image is available\n")).toBe("log");
  expect(taken("requirements-dev.txt", "not a package at all !\n")).toBe("dependency-file");
});

test("JSON is a profile where it says so", () => {
  expect(taken("anything.json", '{"schemaVersion":1,"traceEvents":[]}')).toBe("trace");
  expect(taken("log.json", '{"level":"error","message":"libcudnn.so.8: cannot open shared object file"}\n')).toBe("log");
});

test("a log with zeros in it, or in UTF-16 as PowerShell writes it, is a log; other bytes are told in a sentence", () => {
  const text = "RuntimeError: cuDNN version incompatibility: PyTorch was compiled against (9, 1, 0)\n";
  expect(recogniseDropped("a.log", new TextEncoder().encode(`${text}\0\0\0${text}`))).toEqual({ kind: "log" });
  const wide = Uint8Array.from([0xff, 0xfe, ...[...text].flatMap((letter) => [letter.charCodeAt(0), 0])]);
  expect(recogniseDropped("out.txt", wide)).toEqual({ kind: "log" });
  const bytes = Uint8Array.from({ length: 600 }, (_, at) => (at * 37) % 11);
  expect(recogniseDropped("a.bin", bytes)).toMatchObject({
    kind: "unknown",
    words: expect.stringMatching(/^it is neither a text nor/) as string,
  });
});
