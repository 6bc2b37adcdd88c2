// The wheel beside the real programs that it is a guest of: a kernel of Jupyter, TensorBoard, pre-commit. CULPRIT_DOORS names a Python environment
// that has them (pip install nbclient ipykernel tensorboard pre-commit); what it does not have is skipped.
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { needs } from "../needs.ts";
import { hasPython, installWheel, quiet, type Installed } from "./wheel.ts";

const doors = process.env["CULPRIT_DOORS"] ?? "/nowhere";
const python = path.join(doors, "bin/python");
const has = (...modules: string[]) => hasPython && spawnSync(python, ["-c", `import ${modules.join(", ")}`]).status === 0;
const where = "in the environment that CULPRIT_DOORS names";

let made: Installed;
beforeAll(() => {
  if (fs.existsSync(python) && hasPython) made = installWheel();
});
afterAll(() => made && fs.rmSync(made.scratch, { recursive: true, force: true }));
const env = () =>
  quiet(made.scratch, { PYTHONPATH: made.site, PATH: `${path.join(doors, "bin")}:/usr/bin:/bin`, JUPYTER_PLATFORM_DIRS: "1" });

test("a kernel: healthy, a failing import, a failing cell", needs({ [`nbclient ${where}`]: has("nbclient", "ipykernel") }), () => {
  fs.writeFileSync(
    path.join(made.site, "fails_at_import.py"),
    'raise ImportError("libcupti.so.12: cannot open shared object file: No such file or directory")\n',
  );
  const cells = [
    "%load_ext culprit_gpu",
    "%culprit",
    "%%culprit\n6 * 7",
    "%%culprit\nimport fails_at_import",
    "%%culprit\nraise RuntimeError('CUDA error: no kernel image is available for execution on the device')",
    "raise RuntimeError('nothing of ours')",
  ];
  const program = [
    "import json, sys, nbformat, nbclient",
    "book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(each) for each in json.load(sys.stdin)])",
    "nbclient.NotebookClient(book, timeout=100, allow_errors=True, kernel_name='python3').execute()",
    "json.dump([[dict(kind=o.output_type, **{k: o.data.get(m, '') for k, m in (('text', 'text/plain'), ('html', 'text/html'))} if 'data' in o else {}) for o in cell.outputs] for cell in book.cells], sys.stdout)",
  ];
  const ran = spawnSync(python, ["-c", program.join("\n")], {
    input: JSON.stringify(cells),
    env: env(),
    encoding: "utf8",
    cwd: made.scratch,
  });
  const [loaded, kernel, healthy, atImport, failed, foreign] = JSON.parse(ran.stdout) as { kind: string; text: string; html: string }[][];
  expect(loaded).toEqual([]);
  expect(kernel!.map(({ kind, html }) => [kind, html.includes('class="culprit-gpu"')])).toEqual([["execute_result", true]]);
  expect(healthy!.map(({ text }) => text)).toEqual(["42"]);
  expect(atImport!.map(({ kind }) => kind).sort()).toEqual(["display_data", "error"]);
  expect(atImport!.find(({ kind }) => kind === "display_data")!.text).toMatch(/libcupti\.so\.12[\s\S]*library-missing/);
  expect(failed!.find(({ kind }) => kind === "display_data")!.html).toContain("arch-unsupported");
  expect(foreign!.map(({ kind }) => kind)).toEqual(["error"]);
  // Nothing is asked of anybody, and nothing runs: a notebook shows it as it is.
  for (const { html } of [kernel!, atImport!, failed!].flat().filter(({ html: each }) => each))
    expect(html).not.toMatch(/<script|<link|<iframe|\son\w+=|@import|url\(|src=/i);
});

test("TensorBoard starts with the tab, and it tells of a profile", needs({ [`tensorboard ${where}`]: has("tensorboard") }), async () => {
  const logdir = path.join(made.scratch, "logs");
  fs.mkdirSync(logdir, { recursive: true });
  fs.copyFileSync("cases/trace-torch-without-kernels/trace.json", path.join(logdir, "host.1.pt.trace.json"));
  const server = spawn(python, ["-m", "tensorboard.main", "--logdir", logdir, "--port", "0", "--host", "127.0.0.1"], { env: env() });
  try {
    let said = "";
    for (const stream of [server.stderr, server.stdout]) stream.on("data", (piece: Buffer) => (said += piece.toString()));
    await expect.poll(() => said, { timeout: 90_000 }).toMatch(/http:\/\/127\.0\.0\.1:\d+/);
    const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(said)!;
    const get = async (route: string) => (await fetch(`${address}/data/${route}`)).json() as Promise<{ [name: string]: unknown }>;
    await expect.poll(async () => (await get("plugins_listing"))["culprit"], { timeout: 30_000 }).toMatchObject({ enabled: true });
    await expect.poll(async () => (await get("plugin/culprit/answers"))["state"], { timeout: 60_000 }).toBe("done");
    const { profiles } = (await get("plugin/culprit/answers")) as { profiles: { name: string; answer: { verdict: string } }[] };
    expect(profiles.map(({ name, answer }) => [name, answer.verdict])).toEqual([["host.1.pt.trace.json", "no-gpu-events"]]);
    // Of its page, what a browser is given.
    const page = await fetch(`${address}/data/plugin/culprit/tensorboard.js`);
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/javascript; charset=utf-8"]);
  } finally {
    server.kill();
  }
});

test("pre-commit runs the hook on what is committed", needs({ [`pre-commit ${where}`]: has("pre_commit") }), () => {
  const [hooks, project] = ["hooks", "project"].map((name) => path.join(made.scratch, name)) as [string, string];
  const variables = { ...env(), PATH: `${path.join(made.environment, "bin")}:/usr/bin:/bin`, PYTHONPATH: "", NO_COLOR: "1" };
  const git = (folder: string, ...words: string[]) =>
    spawnSync("git", ["-C", folder, "-c", "user.name=a", "-c", "user.email=a@b.example", ...words], { env: variables, encoding: "utf8" });
  for (const folder of [hooks, project]) {
    fs.mkdirSync(folder);
    git(folder, "init", "--quiet");
  }
  fs.copyFileSync(".pre-commit-hooks.yaml", path.join(hooks, ".pre-commit-hooks.yaml"));
  git(hooks, "add", ".");
  git(hooks, "commit", "--quiet", "-m", "hooks");
  git(hooks, "tag", "v1");
  fs.writeFileSync(
    path.join(project, ".pre-commit-config.yaml"),
    `repos:\n  - repo: ${hooks}\n    rev: v1\n    hooks: [{ id: culprit }]\n`,
  );
  const run = (requirements: string) => {
    fs.writeFileSync(path.join(project, "requirements.txt"), requirements);
    fs.writeFileSync(path.join(project, "notes.md"), "onnxruntime\nonnxruntime-gpu\n");
    git(project, "add", ".");
    return spawnSync(python, ["-m", "pre_commit", "run", "--color", "never"], { env: variables, cwd: project, encoding: "utf8" });
  };
  const broken = run("torch==2.4.1\nonnxruntime\nonnxruntime-gpu==1.20.0\n");
  expect(broken.status).toBe(1);
  expect(broken.stdout).toMatch(/^requirements\.txt:3: error: .*\[packages-overwrite-each-other\]$/m);
  expect(broken.stdout).not.toContain("notes.md");
  expect(run("torch==2.6.0\n")).toMatchObject({ status: 0, stdout: expect.stringMatching(/^culprit\.+Passed/m) });
});
