import { readFileSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { signatures } from "../../packages/core/src/log/index.generated.ts";

const read = (folder: string) =>
  readdirSync(`packages/core/src/log/${folder}`)
    .map((file) => readFileSync(`packages/core/src/log/${folder}/${file}`, "utf8"))
    .join("\n");
const reasoning =
  read("causes") +
  read("places") +
  ["explain", "fallback", "gate", "place", "rights", "kernel-module", "sides", "for-this-gpu", "context"]
    .map((name) => readFileSync(`packages/core/src/log/${name}.ts`, "utf8"))
    .join("\n");
const makers = read("messages") + read("dumps");

// A message that is recognised and then heard by nobody helps nobody.
const notices = new Set(
  [...makers.matchAll(/notice\(\s*"([\w-]+)"|kind: "notice", id: (?:code === "126" \? )?"([\w-]+)"/g)].map(
    ([, made, drawn]) => (made ?? drawn)!,
  ),
);

const rows = signatures.flat().filter(({ means }) => means !== undefined);

test.each([...notices])("the notice %s leads somewhere", (id) => {
  const asked = [...makers.matchAll(/notices\(([^)]+)\)/g)].map(([call]) => call).join();
  if (!rows.some(({ notice }) => notice === id)) expect(reasoning + asked).toContain(`"${id}"`);
});

test("a row says what its message means once, and no step says it again", () => {
  const ids = rows.map(({ notice }) => notice);
  expect(ids).not.toContain(undefined);
  expect(new Set(ids).size).toBe(ids.length);
});

test.each(readdirSync("packages/core/src/log/causes").map((file) => file.replace(/\.ts$/, "")))(
  "the step %s has a table of its own",
  (step) => {
    expect(readdirSync("tests/log/causes")).toContain(`${step}.test.ts`);
  },
);

test("there are notices", () => expect(notices.size).toBeGreaterThan(50));
