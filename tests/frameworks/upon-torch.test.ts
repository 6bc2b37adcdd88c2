// Packages with compiled code for torch: torchvision, torchaudio, torchcodec, xformers and flash-attn. Needs, names and symbols are those of the
// wheels on PyPI; what each does was watched with torch 2.5.1 (docs/packages.md). flash-attn has no wheels there: its layout is that of its source.
import { describe, expect, test } from "vitest";
import { glibcLoader } from "../loader/answers.ts";
import type { Plan } from "../loader/make-elf.ts";
import type { Files } from "../loader/tree.ts";
import { findings, loud, named, packaged, unknownIn } from "../diagnose/python-stack.ts";
import { needs } from "../needs.ts";
import { driver, library, mapped, module, predict, pythonRoot, site, type Question } from "./python-root.ts";

/** torch::Library::Library of a build with the old ABI, which every library with operators asks for. */
const registers = "_ZN5torch7LibraryC1ENS0_4KindESsSt8optionalIN3c1011DispatchKeyEEPKcj";
/** What 2.5.1 has and what came with 2.6: at these the loader stopped. */
const old = "_ZN3c1010TensorImpl17set_autograd_metaEv";
const fresh = "_ZN2at7Context21alertNotDeterministicERKSt17basic_string_viewIcSt11char_traitsIcEE";

function torch(version: string, cuda = "12.4"): Files {
  const own = (name: string, plan: Plan = {}) => ({ [`torch/lib/${name}`]: library(name, { rpath: "$ORIGIN", ...plan }) });
  return {
    ...packaged("torch", version, {
      "torch/_C.so": module({ needed: ["libtorch_python.so"], rpath: "$ORIGIN/lib" }),
      ...own("libtorch_global_deps.so"),
      ...own("libtorch_python.so", { needed: ["libtorch_cpu.so", "libc10.so"] }),
      ...own("libtorch_cpu.so", { defines: [registers, ...(version.startsWith("2.6") ? [fresh] : [])] }),
      ...own("libc10.so", { defines: [old] }),
    }),
    [`${site}/torch/version.py`]: { text: `cuda: Optional[str] = '${cuda}'\n` },
    ...driver("/opt/driver"),
  };
}

const upon = (asks: string[], plan: Plan = {}) => module({ needed: ["libc10.so", "libtorch_cpu.so"], asks: [registers, ...asks], ...plan });

const vision = (version: string, wanted: string, asks: string[], label = "cu124"): Files => ({
  ...packaged(
    "torchvision",
    version,
    {
      "torchvision/_C.so": upon(asks),
      "torchvision/image.so": upon(asks, { needed: ["libc10.so", "libjpeg.ceea7512.so.62"], rpath: "$ORIGIN/../torchvision.libs" }),
    },
    [`torch==${wanted}`],
  ),
  [`${site}/torchvision/version.py`]: { text: `__version__ = '${version}+${label}'\n` },
});

const audio = (version: string, asks: string[], label = "cu124"): Files => ({
  ...packaged(
    "torchaudio",
    version,
    {
      "torchaudio/lib/libtorchaudio.so": upon(asks, { soname: "libtorchaudio.so" }),
      "torchaudio/lib/_torchaudio.so": upon([], { needed: ["libtorchaudio.so", "libtorch_python.so"] }),
    },
    [`torch==${version}`],
  ),
  [`${site}/torchaudio/version.py`]: { text: `__version__ = '${version}+${label}'\n` },
});

const former = (version: string, wanted: string, asks: string[]): Files => ({
  ...packaged("xformers", version, { "xformers/_C.so": upon(asks) }, [`torch==${wanted}`]),
  [`${site}/xformers/cpp_lib.json`]: { text: `{"version": {"cuda": 1204, "hip": null, "torch": "${wanted}+cu124"}}` },
});

const codec = (version: string, asks: string[]): Files =>
  packaged(
    "torchcodec",
    version,
    Object.fromEntries(
      [57, 58, 59].map((number) => [
        `torchcodec/libtorchcodec${number - 52}.so`,
        upon(asks, { needed: ["libtorch_cpu.so", "libc10.so", `libavutil.so.${number}`] }),
      ]),
    ),
  );

const ffmpeg: Files = { "/opt/driver/libavutil.so.57": library("libavutil.so.57") };

const attention = (version: string, asks: string[]): Files =>
  packaged("flash-attn", version, { "flash_attn_2_cuda.cpython-311-x86_64-linux-gnu.so": upon(asks) });

const environment = { LD_LIBRARY_PATH: "/opt/driver" };
const found = async (files: Files) => loud(await findings(files, { environment }));
const loadsIn = (framework: string, files: Files, question: Question = {}) =>
  predict(pythonRoot(files).folder, framework, { environment, ...question });

const fitting: [name: string, files: Files][] = [
  ["torchvision", vision("0.20.1", "2.5.1", [old])],
  ["torchaudio", audio("2.5.1", [old])],
  ["xformers", former("0.0.28.post3", "2.5.1", [old])],
  ["torchcodec", { ...codec("0.1.1", [old]), ...ffmpeg }],
  ["flash-attn", attention("2.8.3", [old])],
];

describe("what is built upon torch", needs({ glibc: glibcLoader }), () => {
  test.each(fitting)("%s for this torch is silent, and its libraries are loaded behind torch's", async (name, files) => {
    expect(named(await found({ ...torch("2.5.1"), ...files }))).toEqual([]);
    const loads = await loadsIn(name, { ...torch("2.5.1"), ...files }, { do: ["device"] });
    expect(loads.failures).toEqual([]);
    const all = mapped(loads);
    const own = all.findIndex((file) => file.includes(name.replace("-", "_")));
    expect(all.indexOf("~/torch/lib/libtorch_cpu.so")).toBeLessThan(own);
  });

  const another: [name: string, files: Files, message: string, breaks: string[]][] = [
    ["torchvision", vision("0.21.0", "2.6.0", [fresh]), "operator torchvision::nms does not exist", ["import", "device"]],
    ["torchaudio", audio("2.6.0", [fresh]), `${site}/torchaudio/lib/libtorchaudio.so: undefined symbol: ${fresh}`, ["import", "device"]],
    [
      "xformers",
      former("0.0.29.post3", "2.6.0", [fresh]),
      "xFormers can't load C++/CUDA extensions. xFormers was built for: PyTorch 2.6.0 (you have 2.5.1)",
      ["device"],
    ],
  ];
  test.each(another)(
    "%s for another torch is an error with the loader's symbol, and the release that fits",
    async (name, files, message, breaks) => {
      const [finding, ...others] = await found({ ...torch("2.5.1"), ...files });
      expect(others).toEqual([]);
      expect(finding).toMatchObject({
        rule: "pins-not-met",
        severity: "error",
        breaks: breaks.map((activity) => ({ framework: name, activity })),
      });
      expect(finding!.evidence.join("\n")).toContain(`undefined symbol: ${fresh}`);
      const fits: { [name: string]: string } = { torchvision: "0.20.1", torchaudio: "2.5.1", xformers: "0.0.29.post1" };
      expect(finding!.advice[0]!.command?.slice(-2)).toEqual(["torch==2.5.1", `${name}==${fits[name]}`]);
      const { failures } = await loadsIn(name, { ...torch("2.5.1"), ...files }, { do: ["device"] });
      expect(failures.map((failure) => failure.message)).toEqual([message]);
    },
  );

  test("xformers with kernels for Hopper in a folder of their own: its operators cannot be imported without them (0.0.32.post2 on torch 2.7.1)", async () => {
    const files = { ...torch("2.5.1"), ...former("0.0.29.post3", "2.6.0", [old]), [`${site}/xformers/flash_attn_3/_C.so`]: upon([fresh]) };
    const { failures } = await loadsIn("xformers", files, { do: ["device"] });
    expect(failures.map((failure) => failure.message)).toEqual([`${site}/xformers/flash_attn_3/_C.so: undefined symbol: ${fresh}`]);
    expect((await loadsIn("xformers", files)).failures).toEqual([]);
  });

  test.each([
    ["torchvision", vision("0.19.1", "2.4.1", [old]), "Could not run 'torchvision::nms' with arguments from the 'CUDA' backend"],
    [
      "xformers",
      former("0.0.27.post2", "2.4.0", [old]),
      "Could not run 'xformers::dual_gemm_silu_identity_mul' with arguments from the 'CUDA' backend",
    ],
  ])("%s of a torch that counts its keys otherwise is loaded, and its operators are not there", async (name, files, message) => {
    const [finding, ...others] = await found({ ...torch("2.5.1"), ...files });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ rule: "pins-not-met", severity: "error", breaks: [{ framework: name, activity: "device" }] });
    expect(finding!.evidence[0]).toBe(message);
  });

  test("another pin alone is no error: 2.5 and 2.6 count alike, and patches go together", async () => {
    const files = { ...torch("2.6.0"), ...vision("0.20.1", "2.5.1", [old]) };
    const [finding, ...others] = await found(files);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ rule: "pins-not-met", severity: "warning", breaks: [] });
    expect(finding!.because.join("\n")).toContain("no symbol that it asks for is missing");
    expect(finding!.because.join("\n")).not.toContain("operators");
    expect(named(await found({ ...torch("2.5.1"), ...vision("0.20.0", "2.5.0", [old]) }))).toEqual([]);
  });

  test("beside another minor of torch neither it nor what asks for it is green: classes may be laid out otherwise", async () => {
    const timm = packaged("timm", "1.0", { "timm/__init__.py": new TextEncoder().encode("import torchvision\n") }, [
      "torch",
      "torchvision",
    ]);
    const open = async (files: Files) =>
      (await unknownIn({ ...files, ...timm })).filter(({ kind }) => kind === "package").map(({ subject }) => subject);
    expect(await open({ ...torch("2.6.0"), ...vision("0.20.1", "2.5.1", [old]) })).toEqual([
      "torchvision 0.20.1",
      "what timm 1.0 does with torchvision",
    ]);
    expect(await open({ ...torch("2.5.1"), ...vision("0.20.0", "2.5.0", [old]) })).toEqual([]);
  });

  test("a library of the stable interface names its keys, so that numbers do not matter", async () => {
    const files = packaged("torchvision", "0.29.2", {
      "torchvision/_C_stable.so": module({ needed: ["libtorch_cpu.so"], asks: [] }),
    });
    expect((await loadsIn("torchvision", { ...torch("2.5.1"), ...files }, { do: ["device"] })).failures).toEqual([]);
  });

  test("CUDA is compared when they are imported: the major by torchvision, the minor, too, by torchaudio", async () => {
    const messages = async (name: string, files: Files) =>
      (await loadsIn(name, { ...torch("2.5.1", "12.4"), ...files })).failures.map(({ message }) => message);
    expect(await messages("torchvision", vision("0.20.1", "2.5.1", [old], "cu121"))).toEqual([]);
    expect(await messages("torchvision", vision("0.20.1", "2.5.1", [old], "cu118"))).toEqual([
      "Detected that PyTorch and torchvision were compiled with different CUDA major versions.",
    ]);
    expect(await messages("torchaudio", audio("2.5.1", [old], "cu121"))).toEqual([
      "Detected that PyTorch and TorchAudio were compiled with different CUDA versions.",
    ]);
    const [finding] = await found({ ...torch("2.5.1"), ...audio("2.5.1", [old], "cu121") });
    expect(finding).toMatchObject({ rule: "built-for-another-release", severity: "error" });
    expect(finding!.because.join("\n")).toContain("built for CUDA 12.1, and torch for CUDA 12.4");
  });

  test("torchcodec takes the newest FFmpeg that it has a library for; without any, FFmpeg is what is missing", async () => {
    const files = { ...torch("2.5.1"), ...codec("0.1.1", [old]) };
    expect(mapped(await loadsIn("torchcodec", { ...files, ...ffmpeg }))).toContain("~/torchcodec/libtorchcodec5.so");
    const [finding, ...others] = await found(files);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ rule: "library-missing", severity: "error", subject: "libavutil.so.59" });
    expect(finding!.advice[0]!.command).toEqual(["sudo", "apt", "install", "ffmpeg"]);
  });

  test("torchcodec for another torch says so, though its message speaks of FFmpeg; no pin tells it", async () => {
    const [finding, ...others] = await found({ ...torch("2.5.1"), ...codec("0.2.1", [fresh]), ...ffmpeg });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ rule: "built-for-another-release", severity: "error" });
    expect(finding!.because.join("\n")).toContain(`libtorchcodec5.so: undefined symbol: ${fresh}`);
    expect(finding!.advice[0]!.command?.slice(-2)).toEqual(["torchcodec==0.1.1", "torch==2.5.1"]);
    const [older] = await found({ ...torch("2.5.1"), ...codec("0.0.3", [old]), ...ffmpeg });
    expect(older).toMatchObject({ rule: "built-for-another-release", breaks: [{ framework: "torchcodec", activity: "device" }] });
  });

  test("flash-attn that was built for another torch ends its import", async () => {
    const [finding, ...others] = await found({ ...torch("2.5.1"), ...attention("2.8.3", [fresh]) });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({
      rule: "built-for-another-release",
      severity: "error",
      breaks: [
        { framework: "flash-attn", activity: "import" },
        { framework: "flash-attn", activity: "device" },
      ],
    });
  });
});
