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
  { command: "shellcheck", packages: ["shellcheck"], for: "the shell lines that are sent to hosts" },
  { command: "chromium", packages: ["chromium"], for: "the page in a real browser" },
  { command: "zsh", packages: ["zsh"], for: "completion in zsh" },
  { command: "fish", packages: ["fish"], for: "completion in fish" },
  { command: "mandoc", packages: ["mandoc"], for: "manual pages" },
  { command: "strace", packages: ["strace"], for: "seeing that nothing outside a root is read" },
  { command: "initdb", packages: ["postgresql"], for: "the fleet on a real PostgreSQL" },
  { command: "python3", packages: ["python3", "python3-venv"], for: "the wheel for Python", needs: ["-c", "import venv, ensurepip"] },
];

const has = (command) =>
  (process.env.PATH ?? "").split(":").some((folder) => existsSync(`${folder}/${command}`)) ||
  existsSync(`/usr/sbin/${command}`) ||
  // Debian keeps the server's programs apart, by version.
  (existsSync("/usr/lib/postgresql") &&
    readdirSync("/usr/lib/postgresql").some((each) => existsSync(`/usr/lib/postgresql/${each}/bin/${command}`)));
const missing = () => wanted.filter(({ command, needs }) => !has(command) || (needs && spawnSync(command, needs).status !== 0));
const run = (command, given, more = {}) =>
  spawnSync(command, given, {
    encoding: "utf8",
    timeout: 300_000,
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", LC_ALL: "C" },
    ...more,
  });
/** The first thing that apt complained about. */
const complaint = ({ error, stderr }) => error?.message ?? /^E: (.+)$/m.exec(stderr ?? "")?.[1] ?? "it does not say why";

let why = !has("apt-get") ? "there is no apt-get to install it with" : process.getuid?.() === 0 ? undefined : "only root may install it";
if (0 < missing().length && why === undefined) {
  const install = (packages) => run("apt-get", ["install", "-y", "--no-install-recommends", ...packages]);
  const packages = missing().flatMap((tool) => tool.packages);
  console.error(`installing for the tests: ${packages.join(" ")}`);
  run("apt-get", ["update"]);
  install(packages);
  // One package that this system does not have keeps apt-get from installing any.
  for (const tool of missing()) why = complaint(install(tool.packages));
}
for (const { command, packages, for: purpose } of missing())
  console.error(`${command} is missing, so tests of ${purpose} are skipped (Debian: ${packages.join(", ")}): ${why}`);

// An ssh server that is installed would be started, now or at the next boot, and nobody asked for that: its files are
// unpacked where only the tests find them.
const server = path.resolve("node_modules/.cache/culprit-sshd");
const serverPackages = ["openssh-server", "libwrap0", "libnsl2", "libtirpc3"];
const noServer = existsSync(`${server}/usr/sbin/sshd`) ? undefined : fetchServer();
if (noServer !== undefined)
  console.error(`sshd could not be fetched, so tests of hosts are skipped (Debian: ${serverPackages.join(", ")}): ${noServer}`);

function fetchServer() {
  if (!has("apt-get") || !has("dpkg-deb")) return "there is no apt-get and dpkg-deb to fetch it with";
  const part = `${server}.part`;
  try {
    rmSync(part, { recursive: true, force: true });
    mkdirSync(part, { recursive: true });
  } catch (error) {
    return error.message;
  }
  const fetched = serverPackages.map((name) => run("apt-get", ["download", name], { cwd: part, timeout: 60_000 }));
  for (const file of readdirSync(part)) run("dpkg-deb", ["-x", file, "."], { cwd: part });
  if (!existsSync(`${part}/usr/sbin/sshd`)) return complaint(fetched[0]);
  renameSync(part, server);
  return undefined;
}
