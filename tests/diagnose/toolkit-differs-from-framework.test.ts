import { describe, expect, test } from "vitest";
import { glibcLoader } from "../loader/answers.ts";
import { module, site } from "../frameworks/python-root.ts";
import type { Files } from "../loader/tree.ts";
import { findings, healthy, named, packaged, toolkit } from "./python-stack.ts";
import { needs } from "../needs.ts";

const with118 = { ...healthy(), ...toolkit("11.8") };
const with124 = { ...healthy(), ...toolkit("12.4") };
const both = { ...with118, ...toolkit("12.4") };

describe("the toolkit that extensions would be built with", needs({ glibc: glibcLoader }), () => {
  test("CUDA_HOME at another major than torch's is warned of, once", async () => {
    const [found, ...others] = await findings(with118, { environment: { CUDA_HOME: "/usr/local/cuda-11.8" } });
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      rule: "toolkit-differs-from-framework",
      severity: "warning",
      cause: "toolkit-vs-framework-at-build",
      breaks: [],
    });
    expect(found!.message).toContain("compiled for CUDA 12.4, would be built with CUDA 11.8 of /usr/local/cuda-11.8: torch refuses that");
  });

  test("CUDA_PATH counts where CUDA_HOME is not set", async () => {
    expect(named(await findings(with118, { environment: { CUDA_PATH: "/usr/local/cuda-11.8" } }))).toEqual([
      "warning toolkit-differs-from-framework",
    ]);
  });

  test("the same, or another minor, is no warning", async () => {
    expect(await findings(with124, { environment: { CUDA_HOME: "/usr/local/cuda-12.4" } })).toEqual([]);
    const other = { ...healthy(), ...toolkit("12.6") };
    expect(named(await findings(other, { environment: { CUDA_HOME: "/usr/local/cuda-12.6" } }))).toEqual([
      "info toolkit-differs-from-framework",
    ]);
  });

  test("a toolkit that nobody points to is not even unusual; on PATH it is", async () => {
    expect(await findings(both)).toEqual([]);
    expect(named(await findings(with118, { environment: { PATH: "/usr/local/cuda-11.8/bin:/usr/bin" } }))).toEqual([
      "info toolkit-differs-from-framework",
    ]);
  });
});

describe("DeepSpeed, which compiles when it runs", needs({ glibc: glibcLoader }), () => {
  /** The rows of 0.16.4. */
  const builder = `import os

cuda_minor_mismatch_ok = {
    11: ["11.7", "11.8"],
    12: ["12.0", "12.1", "12.2", "12.3", "12.4", "12.5", "12.6",
         "12.8"],  # There does not appear to be a CUDA Toolkit 12.7
}


def assert_no_cuda_mismatch(name=""):
`;
  const deepspeed: Files = {
    ...healthy(),
    ...packaged("deepspeed", "0.16.4"),
    [`${site}/deepspeed/ops/op_builder/builder.py`]: { text: builder },
  };
  const home = (path: string, more: { [name: string]: string } = {}) => ({ environment: { CUDA_HOME: path, ...more } });

  test.each([
    ["12.4", []],
    ["12.8", ["info toolkit-differs-from-framework"]],
    ["12.9", ["warning toolkit-differs-from-framework"]],
    ["11.8", ["warning toolkit-differs-from-framework"]],
    ["13.0", ["warning toolkit-differs-from-framework"]],
  ])("nvcc of CUDA %s beside torch for 12.4: %j", async (version, expected) => {
    const found = await findings({ ...deepspeed, ...toolkit(version) }, home(`/usr/local/cuda-${version}`));
    expect(named(found)).toEqual(expected);
    if (expected[0]?.startsWith("warning"))
      expect(found[0]).toMatchObject({ subject: "deepspeed in /venv", endangers: [{ framework: "deepspeed", activity: "compile" }] });
  });

  test("asked about, it fails; with the variable that makes it take any it does not", async () => {
    const files = { ...deepspeed, ...toolkit("13.0") };
    const asked = { programs: [["deepspeed"]], ...home("/usr/local/cuda-13.0") };
    const [found] = await findings(files, asked);
    expect(found).toMatchObject({ severity: "error", breaks: [{ framework: "deepspeed", activity: "compile" }] });
    expect(found!.facts.said).toBe(
      "Installed CUDA version 13.0 does not match the version torch was compiled with 12.4, unable to compile cuda/cpp extensions without a matching cuda version.",
    );
    const skipping = { programs: [["deepspeed"]], ...home("/usr/local/cuda-13.0", { DS_SKIP_CUDA_CHECK: "1" }) };
    expect(await findings(files, skipping)).toEqual([]);
  });

  test.each([
    [
      "of a wheel",
      `${site}/nvidia/cu13`,
      { [`${site}/nvidia_cuda_nvcc-13.0.88.dist-info/METADATA`]: { text: "Name: nvidia-cuda-nvcc\n" } },
    ],
    ["of conda", "/opt/conda", { "/opt/conda/conda-meta/cuda-nvcc-13.0.88-hcdd1206_0.json": { text: "{}" } }],
    ["by its header", "/srv/nvidia", { "/srv/nvidia/include/cuda.h": { text: "#define CUDA_VERSION 13000\n" } }],
  ] as [string, string, Files][])("which nvcc it is, is known without version.json: %s", async (_, path, files) => {
    const all = { ...deepspeed, ...files, [`${path}/bin/nvcc`]: module() };
    for (const asked of [home(path), { environment: { PATH: `${path}/bin:/usr/bin` } }])
      expect((await findings(all, asked)).map(({ message }) => message)).toEqual([
        expect.stringContaining(`would find nvcc of CUDA 13.0 in ${path}, and refuses to compile with it`),
      ]);
  });
});
