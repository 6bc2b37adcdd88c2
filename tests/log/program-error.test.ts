import { expect, test } from "vitest";
import { explainLog } from "../../packages/core/src/culprit.ts";
import { withPlainError } from "../../packages/core/src/log/program-error.ts";

const asData = async (text: string) => withPlainError(await explainLog([new TextEncoder().encode(text)]));

test.each([
  ["FileNotFoundError: [Errno 2] No such file or directory: 'train.csv'", "a file of the program's own"],
  ["requests.exceptions.ConnectionError: HTTPSConnectionPool(host='a.b', port=443)", "network"],
  ["PermissionError: [Errno 13] Permission denied: '/data/out.txt'", "may not be read"],
])("who reads data is told of a plain error, too: %s", async (text, words) => {
  const { diagnoses } = await asData(`Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n${text}`);
  expect(diagnoses).toHaveLength(1);
  expect(diagnoses[0]).toMatchObject({ cause: "not-a-mismatch", certainty: "likely", evidence: [{ line: 3, text }] });
  expect(diagnoses[0]!.message).toContain(words);
});

test("what is told of a stack stays as it is", async () => {
  const { diagnoses } = await asData(
    "ImportError: libcudnn.so.9: cannot open shared object file: No such file or directory\nKeyError: 'a'",
  );
  expect(diagnoses.every(({ name }) => name !== "the program")).toBe(true);
  expect((await asData("all is well")).diagnoses).toEqual([]);
});
