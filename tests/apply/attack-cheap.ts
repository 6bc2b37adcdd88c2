// The same for what costs nothing: ways through trees of links, and journals that somebody has changed.
import fs from "node:fs";
import path from "node:path";
import { applyFixes } from "../../packages/machine/src/apply/apply.ts";
import { reach } from "../../packages/machine/src/apply/hold.ts";
import { undoFixes } from "../../packages/machine/src/apply/undo.ts";
import { inTurn, likeness, randomOf } from "./attack.ts";
import { edit, fixOf, set } from "./fixes.ts";

const other = 65_534;
const isRoot = process.getuid?.() === 0;

/** Walks many ways through one tree of links; what went wrong. */
export function walkAlong(seed: number, folder: string, ways: number): string[] {
  const random = randomOf(seed);
  const int = (below: number) => Math.floor(random() * below);
  const pick = <T>(list: readonly T[]): T => list[int(list.length)]!;
  const names = ["a", "b", "c", "d", "-x", "a b", "new\nline", "x".repeat(255)];
  const root = path.join(folder, "root");
  fs.mkdirSync(path.join(folder, "guard"), { recursive: true });
  fs.mkdirSync(root);
  fs.writeFileSync(path.join(folder, "guard/canary"), "");
  const folders = [root];
  const all = [root];
  const foreign = new Set<string>();
  for (let count = 0; count < 14; count += 1) {
    const at = path.join(pick(folders), pick(names));
    if (fs.lstatSync(at, { throwIfNoEntry: false })) continue;
    const kind = int(4);
    if (kind === 0) inTurn(fs.mkdirSync(at), folders.push(at));
    else if (kind === 1) fs.writeFileSync(at, "");
    else {
      const inside = pick(all);
      fs.symlinkSync(
        pick([
          `/${path.relative(root, inside)}`,
          path.relative(path.dirname(at), inside) || ".",
          "../".repeat(int(12)) + "guard",
          `${folder}/guard/canary`,
          ".",
          pick(names),
          "a/../b",
          "/",
        ]),
        at,
      );
      if (isRoot && int(5) === 0) inTurn(fs.lchownSync(at, other, other), foreign.add(at));
    }
    if (isRoot && kind === 0 && int(8) === 0) inTurn(fs.chownSync(at, other, other), foreign.add(at));
    all.push(at);
  }
  const problems: string[] = [];
  for (let count = 0; count < ways; count += 1) {
    const way = `/${Array.from({ length: 1 + int(6) }, () => pick([...names, "..", ".", "", "guard", "canary"])).join("/")}`;
    for (const links of ["own", "none"] as const)
      try {
        reach(root, way, { links }, ({ path: found, folder: held, name, missing, stat }) => {
          const real = fs.readlinkSync(`/proc/self/fd/${held.fd}`);
          if (real !== held.path) problems.push(`${way}: holds ${real}, says ${held.path}`);
          if (!`${real}/`.startsWith(`${root}/`)) problems.push(`${way}: left the root folder to ${real}`);
          if (found !== path.join(real, ...missing, name)) problems.push(`${way}: says ${found}`);
          if (fs.realpathSync(real) !== real) problems.push(`${way}: ${real} is reached through a link`);
          if (stat?.isSymbolicLink() && links === "own") problems.push(`${way}: ends at a link`);
          if ([...foreign].some((each) => `${real}/`.startsWith(`${each}/`))) problems.push(`${way}: goes through what is another user's`);
        });
      } catch (error) {
        const said = error instanceof Error ? error.message : String(error);
        if (/\bE[A-Z]{3,}\b|\/proc\/self/.test(said)) problems.push(`${way}: raw: ${said}`);
      }
    if (fs.readdirSync("/proc/self/fd").length > 200) problems.push(`${way}: folders stay open`);
  }
  return problems;
}

const values = (folder: string) => [
  null,
  0,
  -1,
  1.5,
  1e300,
  "",
  "/",
  "..",
  ".",
  [],
  {},
  [null],
  true,
  "file",
  "absent",
  "link",
  "folder",
  "begun",
  "done",
  "planned",
  "undone",
  "edit",
  "run",
  "write",
  ...["guard/canary", "guard", "guard/new"].flatMap((name) => [
    path.join(folder, name),
    `${folder}/root/../${name}`,
    `${folder}/root/etc/../../${name}`,
    `../../../${name}`,
    `step-0/../../../../${name}`,
    `step-0/../${name}`,
    [path.join(folder, name)],
    { kind: "link", to: path.join(folder, name) },
    { kind: "file", digest: "x" },
  ]),
  `${folder}/root`,
  `${folder}/root/`,
  `${folder}//root/etc`,
  `${folder}/root/etc\0x`,
  "a\0b",
  "x".repeat(5000),
  "12345678-1234-1234-1234-123456789012",
  "../../../../../../../../../../",
];

/** Undoes a run many times, each time by a journal that somebody has changed; what went wrong. */
export function tamperAlong(seed: number, folder: string, times: number): string[] {
  const random = randomOf(seed);
  const int = (below: number) => Math.floor(random() * below);
  const pick = <T>(list: readonly T[]): T => list[int(list.length)]!;
  const root = path.join(folder, "root");
  const guard = path.join(folder, "guard");
  const home = path.join(folder, "state/journal");
  fs.mkdirSync(path.join(root, "etc"), { recursive: true });
  fs.mkdirSync(path.join(root, "site"));
  fs.mkdirSync(guard);
  fs.writeFileSync(path.join(guard, "canary"), "canary", { mode: 0o600 });
  fs.writeFileSync(path.join(root, "etc/a"), `${set}\n`);
  fs.linkSync(path.join(root, "etc/a"), path.join(root, "etc/b"));
  fs.writeFileSync(path.join(root, "site/x"), "old");
  fs.symlinkSync("x", path.join(root, "site/link"));
  const run = {
    do: "run" as const,
    command: ["/bin/sh", "-c", `cd ${root}/site; echo new > x; rm link; mkdir d; echo y > d/y`],
    changes: ["/site"],
  };
  const { id } = applyFixes(home, root, [fixOf(edit("/etc/a", 1), { do: "write", file: "/etc/new/c", text: "c\n" }, run)], () => {});
  const file = path.join(home, id, "journal.json");
  const text = fs.readFileSync(file, "utf8");
  const canary = likeness(guard, false);
  const problems: string[] = [];
  for (let count = 0; count < times; count += 1) {
    const journal = JSON.parse(text);
    const spots: { of: any; key: string }[] = [];
    const gather = (value: any) => {
      if (typeof value !== "object" || value === null) return;
      for (const key of Object.keys(value)) inTurn(spots.push({ of: value, key }), gather(value[key]));
    };
    gather(journal);
    for (let more = 1 + int(3); 0 < more; more -= 1) {
      const { of, key } = pick(spots);
      if (int(8) === 0) delete of[key];
      else of[key] = pick(values(folder));
    }
    const changed = JSON.stringify(journal);
    fs.writeFileSync(file, int(40) === 0 ? changed.slice(0, int(changed.length)) : changed);
    try {
      undoFixes(home, id);
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      if (
        /\bE[A-Z]{3,}\b|\/proc\/self|undefined|not a function|not iterable|Cannot read|^The "/.test(said.replaceAll(/\(undefined\)/g, ""))
      )
        problems.push(`raw: ${said}`);
    }
    if (likeness(guard, false) !== canary) {
      problems.push(`the guarded folder was changed: ${changed}`);
      break;
    }
  }
  return problems;
}
