// Requirements as wheels have them, settle as the `packaging` library does.
import { expect, test } from "vitest";
import { markerHolds, parseRequirement } from "../../packages/core/src/lib/pep508.ts";

test.each([
  [
    'nvidia-cudnn-cu12==9.1.0.70; platform_system == "Linux"',
    { name: "nvidia-cudnn-cu12", specifier: "==9.1.0.70", marker: 'platform_system == "Linux"' },
  ],
  ["nvidia-nccl-cu12 (==2.21.5)", { name: "nvidia-nccl-cu12", specifier: "==2.21.5" }],
  ['jaxlib (<=0.4.30,>=0.4.27) ; extra == "ci"', { name: "jaxlib", specifier: "<=0.4.30,>=0.4.27", marker: 'extra == "ci"' }],
  ["cuda-toolkit[cublas, cudart]==13.0.2", { name: "cuda-toolkit", extras: ["cublas", "cudart"], specifier: "==13.0.2" }],
  ["ml_dtypes", { name: "ml-dtypes", extras: [], specifier: "" }],
  ['triton @ https://example.org/a;b.whl ; python_version < "3.9"', { name: "triton", specifier: "", marker: 'python_version < "3.9"' }],
  ["Jinja2 >= 2", { name: "jinja2", specifier: ">=2" }],
])("%s", (text, expected) => {
  expect(parseRequirement(text)).toMatchObject(expected);
});

test("what is no requirement is none", () => {
  for (const text of ["", "  ", "==1.0", "[extra]"]) expect(parseRequirement(text)).toHaveProperty("problem");
});

const here = { python_version: "3.11", sys_platform: "linux", platform_system: "Linux", platform_machine: "x86_64", extra: "" };
test.each([
  ['platform_system == "Linux" and platform_machine == "x86_64"', true],
  ["platform_system == 'Darwin' or sys_platform == 'linux'", true],
  ['python_version < "3.9"', false],
  ['python_version >= "3.9" and python_version < "3.13"', true],
  // 3.11 is newer than 3.9, though not as text.
  ['"3.9" <= python_version', true],
  ['python_version not in "2.7, 3.11"', false],
  ['"linux" in sys_platform', true],
  ['(sys_platform == "win32" or sys_platform == "darwin") and python_version >= "3.8"', false],
  ['sys_platform == "win32" or sys_platform == "linux" and python_version < "3.9"', false],
  ['sys_platform == "linux" or sys_platform == "win32" and python_version < "3.9"', true],
  ['extra == "and-cuda"', false],
  ['platform_machine != "aarch64"', true],
  ['platform_system == "and"', false],
])("%s holds here: %s", (marker, expected) => {
  expect(markerHolds(marker, here)).toBe(expected);
});

test("extras are compared as names of packages are", () => {
  expect(markerHolds('extra == "And_CUDA"', { ...here, extra: "and-cuda" })).toBe(true);
});

test("what is not known, or cannot be read, is neither true nor false", () => {
  expect(markerHolds('platform_release == "5.10"', here)).toBeUndefined();
  expect(markerHolds('platform_release == "5.10" and sys_platform == "win32"', here)).toBe(false);
  expect(markerHolds('platform_release == "5.10" or sys_platform == "linux"', here)).toBe(true);
  for (const marker of ["", "python_version", "python_version <", '(sys_platform == "linux"', 'sys_platform == "linux" )', "a ? b"])
    expect(markerHolds(marker, here), marker).toBeUndefined();
});
