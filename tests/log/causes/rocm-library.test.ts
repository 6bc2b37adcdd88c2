import { expect, test } from "vitest";
import step from "../../../packages/core/src/log/causes/rocm-library.ts";
import { explainLog } from "../../../packages/core/src/culprit.ts";
import { holds } from "./holds.ts";

const all = "library-missing > library-not-on-path > library-wrong-version";

holds(step, [
  [
    "library-wrong-version > library-missing",
    "ImportError: libhipblas.so.1: cannot open shared object file: No such file or directory\nls /opt/rocm-6.0.1/lib/libhipblas.so.2",
  ],
  ["library-wrong-version", "I had to: sudo ln -s libhipblas.so.2 libhipblas.so.1"],
  [
    "library-wrong-version > library-missing",
    "torch 2.8.0+rocm7.0.0\nImportError: libamdhip64.so.6: cannot open shared object file: No such file or directory",
  ],
  [all, "aqlprofile API table load failed: HSA_STATUS_ERROR: A generic error has occurred."],
  [all, "roctracer: Loading 'libkfdwrapper64.so' failed, (null)"],
  [all, "ImportError: libamdhip64.so.6: cannot open shared object file: No such file or directory"],
]);

test("the package that has it, and the folder of that release", async () => {
  const text = 'Tool lib "/opt/rocm-5.2.0/roctracer/tool/libtracer_tool.so" failed to load.';
  const { diagnoses } = await explainLog([new TextEncoder().encode(text)]);
  const commands = diagnoses.flatMap(({ fixes = [] }) => fixes.flatMap((each) => each.commands ?? []));
  expect(commands).toContain("sudo apt-get install roctracer");
  expect(commands).toContain("export LD_LIBRARY_PATH=/opt/rocm-5.2.0/lib:$LD_LIBRARY_PATH");
});

test("a link to the same number is nobody's fault", async () => {
  const { diagnoses } = await explainLog([new TextEncoder().encode("sudo ln -s libhipblas.so.2.0.60001 libhipblas.so.2")]);
  expect(diagnoses).toEqual([]);
});
