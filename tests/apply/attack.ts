// Made-up trees, steps, users and accidents for apply and undo: what must hold for all of them. The same number gives the same case.
import { spawnSync } from "node:child_process";
import crypto from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { applyFixes } from "../../packages/machine/src/apply/apply.ts";
import { undoFixes } from "../../packages/machine/src/apply/undo.ts";
import type { Step } from "../../packages/core/src/model/fix.ts";
import { fixOf, set } from "./fixes.ts";

const other = 65_534;
const isRoot = process.getuid?.() === 0;

/** Does one thing after the other. */
export const inTurn = (..._done: unknown[]): void => {};

type Random = () => number;

export function randomOf(seed: number): Random {
  let state = (seed + 0x9e3779b9) | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const odd = ["a b", "new\nline", "ünï", "-rf", "--help", "~x", "x".repeat(255), "'q\"", "$(id)", "\u001b[1A", "c.pyc", "__pycache__", "*"];
// None that a real machine has at its top: a link of the tree leads there where it is not read inside the root folder.
const plain = ["one", "two", "three", "cuda.sh", "libcudnn.so.9", "RECORD", "d", "e", "f", "g"];

/** Kinds, modes, owners, bytes, links, times to the nanosecond; `deep`: access control lists and extended attributes, too. */
export function likeness(folder: string, deep: boolean, shared?: Map<string, boolean>): string {
  const lines: string[] = [];
  const visit = (file: string) => {
    const stat = fs.lstatSync(file, { bigint: true });
    const what = stat.isSymbolicLink()
      ? `link ${fs.readlinkSync(file)}`
      : stat.isDirectory()
        ? "folder"
        : stat.isFile()
          ? shared?.get(file) === false
            ? "file of others"
            : `file ${crypto.createHash("sha1").update(fs.readFileSync(file)).digest("hex")} ${shared ? "" : stat.nlink}`
          : "special";
    const time = file !== folder && !shared?.has(file) ? stat.mtimeNs : "";
    lines.push(
      `${JSON.stringify(path.relative(folder, file))} ${what === "file of others" ? "" : (stat.mode & 0o7777n).toString(8)} ${stat.uid}:${stat.gid} ${time} ${what}`,
    );
    if (stat.isDirectory()) for (const name of fs.readdirSync(file).sort()) visit(path.join(file, name));
  };
  visit(folder);
  if (deep)
    lines.push(
      (spawnSync("getfattr", ["-hRd", "-m", "-", "--absolute-names", folder], { encoding: "latin1", maxBuffer: 1 << 28 }).stdout ?? "")
        .split("\n\n")
        .toSorted()
        .join("\n\n"),
    );
  return lines.join("\n");
}

const statAt = (file: string) => {
  try {
    return fs.lstatSync(file);
  } catch {
    return undefined;
  }
};

const mutators = [
  "writeFileSync",
  "writeSync",
  "renameSync",
  "openSync",
  "rmSync",
  "mkdirSync",
  "rmdirSync",
  "symlinkSync",
  "ftruncateSync",
  "fchmodSync",
  "fchownSync",
  "lutimesSync",
  "futimesSync",
  "linkSync",
  "unlinkSync",
  "lchownSync",
  "chownSync",
  "chmodSync",
  "cpSync",
  "fsyncSync",
] as const;
class Died extends Error {}
// Node loads what it removes folders with when it is first asked to, and must not find our own functions then.
fs.rmSync(fs.mkdtempSync(path.join(os.tmpdir(), "culprit-attack-")), { recursive: true });

/** Runs `act`, which dies at its Nth change: from then on nothing that it does has any effect. Whether it died. */
function dying(at: number, act: () => void): boolean {
  const real = Object.fromEntries(mutators.map((name) => [name, fs[name]]));
  let left = at;
  for (const name of mutators)
    (fs as Record<string, unknown>)[name] = (...given: unknown[]) => {
      left -= 1;
      if (left <= 0) throw new Died("died");
      return (real[name] as (...all: unknown[]) => unknown)(...given);
    };
  try {
    act();
  } catch (error) {
    if (0 < left) throw error;
  } finally {
    Object.assign(fs, real);
  }
  return left <= 0;
}

export interface Outcome {
  kind: string;
  problems: string[];
}

/** One case, in an empty folder of its own. */
export function attack(seed: number, folder: string): Outcome {
  const random = randomOf(seed);
  const int = (below: number) => Math.floor(random() * below);
  const chance = (share: number) => random() < share;
  const pick = <T>(list: readonly T[]): T => list[int(list.length)]!;
  const name = () => (chance(0.25) ? pick(odd) : pick(plain));
  const problems: string[] = [];
  const attempt = (act: () => void) => {
    try {
      act();
    } catch (error) {
      if (error instanceof Died) throw error;
    }
  };

  fs.mkdirSync(folder, { mode: 0o755 });
  const root = path.join(folder, "root");
  const guard = path.join(folder, "guard");
  const home = path.join(folder, "state/journal");
  fs.mkdirSync(path.join(root, "site"), { recursive: true });
  fs.mkdirSync(path.join(guard, "inner"), { recursive: true });
  for (const each of ["canary", "inner/canary", "cuda.sh"]) fs.writeFileSync(path.join(guard, each), `${set}\n`, { mode: 0o600 });
  fs.symlinkSync("canary", path.join(guard, "link"));
  const inRoot = chance(0.5);
  const base = inRoot ? root : "";
  const deep = chance(0.15);
  // `cp` cannot copy a folder's lists without what is in it: a folder that a program removed comes back without.
  const mayRun = !deep || chance(0.5);

  // The tree.
  const folders = [root, path.join(root, "site")];
  const files: string[] = [];
  const mayFail = (act: () => void) => attempt(act);
  for (let count = 3 + int(12); 0 < count; count -= 1) {
    const at = path.join(pick(folders), name());
    const kind = random();
    mayFail(() => {
      if (kind < 0.3) {
        fs.mkdirSync(at, { mode: pick([0o755, 0o755, 0o750, 0o700]) });
        folders.push(at);
      } else if (kind < 0.72) {
        const end = pick(["\n", "\r\n"]);
        const lines = [
          ...Array.from({ length: int(3) }, () => pick(["# comment", "caf\u00e9", "", "\tx"])),
          set,
          ...(chance(0.5) ? ["last"] : []),
        ];
        const size = chance(0.02) ? int(5 << 20) : 0;
        const text = chance(0.1) ? "" : lines.join(end) + (chance(0.7) ? end : "") + "y".repeat(size);
        fs.writeFileSync(at, text, { flag: "wx", mode: pick([0o644, 0o644, 0o600, 0o755, 0o4755, 0o664, 0o400]) });
        files.push(at);
      } else if (kind < 0.8 && 0 < files.length) {
        fs.linkSync(pick(files), at);
        files.push(at);
      } else if (kind < 0.84 && files.some((file) => fs.lstatSync(file).isFile()))
        fs.linkSync(pick(files.filter((file) => fs.lstatSync(file).isFile())), path.join(folder, `far-${count}`));
      else {
        const to = pick([
          () => pick([...files, ...folders]),
          () => path.relative(path.dirname(at), pick([...files, ...folders])),
          () => `/${path.relative(root, pick([...files, ...folders.slice(1)]))}`,
          // On the machine itself one's own links may lead anywhere.
          () =>
            inRoot
              ? pick([guard, path.join(guard, "canary"), path.join(guard, "cuda.sh"), "../../guard", "../".repeat(int(9)) + "guard"])
              : "nowhere",
          () => path.basename(at),
          () => "nowhere/at/all",
        ])();
        fs.symlinkSync(to, at);
        if (isRoot && chance(0.2)) fs.lchownSync(at, other, other);
        files.push(at);
      }
    });
  }
  if (chance(0.15) && isRoot)
    mayFail(() => {
      const given = pick([...folders, ...files]);
      // Through a link it would be somebody else's thing that changes.
      if (fs.lstatSync(given).isSymbolicLink()) return fs.lchownSync(given, other, other);
      const how = int(5);
      if (how === 0) fs.lchownSync(given, other, other);
      else if (how === 1) fs.chmodSync(given, 0o777);
      else if (how === 2) fs.chmodSync(given, 0o1777);
      else if (how === 3) inTurn(fs.lchownSync(given, 0, other), fs.chmodSync(given, 0o775));
      else spawnSync("chown", ["-hR", String(other), given]);
    });
  if (deep)
    for (const each of [...(mayRun ? [] : folders.slice(1)), ...files].filter(() => chance(0.5)))
      if (!fs.lstatSync(each).isSymbolicLink()) {
        if (chance(0.5)) spawnSync("setfacl", ["-m", `u:${other}:r`, "--", each]);
        else if (chance(0.3) && fs.lstatSync(each).isDirectory()) spawnSync("setfacl", ["-dm", `u:${other}:r`, "--", each]);
        else spawnSync("setfattr", ["-n", "user.x", "-v", "y", "--", each]);
      }
  const times = [...files, ...folders].filter(() => chance(0.4));
  for (const each of times.toReversed()) mayFail(() => fs.lutimesSync(each, 1, pick([1_700_000_000.123456, 1, 0, -5.25, 4_000_000_000.5])));
  if (chance(0.02)) spawnSync("mkfifo", ["--", path.join(pick(folders), "pipe")]);

  // The steps.
  const asked = (file: string) => (inRoot ? file.slice(root.length) : file);
  const edited = files.filter((file) => chance(0.3) && fs.existsSync(file) && fs.statSync(file).isFile());
  const steps: Step[] = edited.slice(0, 2).map((file): Step => {
    const lines = fs.readFileSync(file, "utf8").split("\n");
    const line = lines.findIndex((each) => each.trim() === set) + 1 || 1;
    return {
      do: "edit",
      file: asked(file),
      line,
      before: set,
      ...(chance(0.6) ? { after: pick(["export A=b", "# gone", "z".repeat(5000)]) } : {}),
    };
  });
  if (chance(0.4))
    steps.push({ do: "write", file: asked(path.join(pick(folders), ...Array.from({ length: 1 + int(3) }, name))), text: "export A=b\n" });
  const script = (places: string[], isLast: boolean) => {
    const inside = [...files, ...folders].filter((file) => places.some((place) => file === place || file.startsWith(`${place}/`)));
    const quoted = (file: string) => `'${file.replaceAll("'", `'\\''`)}'`;
    const real = places.filter((place) => fs.lstatSync(place).isDirectory());
    const any = () => quoted(pick([...inside, ...places, ...(0 < real.length ? [path.join(pick(real), name())] : [])]));
    const lines = Array.from({ length: 1 + int(6) }, () =>
      pick([
        () => `echo changed > ${any()}`,
        () => `echo more >> ${any()}`,
        () => `rm -rf ${any()}`,
        () => `mkdir -p ${any()}`,
        () => `mv -T ${any()} ${any()}`,
        () => `chmod ${pick(["700", "600", "755", "4755"])} ${any()}`,
        () => `x=${any()}; rm -rf "$x"; ln -s ${pick(["nowhere", "nowhere/else"])} "$x"`,
        () => `x=${any()}; rm -rf "$x"; mkdir "$x"; echo x > "$x/y"`,
        () => `x=${any()}; rm -rf "$x"; echo file > "$x"`,
        () => `ln -T ${any()} ${any()}`,
        () => `cp -aT --remove-destination ${any()} ${any()}`,
        () => `touch ${any()}`,
        ...(chance(0.05) ? [() => `mkfifo ${any()}`] : []),
      ])(),
    );
    if (isLast && chance(0.1)) lines.push(`x=${any()}; rm -rf "$x"; ln -s ${quoted(guard)} "$x"`);
    // Redirections through links would leave the places: such a program does not do what its step says.
    return `exec 2>/dev/null; set -C; ${lines.map((line) => line.replace(/^echo (\w+) >+ (.+)$/s, 'x=$2; [ -L "$x" ] || echo $1 >| "$x"').replace(/^(touch|chmod \d+) (.+)$/s, 'x=$2; [ -L "$x" ] || $1 "$x"')).join("\n")}\nexit ${chance(0.1) ? 3 : 0}`;
  };
  const runs = mayRun && chance(0.6) ? 1 + int(2) : 0;
  for (let count = 0; count < runs; count += 1) {
    const places = chance(0.6) ? [path.join(root, "site")] : [pick(folders.slice(1)), pick([...folders.slice(1), ...files])];
    steps.splice(int(steps.length + 1), 0, {
      do: "run",
      command: ["/bin/sh", "-c", script(places, runs === 1)],
      changes: places.map(asked),
    });
  }
  if (steps.length === 0) steps.push({ do: "write", file: asked(path.join(root, "new")), text: "x\n" });

  // A site that a link leads out of: the program would follow it; not ours to judge here.
  const guarded = likeness(guard, false);
  const farBefore = fs.readdirSync(folder).filter((each) => each.startsWith("far-"));
  const farText = () => farBefore.map((each) => fs.readFileSync(path.join(folder, each), "latin1")).join("|");
  const far = farText();
  // A program may take away one of several names of a file: what comes back is a copy.
  // What it writes under one of them is seen under those outside its places, too, which nobody keeps.
  const changes = steps.flatMap((step) => (step.do === "run" ? step.changes.map((each) => (inRoot ? root + each : each)) : []));
  const isKept = (file: string) => changes.some((each) => file === each || file.startsWith(`${each}/`));
  const shared = new Map(
    runs === 0 ? [] : files.filter((file) => 1 < fs.lstatSync(file).nlink).map((file) => [file, changes.length === 1 && isKept(file)]),
  );
  const look = () => likeness(root, deep, runs === 0 ? undefined : shared);
  const before = look();
  const told = (where: string, error: unknown) => {
    const text = error instanceof Error ? error.message : String(error);
    const own = text.replaceAll(/new\nline/g, "").replace(/^`[^]*` failed/, "");
    if (/\bE[A-Z]{3,}\b|\n|^Cannot|undefined|is not a function|\/proc\/self|Maximum call/.test(own))
      problems.push(`${where}: raw: ${text}`);
    return text;
  };
  const watch = (where: string) => {
    if (likeness(guard, false) !== guarded) problems.push(`${where}: the guarded folder was changed`);
  };
  const unlock = () => {
    for (const each of fs.existsSync(home) ? fs.readdirSync(home) : []) if (each.includes("lock")) fs.rmSync(path.join(home, each));
  };
  const ids = () =>
    fs.existsSync(home) ? fs.readdirSync(home).filter((each) => fs.existsSync(path.join(home, each, "journal.json"))) : [];
  const apply = () => void applyFixes(home, base, [fixOf(...steps)], () => {});
  const oldTexts = new Map(edited.filter((file) => !fs.lstatSync(file).isSymbolicLink()).map((file) => [file, fs.readFileSync(file)]));

  const kind = pick(["whole", "whole", "user", "user", "user", "killed", "killed", "undo killed", "tampered"]);
  let failed: string | undefined;
  try {
    if (kind === "killed") {
      dying(1 + int(160), apply);
      unlock();
    } else apply();
  } catch (error) {
    failed = told("apply", error);
  }
  watch("apply");
  if (failed !== undefined && /nothing was changed/.test(failed) && look() !== before)
    problems.push(`apply: said "${failed}", and it was changed`);
  const isClosed = ids().some((each) => JSON.parse(fs.readFileSync(path.join(home, each, "journal.json"), "utf8")).state === "undone");
  if (ids().length === 0 || isClosed) {
    if (look() !== before) problems.push(`apply: no journal, and changed (${failed})`);
    return { kind: `refused`, problems };
  }
  if (kind === "killed" && runs === 0) {
    for (const [file, old] of oldTexts) {
      const now = fs.readFileSync(file);
      const text = now.toString("latin1").replace(/\n+$/, "");
      const isNew = !now.equals(old) && !text.includes(set);
      if (!now.equals(old) && !isNew) problems.push(`killed: ${file} is neither old nor new`);
    }
  }
  const id = ids()[0]!;

  const markers: string[] = [];
  const kept: { file: string; mode: number; isFolder: boolean }[] = [];
  if (kind === "user")
    for (let count = 1 + int(3); 0 < count; count -= 1) {
      const all: string[] = [];
      const visit = (file: string) => {
        all.push(file);
        if (fs.lstatSync(file).isDirectory()) for (const each of fs.readdirSync(file)) visit(path.join(file, each));
      };
      visit(root);
      const at = pick(all.slice(1).concat(edited.filter((file) => fs.existsSync(file))));
      const mark = `USER-${seed}-${count}`;
      mayFail(() => {
        const now = fs.lstatSync(at, { throwIfNoEntry: false });
        const how = int(9);
        if (!now || at === root) return;
        if (how === 0 && now.isFile()) inTurn(fs.writeFileSync(at, mark), markers.push(mark));
        else if (how === 1) fs.rmSync(at, { recursive: true });
        else if (how === 2) inTurn(fs.rmSync(at, { recursive: true }), fs.symlinkSync(mark, at), markers.push(mark));
        else if (how === 3)
          inTurn(fs.rmSync(at, { recursive: true }), fs.mkdirSync(at), fs.writeFileSync(path.join(at, "mine"), mark), markers.push(mark));
        else if (how === 4) inTurn(fs.rmSync(at, { recursive: true }), spawnSync("mkfifo", ["--", at]));
        else if (how === 5 && !now.isSymbolicLink())
          inTurn(fs.chmodSync(at, 0o751), kept.push({ file: at, mode: 0o751, isFolder: now.isDirectory() }));
        else if (how === 6 && now.isDirectory()) inTurn(fs.writeFileSync(path.join(at, `user-${count}`), mark), markers.push(mark));
        else if (how === 7 && now.isDirectory()) {
          fs.mkdirSync(path.join(at, "__pycache__/x.pyc"), { recursive: true });
          fs.writeFileSync(path.join(at, "__pycache__/x.pyc/mine"), mark);
          fs.writeFileSync(path.join(at, "__pycache__/y.pyc"), "");
          markers.push(mark);
        } else if (how === 8) inTurn(fs.renameSync(at, path.join(root, `moved-${count}`)), fs.symlinkSync(guard, at));
      });
    }
  // What was replaced later by the user herself is not ours to keep.
  const contains = (top: string, mark: string): boolean => {
    const stat = fs.lstatSync(top, { throwIfNoEntry: false });
    if (!stat) return false;
    if (stat.isSymbolicLink()) return fs.readlinkSync(top) === mark;
    if (stat.isFile()) return stat.size < 100 && fs.readFileSync(top, "utf8") === mark;
    return stat.isDirectory() && fs.readdirSync(top).some((each) => contains(path.join(top, each), mark));
  };
  const standing = markers.filter((mark) => contains(root, mark));

  if (kind === "tampered") {
    const file = path.join(home, id, "journal.json");
    const journal = JSON.parse(fs.readFileSync(file, "utf8"));
    const spots: { of: any; key: string | number }[] = [];
    const gather = (value: any) => {
      if (typeof value !== "object" || value === null) return;
      for (const key of Object.keys(value)) inTurn(spots.push({ of: value, key }), gather(value[key]));
    };
    gather(journal);
    const paths = spots.filter(({ key }) =>
      ["path", "kept", "root", "to", "names", "places", "leftovers", "file", "mode", "uid", "tokens", "kind"].includes(String(key)),
    );
    for (let count = 1 + int(2); 0 < count; count -= 1) {
      const { of, key } = pick(chance(0.6) && 0 < paths.length ? paths : spots);
      const canary = path.join(guard, "canary");
      of[key] = pick([
        null,
        0,
        -1,
        "",
        "/",
        "..",
        [],
        {},
        1e300,
        canary,
        guard,
        `${root}/../guard/canary`,
        `${root}/site/../../guard/canary`,
        [canary],
        [guard],
        [`${root}/site`, guard],
        "file",
        "absent",
        "link",
        "folder",
        "../../../guard/canary",
        "step-0/../../../guard/canary",
        "begun",
        "done",
        "planned",
        [null],
        true,
        `${root}/site`,
      ]);
    }
    fs.writeFileSync(file, JSON.stringify(journal));
    if (chance(0.1) && isRoot) fs.chownSync(pick([file, path.join(home, id), home]), other, other);
  }

  const atUndo = look();
  let said: string | undefined;
  const undo = () => void undoFixes(home, id);
  try {
    if (kind === "undo killed") {
      const isUndone = () => JSON.parse(fs.readFileSync(path.join(home, id, "journal.json"), "utf8")).state === "undone";
      for (let count = 1 + int(2); 0 < count && !isUndone(); count -= 1) {
        if (!dying(1 + int(160), undo)) break;
        unlock();
        watch("undo killed");
      }
      if (!isUndone()) undo();
    } else undo();
  } catch (error) {
    said = told("undo", error);
  }
  watch("undo");
  const after = look();
  if (kind === "tampered") {
    return { kind, problems };
  }
  if (kind === "user") {
    if (said !== undefined && after !== atUndo) problems.push(`undo: refused with "${said}", and something was changed`);
    for (const mark of standing)
      if (!contains(root, mark) && !contains(path.join(home, id), mark)) problems.push(`undo: lost ${mark} (${said})`);
    // Of a program that failed nobody knows what rights it left.
    for (const { file, mode, isFolder } of failed === undefined ? kept : []) {
      const now = statAt(file);
      if (
        said === undefined &&
        now &&
        !now.isSymbolicLink() &&
        now.isDirectory() === isFolder &&
        (now.mode & 0o7777) !== mode &&
        atUndo.includes(`${JSON.stringify(path.relative(root, file))} ${mode.toString(8)} `)
      )
        problems.push(`undo: the mode that the user gave ${file} is gone`);
    }
    return { kind: said === undefined ? "user, undone" : "user, refused", problems };
  }
  if (said !== undefined) problems.push(`undo: refused: ${said}`);
  else if (after !== before) {
    const lines = (text: string) => new Set(text.split("\n"));
    const [a, b] = [lines(before), lines(after)];
    problems.push(
      `undo: not as before:\n  - ${[...a].filter((line) => !b.has(line)).join("\n  - ")}\n  + ${[...b].filter((line) => !a.has(line)).join("\n  + ")}`,
    );
  } else if (farText() !== far && runs === 0) problems.push("undo: a far name is not as before");
  return { kind: failed === undefined ? kind : `${kind}, failed`, problems };
}
