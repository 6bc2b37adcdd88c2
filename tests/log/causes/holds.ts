import { expect, test } from "vitest";
import type { Step } from "../../../packages/core/src/log/cause.ts";
import { contextOf } from "../../../packages/core/src/log/context.ts";
import { factsOf } from "../../../packages/core/src/log/fact.ts";
import { logReader } from "../../../packages/core/src/log/read.ts";

/** A step of reasoning alone: of each text, one of the problems that it sees has these causes, in this order. */
export function holds(step: Step, rows: [causes: string, text: string][]): void {
  test.each(rows)("%s: %s", (causes, text) => {
    const reader = logReader();
    reader.push(new TextEncoder().encode(text));
    const facts = factsOf(reader.end().facts);
    const said = step(facts, contextOf(facts)).map(({ suspects }) => suspects.map(({ cause }) => cause).join(" > "));
    expect(said).toContain(causes);
  });
}
