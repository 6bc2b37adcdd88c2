// The tests ask the real tools. Where one is missing and this is Debian or Ubuntu run by root, it is installed;
// otherwise this says what the tests will skip, and they do.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import process from "node:process";

const wanted = [
  { command: "gcc", packages: ["gcc", "libc6-dev"], for: "programs that dlopen" },
  { command: "readelf", packages: ["binutils"], for: "comparing ELF facts with readelf" },
  { command: "musl-gcc", packages: ["musl", "musl-tools"], for: "musl's loader" },
  { command: "qemu-x86_64", packages: ["qemu-user"], for: "other processors" },
  { command: "qemu-aarch64", packages: ["qemu-user"], for: "aarch64 programs" },
  { command: "aarch64-linux-gnu-gcc", packages: ["gcc-aarch64-linux-gnu"], for: "aarch64 machine code" },
  { command: "busybox", packages: ["busybox-static"], for: "hosts that have only busybox" },
  { command: "ssh", packages: ["openssh-client"], for: "other hosts" },
  { command: "strace", packages: ["strace"], for: "seeing that nothing outside a root is read" },
];

const has = (command) =>
  (process.env.PATH ?? "").split(":").some((folder) => existsSync(`${folder}/${command}`)) || existsSync(`/usr/sbin/${command}`);
let missing = wanted.filter(({ command }) => !has(command));
if (0 < missing.length && process.getuid?.() === 0 && has("apt-get")) {
  const packages = missing.flatMap((tool) => tool.packages);
  console.error(`installing for the tests: ${packages.join(" ")}`);
  const quiet = { stdio: "ignore", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } };
  spawnSync("apt-get", ["update"], quiet);
  spawnSync("apt-get", ["install", "-y", "--no-install-recommends", ...packages], quiet);
  missing = wanted.filter(({ command }) => !has(command));
}
for (const { command, packages, for: purpose } of missing) {
  console.error(`${command} is missing, so tests of ${purpose} are skipped (Debian: ${packages.join(", ")})`);
}

// An ssh server that is installed would be started, now or at the next boot, and nobody asked for that: its files are
// unpacked where only the tests find them.
const server = path.resolve("node_modules/.cache/culprit-sshd");
const serverPackages = ["openssh-server", "libwrap0", "libnsl2", "libtirpc3"];
if (!existsSync(`${server}/usr/sbin/sshd`) && has("apt-get") && has("dpkg-deb")) {
  const part = `${server}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true });
  for (const name of serverPackages) spawnSync("apt-get", ["download", name], { cwd: part, stdio: "ignore" });
  for (const file of readdirSync(part)) spawnSync("dpkg-deb", ["-x", file, "."], { cwd: part, stdio: "ignore" });
  if (existsSync(`${part}/usr/sbin/sshd`)) renameSync(part, server);
}
if (!existsSync(`${server}/usr/sbin/sshd`))
  console.error(`sshd could not be fetched, so tests of hosts are skipped (Debian: ${serverPackages.join(", ")})`);
