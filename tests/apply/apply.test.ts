import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { applyFixes } from "../../packages/machine/src/apply/apply.ts";
import { undoFixes } from "../../packages/machine/src/apply/undo.ts";
import type { Step } from "../../packages/core/src/model/fix.ts";
import { buildWorker } from "./killed.ts";
import { portrait } from "./portrait.ts";
import { edit, fixOf, set, stage } from "./stage.ts";

const { scratch, place } = stage("apply");

describe("an edit", () => {
  test("changes one line and nothing else: bytes that are no text, a missing last newline and CRLF survive", () => {
    const { root, home } = place();
    const file = path.join(root, "etc/profile.d/cuda.sh");
    fs.writeFileSync(file, Buffer.from(`# caf\xe9 \xff\r\n  ${set}\r\nlast without newline`, "latin1"), { mode: 0o640 });
    const before = portrait(root);
    const { mtimeMs } = fs.statSync(file);
    const { id } = applyFixes(home, root, [fixOf(edit("/etc/profile.d/cuda.sh", 2, "export LD_LIBRARY_PATH=/opt/lib"))], () => {});
    expect(fs.readFileSync(file, "latin1")).toBe("# caf\xe9 \xff\r\n  export LD_LIBRARY_PATH=/opt/lib\r\nlast without newline");
    expect(fs.statSync(file).mode & 0o7777).toBe(0o640);
    undoFixes(home, id);
    expect(portrait(root)).toBe(before);
    expect(Math.abs(fs.statSync(file).mtimeMs - mtimeMs)).toBeLessThan(0.002);
  });

  test("follows a link and leaves it a link; a file with two names stays one file", () => {
    const { root, home } = place();
    const real = path.join(root, "etc/cuda.sh");
    fs.writeFileSync(real, `${set}\n`);
    fs.linkSync(real, path.join(root, "etc/second.sh"));
    fs.symlinkSync(real, path.join(root, "etc/profile.d/cuda.sh"));
    const before = portrait(root);
    // On the machine itself (no root before the path) links are followed.
    const { id } = applyFixes(home, "", [fixOf(edit(path.join(root, "etc/profile.d/cuda.sh"), 1))], () => {});
    expect(fs.readFileSync(path.join(root, "etc/second.sh"), "utf8")).toBe("");
    expect(fs.lstatSync(path.join(root, "etc/profile.d/cuda.sh")).isSymbolicLink()).toBe(true);
    undoFixes(home, id);
    expect(portrait(root)).toBe(before);
  });

  test("is refused when the line is not what it was, and nothing is changed", () => {
    const { root, home } = place();
    fs.writeFileSync(path.join(root, "etc/profile.d/cuda.sh"), "export LD_LIBRARY_PATH=/something/else\n");
    const before = portrait(root);
    expect(() => applyFixes(home, root, [fixOf(edit("/etc/profile.d/cuda.sh", 1))], () => {})).toThrow(
      /line 1 of .* is not what it was; nothing was changed/,
    );
    expect(portrait(root)).toBe(before);
  });
});

test("a new file goes again, with the folders that were made for it, but not with what others put there", () => {
  const { root, home } = place();
  const before = portrait(root);
  const step: Step = { do: "write", file: "/opt/env/etc/conda/activate.d/libraries.sh", text: "export A=b\n" };
  const first = applyFixes(home, root, [fixOf(step)], () => {});
  undoFixes(home, first.id);
  expect(portrait(root)).toBe(before);
  const second = applyFixes(home, root, [fixOf(step)], () => {});
  fs.writeFileSync(path.join(root, "opt/env/etc/mine"), "mine");
  undoFixes(home, second.id);
  expect(fs.readFileSync(path.join(root, "opt/env/etc/mine"), "utf8")).toBe("mine");
  expect(fs.existsSync(path.join(root, "opt/env/etc/conda"))).toBe(false);
});

test("a program that fails before it changes anything leaves nothing to take back; what it changed is offered", () => {
  const { root, home } = place();
  const site = path.join(root, "site");
  fs.mkdirSync(site);
  fs.writeFileSync(path.join(site, "a"), "a");
  const run = (script: string): Step => ({ do: "run", command: ["sh", "-c", `cd ${site} && ${script}`], changes: [site] });
  expect(() => applyFixes(home, "", [fixOf(run("exit 3"))], () => {})).toThrow(/exit code 3; nothing was changed$/);
  expect(() => applyFixes(home, "", [fixOf(run("echo b > a; exit 3"))], () => {})).toThrow(/--undo .* takes back/);
  expect(() => applyFixes(home, "", [fixOf(run("touch new; exit 3"))], () => {})).toThrow(/--undo .* takes back/);
});

test("files that packages around a package share go again with it, and times are as they were to the nanosecond", () => {
  const { root, home } = place();
  const nvidia = path.join(root, "lib/python3.11/site-packages/nvidia");
  fs.mkdirSync(nvidia, { recursive: true });
  spawnSync("touch", ["-d", "@1700000000.123456789", nvidia]);
  const times = () => String(fs.statSync(nvidia, { bigint: true }).mtimeNs);
  const before = [portrait(root), times()];
  const script = `cd ${nvidia} && mkdir -p curand __pycache__ && touch __init__.py curand/a __pycache__/__init__.cpython-311.pyc`;
  const step: Step = { do: "run", command: ["sh", "-c", script], changes: [path.join(nvidia, "curand")] };
  const { id } = applyFixes(home, "", [fixOf(step)], () => {});
  expect(fs.existsSync(path.join(nvidia, "__pycache__/__init__.cpython-311.pyc"))).toBe(true);
  undoFixes(home, id);
  expect([portrait(root), times()]).toEqual(before);
});

test("a folder that holds only folders has its times again when a package was replaced", () => {
  const { root, home } = place();
  const site = path.join(root, "lib/python3.11/site-packages");
  const metadata = path.join(site, "torch-2.5.1.dist-info");
  const inner = path.join(site, "torchgen/packaged/ATen/native");
  for (const folder of [metadata, inner]) fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(inner, "tags.yaml"), "a");
  fs.writeFileSync(path.join(metadata, "RECORD"), "torchgen/packaged/ATen/native/tags.yaml,sha256=x,1\n");
  const folders = ["torchgen", "torchgen/packaged", "torchgen/packaged/ATen"].map((name) => path.join(site, name));
  for (const folder of folders) spawnSync("touch", ["-d", "@1700000000.123456789", folder]);
  const times = () => folders.map((folder) => String(fs.statSync(folder, { bigint: true }).mtimeNs));
  const before = times();
  const script = `cd ${site} && rm -r torchgen && mkdir -p torchgen/packaged/ATen/native && echo b > torchgen/packaged/ATen/native/tags.yaml`;
  const { id } = applyFixes(home, "", [fixOf({ do: "run", command: ["sh", "-c", script], changes: [metadata] })], () => {});
  expect(times()).not.toEqual(before);
  undoFixes(home, id);
  expect(times()).toEqual(before);
});

test("a program that is run writes no compiled Python of its own", () => {
  const { root, home } = place();
  const seen = path.join(root, "seen");
  applyFixes(home, "", [fixOf({ do: "run", command: ["sh", "-c", `echo $PYTHONDONTWRITEBYTECODE > ${seen}`], changes: [seen] })], () => {});
  expect(fs.readFileSync(seen, "utf8")).toBe("1\n");
});

test("a file that somebody else changed since is not touched, and nothing else is either", () => {
  const { root, home } = place();
  const [one, two] = ["one.sh", "two.sh"].map((name) => path.join(root, "etc/profile.d", name)) as [string, string];
  for (const file of [one, two]) fs.writeFileSync(file, `${set}\n`);
  const { id } = applyFixes(home, root, [fixOf(edit("/etc/profile.d/one.sh", 1), edit("/etc/profile.d/two.sh", 1))], () => {});
  fs.writeFileSync(two, "mine now\n");
  const changed = portrait(root);
  expect(() => undoFixes(home, id)).toThrow(/two\.sh was changed since/);
  expect(portrait(root)).toBe(changed);
});

test("a program's changes are taken back whole: changed, removed and new files, links and modes", () => {
  const { root, home } = place();
  const site = path.join(root, "site/nvidia/cudnn");
  fs.mkdirSync(path.join(site, "lib"), { recursive: true });
  fs.writeFileSync(path.join(site, "lib/libcudnn.so.9"), "old", { mode: 0o755 });
  fs.symlinkSync("libcudnn.so.9", path.join(site, "lib/libcudnn.so"));
  fs.writeFileSync(path.join(site, "gone"), "gone");
  const before = portrait(root);
  const script = `cd ${site} && echo new > lib/libcudnn.so.9 && rm gone lib/libcudnn.so && mkdir extra && echo x > extra/y && chmod 700 lib`;
  const { id } = applyFixes(home, "", [fixOf({ do: "run", command: ["sh", "-c", script], changes: [site] })], () => {});
  expect(portrait(root)).not.toBe(before);
  undoFixes(home, id);
  expect(portrait(root)).toBe(before);
});

test("of two programs that change the same files, and beside what others put there since, only our own is taken back", () => {
  const { root, home } = place();
  const site = path.join(root, "site/cudnn");
  fs.mkdirSync(site, { recursive: true });
  fs.writeFileSync(path.join(site, "libcudnn.so.9"), "old");
  const before = portrait(root);
  const shell = (script: string): Step => ({ do: "run", command: ["sh", "-c", `cd ${root}/site && ${script}`], changes: [site] });
  const both = fixOf(shell("rm -r cudnn"), shell("mkdir -p cudnn/lib && echo new > cudnn/libcudnn.so.9 && echo new > cudnn/lib/more"));
  undoFixes(home, applyFixes(home, "", [both], () => {}).id);
  expect(portrait(root)).toBe(before);
  const { id } = applyFixes(home, "", [both], () => {});
  fs.writeFileSync(path.join(site, "lib/mine"), "mine");
  undoFixes(home, id);
  expect(fs.readFileSync(path.join(site, "lib/mine"), "utf8")).toBe("mine");
  expect(fs.readdirSync(path.join(site, "lib"))).toEqual(["mine"]);
  expect(fs.readFileSync(path.join(site, "libcudnn.so.9"), "utf8")).toBe("old");
});

test("a step that fails stops the rest, says so, and what was done can be taken back", () => {
  const { root, home } = place();
  fs.writeFileSync(path.join(root, "etc/profile.d/cuda.sh"), `${set}\n`);
  const before = portrait(root);
  const steps: Step[] = [edit(path.join(root, "etc/profile.d/cuda.sh"), 1), { do: "run", command: ["sh", "-c", "exit 3"], changes: [] }];
  expect(() => applyFixes(home, "", [fixOf(...steps)], () => {})).toThrow(/ended with exit code 3; `culprit fix --undo (\S+)` takes back/);
  undoFixes(
    home,
    fs.readdirSync(home).find((name) => name !== "lock")!,
  );
  expect(portrait(root)).toBe(before);
});

test("only one of us at a time; a lock of a dead process is taken over", () => {
  const { root, home } = place();
  fs.writeFileSync(path.join(root, "etc/profile.d/cuda.sh"), `${set}\n`);
  fs.mkdirSync(home, { recursive: true });
  fs.writeFileSync(path.join(home, "lock"), String(process.ppid));
  expect(() => applyFixes(home, root, [fixOf(edit("/etc/profile.d/cuda.sh", 1))], () => {})).toThrow(/another culprit \(process \d+\)/);
  fs.writeFileSync(path.join(home, "lock"), String(spawnSync("true").pid));
  applyFixes(home, root, [fixOf(edit("/etc/profile.d/cuda.sh", 1))], () => {});
});

test("a file that a program left as it was, and that somebody else changed since, stays as it is now", () => {
  const { root, home } = place();
  const [ours, theirs] = ["ours", "theirs"].map((name) => path.join(root, name)) as [string, string];
  for (const file of [ours, theirs]) fs.writeFileSync(file, "old");
  const { id } = applyFixes(home, "", [fixOf({ do: "run", command: ["sh", "-c", `echo new > ${ours}`], changes: [root] })], () => {});
  fs.writeFileSync(theirs, "theirs now");
  undoFixes(home, id);
  expect([ours, theirs].map((file) => fs.readFileSync(file, "utf8"))).toEqual(["old", "theirs now"]);
});

describe("a run that dies", () => {
  const worker = buildWorker(scratch);

  /** A program that ends whoever started it, as if the machine had killed both. */
  const dieWith = (script: string) => {
    const { root, home } = place();
    const site = path.join(root, "site");
    fs.mkdirSync(path.join(site, "cudnn"), { recursive: true });
    fs.writeFileSync(path.join(site, "cudnn/libcudnn.so.9"), "old");
    // What an earlier crash of pip left is not ours.
    fs.mkdirSync(path.join(site, "~earlier"));
    const before = portrait(root);
    const first = `cd ${site} && mv cudnn ~udnn && mkdir cudnn && echo half > cudnn/libcudnn.so.9 && echo x > cudnn/new`;
    // No pipes: what lives on would keep them open.
    const { signal } = spawnSync(process.execPath, [worker, "run", home, site, `${first} && ${script}`], { stdio: "ignore" });
    expect(signal).toBe("SIGKILL");
    const id = fs.readdirSync(home).find((name) => name !== "lock")!;
    return { root, home, site, before, id };
  };

  test("together with the program that it had started: what was moved away comes back, and what is new is kept beside the journal", () => {
    const { root, home, site, before, id } = dieWith("kill -9 $PPID $$");
    expect(portrait(root)).not.toBe(before);
    undoFixes(home, id);
    expect(portrait(root)).toBe(before);
    expect(fs.readFileSync(path.join(home, id, "set-aside", site, "cudnn/new"), "utf8")).toBe("x\n");
  });

  test("while its program lives on: nothing is taken back before that has ended, then everything is", async () => {
    const { root, home, site, before, id } = dieWith(
      "kill -9 $PPID; while [ ! -e ../go ]; do sleep 0.02; done; echo y > cudnn/late; rm -r ~udnn; touch ../end",
    );
    const now = portrait(root);
    expect(() => undoFixes(home, id)).toThrow(/still runs \(process \d+\): wait for its end; nothing was undone/);
    expect(portrait(root)).toBe(now);
    fs.writeFileSync(path.join(root, "go"), "");
    await expect.poll(() => fs.existsSync(path.join(root, "end"))).toBe(true);
    for (const name of ["go", "end"]) fs.rmSync(path.join(root, name));
    await expect
      .poll(() => {
        try {
          return undoFixes(home, id).restored.length;
        } catch (error) {
          return String(error);
        }
      })
      .toBeGreaterThan(0);
    expect(portrait(root)).toBe(before);
    expect(fs.existsSync(path.join(site, "cudnn/late"))).toBe(false);
  });
});
