import { expect, test } from "vitest";
import { withoutSecrets } from "../../packages/core/src/lib/secrets.ts";
import { harmless, secretTexts } from "./secret-forms.ts";

test.each(secretTexts("Zk3vQ9xTb7Lm2Rw8Yp5N"))("%s: %j holds nothing secret any more", (_form, text, secret) => {
  const rest = withoutSecrets(text);
  expect(rest).not.toContain(secret);
  expect(rest).toContain("(redacted)");
});

test.each(harmless)("%j stays as it is", (text) => {
  expect(withoutSecrets(text)).toBe(text);
});

test("what stands around a secret stays", () => {
  expect(withoutSecrets("pip install -i https://me:hunter2@host.example/simple torch==2.4.1 --token abc # /opt/x")).toBe(
    "pip install -i https://(redacted)@host.example/simple torch==2.4.1 --token (redacted) # /opt/x",
  );
  expect(withoutSecrets('{"auths":{"nvcr.io":{"auth":"JG9hdXRo"}},"credsStore":"desktop"}')).toBe(
    '{"auths":{"nvcr.io":{"auth":"(redacted)"}},"credsStore":"desktop"}',
  );
});

test("a folder that is called like a key is still found, an address is not", () => {
  expect(withoutSecrets("/opt/sk-abcdefghijklmnop/lib/libcudnn.so.9")).toBe("/opt/sk-abcdefghijklmnop/lib/libcudnn.so.9");
  expect(withoutSecrets("https://host/sk-abcdefghijklmnop/x")).toBe("https://host/(redacted)/x");
});

test("a long text without end comes to an end", () => {
  for (const piece of [
    "a=",
    'key="',
    "https://a@",
    "-----BEGIN PRIVATE KEY-----",
    "mysql -",
    "x:",
    "password ",
    "token: '",
    "eyJabcdefghi.",
  ])
    expect(withoutSecrets(piece.repeat(200_000 / piece.length)).length).toBeLessThan(3_000_000);
});
