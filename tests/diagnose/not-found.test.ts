// ONNX Runtime's CUDA provider in small, with the needs of onnxruntime_gpu-1.31.1: what it needs is missing, or is where nobody looks.
import { describe, expect, test } from "vitest";
import { openTarget, checkTarget, type Finding } from "../../packages/core/src/index.ts";
import { root } from "../../packages/machine/src/target/index.ts";
import { driver, installed, library, module, pythonRoot, site, wheel } from "../frameworks/python-root.ts";
import { glibcLoader } from "../loader/answers.ts";
import { makeElf } from "../loader/make-elf.ts";
import type { Files } from "../loader/tree.ts";
import { asExpected } from "../rules/expected.ts";
import { needs } from "../needs.ts";

const capi = `${site}/onnxruntime/capi`;
const provider: Files = {
  ...installed("onnxruntime-gpu", "1.31.1"),
  [`${capi}/build_and_package_info.py`]: { text: "package_name = 'onnxruntime-gpu'\n__version__ = '1.31.1'\ncuda_version = '13.0'\n" },
  [`${capi}/onnxruntime_pybind11_state.so`]: module({ runpath: "$ORIGIN" }),
  [`${capi}/libonnxruntime_providers_shared.so`]: library("libonnxruntime_providers_shared.so"),
  [`${capi}/libonnxruntime_providers_cuda.so`]: module({ needed: ["libcurand.so.10", "libcuda.so.1"] }),
  ...driver("/usr/lib"),
};
const curand: Files = { ...wheel("cu13", { "libcurand.so.10": {} }), ...installed("nvidia-curand", "10.4.0.35") };

async function found(files: Files, program = "onnxruntime"): Promise<Finding[]> {
  const { folder } = pythonRoot(files);
  const judged = await checkTarget(await openTarget(root(folder), { cpu: { level: 1 } }), {
    programs: [[program]],
    activities: ["device"],
    python: program === "onnxruntime" ? ["/venv"] : [],
  });
  if ("problem" in judged) throw new Error(judged.problem);
  return asExpected(judged.check.findings).filter(({ severity }) => severity !== "info");
}

const error = (rule: string, subject: string, framework = "onnxruntime") => ({
  rule,
  subject,
  severity: "error",
  breaks: [{ framework, activity: "device" }],
});

describe("a library that is not found", needs({ glibc: glibcLoader }), () => {
  test("is missing when it is nowhere", async () => {
    expect(await found(provider)).toMatchObject([error("library-missing", "libcurand.so.10")]);
  });

  test("is not on the path when it lies in a wheel that nothing leads to", async () => {
    const findings = await found({ ...provider, ...curand });
    expect(findings).toMatchObject([error("library-not-on-path", "libcurand.so.10")]);
    expect(findings[0]!.message).toContain(`${site}/nvidia/cu13/lib/libcurand.so.10`);
  });

  test("is no matter where the loader finds it", async () => {
    expect(await found({ ...provider, "/usr/lib/libcurand.so.10": library("libcurand.so.10") })).toEqual([]);
  });
});

test("a program that no rule knows how to explain is still said to stop, in the kernel's or loader's words", async () => {
  const findings = await found({ "/opt/program": makeElf({ program: true, interpreter: "/opt/no-such-loader.so" }) }, "/opt/program");
  expect(findings).toMatchObject([
    { rule: "activity-stops", severity: "error", breaks: [{ framework: "/opt/program", activity: "import" }] },
  ]);
});
