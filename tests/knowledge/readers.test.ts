import { expect, test } from "vitest";
import { isCertain, sourcesOf } from "../../packages/core/src/knowledge/certainty.ts";
import { cudnnFor, dottedCudnn } from "../../packages/core/src/knowledge/cudnn.ts";
import { frameworkRelease } from "../../packages/core/src/knowledge/frameworks.ts";
import { gpuNamed, gpusLike, gpuTitle } from "../../packages/core/src/knowledge/gpus.ts";
import { libraryOf } from "../../packages/core/src/knowledge/libraries.ts";
import { packageNamed, packageProviding } from "../../packages/core/src/knowledge/packages.ts";
import { gpus } from "../../packages/core/src/knowledge/texts/gpus.generated.ts";
import { architecture, driverFloor, smOf, toolkitOf } from "../../packages/core/src/knowledge/toolkits.ts";
import { cudnn as cudnnFile, toolkits as toolkitsFile, torch as torchFile } from "./files.ts";

const versions = (range: ReturnType<typeof toolkitOf>) => range && [range.oldest.version, range.newest.version];

test.each<[Parameters<typeof toolkitOf>[0], string[] | undefined]>([
  [{ cuptiApi: 22 }, ["12.4.0", "12.4.1"]],
  // 18 was kept from 11.8 to 12.1, whatever the documents say.
  [{ cuptiApi: 18 }, ["11.8.0", "12.1.1"]],
  [{ cuptiApi: 130202 }, ["13.2.2", "13.2.2"]],
  [{ cuptiApi: 99 }, undefined],
  [{ cudart: 12040 }, ["12.4.0", "12.4.1"]],
  [{ cudart: "12.4" }, ["12.4.0", "12.4.1"]],
  [{ cudart: "12.4.127" }, ["12.4.1", "12.4.1"]],
  [{ cudart: "11.8.89" }, ["11.8.0", "11.8.0"]],
  [{ cudart: "12" }, ["12.0.0", "12.9.2"]],
  [{ cudart: "99.1" }, undefined],
  [{ driver: "525.60.13" }, ["12.0.0", "12.0.0"]],
  [{ driver: "550.163.01" }, ["12.4.1", "12.4.1"]],
  [{ driver: "580.82.07" }, ["13.0.1", "13.0.1"]],
  [{ driver: "300.1" }, undefined],
])("toolkitOf(%j) is %j", (by, expected) => expect(versions(toolkitOf(by))).toEqual(expected));

test.each([
  ["12.4", "525.60.13"],
  ["12", "525.60.13"],
  ["13.2", "580.65.06"],
  ["11.8", "450.80.02"],
  // The 11.0 toolkits list a driver below the floor of their major.
  ["11.0", "450.51.05"],
  ["10.1", "418.39"],
])("CUDA %s runs with driver %s or newer", (cuda, driver) => expect(driverFloor(cuda)?.driver).toBe(driver));

test("a floor that documents give only roughly is not certain", () => {
  expect(driverFloor("12.4")?.certain).toBe(true);
  expect(driverFloor("13.2")?.certain).toBe(false);
  expect(driverFloor("42.0")).toBeUndefined();
});

test.each([
  [8907, "8.9.7"],
  [90100, "9.1.0"],
  [91002, "9.10.2"],
  [7605, "7.6.5"],
])("cuDNN %s is %s", (number, version) => {
  expect(dottedCudnn(number)).toBe(version);
  expect(cudnnFor(number)?.release.version.startsWith(`${version}.`)).toBe(true);
});

test("a cuDNN that is not listed is answered by an older one of its minor, and says so", () => {
  expect(cudnnFor("9.1.0.70")).toMatchObject({ exact: true, release: { version: "9.1.0.70" }, layout: { id: "9-eight" } });
  expect(cudnnFor("9.1.9")).toMatchObject({ exact: false });
  expect(cudnnFor("9.26.0")?.layout?.objects).toContain("libcudnn_ext.so.9");
  expect(cudnnFor("10.99.0")).toBeUndefined();
});

test.each([
  ["NVIDIA GeForce RTX 4090", "sm_89", true],
  ["Tesla T4", "sm_75", true],
  ["NVIDIA H200", "sm_90", true],
  ["NVIDIA A100-SXM4-80GB", "sm_80", false],
  ["NVIDIA H100 80GB HBM3", "sm_90", false],
  ["Quadro M5000M", "sm_52", true],
  ["10de:1eb8", "sm_75", true],
  ["0x2684", "sm_89", true],
  ["sm_90", "sm_90", true],
  ["compute_120", "sm_120", true],
  ["sm89", "sm_89", true],
  ["8.6", "sm_86", true],
])("%s is %s", (name, sm, certain) => expect(gpuNamed(name)).toMatchObject({ sm, certain }));

test.each([
  ["RTX 4090", "GeForce RTX 4090", "consumer"],
  ["GTX 1080 Ti", "GeForce GTX 1080 Ti", "consumer"],
  ["K80", "Tesla K80", "datacenter"],
  ["RTX A6000", "RTX A6000", "workstation"],
  ["A6000", "RTX A6000", "workstation"],
  ["RTX5090", "GeForce RTX 5090", "consumer"],
  ["5090", "GeForce RTX 5090", "consumer"],
  ["rtx_4090", "GeForce RTX 4090", "consumer"],
  ["1080ti", "GeForce GTX 1080 Ti", "consumer"],
  ["4070 ti super", "GeForce RTX 4070 Ti SUPER", "consumer"],
  // In hexadecimal it would be a chip of an A100.
  ["2080", "GeForce RTX 2080", "consumer"],
  ["h100", "H100", "datacenter"],
  ["v100-sxm2-32gb", "Tesla V100-SXM2-32GB", "datacenter"],
  ["DGX Spark", "GB10", "datacenter"],
  ["Jetson Thor", "Jetson T5000", "jetson"],
  ["10de:2684", "GeForce RTX 4090", "consumer"],
])("%s, as people write it, is the %s", (said, name, kind) => expect(gpuNamed(said)).toMatchObject({ name, kind }));

test.each([
  ["Jetson Orin", "sm_87"],
  ["RTX PRO 6000", "sm_120"],
])("%s is several products of one architecture, %s", (said, sm) => expect(gpuNamed(said)).toMatchObject({ sm, certain: false }));

test("every product is known by its own name, and every device by what it is sold as", () => {
  for (const { name, sm } of gpus().gpus) expect(gpuNamed(name), name).toMatchObject({ name, sm });
  for (const { names } of gpus().devices)
    for (const [id, name] of Object.entries(names)) {
      const { sm, name: told } = gpuNamed(`10de:${id}`)!;
      expect(told).toBe(name);
      const listed = gpus().gpus.find((each) => each.name === name);
      if (listed && listed.note === undefined) expect(sm, `${id} ${name}`).toBe(listed.sm);
    }
});

test.each([
  ["5090", "GeForce RTX 5090"],
  ["h100", "H100"],
  ["RTX 5090", "RTX 5090"],
  ["A100", "A100"],
  ["sm_120", "sm_120"],
  ["NVIDIA H100 80GB HBM3", "NVIDIA H100 80GB HBM3"],
  ["0x2684", "GeForce RTX 4090"],
])("%s is told as %s", (typed, title) => expect(gpuTitle(typed)).toBe(title));

test.each([
  ["RTX 6000", ["Quadro RTX 6000", "RTX 6000 Ada"]],
  ["GeForce RTX 9090", ["GeForce RTX 4090"]],
  ["H100x", ["H100"]],
  ["Radeon RX 7900", []],
])("%s is not known; near are %s", (said, near) => {
  expect(gpuNamed(said)).toBeUndefined();
  expect(gpusLike(said)).toEqual(near.length === 0 ? [] : expect.arrayContaining(near));
});

test.each(["Radeon RX 7900", "10de:ffff", "GeForce RTX 9090", "sm_999", ""])("%s is no GPU that is known", (name) =>
  expect(gpuNamed(name)).toBeUndefined(),
);

test("architectures have toolkits and drivers", () => {
  expect(smOf("12.0")).toBe("sm_120");
  expect(smOf("90a")).toBe("sm_90a");
  expect(architecture("sm_61")).toMatchObject({ name: "Pascal", last: "12.9", lastDriver: 580 });
  expect(isCertain(architecture("sm_61")!, "last")).toBe(true);
  expect(isCertain(architecture("sm_61")!, "lastDriver")).toBe(true);
  expect(isCertain(architecture("sm_89")!, "firstDriver")).toBe(false);
});

test.each([
  ["libcudnn.so.9", "pypi", ["nvidia-cudnn-cu11", "nvidia-cudnn-cu12", "nvidia-cudnn-cu13"]],
  ["libcudnn_graph.so.9", "apt-nvidia", ["libcudnn9-cuda-11", "libcudnn9-cuda-12", "libcudnn9-cuda-13"]],
  ["libcupti.so.12", "pypi", ["nvidia-cuda-cupti-cu12"]],
  ["libcudart.so.13", "pypi", ["nvidia-cuda-runtime"]],
  ["libcuda.so.1", "wsl2", ["driver"]],
  ["libnvrtc-builtins.so.12.4", "pypi", ["nvidia-cuda-nvrtc-cu12"]],
  ["libz.so.1", "pypi", []],
] as const)("%s comes with these packages of %s: %j", (soname, ecosystem, names) =>
  expect(
    packageProviding(soname, ecosystem)
      .map(({ name }) => name)
      .sort(),
  ).toEqual(names),
);

test("packages are found under the names they have with versions in them", () => {
  expect(packageNamed("cuda-cupti-12-4", "apt-nvidia")?.name).toBe("cuda-cupti-X-Y");
  expect(packageNamed("libnvidia-compute-550", "apt-nvidia")?.provides).toContain("libcuda.so.1");
  expect(packageNamed("nvidia-cuda-cupti", "pypi")?.folder).toBe("nvidia/cu13/lib");
  expect(packageNamed("left-pad", "pypi")).toBeUndefined();
});

test("a release is found by version and variant", () => {
  expect(frameworkRelease("torch", "2.4.1+cu124")?.release).toMatchObject({ variant: "cu124", cuda: "12.4" });
  expect(frameworkRelease("torch", "2.4.1")).toMatchObject({ exact: true, release: { variant: "cu121", default: true } });
  expect(frameworkRelease("torch", "2.4.1", "cu118")?.release.cuda).toBe("11.8");
  expect(frameworkRelease("torch", "1.12.1")?.release).toMatchObject({ variant: "cu102", bundled: true, pins: {} });
  expect(frameworkRelease("onnxruntime", "1.18.1")?.release).toMatchObject({ variant: "cu11" });
  expect(frameworkRelease("onnxruntime", "1.19.2")?.release).toMatchObject({ variant: "cu12", cuda: "12.2" });
});

test("where a release is not listed, the nearest of its minor stands for it", () => {
  expect(frameworkRelease("tensorflow", "2.10.1")).toMatchObject({ exact: true, release: { cuda: "11.2", extra: "none" } });
  expect(frameworkRelease("tensorflow", "2.9.2")).toMatchObject({ exact: false, release: { version: "2.9.0" } });
  expect(frameworkRelease("tensorflow", "2.8.2+zzzcolab20220719082949")).toMatchObject({ exact: false });
  expect(frameworkRelease("jax", "0.7.2")?.release.check).toBe("plugin");
  expect(frameworkRelease("cupy", "14.2.0")?.release.packages).toContain("cupy-cuda13x");
  expect(frameworkRelease("torch", "9.9")).toBeUndefined();
  expect(frameworkRelease("torch", "nightly")).toBeUndefined();
});

const opens = (version: string) => frameworkRelease("tensorflow", version)?.release.opens;

test("TensorFlow's names, as its wheels were read", () => {
  expect(opens("2.10.1")).toEqual(expect.arrayContaining(["libcudart.so.11.0", "libcupti.so.11.2", "libcudnn.so.8", "libcurand.so.10"]));
  expect(opens("2.18.1")).toEqual(expect.arrayContaining(["libcudart.so.12", "libcupti.so.12", "libcudnn.so.9", "libnccl.so.2"]));
  expect(opens("2.18.1")).not.toContain("libcurand.so.10");
});

test("a field's sources can be told", () => {
  const release = torchFile.releases.find(({ version, variant }) => version === "2.6.0" && variant === "cu124")!;
  expect(sourcesOf(torchFile, release, "pins")).toEqual(["torch-2.6.0-cp310-cp310-manylinux1_x86_64.whl"]);
  const toolkit = toolkitsFile.toolkits.find(({ version }) => version === "12.4.1")!;
  expect(sourcesOf(toolkitsFile, toolkit, "driver")[0]).toMatch(/^https:\/\/docs\.nvidia\.com\//);
  const remembered = { ...cudnnFile.releases.find(({ smMax }) => smMax !== undefined)!, memory: ["smMax"] };
  expect(sourcesOf(cudnnFile, remembered, "smMax")).toEqual(["memory"]);
});

test("copies that a wheel renamed are known all the same", () => {
  expect(libraryOf("libcudart-80664282.so.10.2")?.id).toBe("cudart");
  expect(libraryOf("libcublas-notahash.so.11")).toBeUndefined();
});
