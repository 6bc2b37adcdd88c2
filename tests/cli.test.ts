import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import type { Inventory } from "../packages/core/src/index.ts";
import { hasTool } from "./elf/readelf.ts";
import { needs } from "./needs.ts";

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "culprit-cli-"));
afterAll(() => fs.rmSync(scratch, { recursive: true }));

function culprit(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const environment = { ...process.env, NO_COLOR: "1" };
  const { status, stdout, stderr } = spawnSync(process.execPath, ["dist/cli.js", ...args], { encoding: "utf8", env: environment });
  return { status, stdout, stderr };
}

const shell = fs.realpathSync("/bin/sh");

test("loads prints one JSON document and exits 0 when nothing fails", () => {
  const { status, stdout, stderr } = culprit("loads", shell, "--json");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const answer = JSON.parse(stdout) as { schema: string; loads: { name: string; certainty: string }[] };
  expect(answer.schema).toBe("culprit/loads@1");
  expect(answer.loads.find(({ name }) => name === "libc.so.6")?.certainty).toBe("certain");
});

test("--each prints one JSON document per file, and walks folders", () => {
  fs.mkdirSync(path.join(scratch, "each/deeper"), { recursive: true });
  fs.copyFileSync(shell, path.join(scratch, "each/sh"));
  fs.copyFileSync(shell, path.join(scratch, "each/deeper/sh"));
  fs.writeFileSync(path.join(scratch, "each/notes.txt"), "not a program");
  const { status, stdout } = culprit("loads", "--each", shell, path.join(scratch, "each"));
  const programs = stdout
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { program: { path: string } }).program.path);
  expect(status).toBe(0);
  expect(programs).toEqual([shell, path.join(scratch, "each/deeper/sh"), path.join(scratch, "each/sh")]);
});

test("a library that is not found makes `loads` and `why` exit 1", () => {
  const { status, stdout } = culprit("why", "libcudnn.so.99");
  expect(status).toBe(1);
  expect(stdout).toContain("libcudnn.so.99: cannot open shared object file: No such file or directory");
});

test("why names the rule, the requester and what would change the winner", () => {
  const { status, stdout } = culprit("why", "libc.so.6", "--for", shell, "--env", "LD_LIBRARY_PATH=/nowhere");
  expect(status).toBe(0);
  expect(stdout).toContain(`asked for by ${shell}`);
  expect(stdout).toContain("✗ /nowhere/libc.so.6  no such file");
  expect(stdout).toContain("What would change the winner");
});

test("check prints its shape, and says that there is no driver to judge by", () => {
  const { status, stdout } = culprit("check", "--json", "--root", fs.mkdtempSync(path.join(scratch, "empty-")));
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    schema: "culprit/check@2",
    status: "nothing-to-check",
    findings: [],
    unknown: [{ subject: "driver and GPU", kind: "driver" }],
  });
});

test("a snapshot file answers like the machine, redacted by default, whole with --full", () => {
  const file = path.join(scratch, "s.json.gz");
  expect(culprit("snapshot", shell, "-o", file)).toEqual({ status: 0, stdout: "", stderr: "" });
  expect(culprit("loads", shell, "--json", "--target", file).stdout).toBe(culprit("loads", shell, "--json").stdout);
  expect(fs.readdirSync(scratch).filter((name) => name.includes(".part"))).toEqual([]);
  expect(JSON.parse(culprit("snapshot", shell).stdout)).toMatchObject({ redacted: true });
  expect(JSON.parse(culprit("snapshot", shell, "--full").stdout)).not.toHaveProperty("redacted");
});

test.each([
  [["loads"], "needs the path"],
  [["loads", "/nowhere/x"], "there is no file `/nowhere/x`"],
  [["loads", "/etc/passwd"], "not an ELF file"],
  [["loads", "/etc"], "is a folder"],
  [
    ["loads", "no-such-program-anywhere"],
    "`no-such-program-anywhere` is no framework, no package that is installed and no program on PATH",
  ],
  [["check", "--for", "pytorch"], "did you mean `torch`?"],
  [["loads", "--frobnicate", "/bin/sh"], "has no option `--frobnicate`"],
  [["loads", "/bin/sh", "--env"], "`--env` needs a value (NAME=VALUE)"],
  [["loads", "/bin/sh", "--json=yes"], "`--json` takes no value"],
  [["loads", "/bin/sh", "--env", "NAME"], "is not NAME=VALUE"],
  [["loads", "/bin/sh", "--cpu", "z13"], "is not an x86-64 level"],
  [["loads", "/bin/sh", "--cpu", "amd:v5"], "`--cpu amd:v5`: `v5` is not an x86-64 level: v1, v2, v3 or v4"],
  [["loads", "/bin/sh", "--cpu", "acme:v3"], "`--cpu acme:v3`: `acme` is not a vendor of x86-64 processors: intel, amd"],
  [["loads", "/bin/sh", "--root", "/nowhere"], "cannot use `/nowhere` as a root: there is no such folder"],
  [["loads", "/bin/sh", "--root", "/etc/passwd"], "it is not a folder"],
  [["loads", "/bin/sh", "--target", "/etc/passwd"], "is not a snapshot"],
  [["why"], "needs the name of one library"],
  [["frobnicate"], "there is no command or target `frobnicate`"],
  [["snapshot", "/bin/sh", "-o", "/nowhere/at/all.json"], "cannot be written"],
  [["snapshot", "/bin/nobody-has-this"], "there is no file"],
  [["chek"], "did you mean `check`?"],
  [["check", "--jsn"], "did you mean `--json`?"],
  [["help", "rule"], "did you mean `rules`"],
  [["check", "--timeout", "soon"], "`--timeout soon` is not a number of seconds"],
  [["check", "--python", "/nowhere"], "there is no Python environment at `/nowhere`"],
  [["check", "--root", ""], "`--root` needs a value (DIR)"],
  [["check", "--driver", "12.4"], "is a release of CUDA, not of a driver"],
  [["check", "image:"], "`image:` names no file"],
])("bad input gets one sentence and exit code 2: %j", (args, words) => {
  const { status, stdout, stderr } = culprit(...args);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toContain(words);
  expect(stderr.trim().split("\n")).toHaveLength(1);
});

test("help lists every command, and each command its options", () => {
  expect(culprit("--help").stdout).toMatch(/check[^]*loads[^]*why[^]*snapshot/);
  expect(culprit("help", "loads").stdout).toContain("--each");
  expect(culprit("loads", "--help").stdout).toContain("--env NAME=VALUE");
  expect(culprit("--version").stdout).toMatch(/^culprit \d+\.\d+\.\d+, knowledge of 20\d\d-\d\d-\d\d\n$/);
});

test("where nothing says which Python would start, the only environment with the framework is meant", () => {
  const healthy = ["loads", "torch", "--json", "--target", "cases/h200-healthy/snapshot.json.gz"];
  const unsaid = ["PATH", "VIRTUAL_ENV", "CONDA_PREFIX"].flatMap((name) => ["--unset", name]);
  const { status, stdout } = culprit(...healthy, ...unsaid);
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ program: { path: "/opt/torch/.venv/bin/python3" } });
  const started = culprit(...healthy, "--unset", "VIRTUAL_ENV", "--env", "PATH=/usr/bin");
  expect(started).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("it is in `/opt/torch/.venv`: `--python /opt/torch/.venv`") as string,
  });
  // The PATH of an image says nothing about what its entry point calls.
  const facts = JSON.parse(gunzipSync(fs.readFileSync("cases/h200-healthy/snapshot.json.gz")).toString()) as { target: object };
  const image = path.join(scratch, "image.json");
  fs.writeFileSync(image, JSON.stringify({ ...facts, target: { ...facts.target, kind: "image" } }));
  const inside = culprit("loads", "torch", "--json", "--target", image, "--unset", "VIRTUAL_ENV", "--env", "PATH=/usr/bin");
  expect(inside).toMatchObject({ status: 0, stdout });
});

test("a project's folder means its dependency files and its environment; any other folder is not called healthy", () => {
  const project = path.join(scratch, "project");
  fs.mkdirSync(path.join(project, "lib"), { recursive: true });
  fs.writeFileSync(path.join(project, "notes.txt"), "torch\n");
  fs.rmdirSync(path.join(project, "lib"));
  const { status, stdout, stderr } = culprit("check", project);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toMatch(/is not the root of a system: it has neither etc nor usr nor lib; /);
  fs.mkdirSync(path.join(project, "lib"));
  fs.writeFileSync(path.join(project, "requirements.txt"), "torch==2.4.0\nnvidia-cudnn-cu12==8.9.7.29\n");
  expect(culprit("check", project).stdout).toContain(`at        ${project}/requirements.txt:2`);
  fs.writeFileSync(path.join(project, "requirements-dev.txt"), "numpy\n");
  const both = culprit("check", project);
  expect(both.status).toBe(1);
  expect(both.stdout).toMatch(new RegExp(`^${project}/requirements-dev.txt\\n– [^]*\\n\\n${project}/requirements.txt\\n✗ the install`));
  expect(
    (JSON.parse(culprit("check", project, "--json").stdout) as { targets: { target: string }[] }).targets.map(({ target }) => target),
  ).toEqual([`${project}/requirements-dev.txt`, `${project}/requirements.txt`]);
  expect(culprit("list", project).stderr).toContain("there are several dependency files in");
});

test("a Python environment is looked at where it lies", () => {
  const environment = path.join(scratch, "environment");
  fs.mkdirSync(environment);
  fs.writeFileSync(path.join(environment, "pyvenv.cfg"), "");
  expect(culprit("check", environment).stderr).toContain(`there is no Python environment at \`${environment}\``);
});

test("a package, or a module of it, is meant by its name, also where its command of that name is on PATH", () => {
  const environment = path.join(scratch, "with-command");
  const packages = path.join(environment, "lib/python3.12/site-packages");
  const put = (file: string, text: string) => {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text, { mode: 0o755 });
  };
  put(path.join(environment, "pyvenv.cfg"), "version = 3.12");
  put(path.join(environment, "bin/python"), "");
  put(path.join(environment, "bin/image-tagger"), `#!${environment}/bin/python\nfrom tagger import main\n`);
  put(path.join(packages, "image_tagger-1.0.dist-info/METADATA"), "Name: image-tagger\nVersion: 1.0\n");
  put(path.join(packages, "image_tagger-1.0.dist-info/RECORD"), "tagger/__init__.py,,\n");
  put(path.join(packages, "tagger/__init__.py"), "def main(): ...\n");
  for (const name of ["image-tagger", "tagger"]) {
    const { stdout } = culprit("check", "--for", name, "--python", environment, "--env", `PATH=${environment}/bin`, "--json");
    expect((JSON.parse(stdout) as { judged: { program: string }[] }).judged.map(({ program }) => program)).toEqual(["image-tagger"]);
  }
});

test("a script is not called broken: what it imports is what can be asked about", () => {
  const file = path.join(scratch, "train.py");
  fs.writeFileSync(file, "import os\nfrom torch.nn import Linear\n\ndef late():\n    import jax.numpy as jnp\n");
  for (const question of [
    ["check", "--for", file],
    ["loads", file],
    ["why", "cudnn", "--for", file],
  ]) {
    const { status, stderr } = culprit(...question);
    expect(status).toBe(2);
    expect(stderr).toContain("is a script, which the loader does not read: ask about what it imports, in this order: `torch,jax`");
  }
});

test("list FRAMEWORK shows that one, and the copies of what it asks for", () => {
  const healthy = ["--target", path.resolve("cases/h200-healthy/snapshot.json.gz")];
  const inventory = JSON.parse(culprit("list", "torch", ...healthy, "--json").stdout) as Inventory;
  expect(inventory.frameworks.map(({ framework }) => framework)).toEqual(["torch"]);
  const libraries = new Set(inventory.copies.map(({ library }) => library));
  expect([libraries.has("cudnn"), libraries.has("tensorrt")]).toEqual([true, false]);
  expect(culprit("list", "torch", ...healthy).stdout).toMatch(
    /^driver 580\S* · NVIDIA H200 · [^]*torch 2\.11\.0 .*for CUDA 13\.0, cuDNN 9\.19/,
  );
  expect(culprit("list", "tensorflow", ...healthy)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("tensorflow is not installed in any environment that was found") as string,
  });
});

test("--quiet prints errors, a line each, and nothing else", () => {
  const healthy = ["--target", path.resolve("cases/h200-healthy/snapshot.json.gz"), "--quiet"];
  const broken = [...healthy, "--env", "LD_LIBRARY_PATH=/usr/lib/x86_64-linux-gnu"];
  const silent = { status: 0, stdout: "", stderr: "" };
  expect(culprit("check", ...healthy, "--ignore", "two-copies")).toEqual(silent);
  const found = culprit("check", ...broken);
  expect(found.status).toBe(1);
  expect(found.stdout).toMatch(/^error: cuDNN 9\.19\.0 .* \[cudnn-parts-from-two-releases\]\n$/);
  // What makes a run fail is said.
  expect(culprit("check", ...healthy, "--fail-on", "unknown").stdout).toMatch(/^(unknown: .*\n)+$/);
  expect(culprit("why", "cudnn", "--for", "torch", "--python", "/opt/torch/.venv", ...healthy)).toEqual(silent);
  expect(culprit("why", "-q", "libnowhere.so.1")).toMatchObject({
    status: 1,
    stdout: expect.stringMatching(/^error: libnowhere\.so\.1: .*\n$/),
  });
  expect(culprit("loads", "-q", shell)).toEqual(silent);
  expect(culprit("trace", "-q", "cases/trace-torch-without-kernels/trace.json").stdout).toMatch(/^cases\S*: no-gpu-events: .*\n$/);
  expect(culprit("explain", "-q", "cases/log-libcudnn-8-not-found/log.txt").stdout).toMatch(/^\w+: .* \[library-[a-z-]+\]\n$/);
  expect(culprit("fix", ...broken).stdout).toMatch(/^error: .*\n$/);
});

test("a page is said where it is, and the verdict all the same", () => {
  const page = path.join(scratch, "page.html");
  const check = culprit(
    "check",
    "--target",
    path.resolve("cases/h200-healthy/snapshot.json.gz"),
    "--env",
    "LD_LIBRARY_PATH=/usr/lib/x86_64-linux-gnu",
    "--html",
    page,
  );
  expect(check.stdout).toMatch(/^✗ torch will fail at LSTM and GRU layers: cuDNN [^]*\nThe page is `[^`]*page\.html`\.\n$/);
  const trace = culprit("trace", "cases/trace-torch-healthy/trace.json", "--html", page);
  expect(trace.stdout).toMatch(/^✓ healthy: [^]*\nThe page is `[^`]*page\.html`\.\n$/);
});

test("a tar archive is sent to `image:`", () => {
  const file = path.join(scratch, "image.tar");
  spawnSync("tar", ["-cf", file, "-C", scratch, "."]);
  expect(culprit("check", file)).toMatchObject({ status: 2, stderr: expect.stringContaining(`\`image:${file}\``) as string });
});

test("no command puts a file in the place of a device or a pipe", () => {
  const [profile, pipe, link, page] = ["profile.json", "pipe", "link.html", "page.html"].map((name) => path.join(scratch, name)) as [
    string,
    string,
    string,
    string,
  ];
  fs.writeFileSync(profile, '{"traceEvents":[{"ph":"X","name":"a","ts":1,"dur":2,"pid":1,"tid":1}]}');
  spawnSync("mkfifo", [pipe]);
  for (const args of [
    ["trace", profile, "--perfetto", pipe],
    ["trace", profile, "--html", pipe],
    ["check", "--html", pipe],
    ["snapshot", shell, "-o", pipe],
  ]) {
    expect(culprit(...args)).toMatchObject({ status: 2, stderr: expect.stringContaining("it is not a file") as string });
    expect(fs.statSync(pipe).isFIFO()).toBe(true);
  }
  // A link keeps leading to its file.
  fs.writeFileSync(page, "");
  fs.symlinkSync(page, link);
  expect(culprit("trace", profile, "--html", link).status).toBe(0);
  expect(fs.lstatSync(link).isSymbolicLink()).toBe(true);
  expect(fs.readFileSync(page, "utf8")).toContain("<html");
});

test("a full disk is said in words", needs({ "/dev/full": fs.existsSync("/dev/full") }), () => {
  const { status, stderr } = spawnSync("sh", ["-c", `"${process.execPath}" dist/cli.js --help > /dev/full`], { encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 2, stderr: "culprit: standard output cannot be written: no space is left on the device\n" });
});

test("a reader that goes away is no failure", () => {
  const { status, stderr } = spawnSync("sh", ["-c", `"${process.execPath}" dist/cli.js loads --each /usr/bin | head -c 10 > /dev/null`], {
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

test("a framework's name is the program that is meant; what `run` starts keeps its own options", () => {
  const healthy = path.resolve("cases/h200-healthy/snapshot.json.gz");
  const { stdout } = culprit("check", "torch", "--target", healthy, "--json");
  expect((JSON.parse(stdout) as { judged: { program: string }[] }).judged.map(({ program }) => program)).toEqual(["torch"]);
  const run = culprit("run", process.execPath, "-e", "process.exitCode = 7; console.log('--json')");
  expect([run.status, run.stdout]).toEqual([7, "--json\n"]);
});

test("--color says whether there are colours", () => {
  const hint = ["check", "--target", path.resolve("cases/h200-healthy/snapshot.json.gz")];
  expect(culprit(...hint, "--color", "always").stdout).toContain("\u001b[");
  expect(culprit(...hint, "--color", "never").stdout).not.toContain("\u001b[");
  expect(culprit(...hint, "--color", "sometimes")).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("none of auto, always and never"),
  });
});

test("what the system refuses is said in words, whatever command meets it", () => {
  const there = fs.mkdtempSync(path.join(scratch, "refused-"));
  fs.writeFileSync(path.join(there, "plain"), "");
  fs.symlinkSync("circle", path.join(there, "circle"));
  const [below, circle] = [path.join(there, "plain/below"), path.join(there, "circle")];
  const asked = [
    ...["explain", "trace", "loads", "run", "list", "check"].flatMap((command) => [
      [command, below],
      [command, circle],
    ]),
    ...["--config", "--hosts", "--root", "--target"].map((option) => ["check", option, below]),
    ...["--html", "--config"].map((option) => ["check", option, circle]),
    ["check", `image:${circle}`],
    ["check", `image:${below}`],
    ["check", "pid:999999999"],
    ["snapshot", "/bin/sh", "-o", "/proc/nothing/x"],
  ];
  for (const args of asked) {
    const { status, stderr } = culprit(...args);
    expect([args, status]).toEqual([args, 2]);
    expect(stderr).toMatch(/^culprit: \S.*\n$/);
    expect(stderr).not.toMatch(/\bE[A-Z]{3,}\b|undefined|\n {4}at /);
  }
});

test("long work says how far it is, on a terminal only, and leaves nothing there", needs({ script: hasTool("script") }), () => {
  const ssh = path.join(scratch, "slow-ssh");
  fs.writeFileSync(ssh, "#!/bin/sh\nsleep 2\nexit 255\n", { mode: 0o755 });
  const asked = `"${process.execPath}" dist/cli.js check ssh:a ssh:b`;
  const { CI: _ci, ...environment } = process.env;
  const env = { ...environment, CULPRIT_SSH_COMMAND: ssh, TERM: "xterm", NO_COLOR: "1" };
  const onTerminal = (command: string, more = {}) =>
    spawnSync("script", ["-qec", command, "/dev/null"], { encoding: "utf8", env: { ...env, ...more } }).stdout;
  const seen = onTerminal(asked);
  expect(seen).toContain("\r\u001b[Khosts 0/2");
  // Whatever was drawn is gone before the answer.
  expect(seen).toContain("\r\u001b[Ktarget ");
  expect(onTerminal(asked, { CI: "true" })).not.toContain("hosts 0/2");
  expect(onTerminal(`${asked} -q`)).not.toContain("hosts 0/2");
  expect(spawnSync("sh", ["-c", asked], { encoding: "utf8", env }).stderr).toBe("");
});

test("a snapshot is not poured into a terminal", needs({ script: hasTool("script") }), () => {
  const { stdout, status } = spawnSync("script", ["-qec", `"${process.execPath}" dist/cli.js snapshot /bin/sh`, "/dev/null"], {
    encoding: "utf8",
  });
  expect(status).toBe(2);
  expect(stdout).toMatch(/^culprit: a snapshot is no reading for a terminal: `-o FILE` .*\r\n$/);
});
