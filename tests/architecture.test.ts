import { readFileSync, readdirSync } from "node:fs";
import { posix } from "node:path";
import { expect, test } from "vitest";

// What each room may import. This table is the architecture: change it on purpose.
// A folder of the core stands by its name, a file beside the folders by its own, other packages as a whole.
const mayImport: Record<string, string[]> = {
  model: [],
  lib: [],
  elf: ["model", "lib"],
  knowledge: ["model", "lib", "knowledge-day.generated.ts"],
  snapshot: ["model", "lib", "schema", "the npm package typebox/schema"],
  // Asks a target for bytes.
  collect: ["model", "lib", "elf", "knowledge"],
  resolve: ["model", "lib"],
  // Pure: what the facts say is installed.
  survey: ["model", "lib", "knowledge", "resolve"],
  // What can be installed: releases, their builds, and what those need.
  builds: ["model", "lib", "knowledge"],
  frameworks: ["model", "lib", "knowledge", "survey", "resolve", "builds"],
  diagnose: ["model", "lib", "knowledge", "survey", "frameworks", "rules"],
  rules: ["model", "lib", "knowledge", "survey", "frameworks", "diagnose", "builds", "solve", "dependency-files", "log"],
  solve: ["model", "lib", "knowledge", "builds", "frameworks"],
  plan: ["model", "lib", "knowledge", "diagnose"],
  log: ["model", "lib", "knowledge"],
  // Advice that does harm is the same in an answer and in a Dockerfile.
  "dependency-files": [
    "model",
    "lib",
    "knowledge",
    "builds",
    "frameworks",
    "solve",
    "log",
    "rules",
    "the npm package js-yaml",
    "the npm package smol-toml",
    "the npm package dockerfile-ast",
  ],
  trace: ["model", "lib"],
  report: ["model", "lib"],
  // Questions to a target: facts are fetched until the answer lacks none.
  ask: ["model", "lib", "knowledge", "collect", "resolve", "survey", "frameworks", "solve", "version.ts"],
  judge: ["model", "lib", "knowledge", "resolve", "survey", "frameworks", "diagnose", "rules", "plan", "ask"],
  diff: ["model", "lib", "resolve", "diagnose", "plan", "ask", "judge"],
  "version.ts": [],
  "knowledge-day.generated.ts": [],
  "parts.ts": ["ask", "judge", "dependency-files", "diff", "log", "trace", "report", "snapshot", "collect", "knowledge"],
  "culprit.ts": ["model", "knowledge", "resolve", "snapshot", "ask", "judge", "dependency-files", "report", "parts.ts"],
  "index.ts": [
    "model",
    "lib",
    "collect",
    "frameworks",
    "diagnose",
    "rules",
    "snapshot",
    "ask",
    "judge",
    "dependency-files",
    "log",
    "report",
    "culprit.ts",
    "version.ts",
  ],
  // Only below this line may code touch the outside world. The edges use the library, like anyone else.
  "packages/machine": ["model", "lib", "node", "the npm package zstddec/stream"],
  // The model has words that help lists without waiting for the library.
  "packages/cli": [
    "index.ts",
    "version.ts",
    "knowledge-day.generated.ts",
    "model",
    "lib",
    "packages/machine",
    "node",
    "the npm package @modelcontextprotocol/server",
    "the npm package @modelcontextprotocol/server/stdio",
  ],
  // Judges what others collected: it never touches a machine, and needs no target.
  "packages/fleet": [
    "index.ts",
    "knowledge-day.generated.ts",
    "lib",
    "node",
    "the npm package @electric-sql/pglite",
    "the npm package @hono/node-server",
    "the npm package hono",
    "the npm package jose",
    "the npm package pg",
  ],
};
// Doors: they show together what is loaded together.
const doors: Record<string, string[]> = {
  "report/part.ts": ["snapshot", "version.ts"],
  "trace/part.ts": ["report"],
  // What users bring is held to the published schemas.
  "knowledge/part.ts": ["version.ts", "schema", "the npm package typebox/schema"],
  "knowledge/schemas.generated.ts": ["schema"],
};

/** The room that a file of the repository is in. */
const roomOf = (file: string) => /^packages\/core\/src\/([^/]+)/.exec(file)?.[1] ?? /^packages\/\w+/.exec(file)?.[0] ?? file.split("/")[0]!;

const packages = ["core", "machine", "cli", "fleet"];
const files = packages.flatMap((name) =>
  readdirSync(`packages/${name}/src`, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => `packages/${name}/src/${file}`),
);

const importsOf = (file: string) =>
  [...readFileSync(file, "utf8").matchAll(/^(?:import|export)\b[^;]*?\bfrom "([^"]+)"|\bimport\("([^"]+)"\)/gm)].map(([, named, lazy]) => ({
    isLazy: lazy !== undefined,
    name: named ?? lazy!,
  }));

function importedRoom(file: string, name: string): string {
  if (name.startsWith("node:")) return "node";
  const ours = /^@culprit\/(core|machine)(?:\/(.+))?$/.exec(name);
  if (ours) return roomOf(`packages/${ours[1]}/src/${ours[2] ?? "index"}${ours[2]?.includes("/") ? "" : ".ts"}`);
  return name.startsWith(".") ? roomOf(posix.join(posix.dirname(file), name)) : `the npm package ${name}`;
}

test.each(files)("%s imports only what its room may", (file) => {
  const room = roomOf(file);
  expect(Object.keys(mayImport), `${room} is not in the table`).toContain(room);
  const allowed = [...mayImport[room]!, ...(doors[file.replace("packages/core/src/", "")] ?? [])];
  for (const { name } of importsOf(file)) {
    const imported = importedRoom(file, name);
    if (imported !== room) expect(allowed, `${room} may not import ${imported}`).toContain(imported);
  }
});

test("what the core loads when asked for stands in one table", () => {
  const lazy = files.filter((file) => file.startsWith("packages/core/") && importsOf(file).some(({ isLazy }) => isLazy));
  expect(lazy).toEqual(["packages/core/src/parts.ts"]);
});

test("no room imports one that imports it, but rules and the two that judge by them", () => {
  const graph = new Map<string, Set<string>>();
  for (const file of files.filter((each) => each.startsWith("packages/core/") && !(each.replace("packages/core/src/", "") in doors)))
    for (const { name } of importsOf(file)) {
      const [from, to] = [roomOf(file), importedRoom(file, name)];
      if (from !== to && to in mayImport) graph.set(from, (graph.get(from) ?? new Set()).add(to));
    }
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    [...(graph.get(from) ?? [])].some((next) => next === to || (!seen.has(next) && reaches(next, to, seen.add(next))));
  const cyclic = [...graph.keys()].filter((room) => reaches(room, room)).sort();
  expect(cyclic).toEqual(["dependency-files", "diagnose", "rules"]);
});
