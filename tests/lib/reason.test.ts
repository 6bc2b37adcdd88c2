import fs from "node:fs";
import os from "node:os";
import { getSystemErrorMap } from "node:util";
import { expect, test } from "vitest";
import { reasonOf, reasonOfCode, sentenceOf } from "../../packages/core/src/lib/reason.ts";

/** An error as Node makes it. */
const systemError = (code: string, text: string, call = "open", path: string | undefined = "/a/file") =>
  Object.assign(new Error(`${code}: ${text}, ${call}${path === undefined ? "" : ` '${path}'`}`), {
    code,
    syscall: call,
    ...(path === undefined ? {} : { path }),
  });

test("no code of the system reaches a person, known or not", () => {
  for (const [code, text] of getSystemErrorMap().values())
    for (const call of ["open", "mkdir", "scandir", "whatever"]) {
      const sentence = sentenceOf(systemError(code, text, call));
      expect(sentence).toMatch(/^`\/a\/file` cannot be \w+( at)?: \S/);
      expect(sentence).not.toMatch(/\bE[A-Z0-9_]{2,}\b/);
    }
});

test("those that people meet have words of their own", () => {
  const common = ["ENOENT", "EACCES", "EPERM", "EISDIR", "EROFS", "ENOSPC", "ETXTBSY", "ELOOP", "ENOTDIR", "ENOMEM", "EMFILE"];
  for (const code of common) expect(reasonOfCode(code)).not.toContain(code);
});

test("a real error names its file and what was tried", () => {
  let error: unknown;
  try {
    fs.readdirSync(`${os.devNull}/below`);
  } catch (caught) {
    error = caught;
  }
  expect(sentenceOf(error)).toBe(`\`${os.devNull}/below\` cannot be listed: a part of its path is not a folder`);
  expect(reasonOf(error)).toBe("a part of its path is not a folder");
});

test("a sentence of ours stays as it is", () => {
  expect(sentenceOf(new Error("there is no target `x`"))).toBe("there is no target `x`");
  expect(sentenceOf("text")).toBe("text");
});
