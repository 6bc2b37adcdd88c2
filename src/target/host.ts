import type { FileFact } from "../model/snapshot.ts";
import type { OpenFile, Range, Target } from "../model/target.ts";
import { openShell, quoted, type Shell } from "./shell.ts";

// Everything that is run over there. POSIX shell, and of programs only stat, readlink, dd, id and cat: busybox will do.
// An error is told by its code, in the place where a file begins with its size.
const script = `
LC_ALL=C; export LC_ALL; unset CDPATH ENV
missing() {
  parent=\${1%/*}; parent=\${parent:-/}
  if [ ! -d "$parent" ]; then
    if [ -e "$parent" ]; then printf ENOTDIR; elif reachable "$parent"; then printf ENOENT; else printf EACCES; fi
  elif [ ! -x "$parent" ]; then printf EACCES
  else printf ENOENT; fi
}
reachable() { above=\${1%/*}; while [ -n "$above" ] && [ ! -e "$above" ]; do above=\${above%/*}; done; [ -x "\${above:-/}" ]; }
look() {
  stat -c '%f %s %d:%i %u %g %n' -- "$@" 2>/dev/null
  printf '\\0'
  for path; do
    if [ -L "$path" ]; then readlink -n -- "$path"; elif [ ! -e "$path" ]; then missing "$path"; fi
    printf '\\0'
  done
}
names() {
  if [ -L "$1" ] || [ ! -d "$1" ]; then if [ -e "$1" ] || [ -L "$1" ]; then printf ENOTDIR; else missing "$1"; fi
  elif [ ! -r "$1" ]; then printf EACCES
  else
    printf .
    for path in "$1"/* "$1"/.[!.]* "$1"/..?*; do
      case $path in "$1/*" | "$1/.[!.]*" | "$1/..?*") [ -e "$path" ] || [ -L "$path" ] || continue ;; esac
      printf '\\0%s' "\${path##*/}"
    done
  fi
}
blocks() { dd if="$1" bs=4096 skip="$2" count="$3" 2>/dev/null; }
begin() {
  if [ -L "$1" ]; then printf ELOOP
  elif [ ! -e "$1" ]; then missing "$1"
  elif [ -d "$1" ]; then printf EISDIR
  elif [ ! -f "$1" ]; then printf ENXIO
  elif [ ! -r "$1" ]; then printf EACCES
  else stat -c '%s' -- "$1" && blocks "$1" 0 4; fi
}
process() { echo "$(id -u) $(id -g)"; pwd; cat "/proc/$$/environ"; }
able() { stat -c '%f' / && for program in readlink dd id cat; do command -v "$program" >/dev/null || echo "no $program"; done; }
`;

const blockSize = 4096;
/** What `begin` gives at once, if the file is as long. */
const firstBytes = 4 * blockSize;

/** Another host, seen through the user's own ssh. Nothing is installed or written there, and nothing is run but a shell. */
export async function host(name: string, ssh: string[] = ["ssh"], patience = 20): Promise<Target> {
  if (name === "" || name.startsWith("-") || /[\s\0]/.test(name)) throw new Error(`\`ssh:${name}\` does not name a host`);
  const options = ["-T", "-o", "BatchMode=yes", "-o", `ConnectTimeout=${patience}`, "-o", "ServerAliveInterval=5"];
  const shell = openShell([...ssh, ...options, "--", name, "exec sh"], script, { patience, name });
  // What start-up files over there print comes before the first answer.
  await shell.ask(":");
  const able = (await shell.ask("able")).toString("latin1").trim().split("\n");
  if (!/^[0-9a-f]+$/.test(able[0]!)) throw new Error(`cannot look at ${name}: it has no \`stat\` that understands \`-c\``);
  if (1 < able.length) throw new Error(`cannot look at ${name}: it has ${able.slice(1).join(" and ")}`);
  return { description: { kind: "host", name: `ssh:${name}` }, distant: true, ...overShell(shell) };
}

/** A target seen through any shell. */
function overShell(shell: Shell): Pick<Target, "look" | "open" | "list" | "process"> {
  return {
    async look(paths) {
      const groups: string[][] = [];
      for (let at = 0; at < paths.length; at += 100) groups.push(paths.slice(at, at + 100));
      const facts = groups.map(async (group) => factsOf(group, await shell.ask(`look ${group.map(quoted).join(" ")}`)));
      return (await Promise.all(facts)).flat();
    },
    async open(path) {
      const answer = await shell.ask(`begin ${quoted(path)}`);
      const newline = answer.indexOf(10);
      if (newline < 0) return answer.toString("latin1");
      const [size, first] = [Number(answer.toString("latin1", 0, newline)), answer.subarray(newline + 1)];
      return first.length < Math.min(size, firstBytes) ? "EIO" : openFile(shell, path, size, first);
    },
    async list(path) {
      const [first, ...names] = (await shell.ask(`names ${quoted(path)}`)).toString("utf8").split("\0");
      return first === "." ? names : { code: first! };
    },
    async process() {
      const answer = (await shell.ask("process")).toString("utf8");
      const [ids = "", cwd = "/"] = answer.split("\n", 2);
      const environment: { [name: string]: string } = {};
      for (const pair of answer.slice(ids.length + cwd.length + 2).split("\0")) {
        const equals = pair.indexOf("=");
        if (0 < equals) environment[pair.slice(0, equals)] = pair.slice(equals + 1);
      }
      const [uid = 0, gid = 0] = ids.split(" ").map(Number);
      return { environment, cwd, user: { uid, gid } };
    },
  };
}

function factsOf(paths: string[], answer: Buffer): FileFact[] {
  const [listing = "", ...words] = answer.toString("utf8").split("\0");
  let rest = listing;
  return paths.map((path, index): FileFact => {
    const word = words[index] ?? "";
    // What is there has its line, in the order of the paths; a name may hold anything but what a line of ours begins with.
    const stat = /^([0-9a-f]+) (\d+) (\d+:\d+) (\d+) (\d+) /.exec(rest);
    if (!stat || !rest.startsWith(`${path}\n`, stat[0].length))
      return word === "ENOENT" ? { kind: "absent" } : { kind: "hidden", code: word === "" ? "EIO" : word };
    rest = rest.slice(stat[0].length + path.length + 1);
    const mode = Number.parseInt(stat[1]!, 16);
    const kind = mode & 0o170000;
    if (kind === 0o040000) return { kind: "folder" };
    if (kind === 0o120000) return { kind: "link", to: word };
    if (kind !== 0o100000) return { kind: "special" };
    const fact: FileFact = { kind: "file", size: Number(stat[2]), id: stat[3]! };
    if (mode & 0o4000) fact.setuid = Number(stat[4]);
    if (mode & 0o2000 && mode & 0o10) fact.setgid = Number(stat[5]);
    return fact;
  });
}

// Bytes are fetched in windows and kept until the file is closed: readers come back to the same places.
const windowSize = 16 * blockSize;
const mostAhead = 16;

function openFile(shell: Shell, path: string, size: number, first: Buffer): OpenFile {
  const windows = new Map<number, Promise<Buffer>>();
  let ahead = 1;
  // Whole blocks, because no dd can do without them and every dd can do with them.
  const fetch = (from: number, count: number) => {
    const bytes = shell.ask(`blocks ${quoted(path)} ${from * 16} ${count * 16}`);
    for (let index = 0; index < count; index += 1)
      windows.set(
        from + index,
        bytes.then((all) => all.subarray(index * windowSize, (index + 1) * windowSize)),
      );
  };
  const readRange = async ({ offset, length }: Range): Promise<Uint8Array> => {
    // Files below /proc say that they are empty; what is there came with the first blocks.
    if (size <= first.length || offset + length <= first.length) return first.subarray(offset, offset + length);
    const end = Math.min(offset + length, size);
    if (end <= offset) return new Uint8Array(0);
    const [from, to] = [Math.floor(offset / windowSize), Math.ceil(end / windowSize)];
    for (let at = from; at < to; at += 1) {
      if (windows.has(at)) continue;
      // Whoever goes through a file from one end to the other is given more each time.
      ahead = windows.has(at - 1) ? Math.min(ahead * 2, mostAhead) : 1;
      let count = 1;
      while (!windows.has(at + count) && (at + count < to || count < ahead) && (at + count) * windowSize < size) count += 1;
      fetch(at, count);
    }
    const pieces = await Promise.all(Array.from({ length: to - from }, (_, index) => windows.get(from + index)!));
    const bytes = Buffer.concat(pieces).subarray(offset - from * windowSize, end - from * windowSize);
    // A disk that fails over there must not look like a file that ends.
    if (bytes.length < end - offset) throw Object.assign(new Error(`${path} could not be read to its end`), { code: "EIO" });
    return bytes;
  };
  return { size, read: (ranges) => Promise.all(ranges.map(readRange)), close() {} };
}
