// Who owns a file. rpmdb.sqlite.gz was written by rpm 4.18 when it installed five small packages; `rpm -qf` and `rpm -ql` say the same.
import fs from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { readRpmDatabase } from "../../packages/core/src/collect/rpm.ts";
import { openTarget, listStack, listReport } from "../../packages/core/src/index.ts";
import { root } from "../../packages/machine/src/target/index.ts";
import { nothingAsked, readBytes } from "../elf/reading.ts";
import { fuzz } from "../fuzz/fuzz.ts";
import { installed, library, pythonRoot, site } from "../frameworks/python-root.ts";
import type { Files } from "../loader/tree.ts";

const database = gunzipSync(fs.readFileSync(new URL("rpmdb.sqlite.gz", import.meta.url)));
const read = (bytes: Uint8Array) =>
  readBytes(
    bytes,
    readRpmDatabase(bytes.length, (name) => name !== "plain"),
  );

async function listed(files: Files) {
  const { folder } = pythonRoot(files);
  return listStack(await openTarget(root(folder), { cpu: { level: 1 } }), []);
}

test("rpm's database gives each package with its version and its libraries", () => {
  expect(read(database)?.split("\n\n")).toEqual([
    "Package: cuda-cudart-12-4\nVersion: 12.4.127-1\n/usr/local/cuda-12.4/targets/x86_64-linux/lib/libcudart.so.12.4.127",
    "Package: libcudnn9-cuda-12\nVersion: 9.5.1.17-1\n/usr/lib64/libcudnn.so.9.5.1\n/usr/lib64/libcudnn_graph.so.9.5.1\n/usr/lib64/libcudnn_ops.so.9.5.1",
    // This header is longer than a page.
    "Package: libnccl\nVersion: 2.21.5-1+cuda12.4\n/usr/lib64/libnccl.so.2.21.5",
    "Package: nvidia-driver-cuda-libs\nVersion: 3:560.35.03-1.el9\n/usr/lib64/libcuda.so.560.35.03\n/usr/lib64/libnvidia-ml.so.560.35.03",
  ]);
});

test("only the pages on the way to them are read", () => {
  const asked = nothingAsked();
  readBytes(
    database,
    readRpmDatabase(database.length, (name) => name === "libnccl"),
    asked,
  );
  expect(asked.bytes).toBeLessThan(database.length / 4);
});

test("no damage to such a database makes its reader throw, or its answer larger than the file", async () => {
  await fuzz("rpm databases", 1500, (dice) => {
    const damaged = Uint8Array.from(database.subarray(0, dice.chance(4) ? dice.below(database.length) : database.length));
    for (let count = dice.below(30); 0 < count && 0 < damaged.length; count -= 1)
      damaged[dice.below(dice.chance(2) ? Math.min(damaged.length, 8192) : damaged.length)] = dice.below(256);
    if (damaged.length < (read(damaged)?.length ?? 0)) throw new Error("the answer is larger than the file");
  });
});

test("a copy that rpm installed has its package as owner, and what that counts as evidence", async () => {
  const { copies } = await listed({
    "/var/lib/rpm": { link: "../../usr/lib/sysimage/rpm" },
    "/usr/lib/sysimage/rpm/rpmdb.sqlite": new Uint8Array(database),
    "/usr/lib64/libcudnn.so.9.5.1": library("libcudnn.so.9"),
    "/usr/lib64/libcudnn.so.9": { link: "libcudnn.so.9.5.1" },
  });
  expect(copies).toMatchObject([
    {
      library: "cudnn",
      owner: { kind: "rpm", name: "libcudnn9-cuda-12", version: "9.5.1.17-1" },
      evidence: [
        { how: "file name", version: "9.5.1" },
        { how: "owner", version: "9.5.1.17" },
      ],
    },
  ]);
});

test("of an older form of rpm's database it is said that it is not read", async () => {
  const { unknown } = await listed({ "/var/lib/rpm/Packages": { text: "\0\0\0\0\0\0\0\0\0\0\0\0a\x15\x06\0" } });
  expect(unknown).toContainEqual({
    subject: "/var/lib/rpm/Packages",
    reason: "this form of rpm's database is not read: which package owns a file is unknown",
  });
});

// As conda-forge's packages for CUDA 12 lie on a disk; a real one was not at hand.
test("of a conda environment the package with the file owns it, not the one with a link to it", async () => {
  const meta = (...files: string[]) => ({ text: JSON.stringify({ files, paths_data: { paths: files.map((file) => ({ _path: file })) } }) });
  const { copies } = await listed({
    "/opt/conda/bin/python3": { link: "python3.11" },
    "/opt/conda/bin/python3.11": { text: "" },
    "/opt/conda/conda-meta/cuda-cudart-12.4.127-he02047a_2.json": meta(
      "lib/libcudart.so.12",
      "targets/x86_64-linux/lib/libcudart.so.12.4.127",
    ),
    "/opt/conda/conda-meta/cuda-cudart-dev-12.4.127-he02047a_2.json": meta("lib/libcudart.so", "targets/x86_64-linux/lib/libcudart.so"),
    "/opt/conda/conda-meta/cudatoolkit-11.8.0-h4ba93d1_13.json": meta("lib/libcublas.so.11.11.3.6"),
    "/opt/conda/targets/x86_64-linux/lib/libcudart.so.12.4.127": library("libcudart.so.12"),
    "/opt/conda/targets/x86_64-linux/lib/libcudart.so": { link: "libcudart.so.12.4.127" },
    "/opt/conda/lib/libcudart.so.12": { link: "../targets/x86_64-linux/lib/libcudart.so.12.4.127" },
    "/opt/conda/lib/libcudart.so": { link: "../targets/x86_64-linux/lib/libcudart.so.12.4.127" },
    "/opt/conda/lib/libcublas.so.11.11.3.6": library("libcublas.so.11"),
  });
  const told = copies.map(({ library: id, owner, evidence }) => [id, owner?.name, evidence.map(({ how, version }) => `${how} ${version}`)]);
  expect(told).toEqual([
    ["cublas", "cudatoolkit", ["file name 11.11.3.6"]],
    ["cudart", "cuda-cudart", ["file name 12.4.127", "owner 12.4.127"]],
  ]);
});

test("what a package carries of others does not have its version; two that disagree are both shown", async () => {
  const cupti = `${site}/triton/backends/nvidia/lib/cupti/libnvperf_host.so`;
  const record = (...paths: string[]) => ({ text: paths.map((path) => `${path},,\n`).join("") });
  const inventory = await listed({
    ...installed("triton", "3.6.0"),
    [`${site}/triton-3.6.0.dist-info/RECORD`]: record(cupti.replace(`${site}/`, "")),
    [cupti]: library("libnvperf_host.so"),
    ...installed("nvidia-cudnn-cu12", "9.1.0.70"),
    [`${site}/nvidia_cudnn_cu12-9.1.0.70.dist-info/RECORD`]: record("nvidia/cudnn/lib/libcudnn.so.9.5.1"),
    [`${site}/nvidia/cudnn/lib/libcudnn.so.9.5.1`]: library("libcudnn.so.9"),
  });
  expect(inventory.copies.map(({ library: id, version, owner }) => [id, version, owner?.name])).toEqual([
    ["cudnn", "9.5.1", "nvidia-cudnn-cu12"],
    ["cupti", undefined, "triton"],
  ]);
  expect(listReport(inventory)).toContain(" 9.5.1 (9.1.0.70 by its owner) ");
});
