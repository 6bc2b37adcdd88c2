// Real ssh, real sshd: each host is a mount namespace with a root of its own, and one never answers.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasTool } from "../elf/readelf.ts";
import { host } from "../../packages/machine/src/target/index.ts";
import { makeElf } from "../loader/make-elf.ts";
import { needs } from "../needs.ts";

const server = path.resolve("node_modules/.cache/culprit-sshd");
const cli = path.resolve("dist/cli.js");
const serving = {
  root: process.getuid?.() === 0,
  busybox: hasTool("busybox"),
  ssh: hasTool("ssh"),
  sshd: fs.existsSync(`${server}/usr/sbin/sshd`),
  "dist/cli.js": fs.existsSync(cli),
  namespaces: spawnSync("unshare", ["-m", "true"]).status === 0,
};

describe("other hosts", needs(serving), () => {
  let scratch: string;
  const at = (name: string) => path.join(scratch, name);

  beforeAll(() => {
    scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "culprit-hosts-")));
    for (const key of ["key", "strange-key", "host-key", "other-host-key"])
      execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", at(key)]);
    fs.copyFileSync(at("key.pub"), at("authorized"));
    fs.writeFileSync(at("passwd"), "root:x:0:0::/:/bin/sh\nsshd:x:101:65534::/run/sshd:/bin/false\n");
    fs.writeFileSync(
      at("sshd_config"),
      `HostKey ${at("host-key")}\nAuthorizedKeysFile ${at("authorized")}\nStrictModes no\nUsePAM no\nPermitRootLogin yes\nLogLevel ERROR\n`,
    );
    // One connection, one server, in a mount namespace of its own; the root of the host is bound where sshd trusts the way to it.
    fs.writeFileSync(
      at("serve"),
      `set -e
mount --make-rprivate /
mount --bind ${at("passwd")} /etc/passwd
mount -t tmpfs -o mode=755 none /run; mkdir /run/sshd
export LD_LIBRARY_PATH=${server}/lib/x86_64-linux-gnu:${server}/usr/lib/x86_64-linux-gnu:${server}/usr/lib/aarch64-linux-gnu
if [ -n "$1" ]; then mkdir -m 755 /run/host; mount --bind "$1" /run/host; set -- -o ChrootDirectory=/run/host; fi
exec ${server}/usr/sbin/sshd -i -e -f ${at("sshd_config")} "$@"
`,
    );
    const known = (name: string, key: string) => `${name} ${fs.readFileSync(at(`${key}.pub`), "utf8")}`;
    fs.writeFileSync(
      at("known"),
      ["whole", "small", "older", "refused"].map((name) => known(name, "host-key")).join("") + known("changed", "other-host-key"),
    );
    const block = (name: string, root: string, more = "") => `Host ${name}\n  ProxyCommand unshare -m sh ${at("serve")} ${root}\n${more}`;
    fs.writeFileSync(
      at("config"),
      [
        block("whole", ""),
        block("small", at("small")),
        block("older", at("older")),
        block("changed", ""),
        block("unknown", ""),
        block("refused", "", `  IdentityFile ${at("strange-key")}\n`),
        "Host hangs\n  ProxyCommand sleep 1000\n",
        "Host gone\n  ProxyCommand false\n",
        `Host * !refused\n  IdentityFile ${at("key")}\nHost *\n  User root\n  IdentitiesOnly yes\n  UserKnownHostsFile ${at("known")}\n  GlobalKnownHostsFile none\n  StrictHostKeyChecking yes\n`,
      ].join(""),
    );
    for (const [name, version] of [
      ["small", "12.4.127"],
      ["older", "11.8.89"],
    ] as const) {
      for (const folder of ["bin", "dev", "proc", "etc", "opt/cuda/lib", "proc/driver/nvidia"])
        fs.mkdirSync(`${at(name)}/${folder}`, { recursive: true });
      fs.copyFileSync(execFileSync("sh", ["-c", "command -v busybox"], { encoding: "utf8" }).trim(), `${at(name)}/bin/busybox`);
      for (const applet of ["sh", "stat", "readlink", "dd", "id", "cat"]) fs.symlinkSync("busybox", `${at(name)}/bin/${applet}`);
      fs.writeFileSync(`${at(name)}/dev/null`, "");
      fs.writeFileSync(
        `${at(name)}/proc/driver/nvidia/version`,
        `NVRM version: NVIDIA UNIX x86_64 Kernel Module  ${name === "older" ? "525.60.13" : "550.54.15"}  Thu Jan  1 00:00:00 UTC 2024\n`,
      );
      fs.writeFileSync(`${at(name)}/opt/cuda/lib/libcudart.so.${version}`, makeElf({ soname: `libcudart.so.${version.split(".")[0]}` }));
      fs.symlinkSync(`libcudart.so.${version}`, `${at(name)}/opt/cuda/lib/it's a "link".so`);
      // Larger than what comes with the first answer, and of bytes that look like an end.
      fs.writeFileSync(`${at(name)}/opt/cuda/version.json`, `${"\n".repeat(200_000)}{}`);
    }
  });
  afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));

  const culprit = (...given: string[]) =>
    spawnSync(process.execPath, [cli, ...given], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"], CULPRIT_SSH_COMMAND: `ssh -F ${at("config")}` },
    });
  // The order of files in an answer is the loader's; what is said of each must not depend on the way there.
  const loads = (...given: string[]) => {
    const { stdout, stderr } = culprit("loads", "/bin/busybox", "--json", ...given);
    return stderr === "" ? (JSON.parse(stdout) as { loads: unknown[]; failures: unknown[] }) : stderr;
  };

  test("a whole system says over ssh what it says at home", () => {
    const program = fs.realpathSync(execFileSync("sh", ["-c", "command -v gdb || command -v ssh"], { encoding: "utf8" }).trim());
    const here = JSON.parse(culprit("loads", program, "--json").stdout) as { loads: unknown[] };
    const there = JSON.parse(culprit("loads", program, "--json", "--target", "ssh:whole").stdout) as { loads: unknown[] };
    expect(there.loads).toEqual(here.loads);
    expect(there.loads.length).toBeGreaterThan(3);
  });

  test("busybox in a root of its own is enough, and its root is not left", () => {
    expect(loads("--target", "ssh:small")).toEqual(loads("--root", at("small")));
    const list = (...where: string[]) => JSON.parse(culprit("list", "--json", ...where).stdout) as { target: unknown };
    const { target, ...facts } = list("--target", "ssh:small");
    expect(target).toEqual({ kind: "host", name: "ssh:small" });
    const { target: _folder, ...expected } = list("--root", at("small"));
    expect(facts).toEqual(expected);
  });

  test("a snapshot of a host opens like any other, and does not name it", () => {
    const file = at("snapshot.json");
    expect(culprit("snapshot", "--target", "ssh:small", "-o", file).stderr).toBe("");
    expect(fs.readFileSync(file, "utf8")).not.toContain("ssh:small");
    expect(culprit("list", "--target", file).stdout).toBe(culprit("list", "--target", "ssh:small").stdout);
  });

  test("the executable is sent, used and removed; where it cannot run, the shell answers", () => {
    // In the place of the executable, which is large: what a host gets is run by the Node that it shares with us.
    const stand = at("stand-in");
    fs.writeFileSync(stand, `#!/bin/sh\necho "$0" >>${at("ran")}\nexec ${process.execPath} ${cli} "$@"\n`, { mode: 0o755 });
    const sending = (executable: string, ...given: string[]) =>
      spawnSync(process.execPath, [cli, ...given, "--send"], {
        encoding: "utf8",
        env: { PATH: process.env["PATH"], CULPRIT_SSH_COMMAND: `ssh -F ${at("config")}`, CULPRIT_EXECUTABLE: executable },
      });
    const program = fs.realpathSync(execFileSync("sh", ["-c", "command -v ssh"], { encoding: "utf8" }).trim());
    const sent = sending(stand, "loads", program, "--json", "--target", "ssh:whole");
    expect([sent.status, sent.stderr]).toEqual([0, ""]);
    expect(sent.stdout).toBe(culprit("loads", program, "--json", "--target", "ssh:whole").stdout);
    const [used = "", ...others] = fs.readFileSync(at("ran"), "utf8").trim().split("\n");
    expect([path.basename(used), others, fs.existsSync(path.dirname(used))]).toEqual(["culprit", [], false]);

    fs.writeFileSync(at("broken"), "#!/bin/sh\necho it is broken >&2\nexit 3\n", { mode: 0o755 });
    for (const [executable, host, reason] of [
      [at("broken"), "whole", /^culprit: note: the executable cannot be used on whole \(it does not run there: it is broken\): .*\n$/],
      [stand, "small", /^culprit: note: the executable cannot be used on small \(no folder there .*\): looking through a shell instead\n$/],
    ] as const) {
      const { stdout, stderr } = sending(executable, "loads", "/bin/busybox", "--json", "--target", `ssh:${host}`);
      expect(stderr).toMatch(reason);
      expect(stdout).toBe(culprit("loads", "/bin/busybox", "--json", "--target", `ssh:${host}`).stdout);
    }
    const { status, stderr } = sending(stand, "check", "ssh:hangs", "--timeout", "1");
    expect([status, stderr.trim().split("\n").length]).toEqual([2, 1]);
  }, 60_000);

  test("what the shell over there is called is known", () => {
    const { stdout } = culprit("list", "--json", "--target", "ssh:whole");
    expect((JSON.parse(stdout) as { driver: object }).driver).toEqual(
      (JSON.parse(culprit("list", "--json").stdout) as { driver: object }).driver,
    );
  });

  test("several at once: a table of who differs; trouble of one is said in its line", () => {
    const { stdout, status } = culprit(
      "check",
      "ssh:small",
      "ssh:older",
      "ssh:hangs",
      "ssh:changed",
      "ssh:unknown",
      "ssh:refused",
      "ssh:gone",
      "--timeout",
      "3",
    );
    const line = (host: string) => stdout.split("\n").find((each) => each.startsWith(`ssh:${host} `));
    expect(line("small")).toMatch(/550\.54\.15 .*– nothing to check/);
    expect(line("older")).toContain("525.60.13");
    expect(line("hangs")).toMatch(/no answer within 3 s|timed out/i);
    expect(line("changed")).toMatch(/host key for changed has changed/i);
    expect(line("unknown")).toMatch(/no .* host key is known for unknown/i);
    expect(line("refused")).toContain("Permission denied");
    expect(line("gone")).toMatch(/Connection|ended with exit code/);
    expect(stdout).toMatch(/driver: .*525\.60\.13 on ssh:older/);
    expect(status).toBe(2);
  }, 60_000);

  test("a file of hosts is read as one writes such files", () => {
    fs.writeFileSync(at("hosts"), "# ours\nsmall # the first\n\nssh:older\nsmall\n");
    const { stdout, status } = culprit("check", "--hosts", at("hosts"), "--json");
    const { targets } = JSON.parse(stdout) as { targets: { target: string; driver: string }[] };
    expect(targets.map(({ target, driver }) => [target, driver])).toEqual([
      ["ssh:small", "550.54.15"],
      ["ssh:older", "525.60.13"],
    ]);
    expect(status).toBe(0);
    for (const given of [
      ["check", "--hosts", at("nowhere")],
      ["check", "ssh:n[1-9999999]"],
      ["check", "ssh:n[3-1]"],
      ["check", "--hosts", "/dev/null"],
    ]) {
      const bad = culprit(...given);
      expect([given, bad.status, bad.stderr.trim().split("\n").length]).toEqual([given, 2, 1]);
    }
  });

  test("a host that is none, or no ssh at all, is one sentence and 2", () => {
    for (const name of ["ssh:", "ssh:-oProxyCommand=touch", "ssh:a b"]) {
      const { status, stderr } = culprit("check", name);
      expect([name, status, stderr.trim().split("\n").length]).toEqual([name, 2, 1]);
    }
    const { status, stderr } = spawnSync(process.execPath, [cli, "check", "ssh:small"], {
      encoding: "utf8",
      env: { PATH: "/nonexistent" },
    });
    expect([status, stderr]).toEqual([2, "culprit: cannot look at small: there is no program `ssh`\n"]);
  });
});

// In the place of ssh: what a host may do before a shell answers.
describe("a host that does not answer as one should", () => {
  const answer = async (script: string, patience = 20) => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "culprit-host-"));
    try {
      fs.writeFileSync(`${folder}/ssh`, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      const target = await host("there", [`${folder}/ssh`], patience);
      target.end?.();
      return "it answers";
    } catch (error) {
      return (error as Error).message;
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  };

  test.each([
    ["greets first", "echo Welcome; printf 'to all'; exec sh", "it answers"],
    ["prints without end", "exec cat /dev/zero", "cannot look at there: it prints without end"],
    [
      "closes the login, and says so where answers come from",
      "echo This account is closed.; exit 1",
      "cannot look at there: This account is closed.",
    ],
    ["ends without a word", "exit 3", /^cannot look at there: `.*\/ssh` ended with exit code 3$/],
    ["colours its complaint", "printf '\\033[31mno\\033[0m\\n' >&2; exit 1", "cannot look at there: ·[31mno·[0m"],
  ])("%s", async (_, script, expected) => {
    expect(await answer(script)).toEqual(typeof expected === "string" ? expected : expect.stringMatching(expected));
  });

  // Every line that is asked ends with the mark: this one says so, and more.
  const talking = (lines: string) => `read -r first; mark=\${first#mark=}; ${lines}`;
  test.each([
    ["ends in the middle of an answer", "printf 'x\\n%s\\n40' \"$mark\"; exit 0", /ended with exit code 0$/],
    ["answers what nobody asked", 'yes "$mark"', /makes no sense|what nobody asked/],
    ["answers with nothing but ends", "i=0; while [ $i -lt 3 ]; do printf '\\n%s\\n' \"$mark\"; i=$((i+1)); done; sleep 1", /no `stat`/],
    ["has one answer that never ends", "printf '\\n%s\\n' \"$mark\"; exec cat /dev/zero", "it prints without end"],
    ["has one line that never ends", "printf '\\n%s\\n' \"$mark\"; exec tr '\\0' x </dev/zero", "it prints without end"],
    [
      "tells of no user",
      'printf \'\\n%s\\n41ed\\nod\\n%s\\nroot root\\nhere\\n%s\\n\' "$mark" "$mark" "$mark"; sleep 1',
      "what it answers makes no sense",
    ],
    [
      "lacks what it likes",
      'printf \'\\n%s\\n41ed\\nno shame\\n%s\\n0 0\\n/\\n%s\\n\' "$mark" "$mark" "$mark"; sleep 1',
      "what it answers makes no sense",
    ],
  ])("%s", async (_, lines, expected) => {
    expect(await answer(talking(lines))).toEqual(
      typeof expected === "string" ? `cannot look at there: ${expected}` : expect.stringMatching(expected),
    );
  });

  test("lets its answers drip", async () => {
    const drips = talking("printf '\\n%s\\n' \"$mark\"; while :; do printf x; sleep 0.02; done");
    expect(await answer(drips, 0.5)).toBe("cannot look at there: one answer takes more than 7 seconds");
  });

  test("goes on greeting for ever", async () => {
    expect(await answer("while :; do echo wait; sleep 0.1; done", 0.5)).toBe("cannot look at there: no answer within 0.5 s");
  });
});

// The executable over there is the host's to replace: what it prints is bounded like everything else.
describe("a host that was sent the executable", needs({ "dist/": fs.existsSync(cli) }), () => {
  const send = (ssh: string, patience = "20") => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "culprit-sent-"));
    try {
      fs.writeFileSync(`${folder}/ssh`, `#!/bin/bash\nset -- "\${@: -1}"\n${ssh}\n`, { mode: 0o755 });
      fs.writeFileSync(`${folder}/own`, "#!/bin/sh\n", { mode: 0o755 });
      const { status, stderr, signal } = spawnSync(process.execPath, [cli, "check", "--send", "ssh:there", "--timeout", patience], {
        encoding: "utf8",
        timeout: 60_000,
        env: { PATH: process.env["PATH"], CULPRIT_SSH_COMMAND: `${folder}/ssh`, CULPRIT_EXECUTABLE: `${folder}/own` },
      });
      return { status, stderr, signal };
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
  };
  const greet = `mark=$(printf '%s' "$1" | grep -o "[0-9a-f]\\{32\\}" | head -1); echo "$mark x86_64 loader /tmp"`;

  test.each([
    ["prints without end before it is there", "exec cat /dev/zero", "it prints without end"],
    ["prints without end", `${greet}; exec cat /dev/zero`, "it prints without end"],
    ["prints one line without end", `${greet}; exec tr '\\0' '[' </dev/zero`, "it prints without end"],
    [
      "has a greeting that does not end",
      `printf %s "$mark"; ${greet.replace("echo", "printf %s")}; exec tr '\\0' x </dev/zero`,
      "it prints without end",
    ],
  ])("%s", (_, ssh, reason) => {
    expect(send(ssh)).toEqual({ status: 2, signal: null, stderr: `culprit: cannot look at there: ${reason}\n` });
  });

  test("lets its answer drip, or says nothing more", () => {
    expect(send(`${greet}; while :; do printf x; sleep 0.05; done`, "0.2").stderr).toBe(
      "culprit: cannot look at there: its answer does not come to an end\n",
    );
    expect(send(`${greet}; sleep 60`, "0.1").stderr).toBe("culprit: cannot look at there: no answer within 1.5 s\n");
  });
});
