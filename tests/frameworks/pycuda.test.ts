// pycuda-2025.1.2, built here against CUDA 12.4 and cuRAND 10.3, in small: its needs, and what LD_DEBUG showed with and without them.
import { expect, test } from "vitest";
import pycuda from "../../packages/core/src/frameworks/pycuda/model.ts";
import type { Files } from "../loader/tree.ts";
import { compiled, driver, predict, installed, library, mapped, module, pythonRoot, site } from "./python-root.ts";

const built: Files = {
  ...installed("pycuda", "2025.1.2"),
  [`${site}/pycuda/_driver.cpython-311-x86_64-linux-gnu.so`]: module({ needed: ["libcuda.so.1", "libcurand.so.10"] }),
};
const toolkit: Files = { "/opt/cuda/libcurand.so.10": library("libcurand.so.10") };
const environment = { LD_LIBRARY_PATH: "/drv:/opt/cuda" };

test("the extension brings the driver and cuRAND; the first context brings nothing more", async () => {
  const { folder } = pythonRoot({ ...built, ...toolkit, ...driver("/drv") });
  const expected = ["~/pycuda/_driver.cpython-311-x86_64-linux-gnu.so", "/drv/libcuda.so.580.159.04", "/opt/cuda/libcurand.so.10"];
  expect(mapped(await predict(folder, "pycuda", { environment }), "certain")).toEqual(expected);
  expect(mapped(await predict(folder, "pycuda", { environment, do: ["device"] }), "certain")).toEqual(expected);
});

test("without either the import ends, with the loader's words", async () => {
  const without = async (files: Files) => (await predict(pythonRoot(files).folder, "pycuda", { environment })).failures[0]?.message;
  const kernel = { "/proc/driver/nvidia/version": { text: "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  x\n" } };
  expect(await without({ ...built, ...toolkit, ...kernel })).toBe(
    "libcuda.so.1: cannot open shared object file: No such file or directory",
  );
  expect(await without({ ...built, ...driver("/drv") })).toBe("libcurand.so.10: cannot open shared object file: No such file or directory");
});

test("what it was compiled for is in the names it needs", async () => {
  expect(await compiled(pythonRoot(built).folder, pycuda, "pycuda")).toMatchObject({ curand: { version: "10" } });
});
