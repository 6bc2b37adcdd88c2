// What somebody else can write to must never lead the hands of whoever applies a fix; and what is the user's own is never lost.
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { applyFixes } from "../../packages/machine/src/apply/apply.ts";
import { journalHome, journals } from "../../packages/machine/src/apply/journal.ts";
import { prospectOf } from "../../packages/machine/src/apply/prospect.ts";
import { undoFixes } from "../../packages/machine/src/apply/undo.ts";
import { writeWhole } from "../../packages/cli/src/write-whole.ts";
import { buildWorker } from "./killed.ts";
import { portrait } from "./portrait.ts";
import { edit, fixOf, set, stage } from "./stage.ts";
import { needs } from "../needs.ts";

const { scratch, place } = stage("hands");
const isRoot = process.getuid?.() === 0;
const other = 65_534;

const cuda = "/etc/profile.d/cuda.sh";
function withFile(text = `# comment\n${set}\n# end\n`) {
  const made = place();
  const file = path.join(made.root, cuda);
  fs.writeFileSync(file, text);
  return { ...made, file };
}
const apply = (home: string, root: string, ...steps: Parameters<typeof fixOf>) => applyFixes(home, root, [fixOf(...steps)], () => {});
const giveAway = (folder: string) => spawnSync("chown", ["-R", `${other}:${other}`, folder]);

describe("as administrator", needs({ root: isRoot }), () => {
  test("a link that is planted under a likely name is neither followed nor removed", () => {
    const { root, home, file, folder } = withFile();
    const guarded = path.join(folder, "PROTECTED");
    fs.writeFileSync(guarded, "guarded", { mode: 0o600 });
    const planted = path.join(path.dirname(file), ".cuda.sh.culprit");
    fs.symlinkSync(guarded, planted);
    const { id } = apply(home, root, edit(cuda, 2));
    undoFixes(home, id);
    expect(fs.readFileSync(guarded, "utf8")).toBe("guarded");
    expect(fs.readlinkSync(planted)).toBe(guarded);
  });

  test.each(["the folder", "a folder on the way", "the file", "the root folder"])("%s is another user's: nothing is written", (what) => {
    const { root, home, file } = withFile();
    const given = {
      "the folder": path.dirname(file),
      "a folder on the way": path.join(root, "etc"),
      "the file": file,
      "the root folder": root,
    };
    fs.chownSync(given[what as keyof typeof given], other, other);
    const before = portrait(root);
    expect(() => apply(home, root, edit(cuda, 2))).toThrow(/belongs to /);
    expect(portrait(root)).toBe(before);
    expect(fs.existsSync(home)).toBe(false);
  });

  test.each([
    ["everybody may write to", (folder: string) => fs.chmodSync(folder, 0o777)],
    ["a group with members may write to", (folder: string) => (fs.chownSync(folder, 0, other), fs.chmodSync(folder, 0o775))],
    ["an access control list opens", (folder: string) => spawnSync("setfacl", ["-m", `u:${other}:rwx`, folder])],
  ])("a folder that %s is not written in", (what, open) => {
    const { root, home, file } = withFile();
    open(path.dirname(file));
    if (what.includes("list") && spawnSync("getfacl", ["--version"]).status !== 0) return;
    expect(() => apply(home, root, edit(cuda, 2))).toThrow(/may be changed by /);
  });

  test("another user's link is not followed", () => {
    const { root, home, file } = withFile();
    fs.renameSync(file, path.join(root, "etc/real.sh"));
    fs.symlinkSync("/etc/real.sh", file);
    fs.lchownSync(file, other, other);
    expect(() => apply(home, root, edit(cuda, 2))).toThrow(/is a link that belongs to /);
  });

  test("another user's program is not run, nor one whose environment another user can write to", () => {
    const { home, folder } = place();
    const venv = path.join(folder, "venv");
    const site = path.join(venv, "lib/python3.11/site-packages");
    fs.mkdirSync(path.join(venv, "bin"), { recursive: true });
    fs.mkdirSync(path.join(site, "nvidia"), { recursive: true });
    fs.mkdirSync(path.join(site, "pip"));
    fs.writeFileSync(path.join(venv, "pyvenv.cfg"), "home = /usr/bin\n");
    const ran = path.join(folder, "ran");
    const python = path.join(venv, "bin/python3");
    fs.writeFileSync(python, `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
    const run = { do: "run" as const, command: [python, "-m", "pip"], changes: [path.join(site, "nvidia")] };
    const refuses = (pattern: RegExp) => {
      expect(() => apply(home, "", run)).toThrow(pattern);
      expect(fs.existsSync(ran)).toBe(false);
    };
    fs.chownSync(python, other, other);
    refuses(/python3 belongs to /);
    fs.chownSync(python, 0, 0);
    fs.writeFileSync(path.join(site, "pip/__init__.py"), "");
    fs.chownSync(path.join(site, "pip/__init__.py"), other, other);
    refuses(/__init__\.py belongs to /);
    fs.chownSync(path.join(site, "pip/__init__.py"), 0, 0);
    const lent = path.join(folder, "lent");
    fs.mkdirSync(lent);
    fs.chownSync(lent, other, other);
    fs.writeFileSync(path.join(site, "lent.pth"), `${lent}\n`);
    refuses(/lent belongs to /);
    fs.rmSync(path.join(site, "lent.pth"));
    // Weights of a model have that ending, too, and uv leaves a lock that everybody may write to.
    fs.writeFileSync(path.join(site, "pip/weights.pth"), Buffer.from(`PK\0\x03${lent}\n${lent}\n`));
    fs.writeFileSync(path.join(site, "odd.pth"), "a\0b\n");
    fs.writeFileSync(path.join(venv, ".lock"), "");
    fs.chmodSync(path.join(venv, ".lock"), 0o666);
    apply(home, "", run);
    expect(fs.existsSync(ran)).toBe(true);
  });

  test("a program gets nothing from the folder that we were started in, nor from variables that lead to other users' folders", () => {
    const { home, folder } = place();
    const lent = path.join(folder, "lent");
    fs.mkdirSync(lent);
    fs.chownSync(lent, other, other);
    const seen = path.join(folder, "seen");
    const before = { ...process.env };
    const cwd = process.cwd();
    process.env["PYTHONPATH"] = lent;
    process.env["LD_LIBRARY_PATH"] = lent;
    try {
      apply(home, "", { do: "run", command: ["/bin/sh", "-c", `pwd > ${seen}; env >> ${seen}`], changes: [] });
    } finally {
      process.env = before;
      process.chdir(cwd);
    }
    const text = fs.readFileSync(seen, "utf8");
    expect(text).toMatch(/^\/\n/);
    expect(text).not.toContain(lent);
  });

  test("a report is written beside planted links, not through them", async () => {
    const { folder } = place();
    const guarded = path.join(folder, "guarded");
    fs.writeFileSync(guarded, "guarded", { mode: 0o600 });
    const lent = path.join(folder, "lent");
    fs.mkdirSync(lent);
    for (let pid = process.pid - 50; pid < process.pid + 50; pid += 1) fs.symlinkSync(guarded, path.join(lent, `s.json.${pid}.part`));
    fs.symlinkSync(guarded, path.join(lent, "link.json"));
    spawnSync("chown", ["-hR", String(other), lent]);
    await writeWhole(path.join(lent, "s.json"), ["facts"], "the snapshot", { mode: 0o600 });
    expect(fs.statSync(path.join(lent, "s.json")).mode & 0o777).toBe(0o600);
    await expect(writeWhole(path.join(lent, "link.json"), ["facts"], "the snapshot")).rejects.toThrow(/link that belongs to/);
    expect(fs.readFileSync(guarded, "utf8")).toBe("guarded");
  });

  test("undo does not leave the root folder, and does not write to what is another user's by then", () => {
    const { root, home, file, folder } = withFile();
    const { id } = apply(home, root, edit(cuda, 2));
    const outside = path.join(folder, "outside");
    fs.mkdirSync(outside);
    fs.renameSync(path.dirname(file), `${path.dirname(file)}.old`);
    fs.symlinkSync(outside, path.dirname(file));
    expect(() => undoFixes(home, id)).toThrow(/has become a link since; nothing was changed/);
    expect(fs.readdirSync(outside)).toEqual([]);
    fs.unlinkSync(path.dirname(file));
    fs.renameSync(`${path.dirname(file)}.old`, path.dirname(file));
    giveAway(path.dirname(file));
    expect(() => undoFixes(home, id)).toThrow(/belongs to /);
  });

  test("journals in another user's home are not believed; with that user's HOME the administrator's own are used", () => {
    const { root, home, folder } = withFile();
    const { id } = apply(home, root, edit(cuda, 2));
    fs.chownSync(path.join(home, id), other, other);
    expect(() => undoFixes(home, id)).toThrow(/belongs to .*not trusted/);
    fs.chownSync(path.join(home, id), 0, 0);
    fs.chmodSync(path.join(home, id), 0o777);
    expect(() => undoFixes(home, id)).toThrow(/may be changed by others/);
    const lent = path.join(folder, "home");
    fs.mkdirSync(lent);
    fs.chownSync(lent, other, other);
    expect(journalHome({ HOME: lent })).not.toContain(lent);
    expect(journalHome({ HOME: folder })).toBe(path.join(folder, ".local/state/culprit/journal"));
  });
});

test("an empty HOME makes no journal in the current folder", () => {
  expect(path.isAbsolute(journalHome({ HOME: "" }))).toBe(true);
  expect(journalHome({ HOME: "", XDG_STATE_HOME: "state" })).toMatch(/^\/.+\.local\/state\/culprit\/journal$/);
});

describe("between the question and the deed", () => {
  test("a link that is swapped is refused, and so is a file that was changed", () => {
    const { root, home, file } = withFile();
    fs.renameSync(file, path.join(root, "etc/one.sh"));
    fs.copyFileSync(path.join(root, "etc/one.sh"), path.join(root, "etc/two.sh"));
    fs.symlinkSync("/etc/one.sh", file);
    const steps = [edit(cuda, 2)];
    const prospects = prospectOf(root, steps);
    expect(prospects[0]!.path).toBe(path.join(root, "etc/one.sh"));
    fs.unlinkSync(file);
    fs.symlinkSync("/etc/two.sh", file);
    expect(() => applyFixes(home, root, [fixOf(...steps)], () => {}, prospects)).toThrow(
      /one\.sh leads to .*two\.sh by now: nothing was changed/,
    );
    fs.unlinkSync(file);
    fs.symlinkSync("/etc/one.sh", file);
    fs.appendFileSync(path.join(root, "etc/one.sh"), "# more\n");
    expect(() => applyFixes(home, root, [fixOf(...steps)], () => {}, prospects)).toThrow(/has been changed since it was looked at/);
    fs.writeFileSync(path.join(root, "etc/one.sh"), `# comment\n${set}\n# end\n`);
    applyFixes(home, root, [fixOf(...steps)], () => {}, prospects);
    expect(fs.readFileSync(path.join(root, "etc/one.sh"), "utf8")).toBe("# comment\n# end\n");
  });
});

describe("what is the user's own", () => {
  test("a link in the place of our file stays", () => {
    const { root, home, file, folder } = withFile();
    const { id } = apply(home, root, edit(cuda, 2));
    fs.renameSync(file, path.join(folder, "dotfile"));
    fs.symlinkSync(path.join(folder, "dotfile"), file);
    expect(() => undoFixes(home, id)).toThrow(/cuda\.sh was changed since culprit wrote it: nothing was undone/);
    expect(fs.lstatSync(file).isSymbolicLink()).toBe(true);
  });

  test("a folder in the place of our file stays, with what is in it", () => {
    const { root, home, file } = withFile();
    const { id } = apply(home, root, edit(cuda, 2));
    fs.rmSync(file);
    fs.mkdirSync(file);
    fs.writeFileSync(path.join(file, "x"), "mine");
    expect(() => undoFixes(home, id)).toThrow(/was changed since culprit wrote it/);
    expect(fs.readFileSync(path.join(file, "x"), "utf8")).toBe("mine");
  });

  test("what lies in a folder that a program made, or that Python compiled into, is kept where it is not Python's", () => {
    const { home, root } = place();
    const site = path.join(root, "site");
    fs.mkdirSync(site);
    const { id } = apply(home, "", {
      do: "run",
      command: ["sh", "-c", `mkdir -p ${site}/new && echo a > ${site}/new/a.py`],
      changes: [site],
    });
    fs.mkdirSync(path.join(site, "new/__pycache__"));
    fs.writeFileSync(path.join(site, "new/__pycache__/a.cpython-311.pyc"), "");
    fs.writeFileSync(path.join(site, "new/__pycache__/mine.txt"), "mine");
    undoFixes(home, id);
    expect(fs.readdirSync(path.join(site, "new/__pycache__"))).toEqual(["mine.txt"]);
    expect(fs.existsSync(path.join(site, "new/a.py"))).toBe(false);
  });
});

describe("everything else about a file", () => {
  const has = (tool: string) => spawnSync(tool, ["--version"]).status === 0;
  test(
    "access control list, extended attributes and times to the nanosecond stay and come back",
    needs({ setfacl: has("setfacl"), setfattr: has("setfattr") }),
    () => {
      const { root, home, file } = withFile();
      const { status } = spawnSync("setfacl", ["-m", `u:${other}:r`, file]);
      const { status: marked } = spawnSync("setfattr", ["-n", "user.x", "-v", "y", file]);
      spawnSync("touch", ["-d", "@1700000000.987654321", file]);
      spawnSync("touch", ["-d", "@1700000001.123456789", path.dirname(file)]);
      const said = (tool: string, ...options: string[]) => spawnSync(tool, [...options, file], { encoding: "utf8" }).stdout;
      const look = () => said("getfacl", "-p") + said("getfattr", "-d");
      const before = look();
      if (status === 0) expect(before).toContain("user:");
      if (marked === 0) expect(before).toContain("user.x");
      const { id } = apply(home, root, edit(cuda, 2));
      expect(look()).toBe(before);
      undoFixes(home, id);
      expect(look()).toBe(before);
      const stat = (name: string) => String(fs.statSync(name, { bigint: true }).mtimeNs);
      expect(stat(file)).toBe("1700000000987654321");
      expect(stat(path.dirname(file))).toBe("1700000001123456789");
    },
  );

  test("a file with a name that is not found is written to where it lies, and stays one file", () => {
    const { root, home, file, folder } = withFile();
    fs.linkSync(file, path.join(folder, "far-away"));
    const before = portrait(root);
    const { id } = apply(home, root, edit(cuda, 2));
    expect(fs.readFileSync(path.join(folder, "far-away"), "utf8")).toBe("# comment\n# end\n");
    undoFixes(home, id);
    expect(portrait(root)).toBe(before);
    expect(fs.readFileSync(path.join(folder, "far-away"), "utf8")).toBe(`# comment\n${set}\n# end\n`);
  });
});

describe("journals", () => {
  test("the last of many runs of a day is the one that is taken back", () => {
    const { root, home } = withFile();
    for (let number = 0; number < 12; number += 1) apply(home, root, { do: "write", file: `/etc/new-${number}`, text: "x\n" });
    const found = journals(home);
    expect(found.problems).toEqual([]);
    expect(found.journals.map(({ id }) => Number(/\d+$/.exec(id)![0]))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  });

  test("one that is damaged, of another release or made up is not taken back, and does not stand in the way of others", () => {
    const { root, home, folder } = withFile();
    const ids = [1, 2, 3, 4, 5, 6].map((number) => apply(home, root, { do: "write", file: `/etc/new-${number}`, text: "x\n" }).id);
    const change = (id: string, how: (journal: any) => void) => {
      const file = path.join(home, id, "journal.json");
      const journal = JSON.parse(fs.readFileSync(file, "utf8"));
      how(journal);
      fs.writeFileSync(file, JSON.stringify(journal));
    };
    fs.truncateSync(path.join(home, ids[1]!, "journal.json"), 100);
    change(ids[2]!, (journal) => (journal.schema = "culprit/journal@9"));
    fs.writeFileSync(path.join(folder, "outside"), "x\n");
    change(ids[3]!, (journal) => (journal.steps[0].saved[0].path = path.join(folder, "outside")));
    change(ids[4]!, (journal) => (journal.steps[0].saved[0].path = `${root}/etc/../../outside`));
    change(
      ids[5]!,
      (journal) =>
        (journal.steps[0].saved[0].was = {
          kind: "file",
          mode: 420,
          uid: 0,
          gid: 0,
          mtimeNs: "0",
          atimeNs: "0",
          digest: "",
          inode: "",
          kept: "../../../outside",
        }),
    );
    const found = journals(home);
    expect(found.journals.map(({ id }) => id)).toEqual([ids[0]]);
    expect(found.problems).toHaveLength(5);
    for (const id of ids.slice(1)) expect(() => undoFixes(home, id)).toThrow(/nothing was undone/);
    expect(fs.readFileSync(path.join(folder, "outside"), "utf8")).toBe("x\n");
  });

  test("a package's list of files makes nobody wait, and nothing outside its environment is copied", () => {
    const { home, folder } = place();
    const site = path.join(folder, "venv/lib/python3.11/site-packages");
    const info = path.join(site, "x-1.0.dist-info");
    fs.mkdirSync(info, { recursive: true });
    fs.mkdirSync(path.join(folder, "venv/bin"));
    fs.writeFileSync(path.join(folder, "venv/bin/tool"), "a tool");
    fs.writeFileSync(path.join(folder, "secret"), "secret");
    spawnSync("mkfifo", [path.join(site, "pipe")]);
    const names = ["../../../bin/tool", "pipe", path.join(folder, "secret"), "../../../../secret", "/dev/zero"];
    fs.writeFileSync(path.join(info, "RECORD"), names.map((name) => `${name},,\n`).join(""));
    const { id } = apply(home, "", { do: "run", command: ["sh", "-c", `rm ${folder}/venv/bin/tool`], changes: [info] });
    expect(spawnSync("grep", ["-r", "secret", path.join(home, id), "--include=step-*"]).status).toBe(1);
    undoFixes(home, id);
    expect(fs.readFileSync(path.join(folder, "venv/bin/tool"), "utf8")).toBe("a tool");
  });
});

test("of many that find a dead one's lock, exactly one at a time goes on", { timeout: 120_000 }, async () => {
  const worker = buildWorker(scratch);
  const { home, folder } = place();
  fs.mkdirSync(home, { recursive: true });
  fs.chmodSync(home, 0o700);
  fs.writeFileSync(path.join(home, "lock"), String(spawnSync("true").pid));
  const log = path.join(folder, "log");
  // Each says when it comes and when it goes; two at once would come twice in a row.
  const script = `echo in >> ${log}; sleep 0.1; echo out >> ${log}`;
  const ends = await Promise.all(
    Array.from({ length: 12 }, async () => {
      const child = spawn(process.execPath, [worker, "run", home, folder, script], { stdio: ["ignore", "ignore", "pipe"] });
      let said = "";
      child.stderr.on("data", (piece) => (said += piece));
      const code = await new Promise((resolve) => child.on("close", resolve));
      return { code, said };
    }),
  );
  const lines = fs.readFileSync(log, "utf8").trim().split("\n");
  expect(lines).toEqual(lines.map((_, index) => (index % 2 === 0 ? "in" : "out")));
  for (const { code, said } of ends)
    if (code !== 0) expect(said).toMatch(/another culprit \(process \d+\) is changing this machine right now/);
  expect(fs.readdirSync(home).filter((name) => name.includes("lock"))).toEqual([]);
});
