import { expect, test } from "vitest";
import { isStubDriver } from "../../packages/core/src/survey/driver.ts";

test.each([
  ["/usr/local/cuda/lib64/stubs/libcuda.so", 65_536, true],
  ["/tmp/copied/libcuda.so.1", 65_536, true],
  ["/usr/lib/x86_64-linux-gnu/libcuda.so.580.159.04", 97_000_000, false],
  // WSL2: a small library that leads to the driver of Windows. Its size is from reports, not from a machine of ours.
  ["/usr/lib/wsl/lib/libcuda.so.1.1", 166_000, false],
])("%s of %i bytes: a stub is %s", (file, size, stub) => {
  expect(isStubDriver(file, size)).toBe(stub);
});
