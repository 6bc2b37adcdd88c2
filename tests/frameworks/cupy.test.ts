// cupy_cuda12x 12.3.0, 13.4.1 and 14.2.0 in small, as LD_DEBUG showed them; the needs are those of the wheels.
import { describe, expect, test } from "vitest";
import cupy from "../../packages/core/src/frameworks/cupy/model.ts";
import { glibcLoader } from "../loader/answers.ts";
import type { Files } from "../loader/tree.ts";
import {
  asked,
  compiled,
  driver,
  predict,
  installed,
  mapped,
  module,
  pythonRoot,
  site,
  wheel,
  without,
  type Question,
} from "./python-root.ts";
import { needs } from "../needs.ts";

async function cupyIn(files: Files, question: Question = {}) {
  const made = pythonRoot(files);
  return predict(made.folder, "cupy", question);
}

const wheels: Files = {
  ...wheel("cuda_runtime", { "libcudart.so.12": {} }),
  ...wheel("cublas", { "libcublas.so.12": { needed: ["libcublasLt.so.12"], runpath: "$ORIGIN" }, "libcublasLt.so.12": {} }),
  ...wheel("cuda_nvrtc", { "libnvrtc.so.12": { runpath: "$ORIGIN" }, "libnvrtc-builtins.so.12.0": {} }),
  ...driver("/opt/driver"),
};
const folders = ["cuda_runtime", "cublas", "cuda_nvrtc"].map((name) => `${site}/nvidia/${name}/lib`).join(":");
const backends = (needs: { [name: string]: string[] }): Files =>
  Object.fromEntries(Object.entries(needs).map(([name, needed]) => [`${site}/cupy_backends/cuda/${name}.so`, module({ needed })]));

const builtWith =
  '{"cuda": "12.x", "cutensor": {"version": "2.1.0", "filenames": ["libcutensor.so.2.1.0"]}, "nccl": {"version": "2.25.1"}}';
const thirteen: Files = {
  ...wheels,
  ...installed("cupy-cuda12x", "13.4.1"),
  ...backends({ "api/runtime": [], "libs/nvrtc": [], "libs/cublas": ["libcublas.so.12"], "libs/cutensor": ["libcutensor.so.2"] }),
  [`${site}/cupy/.data/_wheel.json`]: { text: builtWith },
};
const fourteen: Files = {
  ...wheels,
  ...installed("cupy-cuda12x", "14.2.0"),
  ...installed("cuda-pathfinder", "1.8.6"),
  ...backends({ "api/runtime": [], "libs/nvrtc": [], "libs/cublas": ["libcublas.so.12"], "libs/cutensor": ["libcutensor.so.2"] }),
};
const ofNvidia = (files: string[]) => files.filter((file) => /nvidia|driver/.test(file));

describe("CuPy", needs({ glibc: glibcLoader }), () => {
  test("14 looks for cuTENSOR at its import, which brings in cuBLASLt, and that the driver", async () => {
    const loads = await cupyIn(fourteen, { environment: { LD_LIBRARY_PATH: "/opt/driver" } });
    expect(ofNvidia(mapped(loads, "certain"))).toEqual(["~/nvidia/cublas/lib/libcublasLt.so.12", "/opt/driver/libcuda.so.580.159.04"]);
  });

  test.each([
    ["14.0.1", {}, true],
    ["14.0.1", { CUDA_PATH: "/nowhere" }, true],
    ["14.0.1", { CUDA_PATH: "/opt/driver" }, false],
    ["14.0.1", { NVCC: "/opt/nvcc" }, false],
    ["14.2.0", {}, false],
  ])("%s with %j loads NVRTC at its import, to find nvcc beside it: %s", async (version, variables, isLoaded) => {
    const files = { ...without(fourteen, /cupy_cuda12x/), ...installed("cupy-cuda12x", version) };
    const loads = await cupyIn(files, { environment: { LD_LIBRARY_PATH: "/opt/driver", ...variables } });
    expect(mapped(loads).includes("~/nvidia/cuda_nvrtc/lib/libnvrtc.so.12")).toBe(isLoaded);
  });

  test("14 finds NVRTC in its wheel; NVRTC asks for its built-in functions itself", async () => {
    const loads = await cupyIn(fourteen, { do: ["compile"], environment: { LD_LIBRARY_PATH: "/opt/driver" } });
    expect(ofNvidia(mapped(loads)).slice(2)).toEqual([
      "~/nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
      "~/nvidia/cuda_nvrtc/lib/libnvrtc-builtins.so.12.0",
    ]);
    expect(asked(loads, "libnvrtc-builtins.so.12.0")).toEqual(["libnvrtc.so.12"]);
  });

  test.each([
    [/libcublas\.so/, 'Failure finding "libcublas.so.13 or libcublas.so.12"'],
    [/libcublasLt\.so/, 'Failure finding "libcublasLt.so.13 or libcublasLt.so.12"'],
  ])("14 multiplies nothing without %s, and says what it looked for", async (missing, message) => {
    const question: Question = { do: ["matmul"], environment: { LD_LIBRARY_PATH: "/opt/driver" } };
    expect((await cupyIn(fourteen, question)).failures).toEqual([]);
    expect((await cupyIn(without(fourteen, missing), question)).failures).toMatchObject([
      // The one that would do it is that of its own CUDA.
      { name: message.slice(message.indexOf(" or ") + 4, -1), message },
    ]);
    expect((await cupyIn(without(fourteen, missing), { ...question, do: ["compile"] })).failures).toEqual([]);
  });

  test("13 knows no wheels: nothing is loaded at its import, and NVRTC is not found", async () => {
    const loads = await cupyIn(thirteen, { do: ["compile"], environment: { LD_LIBRARY_PATH: "/opt/driver" } });
    expect(ofNvidia(mapped(loads))).toEqual(["/opt/driver/libcuda.so.580.159.04"]);
    expect(asked(loads, "libcuda.so.1")[0]).toBe("runtime.so");
    expect(loads.missed.map(({ name }) => name)).toContain("libcutensor.so.2.1.0");
    expect(loads.failures).toHaveLength(1);
  });

  test("13 takes NVRTC and cuBLAS from LD_LIBRARY_PATH", async () => {
    const loads = await cupyIn(thirteen, { do: ["matmul"], environment: { LD_LIBRARY_PATH: `${folders}:/opt/driver` } });
    expect(loads.failures).toEqual([]);
    expect(ofNvidia(mapped(loads))).toContain("~/nvidia/cublas/lib/libcublas.so.12");
    expect(asked(loads, "libnvrtc.so.12")).toEqual(["_ctypes.so"]);
  });

  test("12 needs the runtime itself, so its import fails where it is on no path", async () => {
    const twelve = {
      ...wheels,
      ...installed("cupy-cuda12x", "12.3.0"),
      ...backends({ "api/runtime": ["libcuda.so.1", "libcudart.so.12", "libcublas.so.12", "libnvrtc.so.12"] }),
    };
    const loads = await cupyIn(twelve, { environment: { LD_LIBRARY_PATH: "/opt/driver" } });
    expect(loads.failures.map(({ message }) => message)).toEqual([
      "libcudart.so.12: cannot open shared object file: No such file or directory",
    ]);
  });

  test("pathfinder 1.8 takes the newest soname it knows; 1.6 the last name in the folder, and `libX.so` before all", async () => {
    const cublas = async (version: string, more: Files) => {
      const files = Object.fromEntries(Object.entries(fourteen).filter(([name]) => !name.includes("cuda_pathfinder")));
      const loads = await cupyIn({ ...files, ...installed("cuda-pathfinder", version), ...more });
      return mapped(loads).find((file) => file.includes("cublasLt"));
    };
    const more = { ...wheel("cublas", { "libcublasLt.so.12": {}, "libcublasLt.so": {} }) };
    expect(await cublas("1.8.6", more)).toBe("~/nvidia/cublas/lib/libcublasLt.so.12");
    expect(await cublas("1.6.1", more)).toBe("~/nvidia/cublas/lib/libcublasLt.so");
  });

  test("what it was compiled for is in its name and in _wheel.json", async () => {
    const made = pythonRoot(thirteen);
    const evidence = `${site}/cupy/.data/_wheel.json`;
    expect(await compiled(made.folder, cupy, "cupy-cuda12x")).toEqual({
      cuda: { version: "12", evidence: "package cupy-cuda12x" },
      cutensor: { version: "2.1.0", evidence },
      nccl: { version: "2.25.1", evidence },
    });
  });
});
