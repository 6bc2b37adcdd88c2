import { expect, test } from "vitest";
import { scanJson } from "../../packages/core/src/lib/json-scan.ts";

const isJson = (text: string) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

test("what it takes for JSON is what JSON.parse takes", () => {
  const whole = '{"a":[1,-2.5e+3,true,null,"\\u00e9\\n\\"",{}],"":[[],{"b":{"c":"d"}}],"e":0}';
  const signs = [...'{}[],:"\\0e-. \n\u0007truex'];
  let seed = 7;
  const random = (below: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % below;
  for (let round = 0; round < 4000; round += 1) {
    let text = whole;
    for (let edits = random(3); 0 <= edits; edits -= 1) {
      const at = random(text.length);
      text = text.slice(0, at) + (random(2) === 0 ? signs[random(signs.length)]! : "") + text.slice(at + random(2));
    }
    expect([text, scanJson(text) === undefined]).toEqual([text, isJson(text)]);
  }
});

test("texts are shown with their path and line; deep ones end no stack", () => {
  const seen: string[] = [];
  scanJson('{"a": [\n "x",\n {"b": "y"}\n],\n"c": "z"}', (path, line) => seen.push(`${path.join("/")} ${line}`));
  expect(seen).toEqual(["a/0 2", "a/1/b 3", "c 5"]);
  expect(scanJson("[".repeat(200_000))).toBe(200_000);
});
