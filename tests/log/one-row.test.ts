import { expect, test } from "vitest";
import { isTaken, type Draft } from "../../packages/core/src/log/fact.ts";
import { signatures } from "../../packages/core/src/log/index.generated.ts";
import type { Signature } from "../../packages/core/src/log/signature.ts";

const all = signatures.flat();

/** What one row makes of a line, by name: a notice by its id. */
function madeBy({ literals, pattern, facts }: Signature, line: string): string[] {
  const lower = line.toLowerCase();
  const match = literals.some((literal) => lower.includes(literal)) ? pattern.exec(line) : null;
  const drafts: Draft[] = match ? [facts(match.groups ?? {}, match) ?? []].flat() : [];
  return drafts.filter(isTaken).flatMap((draft) => (draft.kind === "notice" ? [draft.id] : []));
}

// A sentence and the reason within it, or a general sentence that a special one refines: each pair is one on purpose.
const within = new Set([
  "jax-no-cuda-plugin ~ jax-cpu",
  "jax-no-cuda-plugin ~ jax-backend-failed",
  "jax-cpu-jaxlib ~ jax-backend-failed",
  "xla-no-devices ~ jax-backend-failed",
  "libcuda-not-loaded ~ jax-version-asked",
  "driver-init-failed ~ jax-version-asked",
  "rapids-linker ~ no-module",
  "nccl-system-error ~ network",
  "paddle-without-cuda ~ gpu-not-seen",
  "shared-memory ~ bus-error",
  "cupy-wanted ~ no-module",
  "cupy-wanted ~ gpu-not-seen",
  "pids-unseen ~ gpu-not-seen",
  "import-order-told ~ segfault",
]);

// What says that something failed, whatever the reason: rows of reasons refine it, and it is silent beside them.
const general = new Set(["container-cli-failed", "module-missing"]);

test("one message is one row: no example of a notice makes a second one", () => {
  const twice = all.flatMap((one) =>
    one.examples.flatMap((example) => {
      const own = madeBy(one, example);
      const others = all.filter((other) => other !== one).flatMap((other) => madeBy(other, example));
      return own
        .flatMap((id) => others.filter((other) => other !== id).map((other) => `${id} ~ ${other}`))
        .filter((pair) => !pair.split(" ~ ").some((id) => general.has(id)))
        .filter((pair) => !within.has(pair) && !within.has(pair.split(" ~ ").toReversed().join(" ~ ")))
        .map((pair) => `${pair}: ${example}`);
    }),
  );
  expect(twice).toEqual([]);
});
