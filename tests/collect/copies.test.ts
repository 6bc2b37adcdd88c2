// Where copies hide. Trees as NVIDIA's tools lay them out, with small files.
import { expect, test } from "vitest";
import { openTarget, listStack } from "../../packages/core/src/index.ts";
import { root } from "../../packages/machine/src/target/index.ts";
import { library, pythonRoot } from "../frameworks/python-root.ts";
import type { Files } from "../loader/tree.ts";

async function found(files: Files): Promise<string[]> {
  const { folder } = pythonRoot(files);
  const { copies } = await listStack(await openTarget(root(folder), { cpu: { level: 1 } }), []);
  return copies.map(({ file }) => file);
}

test("Nsight's copies are found although no package lists them", async () => {
  const deep = "/opt/nvidia/nsight-compute/2025.3.1/host/target-linux-x64/libcupti.so.12.9";
  expect(await found({ [deep]: library("libcupti.so.12"), "/opt/nvidia/nsight-compute/2025.3.1/docs/LICENSE": { text: "" } })).toEqual([
    deep,
  ]);
});

test("so are the toolkits of the HPC SDK, through its links", async () => {
  const release = "/opt/nvidia/hpc_sdk/Linux_x86_64/24.5";
  const files = {
    [`${release}/cuda/12.4/targets/x86_64-linux/lib/libcudart.so.12.4.127`]: library("libcudart.so.12"),
    [`${release}/cuda/12.4/lib64`]: { link: "targets/x86_64-linux/lib" },
    [`${release}/math_libs/12.4/targets/x86_64-linux/lib/libcublas.so.12.4.5.8`]: library("libcublas.so.12"),
    [`${release}/math_libs/12.4/lib64`]: { link: "targets/x86_64-linux/lib" },
    [`${release}/comm_libs/12.4/nccl/lib/libnccl.so.2.18.5`]: library("libnccl.so.2"),
  };
  expect(await found(files)).toEqual(
    Object.keys(files)
      .filter((file) => !file.endsWith("lib64"))
      .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)),
  );
});

const nameOf = (file: string) => file.slice(file.lastIndexOf("/") + 1);
