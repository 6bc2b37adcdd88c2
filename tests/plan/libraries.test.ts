// Frameworks without their libraries: one finding for all that is missing, one step that brings it, and what comes next.
import { describe, expect, test } from "vitest";
import { checkTarget, fixReport, fixTarget, openTarget, type Check, type Plan } from "../../packages/core/src/index.ts";
import { adviceLine } from "../../packages/core/src/lib/shell.ts";
import { root } from "../../packages/machine/src/target/index.ts";
import { cudnn, cudnnParts, jax, packaged, torch, triton } from "../diagnose/python-stack.ts";
import { cuda11, machine, tensorflow } from "../diagnose/profiled-root.ts";
import { library, module, pythonRoot, site, without } from "../frameworks/python-root.ts";
import { glibcLoader } from "../loader/answers.ts";
import { makeElf } from "../loader/make-elf.ts";
import type { Files } from "../loader/tree.ts";
import { needs } from "../needs.ts";
import { asExpected } from "../rules/expected.ts";

interface Answer {
  check: Check;
  plan: Plan;
}

async function answerFor(files: Files, programs: string[][] = [], environment: { [name: string]: string } = {}): Promise<Answer> {
  const { folder } = pythonRoot({ ...machine("NVIDIA A100-SXM4-80GB"), ...files });
  const question = { programs, activities: [], python: programs.length === 0 ? ["/venv"] : [] };
  const open = () => openTarget(root(folder), { environment, cwd: "/run", cpu: { level: 1 } });
  const judged = await checkTarget(await open(), question);
  const fixed = await fixTarget(await open(), question);
  if ("problem" in judged || "problem" in fixed) throw new Error("no answer");
  asExpected(judged.check.findings);
  return { check: judged.check, plan: fixed.plan };
}

const loud = ({ check }: Answer) => check.findings.filter(({ severity }) => severity !== "info");

const pip = packaged("pip", "24.0");
/** The extra of 2.15.1, as its METADATA has it. */
const extra = [
  "nvidia-cublas-cu12 ==12.2.5.6 ; extra == 'and-cuda'",
  "nvidia-cuda-cupti-cu12 ==12.2.142 ; extra == 'and-cuda'",
  "nvidia-cuda-nvcc-cu12 ==12.2.140 ; extra == 'and-cuda'",
  "nvidia-cuda-nvrtc-cu12 ==12.2.140 ; extra == 'and-cuda'",
  "nvidia-cuda-runtime-cu12 ==12.2.140 ; extra == 'and-cuda'",
  "nvidia-cudnn-cu12 ==8.9.4.25 ; extra == 'and-cuda'",
  "nvidia-cufft-cu12 ==11.0.8.103 ; extra == 'and-cuda'",
  "nvidia-curand-cu12 ==10.3.3.141 ; extra == 'and-cuda'",
  "nvidia-cusolver-cu12 ==11.5.2.141 ; extra == 'and-cuda'",
  "nvidia-cusparse-cu12 ==12.1.2.141 ; extra == 'and-cuda'",
  "nvidia-nccl-cu12 ==2.16.5 ; extra == 'and-cuda'",
  "nvidia-nvjitlink-cu12 ==12.2.140 ; extra == 'and-cuda'",
];
const plainTensorflow = (): Files => ({ ...tensorflow("2.15.1"), ...packaged("tensorflow", "2.15.1", {}, extra), ...pip });
const activate: Files = { "/venv/bin/activate": { text: "deactivate () {\n  :\n}\n" } };

describe("a framework without its libraries", needs({ glibc: glibcLoader }), () => {
  test("plain tensorflow: all that is missing is one finding, and its own extra one step", async () => {
    const answer = await answerFor({ ...plainTensorflow(), ...activate });
    const [found, ...others] = loud(answer);
    expect(others).toEqual([]);
    expect(found).toMatchObject({ rule: "library-missing", subject: "libcudart.so.12", severity: "error" });
    expect(found!.message).toBe("tensorflow 2.15.1 needs 7 libraries that are not installed: libcudart.so.12, libcublas.so.12 and 5 more");
    const line = "/venv/bin/python3 -m pip install 'tensorflow[and-cuda]==2.15.1'";
    expect(found!.advice.map(adviceLine)).toEqual([`install it with its own libraries: ${line}`]);
    const [both, fix] = answer.plan.findings[0]!.fixes;
    expect(both).toMatchObject({ fix: "together", safety: "safe", proof: { adds: [] } });
    expect(both!.commands[0]).toBe(line);
    expect(fix).toMatchObject({ fix: "install-libraries", reach: "environment", safety: "safe", commands: [line] });
    // This release does not look where its own extra puts CUPTI.
    expect(fix!.proof).toEqual({
      removes: ["library-missing libcudart.so.12"],
      adds: [],
      reveals: ["cupti-missing libcupti.so.12"],
    });
    expect(answer.plan.chosen.map((each) => each.fix)).toEqual(["install-libraries", "search-folder"]);
    expect(answer.plan.proof).toEqual({ removes: ["library-missing libcudart.so.12"], adds: [], leaves: [] });
    const [step] = answer.plan.chosen[0]!.steps;
    expect(step).toMatchObject({ do: "run", command: ["/venv/bin/python3", "-m", "pip", "install", "tensorflow[and-cuda]==2.15.1"] });
    expect(step?.do === "run" && step.changes).toContain(`${site}/nvidia_cudnn_cu12-8.9.4.25.dist-info`);
  });

  test("a toolkit that has one of them and lacks others does not do: its own extra is the advice, and the plan", async () => {
    const toolkit: Files = { "/opt/cuda/lib64/libcudart.so.12": library("libcudart.so.12") };
    const answer = await answerFor({ ...plainTensorflow(), ...activate, ...toolkit });
    const [found, ...others] = loud(answer);
    expect(others).toEqual([]);
    expect(found).toMatchObject({ rule: "library-missing", subject: "libcublas.so.12", severity: "error" });
    expect(found!.message).toBe(
      "tensorflow 2.15.1 needs 6 libraries that are not installed: libcublas.so.12, libcublasLt.so.12 and 4 more",
    );
    expect(found!.because.join()).toContain("libcudart.so.12 is there, at /opt/cuda/lib64/libcudart.so.12");
    expect(found!.advice.map(adviceLine)[0]).toContain("tensorflow[and-cuda]==2.15.1");
    expect(answer.plan.chosen.map((each) => each.fix)).toEqual(["install-libraries", "search-folder"]);
  });

  test("with uv, and where the system looks after Python", async () => {
    const files = without({ ...plainTensorflow(), ...activate }, /\/pip-24/);
    const uv = await answerFor({ ...files, "/usr/bin/uv": module() }, [], { PATH: "/usr/bin" });
    expect(uv.plan.chosen[0]!.commands).toEqual(["uv pip install --python /venv/bin/python3 'tensorflow[and-cuda]==2.15.1'"]);
    const none = await answerFor(files, [], { PATH: "/usr/bin" });
    expect(none.plan.chosen).toEqual([]);
    expect(none.plan.findings[0]!.fixes[0]).toMatchObject({ safety: "display-only", proof: { removes: [] } });
  });

  test("tensorflow before its extra: the wheels, and the way to them; what is still missing then is said", async () => {
    const answer = await answerFor({ ...tensorflow("2.10.1"), ...packaged("tensorflow", "2.10.1"), ...pip, ...activate });
    const [found, ...others] = loud(answer);
    expect(others).toEqual([]);
    expect(found!.message).toMatch(/^tensorflow 2\.10\.1 needs 8 libraries that are not installed/);
    const [first, second] = found!.advice.map(adviceLine);
    // The newest release of some of these names holds nothing: no name without a version.
    const given = first!.split(" -m pip install ")[1]!.split(" ");
    expect(given).toHaveLength(7);
    for (const word of given) expect(word).toMatch(/^nvidia-[a-z]+(-[a-z]+)?-cu11==(8|10|11)\./);
    expect(second).toMatch(/^and for the command: env LD_LIBRARY_PATH=\/venv\/\S+nvidia\/cuda_runtime\/lib:/);
    const { plan } = answer;
    expect(plan.chosen.map(({ fix }) => fix)).toEqual(["install-wheel", "search-folder"]);
    expect(plan.findings[0]!.fixes[0]).toMatchObject({ fix: "together", safety: "safe" });
    expect(plan.proof).toMatchObject({
      removes: ["library-missing libcudart.so.11.0"],
      adds: [],
      reveals: ["cupti-missing libcupti.so.11.2"],
    });
    expect(fixReport(plan)).toContain("adds none, leaves none; what is left then: cupti-missing libcupti.so.11.2");
  });

  test("tensorflow with its libraries where the loader looks lacks none of them", async () => {
    const answer = await answerFor({ ...tensorflow("2.10.1"), ...packaged("tensorflow", "2.10.1"), ...cuda11 });
    expect(loud(answer).map(({ rule }) => rule)).toEqual(["cupti-missing"]);
  });

  /** The plug-in as jax 0.6.2 asks for it, with what its extra brings. */
  const withExtra = (version: string): Files => ({
    ...jax(version),
    ...packaged("jax-cuda12-plugin", version, { "jax_cuda12_plugin/_versions.so": module() }, [
      `jax-cuda12-pjrt==${version}`,
      ...["cublas", "cuda-runtime", "cuda-cupti", "cufft", "cusparse", "nvjitlink"].map(
        (name) => `nvidia-${name}-cu12; extra == "with-cuda"`,
      ),
      'nvidia-cudnn-cu12<10.0,>=9.8; extra == "with-cuda"',
    ]),
    ...packaged("jax-cuda12-pjrt", version, { "jax_plugins/xla_cuda12/xla_cuda_plugin.so": module({ rpath: wheels }) }),
    [`${site}/jaxlib/xla_extension.so`]: module(),
    ...pip,
  });
  const wheels = ["cublas", "cuda_cupti", "cuda_runtime", "cudnn", "cufft", "cusparse"]
    .map((name) => `$ORIGIN/../../nvidia/${name}/lib`)
    .join(":");
  const parts = cudnnParts.map((part) => `cudnn_${part}.so.9`);
  const local: Files = {
    "/usr/local/cuda/nvvm/libdevice/libdevice.10.bc": { text: "" },
    ...Object.fromEntries(
      ["cudart.so.12", "cufft.so.11", "cupti.so.12", "cublas.so.12", "cusparse.so.12", "cudnn.so.9", ...parts].map((name) => [
        `/usr/lib/lib${name}`,
        library(`lib${name}`),
      ]),
    ),
  };

  test.each(["0.6.2", "0.5.3"])("the CUDA plug-in of jax %s without any of NVIDIA's wheels", async (version) => {
    const answer = await answerFor(withExtra(version));
    const [found, ...others] = loud(answer);
    expect(others).toEqual([]);
    expect(found).toMatchObject({ rule: "library-missing", severity: "error" });
    expect(found!.breaks.map(({ activity }) => activity)).toContain("matmul");
    const line = `/venv/bin/python3 -m pip install 'jax[cuda12]==${version}'`;
    expect(found!.advice.map(adviceLine)).toEqual([`install it with its own libraries: ${line}`]);
    expect(answer.plan.chosen).toMatchObject([{ fix: "install-libraries", commands: [line], proof: { adds: [] } }]);
    // pip would choose within ranges: what is applied is what was proven.
    const [step] = answer.plan.chosen[0]!.steps;
    expect(step?.do === "run" && step.command.filter((word) => word.startsWith("nvidia-")).every((word) => word.includes("=="))).toBe(true);
  });

  test.each(["0.6.2", "0.5.3"])("jax %s with a toolkit of the system is well (jax[cuda12_local])", async (version) => {
    expect(loud(await answerFor({ ...withExtra(version), ...local }))).toEqual([]);
  });

  const program = (needed: string[]): Files => ({ "/opt/app/app": makeElf({ program: true, needed }) });
  const dpkg: Files = { "/var/lib/dpkg/status": { text: "" }, "/var/lib/dpkg/info/base-files.list": { text: "" } };

  test("a program of one's own: NVIDIA's repository first, or the wheels of that CUDA and a way to them", async () => {
    const needed = ["libcudnn.so.8", "libcublas.so.11", "libcufft.so.10"];
    const answer = await answerFor({ ...program(needed), ...dpkg }, [["/opt/app/app"]], { HOME: "/home/ada" });
    const [found, ...others] = loud(answer);
    expect(others).toEqual([]);
    expect(found!.message).toBe(`/opt/app/app needs 3 libraries that are not installed: ${needed.join(", ")}`);
    const lines = found!.advice.map(({ command }) => command!.join(" "));
    expect(lines[0]).toBe("sudo apt install libcudnn8 libcublas-11-8 libcufft-11-8");
    expect(lines[1]).toMatch(
      /^python3 -m pip install --target \/home\/ada\/cuda-libraries nvidia-cudnn-cu11==8\.\S+ nvidia-cublas-cu11==11\.\S+ /,
    );
    expect(lines[2]).toMatch(/^env LD_LIBRARY_PATH=\/home\/ada\/cuda-libraries\/nvidia\/cudnn\/lib:/);
    // Each is said once: the package by its own kind of fix, the rest as words.
    const fixes = answer.plan.findings[0]!.fixes;
    expect(fixes.map(({ fix }) => fix)).toEqual(["system-package", "by-hand"]);
    const all = fixes.flatMap(({ commands }) => commands);
    expect(new Set(all).size).toBe(all.length);
  });

  test("a single library of cuDNN 8 is not taken from a wheel of cuDNN 9", async () => {
    const [found] = loud(await answerFor(program(["libcudnn.so.8"]), [["/opt/app/app"]], { HOME: "/home/ada" }));
    expect(found!.advice.map(({ command }) => command!.at(-1))).toEqual(["libcudnn8", "nvidia-cudnn-cu12==8.*", "COMMAND"]);
  });

  test("onnxruntime over onnxruntime-gpu: the one without CUDA goes, the other comes back", async () => {
    const shared = (pages: number) => ({ "onnxruntime/capi/onnxruntime_pybind11_state.so": module({ runpath: "$ORIGIN", pages }) });
    const own = {
      "onnxruntime/capi/libonnxruntime_providers_shared.so": library("libonnxruntime_providers_shared.so"),
      "onnxruntime/capi/libonnxruntime_providers_cuda.so": module({ needed: ["libcurand.so.10", "libcuda.so.1"] }),
    };
    const answer = await answerFor({
      ...packaged("onnxruntime-gpu", "1.22.0", { ...shared(2), ...own }),
      ...packaged("onnxruntime", "1.22.0", shared(1)),
      ...pip,
      "/usr/lib/libcurand.so.10": library("libcurand.so.10"),
    });
    expect(loud(answer).map(({ rule }) => rule)).toEqual(["cpu-only-build"]);
    expect(answer.plan.chosen).toMatchObject([
      {
        fix: "remove-wheel",
        commands: [
          "/venv/bin/python3 -m pip uninstall --yes onnxruntime",
          "/venv/bin/python3 -m pip install --force-reinstall --no-deps onnxruntime-gpu==1.22.0",
        ],
        proof: { adds: [] },
      },
    ]);
  });

  test("onnxruntime alone: nothing is removed that is not there", async () => {
    const plain = packaged("onnxruntime", "1.22.0", { "onnxruntime/capi/onnxruntime_pybind11_state.so": module() });
    const { check } = await answerFor({ ...plain, ...pip });
    const found = check.findings.find(({ rule }) => rule === "cpu-only-build");
    expect(found!.advice.map(({ command }) => command!.slice(3).join(" "))).toEqual([
      "uninstall -y onnxruntime",
      "install onnxruntime-gpu==1.22.0",
    ]);
  });

  test("NumPy 2 under a torch that was built for NumPy 1 is replaced", async () => {
    const answer = await answerFor({
      ...torch("2.1.2", { cuda: "'12.1'" }),
      ...cudnn("9.1.0.70"),
      ...triton("3.2.0"),
      ...packaged("numpy", "2.0.2", { "numpy/_core/_multiarray_umath.so": module() }),
      ...pip,
    });
    expect(answer.plan.findings.map(({ rule }) => rule)).toContain("numpy-too-new");
    const fix = answer.plan.chosen.find(({ commands }) => commands[0]!.includes("numpy==1."));
    expect(fix).toMatchObject({ fix: "install-wheel", safety: "safe", proof: { adds: [] } });
  });
});
