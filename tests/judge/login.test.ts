import { describe, expect, test } from "vitest";
import { diffTargets, fixTarget, openTarget, checkTarget, type WhatIf } from "../../packages/core/src/index.ts";
import type { Shell } from "../../packages/core/src/judge/question.ts";
import { loginShell } from "../../packages/core/src/survey/login.ts";
import { root } from "../../packages/machine/src/target/index.ts";
import { judge, machineWith, torch } from "../diagnose/gpu-root.ts";
import { pythonRoot } from "../frameworks/python-root.ts";
import { glibcLoader } from "../loader/answers.ts";
import type { Files } from "../loader/tree.ts";
import { needs } from "../needs.ts";

const machine: Files = {
  ...machineWith("550.54.15", ["NVIDIA L4"]),
  ...torch("2.4.0", "12.1"),
  "/etc/profile": { text: "for i in /etc/profile.d/*.sh; do\n  . $i\ndone\n" },
  "/opt/old/libcuda.so.1": { text: "" },
};
const set = (text: string): Files => ({ ...machine, "/etc/profile.d/cuda.sh": { text } });
const guilty = set("# CUDA\n\nexport LD_LIBRARY_PATH=/opt/old\n");
const question = { programs: [["torch"]], activities: [], python: [] };

const open = async (files: Files, whatIf: WhatIf = {}) => openTarget(root(pythonRoot(files).folder), whatIf);
async function findings(files: Files, shell?: Shell, whatIf?: WhatIf) {
  const judged = await checkTarget(await open(files, whatIf), { ...question, ...(shell ? { shell } : {}) });
  if ("problem" in judged) throw new Error(judged.problem);
  return { loud: judged.check.findings.filter(({ severity }) => severity === "error"), unknown: judged.check.unknown };
}

describe("a start-up file that breaks torch", needs({ glibc: glibcLoader }), () => {
  test("is found under a root folder, and said to be of a login shell", async () => {
    const { loud } = await findings(guilty);
    expect(loud).not.toEqual([]);
    for (const each of loud) {
      expect(each).toMatchObject({ shell: "login", message: expect.stringMatching(/^in a login shell: /) as unknown });
      expect(each.because[0]).toBe("only a login shell has it so: /etc/profile.d/cuda.sh:3 sets LD_LIBRARY_PATH=/opt/old");
    }
  });

  test("--shell chooses one", async () => {
    expect((await findings(guilty, "none")).loud).toEqual([]);
    const { loud } = await findings(guilty, "login");
    expect(loud).not.toEqual([]);
    expect(loud[0]!.shell).toBeUndefined();
  });

  test("what the question sets is not set by a file", async () => {
    expect((await findings(guilty, undefined, { environment: { LD_LIBRARY_PATH: "/nowhere" } })).loud).toEqual([]);
    expect((await findings(guilty, undefined, { unset: ["LD_LIBRARY_PATH"] })).loud).toEqual([]);
  });

  test("a variable that breaks it everywhere, and a login shell that sets it right", async () => {
    const files = set("export LD_LIBRARY_PATH=\n");
    const examination = await open(files);
    examination.view.snapshot.environment["LD_LIBRARY_PATH"] = "/opt/old";
    const judged = await checkTarget(examination, question);
    if ("problem" in judged) throw new Error(judged.problem);
    expect(judged.check.findings.filter(({ severity }) => severity === "error").map(({ shell }) => shell)).toContain("none");
  });

  test.each([
    ["under a condition", "if [ -d $CUDA ]; then\n  export LD_LIBRARY_PATH=/opt/old\nfi\n"],
    ["under another", "[ -d /opt/old ] && export LD_LIBRARY_PATH=/opt/old\n"],
    ["in a function", "cuda() {\n  export LD_LIBRARY_PATH=/opt/old\n}\n"],
    ["in a case", 'case "$TERM" in\n  xterm) export LD_LIBRARY_PATH=/opt/old ;;\nesac\n'],
    ["by a command", "export LD_LIBRARY_PATH=$(cuda-path)\n"],
    ["and taken away", "export LD_LIBRARY_PATH=/opt/old\nunset LD_LIBRARY_PATH\n"],
    ["and changed under a condition", "export LD_LIBRARY_PATH=/opt/old\nif true; then LD_LIBRARY_PATH=/nowhere; fi\n"],
    ["behind an early end", "return 0\nexport LD_LIBRARY_PATH=/opt/old\n"],
    ["of what only the shell knows", "export LD_LIBRARY_PATH=/opt/$HOSTNAME\n"],
  ])("set %s, it is no finding, and said to be unknown", async (_how, text) => {
    const { loud, unknown } = await findings(set(text));
    expect(loud).toEqual([]);
    expect(unknown.filter(({ subject }) => subject.startsWith("/etc/profile.d/cuda.sh:"))).toMatchObject([{ aside: true }]);
  });

  test.each([
    ["without export", "LD_LIBRARY_PATH=/opt/old\n"],
    ["in a comment", "# export LD_LIBRARY_PATH=/opt/old\n"],
    ["in a document", "cat <<EOF\nexport PATH=/x\nEOF\n"],
  ])("%s nothing is set, and nothing said", async (_how, text) => {
    const { loud, unknown } = await findings(set(text));
    expect({ loud, unknown: unknown.filter(({ subject }) => subject.startsWith("/etc/")) }).toEqual({ loud: [], unknown: [] });
  });

  test("a part of a system, without /etc/profile, is taken for one that has it; an image is not", async () => {
    const { "/etc/profile": _gone, ...rest } = guilty;
    expect((await findings(rest)).loud).not.toEqual([]);
    expect(await judge(rest, { image: {}, programs: [["torch"]] })).toEqual([]);
    expect((await judge(guilty, { image: {}, programs: [["torch"]] }))[0]).toMatchObject({ shell: "login" });
  });

  test("an image's ENV is named as what sets a variable", async () => {
    const [finding] = await judge(machine, { image: { CUDA_VISIBLE_DEVICES: "-1" }, programs: [["torch"]] });
    expect(finding).toMatchObject({ rule: "gpus-hidden" });
    expect([finding!.message, ...finding!.because, ...finding!.evidence].join("\n")).toContain("an ENV of the image");
  });

  test("fix changes the line, and diff names the variable", async () => {
    const hidden = set("# GPUs\n\nexport CUDA_VISIBLE_DEVICES=-1\n");
    const answer = await fixTarget(await open(hidden), {
      ...question,
      asked: { target: [], options: [], place: { kind: "root", name: "/mnt" } },
    });
    if ("problem" in answer) throw new Error(answer.problem);
    expect(answer.plan.chosen.flatMap(({ commands }) => commands)).toEqual(["sed -i 3d /mnt/etc/profile.d/cuda.sh"]);
    expect(answer.plan.proof).toMatchObject({ adds: [], leaves: [] });
    const difference = await diffTargets(await open(machine), await open(hidden), question);
    if ("problem" in difference) throw new Error(difference.problem);
    expect(difference.findings.onlyInB[0]!.message).toMatch(/^in a login shell: /);
    expect(difference.changes[0]).toMatchObject({
      kind: "variable",
      subject: "CUDA_VISIBLE_DEVICES",
      b: "-1",
      setAt: { b: "/etc/profile.d/cuda.sh:3" },
    });
    expect(difference.changes[0]!.explains).not.toEqual([]);
  });
});

describe("what a login shell leaves", () => {
  test.each([
    [
      "lines that build on each other",
      "export CUDA_HOME=/usr/local/cuda\nexport LD_LIBRARY_PATH=$CUDA_HOME/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\n",
      "/usr/local/cuda/lib64",
    ],
    ["a later line", "export LD_LIBRARY_PATH=/a\nexport LD_LIBRARY_PATH=/b:$LD_LIBRARY_PATH\n", "/b:/a"],
    ["export by itself", "LD_LIBRARY_PATH=/a\nexport LD_LIBRARY_PATH\n", "/a"],
    ["behind a block", "if true; then\n  PATH=/x\nfi\nexport LD_LIBRARY_PATH='/a'\n", "/a"],
    ["behind a line with a block in it", "for i in a b; do echo $i; done\nexport LD_LIBRARY_PATH=/a\n", "/a"],
  ])("%s", async (_name, text, value) => {
    const examination = await open({ "/etc/profile": { text } });
    const judged = await checkTarget(examination, { ...question, programs: [] });
    expect("problem" in judged).toBe(false);
    expect(loginShell(examination.view).environment["LD_LIBRARY_PATH"]).toBe(value);
  });
});
