import { readFileSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";

const read = (folder: string) =>
  readdirSync(`packages/core/src/log/${folder}`)
    .map((file) => readFileSync(`packages/core/src/log/${folder}/${file}`, "utf8"))
    .join("\n");
const reasoning =
  read("causes") + ["explain", "fallback", "place"].map((name) => readFileSync(`packages/core/src/log/${name}.ts`, "utf8")).join("\n");
const makers = read("signatures") + read("dumps");

// A message that is recognised and then heard by nobody helps nobody.
const notices = new Set(
  [...makers.matchAll(/notice\(\s*"([\w-]+)"|kind: "notice", id: (?:code === "126" \? )?"([\w-]+)"/g)].map(
    ([, made, drawn]) => (made ?? drawn)!,
  ),
);

test.each([...notices])("the notice %s leads somewhere", (id) => {
  expect(reasoning).toContain(`"${id}"`);
});

test("there are notices", () => expect(notices.size).toBeGreaterThan(50));
