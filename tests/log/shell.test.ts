import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { explainLog } from "../../packages/core/src/culprit.ts";
import { signatures } from "../../packages/core/src/log/index.generated.ts";

test("every command that is printed for Linux is one that a shell can read", async () => {
  const lines = new Set<string>();
  for (const example of new Set(signatures.flat().flatMap(({ examples }) => examples))) {
    const { diagnoses } = await explainLog([new TextEncoder().encode(example)]);
    if (/\.dll|C:\\|[Ww]in(?:dows|32)|[Cc]olab|Kaggle/.test(example)) continue;
    // Sentences stand among what to run to be sure: those have words before a colon, or a command in backticks.
    for (const { fixes, next } of diagnoses)
      for (const line of [...fixes.flatMap(({ commands }) => commands), ...next.filter((each) => !/: |`/.test(each))]) lines.add(line);
  }
  lines.delete("RUN rm -f /usr/lib/x86_64-linux-gnu/libcuda.so* /usr/lib/x86_64-linux-gnu/libnvidia-*.so*");
  expect(lines.size).toBeGreaterThan(100);
  const bad = [...lines].filter((line) => spawnSync("bash", ["-n"], { input: `${line}\n` }).status !== 0);
  expect(bad).toEqual([]);
});
