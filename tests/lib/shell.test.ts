import { expect, test } from "vitest";
import { commandLine, pasted, quoted } from "../../packages/core/src/lib/shell.ts";

test("a word is quoted only where a shell would take it apart", () => {
  expect(commandLine(["env", "LD_LIBRARY_PATH=/a:/b", "it's here"])).toBe("env LD_LIBRARY_PATH=/a:/b 'it'\\''s here'");
});

test("what no terminal shows is spelled out for whoever pastes it, and left to a plain shell as it is", () => {
  expect(pasted("/opt/lib\r")).toBe("$'/opt/lib\\r'");
  expect(pasted("a'b\\c\u001b")).toBe("$'a\\'b\\\\c\\x1b'");
  expect(quoted("/opt/lib\r")).toBe("'/opt/lib\r'");
});
