// What somebody means who names a folder: a build is looked at where it lies, sources are no build.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { meaning } from "../packages/cli/src/folder.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "culprit-folders-"));
afterAll(() => fs.rmSync(folder, { recursive: true }));

test.each([
  ["a build of its own", ["CMakeCache.txt", "Makefile"], true],
  ["a build among the sources", ["CMakeLists.txt", "CMakeCache.txt"], true],
  ["Ninja's, without CMake", ["build.ninja"], true],
  ["sources with a list of commands for editors", ["CMakeLists.txt", "compile_commands.json"], false],
])("%s", (name, files, isBuild) => {
  const named = path.join(folder, name.replaceAll(" ", "-"));
  fs.mkdirSync(named);
  for (const file of files) fs.writeFileSync(path.join(named, file), "");
  const { input, word } = meaning({ words: [named], options: {} }, named);
  expect(word === undefined).toBe(isBuild);
  expect(JSON.stringify(input).includes(`"for":["${named}"]`)).toBe(isBuild);
});
