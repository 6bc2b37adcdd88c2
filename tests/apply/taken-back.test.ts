// What an attack on apply and undo found, one after the other; attack.deep.test.ts goes on looking.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { applyFixes } from "../../packages/machine/src/apply/apply.ts";
import { journals } from "../../packages/machine/src/apply/journal.ts";
import { undoFixes } from "../../packages/machine/src/apply/undo.ts";
import type { Step } from "../../packages/core/src/model/fix.ts";
import { likeness } from "./attack.ts";
import { edit, fixOf, set } from "./fixes.ts";
import { buildWorker } from "./killed.ts";
import { stage } from "./stage.ts";
import { needs } from "../needs.ts";

const { scratch, place } = stage("back");
const isRoot = process.getuid?.() === 0;
const other = 65_534;
const apply = (home: string, root: string, ...steps: Step[]) => applyFixes(home, root, [fixOf(...steps)], () => {});

function withSite() {
  const made = place();
  const site = path.join(made.root, "site");
  fs.mkdirSync(path.join(site, "lib"), { recursive: true });
  fs.writeFileSync(path.join(site, "lib/one"), "one");
  fs.writeFileSync(path.join(site, "two"), "two");
  const run = (script: string): Step => ({ do: "run", command: ["/bin/sh", "-c", `cd ${site} && ${script}`], changes: [site] });
  return { ...made, site, run };
}

describe("a program may turn anything into anything", () => {
  test.each([
    ["a folder into a link", "rm -r lib && ln -s nowhere lib"],
    ["a folder into a file", "rm -r lib && echo file > lib"],
    ["the whole place into a link", "cd .. && rm -r site && ln -s nowhere site"],
    ["a file into a folder", "rm two && mkdir two && echo x > two/x"],
    ["a file into a pipe", "rm two && mkfifo two"],
  ])("%s", (_, script) => {
    const { root, home, run } = withSite();
    const before = likeness(root, false);
    const { id } = apply(home, "", run(script));
    expect(likeness(root, false)).not.toBe(before);
    undoFixes(home, id);
    expect(likeness(root, false)).toBe(before);
  });

  test("names of one file stay names of one file; links come back with their times, also those that a place is reached by", () => {
    const { root, home, site, run } = withSite();
    fs.linkSync(path.join(site, "two"), path.join(site, "lib/same"));
    fs.symlinkSync("two", path.join(site, "link"));
    fs.symlinkSync("site", path.join(root, "way"));
    for (const name of ["site/link", "way"]) fs.lutimesSync(path.join(root, name), 5, 5);
    // Before 1970, too.
    spawnSync("touch", ["-d", "@-0.250000001", path.join(site, "two")]);
    const before = likeness(root, false);
    const step = run("rm two link && cd .. && rm way && mkdir way") as Extract<Step, { do: "run" }>;
    const { id } = apply(home, "", { ...step, changes: [path.join(root, "way")] });
    undoFixes(home, id);
    expect(likeness(root, false)).toBe(before);
  });
});

describe("what somebody has done since", () => {
  test("something in a folder that a program put in a file's place: refused before anything is touched", () => {
    const { root, home, site, run } = withSite();
    const { id } = apply(home, "", run("echo new > lib/one; rm two && mkdir two"));
    fs.writeFileSync(path.join(site, "two/mine"), "mine");
    const now = likeness(root, false);
    expect(() => undoFixes(home, id)).toThrow(/two\/mine has come since culprit wrote there: nothing was undone/);
    expect(likeness(root, false)).toBe(now);
  });

  test("a folder on the way is gone, or a link: refused before anything is touched", () => {
    const { root, home } = place();
    for (const name of ["etc/profile.d/one.sh", "etc/two.sh"]) fs.writeFileSync(path.join(root, name), `${set}\n`);
    const { id } = apply(home, root, edit("/etc/profile.d/one.sh", 1), edit("/etc/two.sh", 1));
    fs.rmSync(path.join(root, "etc/profile.d"), { recursive: true });
    const now = likeness(root, false);
    expect(() => undoFixes(home, id)).toThrow(/profile\.d is gone: nothing was undone/);
    expect(likeness(root, false)).toBe(now);
  });

  test("a mode that the user gave stays", () => {
    const { root, home } = place();
    const file = path.join(root, "etc/a.sh");
    fs.writeFileSync(file, `${set}\n`, { mode: 0o644 });
    const { id } = apply(home, root, edit("/etc/a.sh", 1));
    fs.chmodSync(file, 0o600);
    undoFixes(home, id);
    expect(fs.readFileSync(file, "utf8")).toBe(`${set}\n`);
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  });

  test("a folder with the name of compiled code stops nothing and stays", () => {
    const { home, site, run } = withSite();
    const { id } = apply(home, "", run("echo new > two"));
    fs.mkdirSync(path.join(site, "__pycache__/x.pyc"), { recursive: true });
    fs.writeFileSync(path.join(site, "__pycache__/x.pyc/mine"), "mine");
    undoFixes(home, id);
    expect(fs.readFileSync(path.join(site, "two"), "utf8")).toBe("two");
    expect(fs.readFileSync(path.join(site, "__pycache__/x.pyc/mine"), "utf8")).toBe("mine");
  });
});

test.each([
  ["apply", { state: "begun", inPlace: true }],
  ["undo", { state: "done", backInPlace: true }],
])(
  "cut off while it was written to where it lies (%s), a file comes back under names that nobody found, and stays one with them",
  (_, half) => {
    const { root, home, folder } = place();
    const file = path.join(root, "etc/a.sh");
    const far = path.join(folder, "far");
    fs.writeFileSync(file, `${set}\n`);
    fs.linkSync(file, far);
    const before = likeness(root, false);
    const { id } = apply(home, root, edit("/etc/a.sh", 1, "export A=b"));
    const journal = JSON.parse(fs.readFileSync(path.join(home, id, "journal.json"), "utf8"));
    const { state, ...marks } = half;
    journal.steps[0].state = state;
    Object.assign(journal.steps[0].saved[0], marks);
    fs.writeFileSync(path.join(home, id, "journal.json"), JSON.stringify(journal));
    fs.writeFileSync(file, "export A=\n\n\n\n");
    undoFixes(home, id);
    expect(likeness(root, false)).toBe(before);
    expect(fs.readFileSync(far, "utf8")).toBe(`${set}\n`);
    expect(fs.readFileSync(path.join(home, id, "set-aside", file), "utf8")).toBe("export A=\n\n\n\n");
  },
);

test("a step that fails and changed nothing leaves nothing to take back; a journal that cannot be written is named", () => {
  const { root, home, folder } = place();
  fs.writeFileSync(path.join(root, "etc/a.sh"), "something else\n");
  expect(() => apply(home, root, edit("/etc/a.sh", 1))).toThrow(/nothing was changed/);
  expect(journals(home).journals.map(({ state }) => state)).toEqual(["undone"]);
  fs.writeFileSync(path.join(folder, "file"), "");
  fs.writeFileSync(path.join(root, "etc/a.sh"), `${set}\n`);
  expect(() => apply(path.join(folder, "file/journal"), root, edit("/etc/a.sh", 1))).toThrow(/file is not a folder/);
});

test("a link that an earlier step puts on the way leads a later one nowhere", () => {
  const { root, home, folder, site, run } = withSite();
  const outside = path.join(folder, "outside");
  fs.mkdirSync(outside);
  const before = likeness(root, false);
  const step: Step = { do: "write", file: path.join(site, "lib/new"), text: "x\n" };
  expect(() => apply(home, "", run(`rm -r lib && ln -s ${outside} lib`), step)).toThrow(/site\/lib\/new leads to .*outside\/new by now/);
  expect(fs.readdirSync(outside)).toEqual([]);
  undoFixes(home, journals(home).journals[0]!.id);
  expect(likeness(root, false)).toBe(before);
});

test("a file that is edited where it lies, and whose name a program takes away, comes back as one with names that nobody found", () => {
  const { root, home, folder, site, run } = withSite();
  const far = path.join(folder, "far");
  fs.writeFileSync(path.join(site, "two"), `${set}\n`);
  fs.linkSync(path.join(site, "two"), path.join(site, "three"));
  fs.linkSync(path.join(site, "two"), far);
  const before = likeness(root, false);
  const { id } = apply(home, "", edit(path.join(site, "two"), 1, "export A=b"), run("rm two"));
  expect(fs.readFileSync(far, "utf8")).toBe("export A=b\n");
  undoFixes(home, id);
  expect(likeness(root, false)).toBe(before);
  expect(fs.readFileSync(far, "utf8")).toBe(`${set}\n`);
});

test("an entry for the root folder itself is looked at like any other", () => {
  const { root, home } = place();
  const { id } = apply(home, root, { do: "write", file: "/new", text: "x\n" });
  const file = path.join(home, id, "journal.json");
  const journal = JSON.parse(fs.readFileSync(file, "utf8"));
  journal.steps[0].around = [{ path: root }];
  fs.writeFileSync(file, JSON.stringify(journal));
  expect(() => undoFixes(home, id)).toThrow(/is not one that culprit wrote \(its steps\): nothing was undone/);
});

describe("of several users", needs({ root: isRoot }), () => {
  const worker = buildWorker(scratch);
  const asOther = (...given: string[]) =>
    spawnSync(process.execPath, [worker, ...given], {
      encoding: "utf8",
      uid: other,
      gid: other,
      env: { HOME: "/", PATH: "/usr/bin:/bin" },
    });

  test.each(["a folder that is the caller's", "a folder that is somebody else's"])(
    "a colleague's file in %s stays the colleague's",
    (where) => {
      const { root, home, folder } = place();
      fs.mkdirSync(path.join(root, "site/lib"), { recursive: true });
      fs.writeFileSync(path.join(root, "site/lib/libcudnn.so.9"), "old");
      spawnSync("chown", ["-R", `${other}:${other}`, root]);
      fs.mkdirSync(path.dirname(home));
      fs.chownSync(path.dirname(home), other, other);
      const file = path.join(root, "etc/profile.d/cuda.sh");
      fs.writeFileSync(file, `# first\n${set}\n`);
      fs.chownSync(file, 1, 1);
      fs.chmodSync(file, 0o666);
      if (where.includes("somebody")) fs.chownSync(path.dirname(file), 1, 1);
      fs.chmodSync(folder, 0o755);
      const done = asOther("apply", home, root, "0");
      expect(done.stderr).toBe("");
      expect(fs.readFileSync(file, "utf8")).toBe("# first\n");
      const back = asOther("undo", home, root, "0");
      expect(back.stderr).toBe("");
      const { uid, gid, mode } = fs.statSync(file);
      expect([uid, gid, mode & 0o777, fs.readFileSync(file, "utf8")]).toEqual([1, 1, 0o666, `# first\n${set}\n`]);
    },
  );

  test("the administrator runs nothing that changes another user's files, or that a link of the environment leads to", () => {
    const { home, folder, site, run } = withSite();
    fs.chownSync(path.join(site, "lib"), other, other);
    expect(() => apply(home, "", run("true"))).toThrow(/lib belongs to /);
    fs.chownSync(path.join(site, "lib"), 0, 0);
    const lent = path.join(folder, "l\u00e9nt");
    fs.mkdirSync(lent);
    fs.chownSync(lent, other, other);
    fs.symlinkSync(lent, path.join(site, "package"));
    expect(() => apply(home, "", run("true"))).toThrow(/l\u00e9nt belongs to /);
    fs.rmSync(path.join(site, "package"));
    // Python reads those at the top of a folder of packages.
    fs.mkdirSync(path.join(site, "site-packages"));
    fs.writeFileSync(path.join(site, "site-packages/x.pth"), `${lent}\n`);
    expect(() => apply(home, "", run("true"))).toThrow(/l\u00e9nt belongs to /);
  });

  test("the administrator's programs get neither HOME nor settings nor programs of another user", () => {
    const { home, folder, site, run } = withSite();
    const lent = path.join(folder, "lent");
    fs.mkdirSync(lent);
    fs.chownSync(lent, other, other);
    const before = { ...process.env };
    Object.assign(process.env, {
      HOME: lent,
      PIP_CONFIG_FILE: `${lent}/pip.conf`,
      XDG_CONFIG_HOME: lent,
      PATH: `${lent}:${before["PATH"]}`,
      LD_PRELOAD: `/lib/x.so ${lent}/y.so`,
    });
    try {
      apply(home, "", run("env > seen"));
    } finally {
      process.env = before;
    }
    const seen = fs.readFileSync(path.join(site, "seen"), "utf8");
    expect(seen).not.toContain(lent);
    expect(seen).toMatch(/^HOME=\/.+$/m);
  });
});
