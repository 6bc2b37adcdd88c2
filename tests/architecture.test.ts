import { readFileSync, readdirSync } from "node:fs";
import { posix } from "node:path";
import { expect, test } from "vitest";

// What each part of src/ may import. This table is the architecture: change it on purpose.
const mayImport: Record<string, string[]> = {
  model: [],
  lib: [],
  elf: ["model", "lib"],
  knowledge: ["model", "lib"],
  snapshot: ["model", "lib", "schema", "the npm package typebox/schema"],
  collect: ["model", "lib", "elf", "knowledge", "resolve"],
  resolve: ["model", "lib"],
  frameworks: ["model", "lib", "knowledge", "collect", "resolve"],
  diagnose: ["model", "lib", "knowledge", "collect", "frameworks"],
  solve: ["model", "lib", "knowledge"],
  plan: ["model", "lib", "knowledge", "diagnose"],
  log: ["model", "lib", "knowledge"],
  // Advice that does harm is the same in an answer and in a Dockerfile.
  declare: [
    "model",
    "lib",
    "knowledge",
    "solve",
    "log",
    "the npm package js-yaml",
    "the npm package smol-toml",
    "the npm package dockerfile-ast",
  ],
  report: ["model", "lib"],
  "version.ts": [],
  "examination.ts": ["model", "knowledge", "collect", "resolve", "version.ts"],
  "culprit.ts": ["model", "lib", "knowledge", "resolve", "examination.ts", "stack.ts", "judgement.ts"],
  "stack.ts": ["model", "lib", "knowledge", "collect", "resolve", "frameworks", "examination.ts"],
  "solving.ts": ["model", "collect", "solve", "examination.ts"],
  "judgement.ts": ["model", "lib", "knowledge", "collect", "resolve", "frameworks", "diagnose", "plan", "examination.ts", "stack.ts"],
  "difference.ts": ["model", "lib", "resolve", "diagnose", "plan", "examination.ts", "judgement.ts"],
  "declaration.ts": ["model", "knowledge", "declare", "log.ts"],
  "reports.ts": ["model", "report", "snapshot", "version.ts"],
  "log.ts": ["log"],
  trace: ["model", "lib"],
  "traces.ts": ["trace", "report"],
  "lazy.ts": [
    "model",
    "collect",
    "stack.ts",
    "judgement.ts",
    "difference.ts",
    "reports.ts",
    "log.ts",
    "traces.ts",
    "solving.ts",
    "declaration.ts",
    "snapshot",
  ],
  "index.ts": [
    "model",
    "lib",
    "collect",
    "resolve",
    "frameworks",
    "snapshot",
    "diagnose",
    "report",
    "culprit.ts",
    "examination.ts",
    "lazy.ts",
    "judgement.ts",
    "solving.ts",
    "declaration.ts",
    "reports.ts",
    "log",
    "log.ts",
    "stack.ts",
    "version.ts",
  ],
  // Only below this line may code touch the outside world. The edges use the public library, like anyone else.
  target: ["model", "node", "the npm package zstddec/stream"],
  apply: ["model", "lib", "node"],
  cli: ["index.ts", "lib", "target", "apply", "version.ts", "node"],
};

const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((file) => /(?<!\.test)\.ts$/.test(file));

test.each(files)("src/%s imports only what its part may", (file) => {
  const part = file.split("/")[0]!;
  expect(Object.keys(mayImport), `${part} is not in the table`).toContain(part);
  const statements = /^(?:import|export)\b[^;]*?\bfrom "([^"]+)"|\bimport\("([^"]+)"\)/gm;
  for (const [, from, dynamic] of readFileSync(`src/${file}`, "utf8").matchAll(statements)) {
    const name = from ?? dynamic;
    const imported = name!.startsWith("node:")
      ? "node"
      : name!.startsWith(".")
        ? posix
            .join(posix.dirname(file), name!)
            .replace(/^\.\.\//, "")
            .split("/")[0]!
        : `the npm package ${name}`;
    if (imported !== part) expect(mayImport[part], `${part} may not import ${imported}`).toContain(imported);
  }
});
