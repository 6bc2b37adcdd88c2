import type { Reporter, SerializedError, TestModule } from "vitest/node";

/**
 * Ends the output with what was skipped, and why, and with one plain line that any tool can read: `12 passed, 0 failed, 1 skipped`.
 */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[] = []): void {
    const total = { passed: 0, failed: unhandled.length, skipped: 0, pending: 0 };
    const reasons = new Map<string, number>();
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const result = test.result();
        total[result.state] += 1;
        if (result.state !== "skipped") continue;
        const reason = result.note ?? test.meta().skipped ?? "nothing says why";
        reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      }
      // What is around tests can fail, too: a file that cannot be loaded, a hook.
      for (const group of [module, ...module.children.allSuites()]) total.failed += 0 < group.errors().length ? 1 : 0;
    }
    const skipped = [...reasons].sort(([, a], [, b]) => b - a).map(([reason, count]) => `skipped ${count}: ${reason}\n`);
    process.stdout.write(`\n${skipped.join("")}${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);
  }
}
