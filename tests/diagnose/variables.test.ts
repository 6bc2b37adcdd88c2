// Rules about where LD_LIBRARY_PATH, CUDA_HOME and PATH lead.
import { describe, expect, test } from "vitest";
import { library, module } from "../frameworks/python-root.ts";
import { glibcLoader } from "../loader/answers.ts";
import type { Files } from "../loader/tree.ts";
import { findings, healthy, loud, named, nvidia, packaged } from "./python-stack.ts";

const toolkit = (version: string, { compiler = true } = {}): Files => ({
  [`/usr/local/cuda-${version}/version.json`]: { text: `{"cuda":{"name":"CUDA SDK","version":"${version}.1"}}` },
  [`/usr/local/cuda-${version}/lib64/libcudart.so.${version.split(".")[0]}`]: library(`libcudart.so.${version.split(".")[0]}`),
  ...(compiler ? { [`/usr/local/cuda-${version}/bin/nvcc`]: module() } : {}),
});
const with118 = { ...healthy(), ...toolkit("11.8") };
const with124 = { ...healthy(), ...toolkit("12.4") };
const both = { ...with118, ...toolkit("12.4") };

describe.skipIf(!glibcLoader)("the toolkit that extensions would be built with", () => {
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

describe.skipIf(!glibcLoader)("CUDA_HOME that leads astray", () => {
  test.each(["/usr/local/cuda-12.9", "/usr/local/cuda-12.4/lib64"])("%s, while a toolkit is installed", async (home) => {
    const [found, ...others] = await findings(with124, { environment: { CUDA_HOME: home } });
    expect(others).toEqual([]);
    expect(found).toMatchObject({ rule: "cuda-home-wrong", severity: "warning", cause: "cuda-home-wrong", subject: "CUDA_HOME" });
    expect(found!.advice[0]).toBe("export CUDA_HOME=/usr/local/cuda-12.4, or unset it");
  });

  test("who set it is named", async () => {
    const files = { ...with124, "/etc/profile.d/cuda.sh": { text: "export CUDA_HOME=/opt/gone\n" } };
    const [found] = await findings(files, { environment: { CUDA_HOME: "/opt/gone" } });
    expect(found!.because).toContain("CUDA_HOME=/opt/gone, set in /etc/profile.d/cuda.sh:1");
  });

  test("without a compiler anywhere it makes no difference", async () => {
    const files = { ...healthy(), ...toolkit("12.4", { compiler: false }) };
    expect(await findings(files, { environment: { CUDA_HOME: "/usr/local/cuda-12.4" } })).toEqual([]);
    expect(await findings(healthy(), { environment: { CUDA_HOME: "/usr/local/cuda" } })).toEqual([]);
  });

  test("CUDA_HOME, PATH and LD_LIBRARY_PATH at toolkits of two majors are one finding", async () => {
    const [found, ...others] = loud(
      await findings(both, { environment: { CUDA_HOME: "/usr/local/cuda-11.8", PATH: "/usr/local/cuda-12.4/bin:/usr/bin" } }),
    );
    expect(others).toEqual([]);
    expect(found).toMatchObject({ rule: "cuda-home-wrong", severity: "warning", subject: "toolkits" });
    expect(found!.message).toBe("CUDA_HOME leads to CUDA 11.8, PATH leads to CUDA 12.4: these are different toolkits");
    const loaded = { PATH: "/usr/local/cuda-12.4/bin:/usr/bin", LD_LIBRARY_PATH: "/usr/local/cuda-11.8/lib64" };
    expect(named(loud(await findings(both, { environment: loaded })))).toEqual(["warning cuda-home-wrong"]);
  });

  test("two minors of one major go together", async () => {
    const files = { ...with124, ...toolkit("12.6") };
    const environment = { CUDA_HOME: "/usr/local/cuda-12.4", PATH: "/usr/local/cuda-12.6/bin:/usr/bin" };
    expect(named(await findings(files, { environment }))).toEqual(["info cuda-home-wrong"]);
  });
});

describe.skipIf(!glibcLoader)("LD_LIBRARY_PATH that cannot work", () => {
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
