import { expect, test } from "vitest";
import { explainLog } from "../../../packages/core/src/culprit.ts";
import step from "../../../packages/core/src/log/causes/build-replaced.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["wrong-wheel-cpu-only > package-conflict", "Installing the node uninstalls my CUDA torch and puts the CPU version in its place"],
  ["package-conflict", "pip install somepackage reinstalls torch, but I need torch 1.6.0+cu101"],
]);

const causes = async (text: string) => (await explainLog([new TextEncoder().encode(text)])).diagnoses.map(({ cause }) => cause);

test("what somebody did himself is no complaint", async () => {
  expect(await causes("I uninstalled torch and installed the CUDA build again, now it works")).toEqual([]);
  expect(await causes("Uninstalling torch-2.4.1+cu121:\n  Successfully uninstalled torch-2.4.1+cu121")).toEqual([]);
});
