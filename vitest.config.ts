import { defineConfig } from "vitest/config";

// What takes long on purpose: fuzzers, kills at every change, real installations, other releases of Node.
const deep = ["tests/fuzz/**/*.test.ts", "tests/**/*.deep.test.ts"];
// What starts the built command, real loaders, compilers or shells, which takes most of the time (measured). All else is fast, and leaves
// nothing behind: its files share a process, which halves their time again.
const outside = [
  "tests/apply/**",
  "tests/bug-report.test.ts",
  "tests/ci/**",
  "tests/cli.test.ts",
  "tests/completion/**",
  "tests/declare/cli.test.ts",
  "tests/diagnose/interpreter-shadowed.test.ts",
  "tests/fleet/**",
  "tests/growth/**",
  "tests/help.test.ts",
  "tests/judge/login-bash.test.ts",
  "tests/knowledge/{brought,harvest,required-tool,versions}.test.ts",
  "tests/loader/{aarch64,caches,dlopen,machine,musl,processors,programs,random,relocations,rights,sweep}.test.ts",
  "tests/log/{cli,run,shell}.test.ts",
  "tests/man-pages.test.ts",
  "tests/mcp/**",
  "tests/package/**",
  "tests/page/{accessible,drop,engine,open,timeline}.test.ts",
  "tests/leaks/**",
  "tests/named-files.test.ts",
  "tests/patterns/**",
  "tests/python/**",
  // It puts something between the rules and all else, which others must not get.
  "tests/plan/{cures,garbled}.test.ts",
  "tests/processor.test.ts",
  "tests/ratchet.test.ts",
  "tests/unread.test.ts",
  "tests/report/{accept,html}.test.ts",
  "tests/site/**",
  "tests/target/**",
  "tests/trace/{cli,recorders}.test.ts",
  "tests/watch/stand-in.test.ts",
];
const all = ["packages/*/src/**/*.test.ts", "tests/**/*.test.ts"];

export default defineConfig({
  test: {
    testTimeout: 120_000,
    hookTimeout: 300_000,
    reporters: ["default", "./tests/closing-line.ts"],
    projects: [
      { extends: true, test: { name: "fast", isolate: false, include: all, exclude: [...deep, ...outside] } },
      { extends: true, test: { name: "outside", include: outside.map((each) => each.replace(/\*\*$/, "**/*.test.ts")), exclude: deep } },
      { extends: true, test: { name: "deep", include: deep } },
    ],
  },
});
