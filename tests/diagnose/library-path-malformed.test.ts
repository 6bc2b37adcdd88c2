import { describe, expect, test } from "vitest";
import { library, module } from "../frameworks/python-root.ts";
import { glibcLoader } from "../loader/answers.ts";
import type { Files } from "../loader/tree.ts";
import { findings, healthy, loud, named, nvidia, packaged } from "./python-stack.ts";
import { needs } from "../needs.ts";

describe("LD_LIBRARY_PATH that cannot work", needs({ glibc: glibcLoader }), () => {
  // onnxruntime-gpu needs cuBLASLt, and has no search path of its own.
  const capi = "onnxruntime/capi";
  const session: Files = {
    ...packaged("onnxruntime-gpu", "1.31.1", {
      [`${capi}/onnxruntime_pybind11_state.so`]: module({ runpath: "$ORIGIN" }),
      [`${capi}/libonnxruntime_providers_shared.so`]: library("libonnxruntime_providers_shared.so"),
      [`${capi}/libonnxruntime_providers_cuda.so`]: module({ needed: ["libcublasLt.so.13", "libcuda.so.1"] }),
    }),
    "/home/user/cuda/lib/libcublasLt.so.13": library("libcublasLt.so.13"),
    "/home/user/notes.txt": { text: "" },
  };
  const variables = { HOME: "/home/user", CUDA_ROOT: "/home/user/cuda" };
  const withPath = (value: string) => ({ environment: { ...variables, LD_LIBRARY_PATH: value } });

  test.each([
    ["~/cuda/lib", "a tilde"],
    ["$CUDA_ROOT/lib", "a variable"],
    ["${CUDA_ROOT}/lib:/usr/lib", "a variable in braces"],
    ["'/home/user/cuda/lib'", "quotes"],
    [" /home/user/cuda/lib", "a space"],
    ["/home/user/cuda/lib\r", "the end of a Windows line"],
    ["/usr/lib,/home/user/cuda/lib", "a comma"],
    ["home/user/cuda/lib", "no slash before it"],
    ["/home/user/cuda/lib/libcublasLt.so.13", "a file"],
  ])("%s (%s) explains why a library is not found", async (value) => {
    const [found, ...others] = loud(await findings(session, withPath(value)));
    expect(others).toEqual([]);
    expect(found).toMatchObject({ rule: "library-path-malformed", severity: "error", cause: "library-not-on-path" });
    expect(found!.breaks).toContainEqual({ framework: "onnxruntime", activity: "device" });
    expect(found!.message).toContain("it was meant to be");
  });

  test("written out it works", async () => {
    expect(await findings(session, withPath("/home/user/cuda/lib"))).toEqual([]);
  });

  test("where nothing stops it is a warning", async () => {
    expect(named(await findings(healthy(), withPath("~/lib")))).toEqual(["warning library-path-malformed"]);
    expect(named(await findings(healthy(), withPath("/home/user/notes.txt")))).toEqual(["info library-path-malformed"]);
    expect(named(await findings({ ...healthy(), ...session }, withPath("/home/user/notes.txt:/home/user/cuda/lib")))).toEqual([
      "warning library-path-malformed",
    ]);
  });

  test("the end of a Windows line alone was not meant to be the root folder", async () => {
    const [found, ...others] = loud(await findings(healthy(), withPath("/usr/lib:\r")));
    expect(others).toEqual([]);
    expect(found!.message).toBe('LD_LIBRARY_PATH has an element that cannot work: "\\r"');
    expect(found!.because[0]).toContain("carriage return");
  });

  test.each([
    ["cat > x.sh <<EOF\nexport LD_LIBRARY_PATH=/opt/gone\nEOF\nexport LD_LIBRARY_PATH=/opt/gone", "4"],
    ["cat <<-'END' > x\n\texport LD_LIBRARY_PATH=/opt/gone\n\tEND\nexport LD_LIBRARY_PATH=/opt/gone", "4"],
    ["A=$((1 <<B))\nexport LD_LIBRARY_PATH=/opt/gone\nB", "2"],
    ["read -r A <<<EOF\nexport LD_LIBRARY_PATH=/opt/gone\nEOF", "2"],
    ["cat <<EOF\nexport LD_LIBRARY_PATH=/opt/gone", "2"],
  ])("a document in a start-up file sets nothing: %j", async (text, line) => {
    const [found] = await findings({ ...healthy(), "/home/user/.bashrc": { text } }, withPath("/opt/gone"));
    expect(found!.because.at(-1)).toBe(`LD_LIBRARY_PATH=/opt/gone, set in /home/user/.bashrc:${line}`);
  });

  test("what is absent, empty, or a rest of the line that set it is only unusual", async () => {
    for (const value of ["/opt/gone", "/usr/lib:", "/usr/lib:$LD_LIBRARY_PATH"])
      expect(named(await findings(healthy(), withPath(value)))).toEqual(["info library-path-malformed"]);
  });

  test("tokens that the loader itself replaces are right", async () => {
    expect(loud(await findings(healthy(), withPath("$ORIGIN/../lib:/usr/${LIB}")))).toEqual([]);
  });

  test("a folder with an odd name that is there is right", async () => {
    const files = {
      ...healthy(),
      "/opt/a,b/readme": { text: "" },
      ...nvidia("nvidia-nccl-cu12", "2.21.5", "nccl", { "libnccl.so.2": {} }),
    };
    expect(await findings(files, withPath("/opt/a,b"))).toEqual([]);
  });
});
