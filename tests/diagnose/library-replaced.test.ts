import { describe, expect, test } from "vitest";
import { codeLibrary } from "../elf/code-library.ts";
import { site } from "../frameworks/python-root.ts";
import { glibcLoader } from "../loader/answers.ts";
import { findings, healthy, judged, packaged } from "./python-stack.ts";
import { needs } from "../needs.ts";

// mov $120103, %eax; ret: cuBLASLt 12.1.3. And 120405: 12.4.5.
const cublasLt = (bytes: string) =>
  codeLibrary({ machine: 62, soname: "libcublasLt.so.12", symbols: [{ name: "cublasLtGetVersion", code: `b8${bytes} c3` }] });
const file = `${site}/nvidia/cublas/lib/libcublasLt.so.12`;

describe("a library that was put over a wheel's", needs({ glibc: glibcLoader }), () => {
  test("is told by the version in it", async () => {
    const [found, ...others] = await findings({ ...healthy(), [file]: cublasLt("27d50100") });
    expect(others).toEqual([]);
    expect(found).toMatchObject({ rule: "library-replaced", severity: "warning", subject: file });
    expect(found!.message).toContain("is libcublasLt 12.1.3, though the wheel nvidia-cublas-cu12 12.4.5.8 put it there");
    expect(found!.endangers).toContainEqual({ framework: "torch", activity: "import" });
  });

  test("the wheel's own says fewer parts of its version, and is right", async () => {
    expect(await findings({ ...healthy(), [file]: cublasLt("55d60100") })).toEqual([]);
  });

  // NVVM counts its own releases: nvvmVersion of nvidia-nvvm 13.2.86 says 2.0.
  test("what counts in another way than its wheel was not replaced", async () => {
    const code = "c70702000000 c70600000000 31c0 c3";
    const nvvm = codeLibrary({ machine: 62, soname: "libnvvm.so.4", symbols: [{ name: "nvvmVersion", code }] });
    const name = "nvidia/cu13/lib/libnvvm.so.4";
    const files = { ...healthy(), ...packaged("nvidia-nvvm", "13.2.86", { [name]: nvvm }) };
    const versions = (await judged(files)).inventory.copies
      .find(({ library }) => library === "nvvm")!
      .evidence.map(({ version }) => version);
    expect(versions).toEqual(expect.arrayContaining(["2.0", "13.2.86"]));
    expect(await findings(files)).toEqual([]);
  });
});
