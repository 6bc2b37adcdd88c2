// Users bring newer knowledge than their program: what is whole is used at once, and what is not is told in one sentence.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
// @ts-expect-error A tool, without types.
import { exportKnowledge } from "../../tools/export-knowledge.mjs";
import { bringKnowledge, readKnowledge } from "../../packages/core/src/knowledge/part.ts";
import { settledKnowledge } from "../../packages/core/src/knowledge/settled.ts";
import type { Published, PublishedPackage } from "../../packages/core/src/model/knowledge.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "culprit-brought-"));
afterAll(() => fs.rmSync(folder, { recursive: true }));

interface Exported {
  schema: string;
  day: string;
  needs: string;
  files: { [subject: string]: { sources: { [key: string]: string }; [list: string]: unknown } };
}

const whole = path.join(folder, "whole.json");
exportKnowledge(whole);
const text = fs.readFileSync(whole, "utf8");
const exported = JSON.parse(text) as Exported;
const today = new Date().toISOString().slice(0, 10);

/** A copy of what is exported, changed. */
function changed(change: (copy: Exported) => void): string {
  const copy = structuredClone(exported);
  change(copy);
  return JSON.stringify(copy);
}

/** The same of a later day, with one more release of torchvision on PyPI. */
const tomorrow = "2099-12-31";
const newer = changed((copy) => {
  copy.day = tomorrow;
  const { packages } = copy.files["published"] as unknown as Published;
  const { releases } = packages.find(({ name }) => name === "torchvision")!;
  releases.push({ ...releases.at(-1)!, version: "0.99.0" } as PublishedPackage["releases"][number]);
});

function culprit(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const environment = { ...process.env, NO_COLOR: "1" };
  return spawnSync(process.execPath, ["dist/cli.js", ...args], { encoding: "utf8", env: environment });
}

function written(name: string, content: string): string {
  const file = path.join(folder, name);
  fs.writeFileSync(file, content);
  return file;
}

test("what is exported is read as it is", () => {
  expect(readKnowledge(text, today)).toMatchObject({ day: exported.day });
  expect(Object.keys(exported.files)).toContain("published");
});

test.each([
  ["empty", "", "it is empty"],
  ["a page of an error", "<!doctype html><title>502</title>", /^it is not JSON \(.*\)$/],
  ["cut off", text.slice(0, 5000), /^it is not JSON \(.*\)$/],
  ["something else", '{"schema":"culprit/snapshot@1"}', "it is no file of knowledge"],
  ["a list", "[]", "it is no file of knowledge"],
  ["nothing", "null", "it is no file of knowledge"],
  [
    "of another schema",
    changed((copy) => (copy.schema = "culprit/knowledge@2")),
    /^it is culprit\/knowledge@2, and culprit .* reads culprit\/knowledge@1$/,
  ],
  ["for a later release", changed((copy) => (copy.needs = "99.0.0")), /^it is for culprit 99\.0\.0 or newer, and this is /],
  ["without a day", changed((copy) => (copy.day = "soon")), "it does not say of which day it is"],
  ["without a file", changed((copy) => delete copy.files["cudnn"]), "it lacks `cudnn`"],
  ["with a strange file", changed((copy) => (copy.files["prices"] = { sources: {} })), /^it has `prices`, which culprit .* does not know$/],
  [
    "not as its schema says",
    changed((copy) => delete (copy.files["gpus"] as { about?: string }).about),
    /^`gpus` is not as its schema says: /,
  ],
  [
    "against a law",
    changed((copy) => (copy.files["gpus"]!.sources["s999"] = "nobody")),
    "a law of knowledge is broken (every source that a fact names is listed, and every listed source is used): gpus: nothing uses the source s999",
  ],
] as const)("knowledge that is %s is refused in one sentence", (_what, content, words) => {
  const read = readKnowledge(content, today);
  if (!("problem" in read)) throw new Error("it was taken");
  if (typeof words === "string") expect(read.problem).toBe(words);
  else expect(read.problem).toMatch(words);
});

test("what a process knows is settled by its first question, and cannot be changed any more", () => {
  expect(settledKnowledge()).toBe(undefined);
  expect(bringKnowledge(newer, tomorrow)).toMatchObject({ problem: "a question was asked before it was read" });
  expect(settledKnowledge()).toBe(undefined);
});

test("older knowledge than the program's own is a note, and its own is used", () => {
  const file = written(
    "old.json",
    changed((copy) => (copy.day = "2020-01-01")),
  );
  const { status, stderr } = culprit("solve", "torch==2.5.1", "--driver", "570", "--gpu", "H100", "--json", "--knowledge", file);
  expect(status).toBe(0);
  expect(stderr).toMatch(
    /^culprit: note: the knowledge in `.*old\.json` is not used: it is of 2020-01-01, and what culprit .* knows by itself of /,
  );
});

test("damaged knowledge ends in one sentence and 2", () => {
  const { status, stdout, stderr } = culprit("--knowledge", written("cut.json", text.slice(0, 5000)), "--root", folder);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toMatch(/^culprit: the knowledge in `.*cut\.json` cannot be used: it is not JSON .*\n$/);
  const missing = culprit("solve", "torch", "--knowledge", path.join(folder, "nowhere.json"));
  expect(missing.status).toBe(2);
  expect(missing.stderr).toMatch(/^culprit: `.*nowhere\.json` cannot be read: .*\n$/);
});

test("every part of the command answers with what was brought, and says its day", () => {
  const file = written("newer.json", newer);
  const requirements = written("requirements.txt", "torchvision==0.99.0\n");
  const unknownIn = (...more: string[]) => {
    const { stdout } = culprit("check", requirements, "--json", ...more);
    const { unknown, knowledge } = JSON.parse(stdout) as { unknown: { subject: string }[]; knowledge: string };
    return { knowledge, unknown: unknown.map(({ subject }) => subject) };
  };
  expect(unknownIn()).toEqual({ knowledge: exported.day, unknown: ["torchvision 0.99.0"] });
  expect(unknownIn("--knowledge", file)).toEqual({ knowledge: tomorrow, unknown: [] });
  const log = written("error.log", "CUDA error: no kernel image is available for execution on the device\n");
  for (const words of [
    ["solve", "torch==2.5.1", "--driver", "570", "--gpu", "H100"],
    ["explain", log],
    ["check", "--root", folder],
    ["list", "--root", folder],
  ])
    expect(JSON.parse(culprit(...words, "--json", "--knowledge", file).stdout), words.join(" ")).toMatchObject({ knowledge: tomorrow });
});
