// Lines of start-up files without one element: a real shell says what the variable is then.
import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import type { Snapshot } from "../../packages/core/src/model/snapshot.ts";
import type { Stack } from "../../packages/core/src/diagnose/stack.ts";
import { readAssignment } from "../../packages/core/src/lib/shell-lines.ts";
import { valueAfter, changeLines, expansionAt, withoutElements } from "../../packages/core/src/plan/startup.ts";
import { needs } from "../needs.ts";

const name = "LD_LIBRARY_PATH";
const bash = spawnSync("bash", ["-c", "true"]).status === 0;

/** What bash makes of a file; a file that it does not accept is an error. */
function sourced(text: string, before?: string): string | undefined {
  const program = `${text}\n[ -z "\${${name}+set}" ] || printf 'set %s' "$${name}"`;
  const env = { PATH: process.env["PATH"] ?? "", ...(before === undefined ? {} : { [name]: before }) };
  const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", program], { encoding: "utf8", env });
  if (stderr !== "") throw new Error(stderr);
  return stdout.startsWith("set ") ? stdout.slice(4) : undefined;
}

const snapshotOf = (text: string) =>
  ({
    files: { "/etc": { kind: "folder" }, "/etc/cuda.sh": { kind: "file", size: text.length, text } },
    environment: {},
    unknown: [],
  }) as unknown as Snapshot;

/** The file after taking /opt/old out of every line that sets the variable. */
function mended(text: string): string | undefined {
  const lines = text.split("\n").map((each, index) => ({ name, file: "/etc/cuda.sh", line: index + 1, text: each.trim() }));
  const setters = lines.filter((each) => each.text.includes("/opt/old"));
  const snapshot = snapshotOf(text);
  const change = changeLines(snapshot, setters, ({ text: line }) => withoutElements(line, name, ["/opt/old"]));
  const fact = change?.simulate(snapshot).files["/etc/cuda.sh"];
  return fact?.kind === "file" ? fact.text : undefined;
}

describe("a line without one element", needs({ bash }), () => {
  const old = "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}";
  test.each([
    ["export LD_LIBRARY_PATH=/opt/old", undefined, "/before"],
    ["export LD_LIBRARY_PATH=/opt/old/", undefined, "/before"],
    ['export LD_LIBRARY_PATH="/a:/opt/old:/b"', "/a:/b", "/a:/b"],
    ["export LD_LIBRARY_PATH='/opt/old:/a:/b' # cuDNN", "/a:/b", "/a:/b"],
    ["LD_LIBRARY_PATH=/opt/old:/a;\nexport LD_LIBRARY_PATH", "/a", "/a"],
    ["export LD_LIBRARY_PATH=/a:/opt/old:", "/a:", "/a:"],
    ["declare -x LD_LIBRARY_PATH=/a:/opt/old", "/a", "/a"],
    ["export LD_LIBRARY_PATH=/opt/old:$LD_LIBRARY_PATH", undefined, "/before"],
    ["export LD_LIBRARY_PATH=$LD_LIBRARY_PATH:/opt/old:/a", ":/a", "/before:/a"],
    [`export LD_LIBRARY_PATH=/opt/old${old}`, undefined, "/before"],
    [`export LD_LIBRARY_PATH=/a:/opt/old${old}`, "/a", "/a:/before"],
    [`export LD_LIBRARY_PATH="/opt/old:/a\${LD_LIBRARY_PATH:+:\${LD_LIBRARY_PATH}}"`, "/a", "/a:/before"],
    ["export LD_LIBRARY_PATH=/opt/old-er:/opt/old", "/opt/old-er", "/opt/old-er"],
    ["export PATH=$PATH:/x LD_LIBRARY_PATH=/opt/old", undefined, "/before"],
    ["export LD_LIBRARY_PATH=/opt/old:/a PATH=$PATH:/x", "/a", "/a"],
    ["export A=1 LD_LIBRARY_PATH=/opt/old B=2 # why", undefined, "/before"],
    ["A=1; export LD_LIBRARY_PATH=/opt/old", undefined, "/before"],
    ["export LD_LIBRARY_PATH=/opt/old; A=1; B=2", undefined, "/before"],
    ["A=1; LD_LIBRARY_PATH=/opt/old; export LD_LIBRARY_PATH B", undefined, "/before"],
    ["if true; then\n  export LD_LIBRARY_PATH=/opt/old\nfi", undefined, "/before"],
    ["set_it() {\n  export LD_LIBRARY_PATH=/opt/old\n  # why\n}\nset_it", undefined, "/before"],
    ["export LD_LIBRARY_PATH=/opt/old\nexport LD_LIBRARY_PATH=/opt/old:/a", "/a", "/a"],
    ["export LD_LIBRARY_PATH+=:/opt/old", undefined, "/before"],
    ["[ -d / ] && export LD_LIBRARY_PATH=/opt/old:$LD_LIBRARY_PATH", undefined, "/before"],
    ['[[ -n "some" ]] && export LD_LIBRARY_PATH=/opt/old:/a', "/a", "/a"],
    ["test -d / && export A=1 LD_LIBRARY_PATH=/opt/old # why", undefined, "/before"],
    ["LD_LIBRARY_PATH+=:/opt/old:/a\nexport LD_LIBRARY_PATH", ":/a", "/before:/a"],
    ['A=1 LD_LIBRARY_PATH+=":/opt/old" # why\nexport LD_LIBRARY_PATH', undefined, "/before"],
  ])("%j", (text, alone, inherited) => {
    const after = mended(text);
    expect(after).toBeDefined();
    expect(sourced(after!)).toBe(alone);
    expect(sourced(after!, "/before")).toBe(inherited);
  });

  test.each([
    "LD_LIBRARY_PATH=/opt/old:$LD_LIBRARY_PATH python train.py",
    "export LD_LIBRARY_PATH=/opt/old LD_LIBRARY_PATH=/opt/cuda",
    "export LD_LIBRARY_PATH=/opt/old; echo $LD_LIBRARY_PATH",
    "LD_LIBRARY_PATH=/opt/old CUDA_HOME=/opt/cuda python train.py",
    "export LD_LIBRARY_PATH=/opt/old && echo set",
    "export LD_LIBRARY_PATH=/a:$(dirname /opt/old/x)",
    "export LD_LIBRARY_PATH=/a:`echo /opt/old`",
    'export LD_LIBRARY_PATH="/opt/old:/with\\"quote"',
    'export LD_LIBRARY_PATH="/opt/old":/a',
    "export LD_LIBRARY_PATH=/opt/old:\\\n/a",
    "export CUDA_HOME=/opt/cuda \\\nLD_LIBRARY_PATH=/opt/old",
    "export LD_LIBRARY_PATH+=/opt/old",
    "LD_LIBRARY_PATH+=:/opt/old python train.py",
    "mkdir -p /tmp && export LD_LIBRARY_PATH=/opt/old",
    "[ -d / ] && export LD_LIBRARY_PATH=/opt/old; A=1",
    "[ -d / ] && export LD_LIBRARY_PATH=/opt/old || export LD_LIBRARY_PATH=/a",
    "set -gx LD_LIBRARY_PATH /opt/old",
    "LD_LIBRARY_PATH DEFAULT=/opt/old",
    "export LD_LIBRARY_PATH=/a:${OLD:-/opt/old}",
    // One of two lines that cannot be changed: nothing is.
    "export LD_LIBRARY_PATH=/opt/old\nexport LD_LIBRARY_PATH=/opt/old && echo",
  ])("is left alone where it is more than that: %j", (text) => {
    expect(mended(text)).toBeUndefined();
  });
});

test("what conda keeps is written as conda writes it", () => {
  const state = (value: string) => JSON.stringify({ env_vars: { A: "1", LD_LIBRARY_PATH: value, B: "2" } });
  expect(withoutElements(state("/opt/old:/a"), name, ["/opt/old"])).toBe(state("/a"));
  expect(withoutElements(state("/opt/old"), name, ["/opt/old"])).toBe(state("***unset***"));
  expect(withoutElements(state("***unset***"), name, ["/opt/old"])).toBeUndefined();
  expect(readAssignment(state("$HOME/lib"), name)).toMatchObject({ value: "$HOME/lib", isLiteral: true });
});

test("csh's lines are understood, too", () => {
  expect(withoutElements("setenv LD_LIBRARY_PATH /opt/old:/a", name, ["/opt/old"])).toBe("setenv LD_LIBRARY_PATH /a");
  expect(withoutElements('setenv LD_LIBRARY_PATH "/opt/old"', name, ["/opt/old"])).toBe("");
});

test("a variable before a command is not set by that line", () => {
  expect(readAssignment("CUDA_VISIBLE_DEVICES= python train.py", "CUDA_VISIBLE_DEVICES")).toBeUndefined();
  expect(readAssignment("export CUDA_VISIBLE_DEVICES=", "CUDA_VISIBLE_DEVICES")).toMatchObject({ value: "" });
  expect(readAssignment('export CUDA_VISIBLE_DEVICES="" # none', "CUDA_VISIBLE_DEVICES")).toMatchObject({ value: "" });
});

describe("variables in an element", needs({ bash }), () => {
  /** What we make of a text at the end of a file, and what bash makes of it. */
  function both(file: string, text: string, variables: { [name: string]: string } = {}) {
    const snapshot = snapshotOf(file);
    const last = { name, file: "/etc/cuda.sh", line: file.split("\n").length + 1, text: "" };
    const stack = { inventory: { variables: [last] }, variables } as unknown as Stack;
    const program = `${file}\nprintf %s "${text}"`;
    const env = { PATH: process.env["PATH"] ?? "", ...variables };
    return {
      ours: expansionAt(stack, snapshot, last)(text),
      bash: spawnSync("bash", ["--norc", "-c", program], { encoding: "utf8", env }).stdout,
    };
  }

  test.each([
    ["CUDA=/opt/cuda", "$CUDA/lib64"],
    ["export CUDA=/opt/cuda", "${CUDA}/lib64"],
    ['BASE="/opt"\nCUDA="$BASE/cuda"', "${CUDA}/lib64"],
    ["CUDA=/opt/cuda", "${CUDA:-/usr}/lib64"],
    ["# CUDA=/opt/cuda", "${CUDA:-/usr}/lib64"],
    ["CUDA=/opt/cuda", "${CUDA:+$CUDA/lib64:}/end"],
    ["", "${CUDA:+$CUDA/lib64:}/end"],
    ["export CUDA=/a OTHER=b", "$CUDA/lib64"],
    ["CUDA=/a; export OTHER=b", "$CUDA/lib64"],
    ["CUDA=", "${CUDA:-/usr}/lib64"],
    ["CUDA=", "${CUDA-/usr}/lib64"],
    ["CUDA=/a\nOTHER=${CUDA:-/b}", "$OTHER:${OTHER:+${CUDA}/x}"],
  ])("%j: %s", (file, text) => {
    const { ours, bash } = both(file, text);
    expect(ours).toBe(bash);
  });

  test.each([
    ["", "$CUDA/lib64"],
    ["CUDA=/a\nCUDA=/b", "$CUDA/lib64"],
    ["if [ -d /x ]; then\n  CUDA=/a\nelse\n  CUDA=/b\nfi", "$CUDA/lib64"],
    ["CUDA=$(which nvcc)", "$CUDA/lib64"],
    ["read CUDA", "$CUDA/lib64"],
    ["CUDA=/a\nunset CUDA", "$CUDA/lib64"],
    ["export CUDA=/a CUDA=/b", "$CUDA/lib64"],
    ["CUDA=/a", "${CUDA%/}/lib64"],
    ["CUDA=/a", "$(echo $CUDA)"],
    ["CUDA=$CUDA/more", "$CUDA/lib64"],
  ])("is not known: %j, %s", (file, text) => {
    expect(both(file, text).ours).toBeUndefined();
  });

  test("is not known where this shell has another value", () => {
    expect(both("CUDA=/a", "$CUDA/lib64", { CUDA: "/b" }).ours).toBeUndefined();
    expect(both("", "${CUDA:-/a}/lib64", { CUDA: "/b" }).ours).toBeUndefined();
  });
});

test("an empty CUDA_VISIBLE_DEVICES that another line leaves hides every GPU, and is no value that is gone", () => {
  const variable = "CUDA_VISIBLE_DEVICES";
  const stack = { variables: { [variable]: "-1" } } as unknown as Stack;
  const at = (text: string, after: string) => ({
    setter: { name: variable, file: "/etc/profile.d/a.sh", line: 1, text },
    expand: (each: string) => each,
    after,
  });
  const [empty, guilty] = [`export ${variable}=`, `export ${variable}=-1`];
  expect(valueAfter(stack, [at(empty, empty), at(guilty, "")], variable)).toEqual({ known: true, value: "" });
  expect(valueAfter(stack, [at(empty, ""), at(guilty, "")], variable)).toEqual({ known: true, value: undefined });
});
