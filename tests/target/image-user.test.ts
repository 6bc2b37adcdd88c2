// As whom a container of an image runs, and what that user may read. The kernel is right: the same root folder, looked at from inside
// a chroot as that user, and real programs started there.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { unreadIn } from "../unread.ts";
import { checkStack, imageKeeping, type Target } from "../../packages/core/src/index.ts";
import { image, root } from "../../packages/machine/src/target/index.ts";
import { asUser, cannotBecome, glibcLoader, liveAnswer, ourAnswer } from "../loader/answers.ts";
import { makeElf } from "../loader/make-elf.ts";
import { addLoader, thisComputer } from "../loader/roots.ts";
import { build, temporary } from "../loader/tree.ts";
import { archive, dockerFiles, packings } from "./make-image.ts";
import { needs } from "../needs.ts";

const { folder, remove } = temporary();
afterAll(remove);
const top = path.join(folder, "top");
const libraries = ["closed", "passable", "unreadable", "open"];

beforeAll(() => {
  build(top, {
    "etc/passwd": { text: "root:x:0:0:root:/root:/bin/sh\n7:x:5000:5000::/seven:/bin/sh\napp:x:1000:1001::/home/app:/bin/sh\n" },
    "etc/group": { text: "root:x:0:\nvideo:x:44:other,app\nrender:x:45:\n" },
    "bin/program": makeElf({ program: true, needed: ["libx.so", "liby.so"] }),
    "bin/other": makeElf({ program: true, needed: ["libonly.so"] }),
    ...Object.fromEntries(libraries.map((name) => [`lib/${name}/libx.so`, makeElf({ soname: "libx.so" })])),
    "lib/open/liby.so": makeElf({ soname: "liby.so" }),
    "lib/closed/libonly.so": makeElf({ soname: "libonly.so" }),
    link: { link: "lib/closed/libx.so" },
  });
  if (glibcLoader !== undefined) addLoader(top);
  // Every right of owner, group and others, for several owners, on a file, on a folder, and on the folder around one.
  const owners = [
    [0, 0],
    [1000, 0],
    [1000, 1001],
    [0, 44],
    [0, 45],
    [1234, 44],
  ] as const;
  for (const [uid, gid] of owners)
    for (const mode of [0o777, 0o755, 0o750, 0o711, 0o700, 0o077, 0o707, 0o070, 0o007, 0o644, 0o640, 0o604, 0o444, 0o111, 0o000]) {
      const at = path.join(top, "rights", `${uid}-${gid}-${mode.toString(8)}`);
      fs.mkdirSync(at, { recursive: true });
      fs.writeFileSync(`${at}/file`, "x");
      if (cannotBecome() !== undefined) continue;
      fs.chownSync(at, uid, gid);
      fs.chownSync(`${at}/file`, uid, gid);
      fs.chmodSync(`${at}/file`, mode);
      fs.chmodSync(at, mode);
    }
  fs.chmodSync(`${top}/lib/closed`, 0o700);
  fs.chmodSync(`${top}/lib/passable`, 0o711);
  fs.chmodSync(`${top}/lib/unreadable/libx.so`, 0o600);
});

async function imageFor(user: string, packing = "plain"): Promise<Target> {
  const { stdout } = spawnSync("tar", ["-C", top, "--numeric-owner", "-c", "."], { maxBuffer: 1 << 28 });
  const at = path.join(folder, `${user.replace(":", "-")}.${packing}.tar`);
  fs.writeFileSync(at, archive(dockerFiles({ layers: [packings[packing]!(stdout)], config: { User: user } })));
  return image(at, await imageKeeping());
}

// What the kernel says of each path: whether it can be looked at, opened, and listed.
const asker = `use POSIX; my ($root, $uid, $groups, @paths) = @ARGV; chroot($root) or die; chdir("/");
$) = $groups; POSIX::setgid((split " ", $groups)[0]); POSIX::setuid($uid);
for (@paths) { my $look = lstat($_) ? 0 : $!+0; my $open = open(my $f, "<", $_) ? 0 : $!+0; my $list = opendir(my $d, $_) ? 0 : $!+0; print "$_ $look $open $list\\n"; }`;

const users: [configured: string, uid: number, groups: number[]][] = [
  ["", 0, [0]],
  ["app", 1000, [1001, 44]],
  ["1000", 1000, [1001, 44]],
  ["app:render", 1000, [45]],
  ["app:44", 1000, [44]],
  ["1234", 1234, [0]],
  ["65534:65534", 65534, [65534]],
  // A number is a number, even where someone is called like it.
  ["7", 7, [0]],
];

describe("what the user of an image may see, as the kernel says", needs(cannotBecome()), () => {
  test.each(users)("%s", async (user, uid, groups) => {
    const below = (at: string): string[] =>
      fs.readdirSync(path.join(top, at), { withFileTypes: true }).flatMap((entry) => {
        const name = path.posix.join(at, entry.name);
        return entry.isSymbolicLink() ? [] : [name, ...(entry.isDirectory() ? below(name) : [`${name}/below`])];
      });
    const paths = ["/", ...below("/"), "/rights/nowhere"];
    const { stdout } = spawnSync("perl", ["-e", asker, top, String(uid), [groups[0], ...groups].join(" "), ...paths], { encoding: "utf8" });
    const target = await imageFor(user);
    expect((await target.process()).user).toEqual({ uid, gid: groups[0] });
    const codes: { [code: string]: number } = { EACCES: 13, ENOENT: 2, ENOTDIR: 20 };
    const lines = await Promise.all(
      paths.map(async (at) => {
        const [fact] = await target.look([at]);
        const look = fact!.kind === "absent" ? 2 : fact!.kind === "hidden" ? codes[fact!.code] : 0;
        const opened = await target.open(at);
        const listed = await target.list(at);
        // Opening a folder succeeds on a real system; nothing can be read from it.
        const isFolder = fact!.kind === "folder";
        const list = Array.isArray(listed) ? 0 : codes[listed.code];
        return `${at} ${look} ${isFolder ? list : typeof opened === "string" ? codes[opened] : 0} ${list}`;
      }),
    );
    expect(lines).toEqual(stdout.trim().split("\n"));
    expect(lines.some((line) => line.includes(" 13"))).toBe(uid !== 0);
  });

  const searched = (names: string[]) => ({ LD_LIBRARY_PATH: names.map((name) => `/lib/${name}`).join(":") });
  test.each([
    ["plain", "app", 1000],
    ["gzip", "65534:65534", 65534],
    ["gzip", "", undefined],
  ] as const)("a program loads what it loads there (%s, as `%s`)", needs({ glibc: glibcLoader }), async (packing, user, uid) => {
    const target = await imageFor(user, packing);
    const computer = await thisComputer();
    for (const [program, environment] of [
      ["/bin/program", searched(libraries)],
      ["/bin/program", searched(["closed", "open"])],
      ["/bin/program", searched(["passable", "open"])],
      ["/bin/program", searched(["unreadable", "open"])],
      ["/bin/other", searched(["closed"])],
      ["/bin/other", { ...searched(["open"]), LD_PRELOAD: "/lib/closed/libx.so /lib/unreadable/libx.so" }],
    ] as const) {
      const start = { program, cwd: "/", environment, ...computer };
      const live = liveAnswer({ ...start, root: top, ...(uid === undefined ? {} : { user: uid }) });
      const { whole: _, ...ours } = await ourAnswer(target, start);
      expect(ours).toEqual(live);
    }
  });

  test("`check` answers like a machine that this user sits at, and of a folder not at all", async () => {
    const question = { programs: [["/bin/program"], ["/bin/other"]] };
    const whatIf = { environment: searched(["closed", "open"]), unset: ["HOME", "PATH"] };
    const { findings, unknown } = await checkStack(await imageFor("65534:65534"), whatIf, question);
    const there = await asUser(65534, () => checkStack(root(top), whatIf, question));
    // Of a folder nobody knows who starts its programs: what this user may not read cannot be told.
    expect([there.findings, unreadIn(there)]).toEqual([[], ["/lib/closed"]]);
    expect(unknown.map(({ subject }) => subject).sort()).toEqual(there.unknown.map(({ subject }) => subject).sort());
    expect(findings.map(({ subject }) => subject).join()).toContain("libonly.so");
  });
});

test("a user or a group that the image does not know is said to be none, for no container starts as that", async () => {
  for (const [user, words] of [
    ["ghost", "user `ghost`, who is not in its /etc/passwd"],
    ["app:ghosts", "group `ghosts`, which is not in its /etc/group"],
  ] as const) {
    const { unknown } = await (await imageFor(user)).process();
    expect(unknown).toEqual([{ subject: "the image's user", reason: expect.stringContaining(words), decides: true }]);
  }
  expect((await (await imageFor("1234")).process()).environment["HOME"]).toBe("/");
});
