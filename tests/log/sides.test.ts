import { expect, test } from "vitest";
import { explainLog } from "../../packages/core/src/culprit.ts";

const first = async (text: string) => (await explainLog([new TextEncoder().encode(text)])).diagnoses[0]!;

// Where a message names no release, the rest of the text may: a table, a list, a sentence, a name.
test.each([
  ["a sentence", "CUDA error: operation not supported\nDriver: 525.105.12", "not-a-mismatch", undefined],
  ["a file's name", 'msg="unable to load cuda driver library" library=/usr/lib64/libcuda.so.460.106.00', "driver-too-old", "460.106.00"],
  [
    "a list of packages",
    "ImportError: /v/site-packages/flash_attn_2_cuda.cpython-311-x86_64-linux-gnu.so: undefined symbol: _ZN3c105ErrorC2E\nflash_attn==2.8.0.post2\ntorch==2.6.0",
    "package-conflict",
    "2.8.0.post2",
  ],
  [
    "pip show",
    "RuntimeError: operator torchvision::nms does not exist\nName: torchvision\nVersion: 0.20.1+cu124",
    "package-conflict",
    "0.20.1+cu124",
  ],
  [
    "ldd",
    "ImportError: /v/site-packages/nvidia/cusparse/lib/libcusparse.so.12: undefined symbol: __nvJitLinkAddData_12_1, version libnvJitLink.so.12\n\tlibnvJitLink.so.12 => /usr/local/cuda-12.1/lib64/libnvJitLink.so.12 (0x000070ddad800000)",
    "library-shadowed",
    "/usr/local/cuda-12.1/lib64/libnvJitLink.so.12",
  ],
])("%s says which release is there", async (_, text, cause, found) => {
  const diagnosis = await first(text);
  expect(diagnosis.cause).toBe(cause);
  if (found === undefined) expect(diagnosis.found).toBeUndefined();
  else expect(diagnosis.found).toContain(found);
});

test("what somebody moved from and to are the two sides", async () => {
  const text =
    "i updated PyTorch 1.1 to PyTorch 1.2\nunique_cuda.cpython-36m-x86_64-linux-gnu.so: undefined symbol: _ZN3c106Device8validateEv";
  expect(await first(text)).toMatchObject({ required: "a build for PyTorch 1.2", found: "one for PyTorch 1.1" });
});

test("a release that is asked for is not what is there", async () => {
  const text = "ERROR: Could not find a version that satisfies the requirement torch==1.7.1+cu110 (from versions: 1.13.0)";
  expect((await first(text)).found).not.toContain("1.7.1");
});

test("of two releases of one package, neither is told", async () => {
  const text =
    "x.cpython-310-x86_64-linux-gnu.so: undefined symbol: _ZN3c104cuda9SetDeviceEi\nIt works with xformers 0.0.20, and not with xformers 0.0.22";
  expect((await first(text)).found ?? "").not.toMatch(/0\.0\.2/);
});
