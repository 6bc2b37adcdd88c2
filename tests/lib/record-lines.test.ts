import { expect, test } from "vitest";
import { outermostModules } from "../../packages/core/src/lib/record-lines.ts";

test("of a RECORD, the modules that no package of the same list is around", () => {
  const lines = [
    "rays/__init__.py,sha256=a,1",
    "rays/deep/__init__.py,,",
    "rays/ops.py,,",
    "waves.py,,",
    "cuda/core/__init__.py,,",
    "cuda/core/system/__init__.py,,",
    "google/plain.py,,",
    "tools/scripts/run.py,,",
    "../../../bin/rays,,",
    "rays-1.0.dist-info/METADATA,,",
    "nvidia/lib/libx.so,,",
  ];
  expect(outermostModules(lines)).toEqual(["rays/__init__.py,sha256=a,1", "waves.py,,", "cuda/core/__init__.py,,", "google/plain.py,,"]);
});
