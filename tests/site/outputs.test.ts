// The outputs in docs and in pictures are what culprit says today. `npm run site -- --record` and `npm run pictures` write them.
import fs from "node:fs";
import { describe, expect, test } from "vitest";
// @ts-expect-error A tool, without types.
import { pagesWithOutputs, remade } from "../../tools/site/console.mjs";
// @ts-expect-error A tool, without types.
import { drawn, pictures } from "../../tools/pictures.mjs";

const pages: string[] = pagesWithOutputs();

describe.concurrent("the outputs of a page", () => {
  test.each(pages)("%s", async (file) => {
    const source = fs.readFileSync(file, "utf8");
    expect(await remade(source), "`npm run site -- --record` writes it").toBe(source);
  });
});

test("a changed output is noticed, and so is a changed input", async () => {
  const source = fs.readFileSync("docs/symptoms/libcublas-so-11.md", "utf8");
  expect(await remade(source.replace("is not found", "is there"))).toBe(source);
  expect(await remade(source.replace("libcublas.so.11: cannot open", "libcufft.so.10: cannot open"))).not.toContain("✗ `libcublas.so.11`");
});

test("a command that culprit refuses is never shown", async () => {
  await expect(remade("```console\n$ culprit check nothing-here.txt\n```\n")).rejects.toThrow(/ends with 2/);
  await expect(remade("```console\n$ rm -rf x\n```\n")).rejects.toThrow(/not culprit's/);
});

test.each(Object.keys(pictures))("the picture %s shows what is printed today", async (name) => {
  const file = `docs/pictures/${name}.svg`;
  expect(fs.readFileSync(file, "utf8"), "`npm run pictures` writes it").toBe(await drawn(pictures[name]));
});
