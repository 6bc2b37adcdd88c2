// Which element of LD_LIBRARY_PATH is to blame for a file: by its folder, never by how a text begins.
import { describe, expect, test } from "vitest";
import { guiltyElement, pythonPathElement } from "../../packages/core/src/diagnose/words.ts";
import { library } from "../frameworks/python-root.ts";
import { glibcLoader } from "../loader/answers.ts";
import type { Files } from "../loader/tree.ts";
import { needs } from "../needs.ts";
import { cudnnParts, findings, healthy } from "./python-stack.ts";

const of = (value: string, path: string, real: { [element: string]: string } = {}) =>
  guiltyElement(
    {
      variables: { LD_LIBRARY_PATH: value },
      pointers: {
        homes: [],
        searchPath: Object.entries(real).map(([text, each]) => ({ text, kind: "folder", meant: [], real: each })),
      },
    },
    { via: "ld-library-path", path, name: "libcuda.so.1" },
  );

test.each<[value: string, path: string, guilty: string | undefined, real?: { [element: string]: string }]>([
  ["/opt/lib64:/opt/lib64/stubs", "/opt/lib64/stubs/libcuda.so.1", "/opt/lib64/stubs"],
  ["/opt/lib64:/opt/lib64/stubs", "/opt/lib64/libcuda.so.1", "/opt/lib64"],
  [":/opt/lib", "/opt/lib/libcuda.so.1", "/opt/lib"],
  [":/opt/lib", "libcuda.so.1", ""],
  ["/opt/lib", "libcuda.so.1", undefined],
  ["/:/opt/lib", "/opt/lib/libcuda.so.1", "/opt/lib"],
  ["/opt/lib//:/opt", "/opt/lib//libcuda.so.1", "/opt/lib//"],
  ["sub/lib:/opt", "sub/lib/libcuda.so.1", "sub/lib"],
  ["/opt:/opt/lib", "/opt/lib/glibc-hwcaps/x86-64-v3/libcuda.so.1", "/opt/lib"],
  ["/opt:/opt/lib", "/opt/lib/tls/x86_64/libcuda.so.1", "/opt/lib"],
  ["/opt/link:/opt/lib", "/srv/real/libcuda.so.1", "/opt/link", { "/opt/link": "/srv/real", "/opt/lib": "/opt/lib" }],
])("LD_LIBRARY_PATH=%s, %s: %s", (value, path, guilty, real) => expect(of(value, path, real)).toBe(guilty));

describe("as a whole", needs({ glibc: glibcLoader }), () => {
  const old: Files = Object.fromEntries(
    ["", ...cudnnParts.map((part) => `_${part}`)].flatMap((part) => [
      [`/run/old/libcudnn${part}.so.9.0.0`, library(`libcudnn${part}.so.9`)],
      [`/run/old/libcudnn${part}.so.9`, { link: `libcudnn${part}.so.9.0.0` }],
    ]),
  ) as Files;

  test.each([
    ["a leading colon", ":/run/old", "/run/old"],
    ["a folder above it", "/run:/run/old/", "/run/old/"],
    ["a folder above a relative one", "/run:old", "old"],
    ["the real folder behind a link", "/run/link:/run/old", "/run/link"],
  ])("%s is not blamed", async (_what, value, guilty) => {
    const files = { ...healthy(), ...old, "/run/link": { link: "/run/old" } };
    const found = await findings(files, { environment: { LD_LIBRARY_PATH: value } });
    const words = found.flatMap(({ advice }) => advice.map((each) => each.words));
    expect(words.filter((each) => each.startsWith("take "))).toEqual([`take ${guilty} out of LD_LIBRARY_PATH`]);
  });
});

test.each([
  ["/opt:/opt/pylibs", "/opt/pylibs/nvidia/a.so", "/opt/pylibs"],
  ["/opt/py:/opt/pylibs", "/opt/pylibs/nvidia/a.so", "/opt/pylibs"],
  ["/opt/pylibs//", "/opt/pylibs/nvidia/a.so", "/opt/pylibs//"],
  ["/opt/py", "/opt/pylibs/nvidia/a.so", undefined],
  ["", "/opt/pylibs/nvidia/a.so", undefined],
])("PYTHONPATH=%s and %s: %s", (PYTHONPATH, file, element) => {
  expect(pythonPathElement({ variables: { PYTHONPATH } }, file)).toBe(element);
});
