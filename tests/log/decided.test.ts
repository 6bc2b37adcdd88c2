// Facts that stand in the text decide among the causes that a message leaves open.
import { expect, test } from "vitest";
import { explainLog } from "../../packages/core/src/culprit.ts";

const explain = async (text: string) => (await explainLog([new TextEncoder().encode(text)])).diagnoses;

test("whether counters are closed is read where it is pasted", async () => {
  const refused = "pynvml.nvml.NVMLError_NoPermission: Insufficient Permissions";
  expect((await explain(`${refused}\nRmProfilingAdminOnly: 1`))[0]).toMatchObject({ cause: "profiler-permission", certainty: "likely" });
  expect((await explain(`${refused}\nRmProfilingAdminOnly: 0`)).map(({ cause }) => cause)).not.toContain("profiler-permission");
});

test("Docker is not told to do what it does already", async () => {
  const lost = "$ docker exec job nvidia-smi\nFailed to initialize NVML: Unknown Error";
  const said = async (text: string) => (await explain(text)).flatMap(({ fixes }) => fixes.map(({ fix }) => fix)).join("\n");
  expect(await said(lost)).toMatch(/native\.cgroupdriver=cgroupfs/);
  expect(await said(`${lost}\n Cgroup Driver: systemd`)).toMatch(/native\.cgroupdriver=cgroupfs/);
  expect(await said(`${lost}\n Cgroup Driver: cgroupfs`)).not.toMatch(/native\.cgroupdriver=cgroupfs/);
});

test.each([
  [
    "pycuda 2022.1",
    "ImportError: libcurand.so.9.2: cannot open shared object file: No such file or directory\nCUDA 11.4",
    /^build pycuda again/,
  ],
  [
    '  File "/v/lib/python3.8/site-packages/detectron2/_C.py", line 1, in <module>',
    "ImportError: libcudart.so.10.1: cannot open shared object file: No such file or directory",
    /^(?!build)/,
  ],
  [
    '  File "/v/lib/python3.8/site-packages/torch/__init__.py", line 1, in <module>\npycuda 2022.1',
    "ImportError: libcudart.so.10.1: cannot open shared object file: No such file or directory",
    /^(?!build)/,
  ],
])("what was compiled here is built again: %s", async (line, error, expected) => {
  expect((await explain(`${line}\n${error}`))[0]?.fixes[0]?.fix).toMatch(expected);
});

test("an engine of another GPU is built again, and no package is blamed", async () => {
  const [first] = await explain(
    "The engine plan file is generated on an incompatible device, expecting compute 8.9 got compute 8.6, please rebuild.\nGPU 0: NVIDIA L4",
  );
  expect(first).toMatchObject({ cause: "stale-artefact", found: "one for 8.6" });
  expect(first!.fixes[0]!.fix).toMatch(/build it again from the model/);
});

test("the compiled part of flash-attn 1 is not that of 2", async () => {
  const [first] = await explain("ModuleNotFoundError: No module named 'flash_attn_cuda'\nflash-attn 2.5.8");
  expect(first).toMatchObject({ cause: "package-conflict", name: "flash-attn" });
});
