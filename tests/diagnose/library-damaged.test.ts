import { describe, expect, test } from "vitest";
import { site } from "../frameworks/python-root.ts";
import { glibcLoader } from "../loader/answers.ts";
import { findings, healthy } from "./python-stack.ts";
import { needs } from "../needs.ts";

describe("a library that is empty", needs({ glibc: glibcLoader }), () => {
  test("is named as it lies on the disk, with the package to install again", async () => {
    const file = `${site}/nvidia/cublas/lib/libcublasLt.so.12`;
    const [found, ...others] = await findings({ ...healthy(), [file]: { text: "" } });
    expect(others).toEqual([]);
    // The loader writes torch/lib/../../nvidia/cublas/lib: its RPATH leads there.
    expect(found).toMatchObject({ rule: "library-damaged", severity: "error", subject: file });
    expect(found!.because[0]).toContain("/torch/lib/../../nvidia/cublas/lib/libcublasLt.so.12: file too short");
    expect(found!.advice).toMatchObject([
      {
        // This environment has no pip of its own.
        command: ["uv", "pip", "install", "--python", "/venv/bin/python3", "--reinstall", "--no-deps", "nvidia-cublas-cu12==12.4.5.8"],
        scope: "install",
      },
    ]);
    expect(found!.facts.packages).toEqual([
      { role: "reinstall", name: "nvidia-cublas-cu12", version: "12.4.5.8", environment: "/venv", files: [file] },
    ]);
    expect(found!.breaks).toContainEqual({ framework: "torch", activity: "import" });
  });
});
