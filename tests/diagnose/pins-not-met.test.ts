import { describe, expect, test } from "vitest";
import { glibcLoader } from "../loader/answers.ts";
import { diagnose } from "../../packages/core/src/diagnose/diagnose.ts";
import type { Failure } from "../../packages/core/src/model/loads.ts";
import { module, site } from "../frameworks/python-root.ts";
import { cudnn, findings, healthy, jax, judged, loud, named, nvidia, packaged, torch, triton } from "./python-stack.ts";
import { needs } from "../needs.ts";

describe("pins that are not met", needs({ glibc: glibcLoader }), () => {
  test("torch with all that it asks for is silent", async () => {
    expect(await findings(healthy())).toEqual([]);
  });

  test("a cuDNN older than pinned is refused at the first recurrent layer", async () => {
    const [found, ...others] = await findings({ ...torch(), ...cudnn("9.0.0.312"), ...triton("3.2.0") });
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      rule: "pins-not-met",
      severity: "error",
      cause: "package-conflict",
      subject: "torch in /venv",
      message: "torch 2.6.0 asks for nvidia-cudnn-cu12 ==9.1.0.70, and 9.0.0.312 is installed",
      breaks: [{ framework: "torch", activity: "rnn" }],
    });
  });

  test("another major has other names: the import stops, for triton's users, too", async () => {
    const files = { ...torch(), ...nvidia("nvidia-cudnn-cu12", "8.9.7.29", "cudnn", { "libcudnn.so.8": {} }), ...triton("3.2.0") };
    const found = await findings(files);
    expect(named(found)).toEqual(["error pins-not-met"]);
    expect(found[0]!.breaks).toContainEqual({ framework: "torch", activity: "import" });
    expect(found[0]!.breaks).toContainEqual({ framework: "triton", activity: "device" });
  });

  test("a newer one of the same major is only unusual", async () => {
    expect(named(await findings({ ...torch(), ...cudnn("9.8.0.87"), ...triton("3.2.0") }))).toEqual(["info pins-not-met"]);
  });

  test("triton fits one release of torch only", async () => {
    const [found, ...others] = await findings({ ...torch(), ...cudnn("9.1.0.70"), ...triton("3.3.0") });
    expect(others).toEqual([]);
    expect(found).toMatchObject({ rule: "pins-not-met", severity: "warning", endangers: [{ framework: "torch", activity: "compile" }] });
  });

  test("torchvision fits one release of torch only, and it is torchvision that has to change", async () => {
    const companion = (version: string, wanted: string) => packaged("torchvision", version, {}, ["numpy", `torch==${wanted}`]);
    const [found, ...others] = await findings({ ...healthy(), ...companion("0.20.1", "2.5.1") });
    expect(others).toEqual([]);
    expect(found).toMatchObject({ rule: "pins-not-met", severity: "warning", subject: "torchvision in /venv" });
    expect(found!.advice[0]!.command?.slice(-2)).toEqual(["torch==2.6.0", "torchvision==0.21.0"]);
    const labelled = {
      ...torch("2.6.0+cu118", { cuda: "'11.8'" }),
      ...cudnn("9.1.0.70"),
      ...triton("3.2.0"),
      ...companion("0.20.1", "2.5.1"),
    };
    const vision = (await findings(labelled)).find(({ rule }) => rule === "pins-not-met")!;
    expect(vision.advice[0]!.command?.slice(-4)).toEqual([
      "--extra-index-url",
      "https://download.pytorch.org/whl/cu118",
      "torch==2.6.0+cu118",
      "torchvision==0.21.0+cu118",
    ]);
    expect(await findings({ ...healthy(), ...companion("0.21.0", "2.6.0") })).toEqual([]);
  });

  test("who is content with what is installed is named", async () => {
    const other = packaged("xformers", "0.0.1", {}, ["nvidia-cudnn-cu12==9.0.0.312"]);
    const [found] = await findings({ ...torch(), ...cudnn("9.0.0.312"), ...triton("3.2.0"), ...other });
    expect(found!.because).toContain("xformers 0.0.1 asks for nvidia-cudnn-cu12 ==9.0.0.312, which is met");
  });

  test("what a metapackage asks for counts, for the extras that are asked of it", async () => {
    const toolkit = packaged("cuda-toolkit", "12.4.1", {}, [
      'nvidia-cuda-runtime-cu12==12.4.127.*; extra == "cudart"',
      'nvidia-cublas-cu12==12.6.4.1; extra == "cublas"',
    ]);
    const asking = (extras: string) => packaged("vllm", "0.0.1", {}, [`cuda-toolkit[${extras}]==12.4.1`]);
    expect(await findings({ ...healthy(), ...toolkit, ...asking("cudart") })).toEqual([]);
    expect(loud(await findings({ ...healthy(), ...toolkit, ...asking("cudart,cublas") }))).toMatchObject([
      { rule: "pins-not-met", subject: "cuda-toolkit in /venv" },
    ]);
  });

  test("an extra that nobody asked for does not count", async () => {
    const files = packaged("tensorflow", "2.20.0", {}, [
      'nvidia-cudnn-cu12<10.0,>=9.3.0.75; extra == "and-cuda"',
      'nvidia-cuda-nvcc-cu12<13.0,>=12.5.82; extra == "and-cuda"',
    ]);
    expect((await findings({ ...healthy(), ...files })).filter(({ rule }) => rule === "pins-not-met")).toEqual([]);
    const compiler = nvidia("nvidia-cuda-nvcc-cu12", "12.5.82", "cuda_nvcc", { "libnvvm.so.4": {} });
    const found = await findings({ ...healthy(), ...files, ...compiler });
    expect(found.filter(({ rule }) => rule === "pins-not-met")).toMatchObject([{ subject: "tensorflow in /venv", severity: "warning" }]);
    // A compiler of another release was installed by hand: tensorflow without its extra finds the libraries of torch.
    const other = nvidia("nvidia-cuda-nvcc-cu12", "12.1.105", "cuda_nvcc", { "libnvvm.so.4": {} });
    expect((await findings({ ...healthy(), ...files, ...other })).filter(({ rule }) => rule === "pins-not-met")).toEqual([]);
  });

  // jax 0.4.23 names jaxlib in its extras only, in another version in each.
  test("of extras that pin one package to different versions, the one that is met was asked for", async () => {
    const extras = ["==0.4.22; extra == 'ci'", "==0.4.19; extra == 'minimum-jaxlib'", "==0.4.23; extra == 'cpu'"];
    const old = { ...packaged("jax", "0.4.23", {}, ["numpy>=1.22", ...extras.map((extra) => `jaxlib${extra}`)]) };
    const jaxlib = packaged("jaxlib", "0.4.23", { "jaxlib/xla_extension.so": module() });
    expect((await findings({ ...old, ...jaxlib })).filter(({ rule }) => rule === "pins-not-met")).toEqual([]);
  });

  test("markers of other machines do not count", async () => {
    const windows = packaged("xformers", "0.0.1", {}, ['torch==2.5.0; sys_platform == "win32"', 'torch==2.5.0; python_version < "3.9"']);
    expect(await findings({ ...healthy(), ...windows })).toEqual([]);
  });

  test("jax refuses another jaxlib when it is imported", async () => {
    const older = await findings(jax("0.7.2", { jaxlib: "0.6.2", plugin: false }), { programs: [["jax"]] });
    expect(older.find(({ rule }) => rule === "pins-not-met")).toMatchObject({
      severity: "error",
      message: "jax 0.7.2 asks for jaxlib ==0.7.2, and 0.6.2 is installed",
    });
    const newer = await findings(jax("0.7.2", { jaxlib: "0.8.0", plugin: false }), { programs: [["jax"]] });
    expect(newer.find(({ rule }) => rule === "pins-not-met")!.facts.said).toContain("is newer than and incompatible with");
  });

  test("jax goes on without a plugin of another release, and says so only in a warning", async () => {
    const files = { ...jax("0.7.2", { plugin: "0.6.2", pjrt: "0.7.2" }) };
    const found = (await findings(files)).filter(({ rule }) => rule === "pins-not-met");
    expect(found).toMatchObject([{ severity: "warning", subject: "jax in /venv" }]);
    expect(found[0]!.because[0]).toContain("it will not be used");
  });

  test("a library of the right package that is missing is no matter of pins", async () => {
    const files = healthy();
    delete files["/venv/lib/python3.11/site-packages/nvidia/cudnn/lib/libcudnn.so.9"];
    expect(named(await findings(files))).toEqual(["error wheel-files-missing"]);
  });

  test("an older library that lacks a symbol is of the package that is pinned", async () => {
    // What the real loader says of nvJitLink 12.1 under cuSPARSE 12.3; small files have no symbols.
    const files = {
      ...healthy(),
      ...packaged("xformers", "0.0.1", {}, ["nvidia-nvjitlink-cu12==12.4.127"]),
      ...nvidia("nvidia-nvjitlink-cu12", "12.1.105", "nvjitlink", { "libnvJitLink.so.12": {} }),
    };
    const stack = await judged(files);
    const file = `${site}/nvidia/nvjitlink/lib/libnvJitLink.so.12`;
    const failure: Failure = {
      name: "libnvJitLink.so.12",
      requestedBy: `${site}/nvidia/cusparse/lib/libcusparse.so.12`,
      activity: "import",
      reason: "undefined-symbol",
      message: "libcusparse.so.12: undefined symbol: __nvJitLinkAddData_12_4, version libnvJitLink.so.12",
      file,
      tried: [],
    };
    for (const run of stack.runs) run.stops = [{ program: "torch", activity: "import", failure }];
    expect(named(diagnose(stack))).toEqual(["error pins-not-met"]);
  });
});
