import { expect, test } from "vitest";
import step from "../../../packages/core/src/log/causes/tensile.ts";
import { explainLog } from "../../../packages/core/src/culprit.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["two-copies > library-wrong-version > arch-unsupported", "rocBLAS error: Could not initialize Tensile library"],
  [
    "two-copies > library-wrong-version > arch-unsupported",
    "rocBLAS error: Could not load /opt/rocm-6.2.0/lib/rocblas/library/TensileLibrary_lazy_gfx1100.dat",
  ],
  [
    "arch-unsupported > two-copies > library-wrong-version",
    "rocBLAS error: Could not load C:\\ROCm\\bin/rocblas/library/TensileLibrary_lazy_gfx1103.dat",
  ],
]);

test("the two releases that meet are named", async () => {
  const text = `pip install torch --index-url https://download.pytorch.org/whl/rocm5.7
rocBLAS error: Could not load /opt/rocm-6.1.2/lib/rocblas/library/TensileLibrary_lazy_gfx1100.dat`;
  const { diagnoses } = await explainLog([new TextEncoder().encode(text)]);
  expect(diagnoses[0]).toMatchObject({ cause: "two-copies", found: "ROCm 5.7 of the wheel and ROCm 6.1 of the system" });
});

test("a library of ROCm that lacks a symbol of C++", async () => {
  const text = "ImportError: /opt/rocm-6.3.1/lib/librocsolver.so.0: undefined symbol: _ZN7rocblas6detail5checkEi";
  const { diagnoses } = await explainLog([new TextEncoder().encode(text)]);
  expect(diagnoses[0]).toMatchObject({ cause: "library-wrong-version", name: "librocsolver.so.0" });
  expect(diagnoses[0]!.fixes[0]!.commands).toEqual(["export LD_LIBRARY_PATH=/opt/rocm-6.3.1/lib"]);
});
