import { describe, expect, test } from "vitest";
import { diagnose } from "../../packages/core/src/diagnose/diagnose.ts";
import type { Load } from "../../packages/core/src/model/loads.ts";
import { glibcLoader } from "../loader/answers.ts";
import { needs } from "../needs.ts";
import { asExpected } from "../rules/expected.ts";
import { healthy, judged } from "./python-stack.ts";

/** A process that has mapped cuDNN twice, as one does where a plugin asks for its own by path. */
async function mapped(...copies: { file: string; version: string }[]) {
  const stack = await judged(healthy());
  const run = stack.runs.find(({ programs }) => programs.some(({ id }) => id === "torch"));
  const load = ({ file, version }: { file: string; version: string }): Load => ({
    name: file.slice(file.lastIndexOf("/") + 1),
    library: "cudnn",
    version,
    file,
    path: file,
    requestedBy: "/venv/bin/python3",
    via: "path",
    activity: "convolution",
    certainty: "certain",
    unmapped: false,
    tried: [],
  });
  const loads = { ...run!.loads, loads: copies.map(load) };
  return asExpected(diagnose({ ...stack, runs: [{ ...run!, loads }] })).filter(({ rule }) => rule === "two-copies");
}

describe("two-copies", needs({ glibc: glibcLoader }), () => {
  const own = { file: "/venv/cudnn/libcudnn.so.9", version: "9.1.0" };

  test("two releases of one major in one process", async () => {
    expect(await mapped(own, { file: "/opt/libcudnn.so.9", version: "9.14.0" })).toMatchObject([
      {
        severity: "warning",
        cause: "two-copies",
        subject: "/opt/libcudnn.so.9",
        endangers: [{ framework: "torch", activity: "convolution" }],
      },
    ]);
  });

  test("the same release twice, or two majors, which have names of their own, are only unusual", async () => {
    for (const other of [
      { file: "/opt/libcudnn.so.9", version: "9.1.0" },
      { file: "/opt/libcudnn.so.8", version: "8.9.7" },
    ])
      expect(await mapped(own, other)).toMatchObject([{ severity: "info", endangers: [] }]);
    expect(await mapped(own)).toEqual([]);
  });
});
