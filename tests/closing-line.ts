import type { Reporter, TestModule } from "vitest/node";

/** Ends the output with one plain line that any tool can read: `12 passed, 0 failed, 1 skipped`. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const total = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) total[test.result().state] += 1;
      if (module.errors().length > 0) total.failed += 1;
    }
    process.stdout.write(`\n${total.passed} passed, ${total.failed} failed${total.skipped ? `, ${total.skipped} skipped` : ""}\n`);
  }
}
