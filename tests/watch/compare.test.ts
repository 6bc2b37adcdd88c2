// The scales of `npm run watch`: what counts as opened, missed and wrong.
import { expect, test } from "vitest";
// @ts-expect-error A tool, without types.
import { compare, openedIn } from "../../tools/watch/compare.mjs";

const isGpuFile = (file: string) => /\/libcu|\/libnv/.test(file);
const load = (file: string, certainty = "certain", unmapped = false) => ({ file, certainty, unmapped });

test("opened is what came whole: closed later counts, a dlopen that failed half-way does not", () => {
  const log = ["+ ", "+ /lib/libc.so.6", "= ", "+ /a/libcublas.so.12", "+ /a/libcublasLt.so.12", "= ", "- /a/libcublas.so.12"];
  const failed = ["+ /a/libcudnn.so.9", "- /a/libcudnn.so.9", "= ", "+ /a/libcufft.so.11", "+ /a/half.so"];
  expect([...openedIn([...log, ...failed].join("\n"))]).toEqual(["/lib/libc.so.6", "/a/libcublas.so.12", "/a/libcublasLt.so.12"]);
});

test("a file that nobody predicted is missed, whatever else was right", () => {
  const { files, missed, wrong, certain } = compare(
    new Set(["/a/libcublas.so.12", "/a/libcufft.so.11"]),
    [load("/a/libcublas.so.12")],
    isGpuFile,
  );
  expect({ files, missed, wrong, certain }).toEqual({
    files: ["/a/libcublas.so.12", "/a/libcufft.so.11"],
    missed: ["/a/libcufft.so.11"],
    wrong: [],
    certain: 1,
  });
});

test("a certain file that was not opened is wrong; a possible one only where another copy came", () => {
  const opened = new Set(["/a/libcublas.so.12"]);
  expect(compare(opened, [load("/a/libcublas.so.12"), load("/b/plain.so")], isGpuFile).wrong).toEqual(["/b/plain.so"]);
  expect(compare(opened, [load("/a/libcublas.so.12"), load("/b/libcufft.so.11", "possible")], isGpuFile).wrong).toEqual([]);
  expect(compare(opened, [load("/b/libcublas.so.12", "possible")], isGpuFile)).toMatchObject({
    wrong: ["/b/libcublas.so.12"],
    missed: ["/a/libcublas.so.12"],
  });
  // Mapped and gone again is no claim that it is there.
  expect(compare(opened, [load("/a/libcublas.so.12"), load("/b/libcufft.so.11", "certain", true)], isGpuFile).wrong).toEqual([]);
});
