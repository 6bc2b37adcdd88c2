// Which kind of fix speaks for which finding, and what its proof says.
import { describe, expect, test } from "vitest";
import { openTarget, fixTarget, type Plan, type WhatIf } from "../../packages/core/src/index.ts";
import { root } from "../../packages/machine/src/target/index.ts";
import { driver, library, module, pythonRoot, site } from "../frameworks/python-root.ts";
import { judge, machineWith, torch as gpuTorch } from "../diagnose/gpu-root.ts";
import { cuda11, cupti, machine, tensorflow } from "../diagnose/profiled-root.ts";
import { cudnn, cudnnParts, healthy, jax, packaged, toolkit, torch, triton } from "../diagnose/python-stack.ts";
import { glibcLoader } from "../loader/answers.ts";
import { makeElf } from "../loader/make-elf.ts";
import type { Files } from "../loader/tree.ts";
import { needs } from "../needs.ts";

async function planFor(files: Files, whatIf: WhatIf = {}, python = "/venv"): Promise<Plan> {
  const { folder } = pythonRoot(files);
  const examination = await openTarget(root(folder), { environment: {}, cwd: "/run", cpu: { level: 1 }, ...whatIf });
  const answer = await fixTarget(examination, { programs: [], activities: [], python: [python] });
  if ("problem" in answer) throw new Error(answer.problem);
  return answer.plan;
}

/** `rule: kind, kind` of every finding. */
const kinds = ({ findings }: Plan) => findings.map(({ rule, fixes }) => `${rule}: ${fixes.map(({ fix }) => fix).join(", ")}`);

describe("kinds of fixes", needs({ glibc: glibcLoader }), () => {
  test("a driver that is too old: the least one that helps, proven, never applied", async () => {
    const plan = await planFor({ ...gpuTorch("2.4.1", "12.4"), ...machineWith("470.256.02", ["Tesla T4"]) });
    expect(kinds(plan)).toEqual(["driver-too-old: driver-upgrade, choose-build"]);
    expect(plan.findings[0]!.fixes[0]).toMatchObject({
      title: "install driver 525.60.13 or newer",
      safety: "display-only",
      steps: [],
      proof: { removes: ["driver-too-old CUDA 12 on driver 470.256.02"], adds: [] },
    });
    expect(plan.chosen).toEqual([]);
  });

  test("torchvision of another torch: torchvision follows, and torch stays", async () => {
    const vision = packaged("torchvision", "0.20.1", { "torchvision/_C.so": module() }, ["numpy", "torch==2.5.1"]);
    const plan = await planFor({ ...healthy(), ...vision });
    expect(kinds(plan)).toEqual(["pins-not-met: install-wheel"]);
    expect(plan.chosen).toMatchObject([{ title: "install torchvision 0.21.0 in /venv", safety: "safe" }]);
  });

  test("xformers that lacks a symbol of this torch: the release that was built for it is proven", async () => {
    const lacking = module({ needed: ["libtorch_cuda.so"], asks: ["_ZNK3c1011StorageImpl27throw_data_ptr_access_errorEv"] });
    const former = packaged("xformers", "0.0.28.post3", { "xformers/_C.so": lacking }, ["torch==2.5.1"]);
    const plan = await planFor({ ...healthy(), ...former, ...driver("/opt/driver") }, { environment: { LD_LIBRARY_PATH: "/opt/driver" } });
    expect(plan.findings.map(({ rule, severity }) => `${severity} ${rule}`)).toEqual(["error pins-not-met"]);
    expect(plan.chosen).toMatchObject([{ title: "install xformers 0.0.29.post3 in /venv", safety: "safe", proof: { adds: [] } }]);
  });

  test("torchvision without a release for this torch: torch is not replaced for it", async () => {
    const vision = packaged("torchvision", "0.20.1", { "torchvision/_C.so": module() }, ["torch==2.5.1"]);
    const plan = await planFor({ ...torch("2.6.1"), ...cudnn("9.1.0.70"), ...triton("3.2.0"), ...vision });
    expect(kinds(plan)).toEqual(["pins-not-met: by-hand"]);
    expect(plan.chosen).toEqual([]);
  });

  test("a plug-in of another jax comes with what it asks for itself", async () => {
    const plan = await planFor(jax("0.6.2", { plugin: "0.6.0" }));
    expect(plan.chosen).toMatchObject([{ fix: "install-wheel", proof: { adds: [] } }]);
    expect(plan.chosen[0]!.commands[0]).toMatch(/jax-cuda12-plugin==0\.6\.2 jax-cuda12-pjrt==0\.6\.2$/);
    expect(plan.proof.leaves).toEqual(["library-missing libcudart.so.12"]);
  });

  test("a release of which nobody knows what it asks for is never proven", async () => {
    const plan = await planFor({ ...healthy(), ...packaged("vllm", "0.1.0", {}, ["torchao==0.99.0"]), ...packaged("torchao", "0.1.0") });
    for (const { fixes } of plan.findings) for (const fix of fixes) expect(fix.safety).toBe("display-only");
  });

  const lent = (files: Files): Files =>
    Object.fromEntries(Object.entries(files).map(([name, entry]) => [name.replace(site, "/opt/pylibs"), entry]));
  const startup = { "/root/.bashrc": { text: "export PYTHONPATH=/opt/other:/opt/pylibs\n" } };
  const environment = { PYTHONPATH: "/opt/other:/opt/pylibs", HOME: "/root" };

  test("a package that PYTHONPATH brings is not installed in the environment: its element goes, nothing is replaced", async () => {
    const own = packaged("torchvision", "0.21.0", { "torchvision/_C.so": module() }, ["torch==2.6.0"]);
    const other = packaged("torchvision", "0.19.1", { "torchvision/_C.so": module() }, ["torch==2.4.1"]);
    const plan = await planFor({ ...healthy(), ...own, ...lent(other), ...startup }, { environment });
    expect(plan.findings[0]!.message).toBe("torchvision 0.19.1 in /opt/pylibs (PYTHONPATH) asks for torch ==2.4.1, and 2.6.0 is installed");
    expect(new Set(plan.findings.flatMap(({ fixes }) => fixes.map(({ fix }) => fix)))).toEqual(new Set(["unset-variable"]));
    expect(plan.chosen).toMatchObject([
      { variables: [{ name: "PYTHONPATH", value: "/opt/other" }], commands: ["sed -i '1c\\export PYTHONPATH=/opt/other' /root/.bashrc"] },
    ]);
  });

  test("a library that PYTHONPATH brings is not opened by torch, which has its own beside it", async () => {
    const plan = await planFor({ ...healthy(), ...lent(cudnn("9.0.0.312")), ...startup }, { environment });
    expect(plan.findings).toEqual([]);
  });

  test("the files that are gone are those of the environment's own wheel, and it is installed where pip writes", async () => {
    const own = cudnn("9.1.0.70");
    const name = `${site}/nvidia/cudnn/lib/libcudnn_graph.so.9`;
    const { [name]: _gone, ...rest } = { ...healthy(), ...own };
    const plan = await planFor({ ...rest, ...lent(cudnn("9.0.0.312")), ...startup }, { environment });
    expect(plan.findings.map(({ message }) => message).join("\n")).toContain(
      "nvidia-cudnn-cu12 9.1.0.70 is installed in /venv, but a library",
    );
    const [chosen] = plan.chosen;
    expect(chosen!.commands[0]).toMatch(/nvidia-cudnn-cu12==9\.1\.0\.70$/);
    const step = chosen!.steps[0]!;
    expect(step.do === "run" && step.changes.every((each) => each.startsWith("/venv/"))).toBe(true);
  });

  test("a start-up file with two names is one place, and a line that changes it leaves the link alone", async () => {
    const old = Object.fromEntries(
      ["", ...cudnnParts.map((part) => `_${part}`)].flatMap((part) => [
        [`/opt/old/libcudnn${part}.so.9.0.0`, library(`libcudnn${part}.so.9`)],
        [`/opt/old/libcudnn${part}.so.9`, { link: `libcudnn${part}.so.9.0.0` }],
      ]),
    ) as Files;
    const files: Files = {
      ...healthy(),
      ...old,
      "/etc/environment": { text: 'LD_LIBRARY_PATH="/opt/old"\n' },
      "/usr/lib/environment.d/99-environment.conf": { link: "../../../etc/environment" },
    };
    const path = { environment: { LD_LIBRARY_PATH: "/opt/old", HOME: "/root" } };
    const [one] = (await planFor(files, path)).chosen;
    expect(one).toMatchObject({ fix: "drop-from-path", commands: ["sed -i 1d /etc/environment"] });
    expect(one!.steps).toHaveLength(1);
    const linked = {
      ...files,
      "/etc/environment": { text: "" },
      "/root/.bashrc": { link: "/srv/dotfiles/bashrc" },
      "/srv/dotfiles/bashrc": { text: "export LD_LIBRARY_PATH=/opt/old\n" },
    };
    expect((await planFor(linked, path)).chosen[0]!.commands).toEqual(["sed -i --follow-symlinks 1d /root/.bashrc"]);
  });

  test("what a preloaded library brings is blamed on /etc/ld.so.preload", async () => {
    const parts = Object.fromEntries(
      ["", ...cudnnParts.map((part) => `_${part}`)].flatMap((part) => [
        [`/opt/old/libcudnn${part}.so.9.0.0`, library(`libcudnn${part}.so.9`, { runpath: "$ORIGIN" })],
        [`/opt/old/libcudnn${part}.so.9`, { link: `libcudnn${part}.so.9.0.0` }],
      ]),
    ) as Files;
    const plan = await planFor({ ...healthy(), ...parts, "/etc/ld.so.preload": { text: "/opt/old/libcudnn.so.9\n" } });
    expect(kinds(plan)).toEqual(["library-wrong-version: preload-file"]);
    expect(plan.chosen).toMatchObject([{ fix: "preload-file", commands: ["sudo sed -i 1d /etc/ld.so.preload"] }]);
  });

  test("without pip and without uv nothing is proven, and what comes first is said", async () => {
    const { [`${site}/nvidia/cudnn/lib/libcudnn_graph.so.9`]: _gone, ...rest } = healthy();
    const fixesWith = async (files: Files, variables: { [name: string]: string }) =>
      (await planFor({ ...rest, ...files }, { environment: variables })).findings.flatMap(({ fixes }) =>
        fixes.filter(({ fix }) => fix === "install-wheel"),
      );
    const line = "/venv/bin/python3 -m pip install --force-reinstall --no-deps nvidia-cudnn-cu12==9.1.0.70";
    const [none] = await fixesWith({}, { PATH: "/usr/bin:/bin" });
    expect(none).toMatchObject({ safety: "display-only", steps: [], proof: { removes: [] } });
    expect(none!.commands).toEqual(["/venv/bin/python3 -m ensurepip", line]);
    const [uv] = await fixesWith({ "/usr/bin/uv": module() }, { PATH: "/usr/bin:/bin" });
    expect(uv).toMatchObject({ safety: "safe", proof: { adds: [] } });
    // uv leaves its lock behind, which undo takes away.
    expect(uv!.steps).toMatchObject([{ do: "run", changes: expect.arrayContaining(["/venv/.lock"]) }]);
    const [pip] = await fixesWith(packaged("pip", "24.0"), { PATH: "/usr/bin:/bin" });
    expect(pip).toMatchObject({ safety: "safe", commands: [line] });
    expect(JSON.stringify(pip!.steps)).not.toContain(".lock");
    // Where a link that leads nowhere stands in its place, pip would write to where that leads.
    const broken = `${site}/nvidia/cudnn/lib/libcudnn_graph.so.9`;
    const link: Files = { ...packaged("pip", "24.0"), [broken]: { link: "libcudnn_graph.so.9.9.9" } };
    const [cleared] = await fixesWith(link, { PATH: "/usr/bin:/bin" });
    expect(cleared).toMatchObject({ safety: "safe", commands: [`rm ${broken}`, line] });
    expect(cleared!.steps.map((step) => step.do === "run" && step.command[0])).toEqual(["rm", "/venv/bin/python3"]);
  });

  test("an environment that uv made gets uv's line, wherever uv lies", async () => {
    const { [`${site}/nvidia/cudnn/lib/libcudnn_graph.so.9`]: _gone, ...rest } = healthy();
    const made: Files = { ...rest, "/venv/pyvenv.cfg": { text: "home = /usr/bin\nuv = 0.9.7\nversion_info = 3.11.2\n" } };
    const fixWith = async (files: Files, variables: { [name: string]: string }) => {
      const { findings } = await planFor({ ...made, ...files }, { environment: { PATH: "/usr/bin:/bin", ...variables } });
      return findings.flatMap(({ fixes }) => fixes).find(({ fix }) => fix === "install-wheel")!;
    };
    const line = (uv: string) =>
      `${uv} pip install --python /venv/bin/python3 --reinstall --no-deps --no-cache nvidia-cudnn-cu12==9.1.0.70`;
    const home = await fixWith({ "/root/.local/bin/uv": module() }, { HOME: "/root" });
    expect(home).toMatchObject({ safety: "safe", commands: [line("/root/.local/bin/uv")], proof: { adds: [] } });
    // What uv starts is told where uv lies.
    const told = await fixWith({ "/opt/tools/uv": module() }, { UV: "/opt/tools/uv" });
    expect(told).toMatchObject({ safety: "safe", commands: [line("/opt/tools/uv")] });
    const nowhere = await fixWith({}, { HOME: "/root" });
    expect(nowhere).toMatchObject({ safety: "display-only", steps: [], commands: [line("uv")], proof: { removes: [] } });
    expect(nowhere.warning).toContain("uv made /venv");
  });

  test("the system's own Python, which pip must not touch (PEP 668)", async () => {
    const own = "/usr/local/lib/python3.12/dist-packages";
    const { [`${site}/nvidia/cudnn/lib/libcudnn_graph.so.9`]: _gone, ...rest } = healthy();
    const system: Files = {
      ...Object.fromEntries(Object.entries(rest).map(([name, entry]) => [name.replace(site, own), entry])),
      "/usr/bin/python3": { link: "python3.12" },
      "/usr/bin/python3.12": module(),
      "/usr/lib/python3.12/os.py": { text: "" },
    };
    const fixesWith = async (files: Files) =>
      (await planFor({ ...system, ...files }, {}, "/usr")).findings.flatMap(({ fixes }) =>
        fixes.filter(({ fix }) => fix === "install-wheel"),
      );
    expect(await fixesWith({})).toMatchObject([{ safety: "safe" }]);
    const [managed] = await fixesWith({ "/usr/lib/python3.12/EXTERNALLY-MANAGED": { text: "[externally-managed]\n" } });
    expect(managed).toMatchObject({ safety: "display-only", steps: [], proof: { removes: [] } });
    expect(managed!.warning).toMatch(/EXTERNALLY-MANAGED/);
  });

  test("CUDA_HOME that leads nowhere: the toolkit that is there", async () => {
    const plan = await planFor({ ...healthy(), ...toolkit("12.4") }, { environment: { CUDA_HOME: "/opt/gone" } });
    expect(kinds(plan)).toEqual(["cuda-home-wrong: export-cuda-home"]);
    expect(plan.findings[0]!.fixes[0]!.commands).toEqual(["export CUDA_HOME=/usr/local/cuda-12.4"]);
  });

  test("of two toolkits, builds for torch get the one of its CUDA", async () => {
    const environment = { CUDA_HOME: "/usr/local/cuda-11.8" };
    const plan = await planFor({ ...healthy(), ...toolkit("11.8"), ...toolkit("12.4") }, { environment });
    expect(kinds(plan)).toEqual(["toolkit-differs-from-framework: export-cuda-home"]);
    expect(plan.findings[0]!.fixes[0]!.commands).toEqual(['export CUDA_HOME=/usr/local/cuda-12.4 PATH=/usr/local/cuda-12.4/bin:"$PATH"']);
  });

  test("closed counters: opened by a person, who is told what it costs", async () => {
    const plan = await planFor({
      ...tensorflow("2.10.1"),
      ...cuda11,
      ...cupti("/usr/lib", "libcupti.so.10.1", "libcupti.so.10.1.208"),
      ...machine("NVIDIA GeForce RTX 2080 Ti", { RmProfilingAdminOnly: 1 }),
      "/proc/self/status": { text: "Name:\tcat\nCapInh:\t0000000000000000\nCapEff:\t0000000000000000\n" },
    });
    const fixes = plan.findings.find(({ rule }) => rule === "profiler-permission")?.fixes;
    expect(fixes).toMatchObject([{ fix: "profiling-rights", safety: "display-only", proof: { adds: [] } }]);
    expect(fixes![0]!.warning).toMatch(/what others compute/);
  });

  const provider = (needed: string[], runpath?: string) =>
    packaged("onnxruntime-gpu", "1.20.2", {
      "onnxruntime/capi/onnxruntime_pybind11_state.so": module({ runpath: "$ORIGIN" }),
      "onnxruntime/capi/libonnxruntime_providers_shared.so": library("libonnxruntime_providers_shared.so"),
      "onnxruntime/capi/libonnxruntime_providers_cuda.so": module({
        needed: [...needed, "libcuda.so.1"],
        ...(runpath === undefined ? {} : { runpath }),
      }),
    });

  test("a toolkit that ldconfig was never told of: the proof is what ldconfig would do with these very files", async () => {
    const curand = { ...provider(["libcurand.so.10"]), "/usr/local/cuda-12.4/lib64/libcurand.so.10": library("libcurand.so.10") };
    const including = {
      "/etc/ld.so.conf": { text: "include /etc/ld.so.conf.d/*.conf\n" },
      "/etc/ld.so.conf.d/a.conf": { text: "/opt/a\n" },
    };
    const entryOf = async (files: Files) => {
      const plan = await planFor({ ...curand, ...files });
      expect(kinds(plan)).toEqual(["library-not-on-path: search-folder, ldconfig-entry"]);
      expect(plan.findings[0]!.fixes[1]!.proof.removes).toEqual(["library-not-on-path libcurand.so.10"]);
      return plan.findings[0]!.fixes[1]!.commands;
    };
    expect(await entryOf(including)).toEqual([
      "echo /usr/local/cuda-12.4/lib64 | sudo tee -a /etc/ld.so.conf.d/culprit.conf",
      "sudo ldconfig",
    ]);
    // A check names the same file, and leaves what is in it.
    const [checked] = await judge({ ...machineWith("570.86.10", ["NVIDIA H100"]), ...curand, ...including });
    expect(checked!.advice.at(-1)!.command!.at(-1)).toBe("echo /usr/local/cuda-12.4/lib64 >> /etc/ld.so.conf.d/culprit.conf && ldconfig");
    // Nothing would read that folder here.
    expect((await entryOf({}))[0]).toBe("echo /usr/local/cuda-12.4/lib64 | sudo tee -a /etc/ld.so.conf");
    // Told, and not run since.
    const told = { ...including, "/etc/ld.so.conf.d/cuda.conf": { text: "/usr/local/cuda-12.4/lib64\n" } };
    expect(await entryOf(told)).toEqual(["sudo ldconfig"]);
  });

  test("a library that is nowhere: a system package where dpkg is, else words; never a package of a CUDA that is not known", async () => {
    const nccl = provider(["libnccl.so.2"]);
    const dpkg: Files = { "/var/lib/dpkg/status": { text: "" }, "/var/lib/dpkg/info/base-files.list": { text: "" } };
    const [found] = (await planFor({ ...nccl, ...dpkg })).findings;
    // The wheel, which only words know of, is the milder cure.
    expect(found!.fixes.map(({ fix }) => fix).sort()).toEqual(["by-hand", "system-package"]);
    expect(found!.fixes.find(({ fix }) => fix === "system-package")).toMatchObject({
      commands: ["sudo apt install libnccl2"],
      safety: "display-only",
    });
    expect(kinds(await planFor(nccl))).toEqual(["library-missing: by-hand"]);
    const [unknown] = (await planFor({ ...provider(["libcurand.so.10"]), ...dpkg })).findings;
    expect(unknown!.fixes.map(({ fix }) => fix)).toEqual(["by-hand"]);
  });

  test("a container without the driver", async () => {
    const files = { ...healthy(), ...machineWith("580.159.04", ["NVIDIA L4"]), "/.dockerenv": { text: "" } };
    const without = Object.fromEntries(Object.entries(files).filter(([name]) => !/libcuda\.so|libnvidia-ml/.test(name)));
    expect(kinds(await planFor(without))).toEqual(["driver-not-exposed: container-flags"]);
  });

  test("a GPU that the build has no code for: the line for the build that has it", async () => {
    const plan = await planFor({
      ...gpuTorch("2.8.0", "12.8", { kernels: ["sm_70", "sm_75", "sm_80", "sm_86", "sm_90"] }),
      ...machineWith("570.26", ["Tesla P100"]),
    });
    const fix = plan.findings.find(({ rule }) => rule === "gpu-not-in-build")?.fixes[0];
    expect(fix).toMatchObject({ fix: "choose-build", safety: "display-only", proof: { removes: [] } });
    expect(fix!.commands).toEqual([
      "uv pip install --python /venv/bin/python3 --reinstall torch==2.8.0 --index-url https://download.pytorch.org/whl/cu126",
    ]);
  });

  const prefix = "/opt/conda/envs/gpu";
  const conda: Files = {
    [`${prefix}/bin/python3.11`]: makeElf({ program: true }),
    [`${prefix}/bin/python3`]: { link: "python3.11" },
    [`${prefix}/lib/python3.11/lib-dynload/_ctypes.so`]: module(),
    [`${prefix}/conda-meta/history`]: { text: "" },
    [`${prefix}/conda-meta/libcurand-10.3.5.147-he02047a_0.json`]: { text: '{"files": ["lib/libcurand.so.10"]}' },
    [`${prefix}/lib/libcurand.so.10`]: library("libcurand.so.10").subarray(0, 100),
  };
  const moved = (files: Files): Files =>
    Object.fromEntries(Object.entries(files).map(([name, entry]) => [name.replace("/venv/", `${prefix}/`), entry]));

  test("what conda installed, conda mends: shown in its own words, never applied", async () => {
    const { findings, chosen } = await planFor({ ...moved(provider(["libcurand.so.10"], "$ORIGIN/../../../..")), ...conda }, {}, prefix);
    expect(findings.map(({ rule }) => rule)).toEqual(["library-damaged"]);
    expect(findings[0]!.fixes[0]).toMatchObject({ fix: "conda-package", safety: "display-only", steps: [], proof: { removes: [] } });
    expect(findings[0]!.fixes[0]!.commands).toEqual([`conda install --prefix ${prefix} --force-reinstall libcurand=10.3.5.147`]);
    expect(chosen).toEqual([]);
  });

  test("an element of LD_LIBRARY_PATH that no shell has replaced is written in full, where it stands", async () => {
    const plan = await planFor(
      {
        ...provider(["libcurand.so.10"]),
        "/root/lib/libcurand.so.10": library("libcurand.so.10"),
        "/etc/environment": { text: 'LD_LIBRARY_PATH="~/lib:/opt/a"\n' },
        "/opt/a": { folder: true },
      },
      { environment: { HOME: "/root", LD_LIBRARY_PATH: "~/lib:/opt/a" } },
    );
    expect(plan.findings.map(({ rule }) => rule)).toEqual(["library-path-malformed"]);
    expect(plan.chosen).toMatchObject([
      {
        fix: "mend-path",
        steps: [{ do: "edit", line: 1, after: 'LD_LIBRARY_PATH="/root/lib:/opt/a"' }],
        variables: [{ value: "/root/lib:/opt/a" }],
      },
    ]);
  });

  test("several wheels that lost files: one plan for all of them", async () => {
    const files: Files = { ...healthy() };
    const lost = Object.keys(files).filter((name) => /libcudart\.so\.12$|libcudnn_heuristic\.so\.9$/.test(name));
    for (const name of lost) delete files[name];
    const plan = await planFor(files);
    expect(plan.proof).toMatchObject({ adds: [], leaves: [] });
    expect(plan.proof.removes.length).toBeGreaterThan(1);
    expect(plan.chosen.map(({ fix }) => fix)).toEqual(["install-wheel", "install-wheel"]);
  });
});
