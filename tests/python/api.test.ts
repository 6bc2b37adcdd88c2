// What people use in Python: answers, errors, the hook, the magics of notebooks, the tab of TensorBoard.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../needs.ts";
import { hasPython, installWheel, quiet, type Installed } from "./wheel.ts";

describe("in Python", needs({ "Python 3.9 with venv": hasPython }), () => {
  let made: Installed;
  beforeAll(() => {
    made = installWheel();
    // A package that looks for a library that is not there, as torch does.
    fs.mkdirSync(path.join(made.site, "torch"), { recursive: true });
    const asking = `raise ImportError("libcudart.so.12: cannot open shared object file: No such file or directory")\n`;
    fs.writeFileSync(path.join(made.site, "torch/__init__.py"), asking);
    stubs(made.site);
  });
  afterAll(() => fs.rmSync(made.scratch, { recursive: true, force: true }));
  const python = (lines: string[], more: { [name: string]: string } = {}) =>
    spawnSync(path.join(made.environment, "bin/python"), ["-c", lines.join("\n")], {
      encoding: "utf8",
      env: quiet(made.scratch, more),
      cwd: made.scratch,
    });
  const said = (lines: string[], more: { [name: string]: string } = {}) => {
    const { status, stdout, stderr } = python(lines, more);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    return stdout;
  };
  const broken = path.resolve("cases/jax-with-older-jaxlib/snapshot.json.gz");

  describe("answers", () => {
    test("are typed, and print as the command does", () => {
      const lines = [
        "import culprit_gpu",
        `answer = culprit_gpu.check(${JSON.stringify(broken)})`,
        "assert answer.status == answer.to_dict()['status'] == 'findings'",
        "finding = answer.findings[0]",
        "assert isinstance(answer, culprit_gpu.Check) and isinstance(finding, culprit_gpu.Finding)",
        "assert finding.rule and finding.message and isinstance(finding.because, tuple)",
        "assert answer.to_dict() is not answer.to_dict() and answer.to_dict() == answer.data",
        "assert '<div' in answer._repr_html_() and answer._repr_markdown_().startswith('```')",
        "print(answer, end='')",
      ];
      const report = spawnSync(process.execPath, [path.resolve("packages/cli/bin/culprit.cjs"), "check", broken], {
        encoding: "utf8",
        env: quiet(made.scratch),
      }).stdout;
      // The command knows that it is a file's machine; `asked` of Python names the same target.
      expect(said(lines)).toBe(report);
    });

    test("of every command", () => {
      const target = path.resolve("cases/h200-healthy/snapshot.json.gz");
      const trace = path.resolve("cases/trace-torch-without-kernels/trace.json");
      const lines = [
        "import culprit_gpu",
        `where = dict(target=${JSON.stringify(target)}, python='/opt/torch/.venv')`,
        "loads = culprit_gpu.loads('torch', do='convolution', **where)",
        "assert any(load.library == 'cudnn' and load.file.startswith('/opt/torch') for load in loads.loads), loads",
        "why = culprit_gpu.why('cudnn', programs='torch', **where)",
        "assert why.requests[0].file and why.losers",
        "listing = culprit_gpu.list('torch', **where)",
        "assert listing.frameworks[0].framework == 'torch' and listing.environments[0].packages",
        `trace = culprit_gpu.trace(${JSON.stringify(trace)})`,
        "assert trace.files[0].verdict == 'no-gpu-events' and trace.files[0].unmatched_launches == 5",
        "explained = culprit_gpu.explain('OSError: libcupti.so.11.2: cannot open shared object file: No such file or directory')",
        "assert explained.diagnoses[0].cause == 'library-missing' and explained.diagnoses[0].evidence[0].line == 1",
        "for answer in (loads, why, listing, trace, explained):",
        "    assert str(answer).strip() and '<div class=\"culprit-gpu\">' in answer._repr_html_(), answer",
        "print(culprit_gpu.__version__)",
      ];
      expect(said(lines).trim()).toBe((JSON.parse(fs.readFileSync("packages/cli/package.json", "utf8")) as { version: string }).version);
    });

    test("what cannot be done is one sentence", () => {
      const failing = (call: string, more: { [name: string]: string } = {}) =>
        said(["import culprit_gpu", "try:", `    ${call}`, "except culprit_gpu.CulpritError as problem:", "    print(problem)"], more);
      expect(failing("culprit_gpu.check('/nowhere')")).toMatch(/^there is no target `\/nowhere`: no such file or folder\n$/);
      expect(failing("culprit_gpu.check()", { CULPRIT_NODE: "/nowhere/node" })).toMatch(/^CULPRIT_NODE=\/nowhere\/node is not a program/);
      expect(failing("culprit_gpu.check(timeout=0.001)")).toBe("there was no answer within 0.001 seconds\n");
      expect(failing("__import__('sys').__setattr__('platform', 'darwin'); culprit_gpu.check()")).toMatch(
        /runs on Linux, and this is macOS/,
      );
    });
  });

  describe("the hook", () => {
    test("explains what concerns a GPU stack, below the traceback", () => {
      const { status, stderr } = python([
        "import culprit_gpu",
        "culprit_gpu.install_excepthook()",
        "culprit_gpu.install_excepthook()",
        "import torch",
      ]);
      expect(status).toBe(1);
      const [traceback, explained] = stderr.split("\nculprit:\n");
      expect(traceback).toMatch(/^Traceback [\s\S]*ImportError: libcudart\.so\.12: cannot open/);
      expect(explained).toContain("libcudart.so.12");
      expect(explained).toContain("library-missing");
      expect(stderr.split("\nculprit:\n")).toHaveLength(2);
    });

    test.each([
      ["1 / 0", "ZeroDivisionError"],
      ["raise RuntimeError('dictionary changed size during iteration')", "RuntimeError"],
      ["raise OSError(28, 'No space left on device')", "OSError"],
      ["raise SystemExit(3)", ""],
    ])("starts nothing for %s", (line, last) => {
      const { stderr } = python(["import culprit_gpu, sys", "culprit_gpu.install_excepthook()", line], {
        // Would be started.
        CULPRIT_NODE: path.join(made.scratch, "never"),
      });
      expect(stderr.trimEnd().split("\n").at(-1)).toContain(last);
      expect(stderr).not.toContain("culprit:");
    });

    test("never fails itself, and calls the hook that was there", () => {
      const lines = [
        "import culprit_gpu, sys",
        "sys.excepthook = lambda kind, value, trace: print('theirs', value, file=sys.stderr)",
        "culprit_gpu.install_excepthook()",
        "raise RuntimeError('CUDA error: no kernel image is available for execution on the device')",
      ];
      expect(python(lines, { CULPRIT_NODE: "/nowhere/node" }).stderr).toBe(
        "theirs CUDA error: no kernel image is available for execution on the device\n",
      );
      const explained = python(lines).stderr;
      expect(explained).toMatch(/^theirs CUDA error: no kernel image is available for execution on the device\n\nculprit:\n/);
    });
  });

  describe("this process", () => {
    test("what the loader has read long ago is not believed to have changed", () => {
      const lines = [
        "import os",
        "from culprit_gpu import _process",
        "os.environ['LD_LIBRARY_PATH'] = '/opt/late'",
        "os.environ['CUDA_VISIBLE_DEVICES'] = '1'",
        "os.environ['NCCL_API_KEY'] = 'secret'",
        "del os.environ['XLA_FLAGS']",
        "print(_process.variables()['LD_LIBRARY_PATH'], _process.variables()['CUDA_VISIBLE_DEVICES'])",
        "print(_process.changed())",
        "print(len(_process.beside()), _process.environments())",
      ];
      expect(said(lines, { LD_LIBRARY_PATH: "/opt/early", XLA_FLAGS: "--x" }).split("\n")).toEqual([
        "/opt/early 1",
        "{'env': {'CUDA_VISIBLE_DEVICES': '1'}, 'unset': ['XLA_FLAGS']}",
        `1 ['${made.environment}']`,
        "",
      ]);
    });
  });

  describe("a notebook", () => {
    // A shell that does what these magics need of IPython; the real one is not there.
    const shell = [
      "import culprit_gpu, types",
      "class Events(dict):",
      "    def register(self, name, call): self.setdefault(name, []).append(call)",
      "    def unregister(self, name, call): self[name].remove(call)",
      "class Shell:",
      "    def __init__(self): self.input_transformers_cleanup, self.events, self.magics = [], Events(), {}",
      "    def register_magic_function(self, call, kind, name): self.magics[kind, name] = call",
      "    def run(self, cell):",
      "        lines = cell.splitlines(keepends=True)",
      "        for transform in self.input_transformers_cleanup: lines = transform(lines)",
      "        error = None",
      "        try: exec(compile(''.join(lines), 'cell', 'exec'), {})",
      "        except Exception as problem: error = problem",
      "        info = types.SimpleNamespace(raw_cell=cell)",
      "        for call in self.events.get('post_run_cell', []): call(types.SimpleNamespace(info=info, error_in_exec=error, error_before_exec=None))",
      "        return error",
      "shell = Shell()",
      "culprit_gpu.load_ipython_extension(shell)",
      "culprit_gpu.load_ipython_extension(shell)",
    ];

    test("%culprit looks at the kernel, and takes any command", () => {
      const lines = [
        ...shell,
        "magic = shell.magics['line_cell', 'culprit']",
        "kernel = magic('')",
        "assert kernel.loaded is None and kernel.packages.asked[:2] == ('check', '--python'), kernel",
        "assert 'The packages of this kernel' in kernel._repr_html_() and str(kernel)",
        `why = magic(${JSON.stringify(`check ${broken}`)})`,
        "assert why.findings",
        "print(magic('--version'), magic('chekc'), end='')",
        "magic('check /nowhere')",
      ];
      expect(said(lines)).toMatch(/^culprit \d.*\n .*did you mean `check`\?\nculprit: there is no target `\/nowhere`/);
    });

    test("%%culprit explains the cell that fails, and changes no other", () => {
      const lines = [
        ...shell,
        "print(shell.run('%%culprit\\nprint(6 * 7)'))",
        "error = shell.run('%%culprit\\n\\nimport torch')",
        "print(error.__traceback__.tb_next.tb_lineno)",
        "shell.run('import torch')",
        "culprit_gpu.unload_ipython_extension(shell)",
        "print(type(shell.run('%%culprit\\nimport torch')).__name__)",
      ];
      const [value, none, displayed, line, last, ...rest] = said(lines).trimEnd().split("\n");
      expect([value, none, line, last, rest]).toEqual(["42", "None", "3", "SyntaxError", []]);
      expect(displayed).toMatch(/^displayed Explanation library-missing/);
    });
  });

  describe("the tab of TensorBoard", () => {
    const start = [
      "import json, os, sys, time, types",
      "from importlib.metadata import distribution",
      "entry, = [each for each in distribution('culprit-gpu').entry_points if each.group == 'tensorboard_plugins']",
      "def make(logdir, **flags): return entry.load()(types.SimpleNamespace(logdir=logdir, flags=types.SimpleNamespace(logdir_spec='', **flags)))",
      "def get(plugin, route, method='GET'):",
      "    heads = []",
      "    body = b''.join(plugin.get_plugin_apps()[route]({'REQUEST_METHOD': method}, lambda status, headers: heads.append((status, dict(headers)))))",
      "    return heads[0][0], heads[0][1], body",
    ];

    test("is there where the logdir holds profiles, and tells of each", () => {
      const logdir = path.join(made.scratch, "logs");
      fs.mkdirSync(path.join(logdir, "empty"), { recursive: true });
      fs.mkdirSync(path.join(logdir, "full/plugins/profile/1"), { recursive: true });
      fs.copyFileSync(
        "cases/trace-tensorflow-stopped-too-early/trace.xplane.pb",
        path.join(logdir, "full/plugins/profile/1/host.xplane.pb"),
      );
      fs.copyFileSync("cases/trace-torch-without-kernels/trace.json", path.join(logdir, "full/host.1.pt.trace.json"));
      // The same recording for the trace viewer.
      fs.writeFileSync(path.join(logdir, "full/plugins/profile/1/host.trace.json.gz"), "");
      const lines = [
        ...start,
        `empty, full = make(${JSON.stringify(path.join(logdir, "empty"))}), make(${JSON.stringify(path.join(logdir, "full"))})`,
        "remote = make('gs://bucket/logs')",
        "deadline = time.monotonic() + 100",
        "while not full.is_active() and time.monotonic() < deadline: pass",
        "print(empty.is_active(), full.is_active(), remote.is_active())",
        "while True:",
        "    status, headers, body = get(full, '/answers')",
        "    answer = json.loads(body)",
        "    if answer['state'] == 'done' or deadline < time.monotonic(): break",
        "    time.sleep(0.2)",
        "assert headers['X-Content-Type-Options'] == 'nosniff', headers",
        "for row in answer['profiles']: print(row['name'], row['answer']['verdict'], '<div' in row['answer']['html'])",
        "print(answer['machine']['status'], get(full, '/answers', 'POST')[0])",
      ];
      const expected = JSON.parse(fs.readFileSync("cases/trace-tensorflow-stopped-too-early/diagnosis.json", "utf8")) as {
        files: { verdict: string }[];
      };
      expect(said(lines).trimEnd().split("\n")).toEqual([
        "False True False",
        "host.1.pt.trace.json no-gpu-events True",
        `plugins/profile/1/host.xplane.pb ${expected.files[0]!.verdict} True`,
        "nothing-to-check 405 Method Not Allowed",
      ]);
    });

    test("its page is a module without scripts or styles in markup, which TensorBoard's policy would refuse", () => {
      const lines = [
        ...start,
        "plugin = make('/nowhere')",
        "print(vars(plugin.frontend_metadata()))",
        "for route in ('/tensorboard.js', '/tensorboard.css'):",
        "    status, headers, body = get(plugin, route)",
        "    print(status, headers['Content-Type'], len(body) > 500)",
        "print(get(plugin, '/tensorboard.js')[2].decode())",
      ];
      const [metadata, js, css, ...source] = said(lines).split("\n");
      expect(metadata).toBe("{'es_module_path': '/tensorboard.js', 'tab_name': 'Culprit'}");
      expect([js, css]).toEqual(["200 OK text/javascript; charset=utf-8 True", "200 OK text/css; charset=utf-8 True"]);
      expect(source.join("\n")).toContain("export async function render()");
      expect(source.join("\n")).not.toMatch(/\beval\(|innerHTML|new Function|\bstyle\b *[=:]|https?:/);
    });
  });
});

/** What the extension and the plugin ask IPython and TensorBoard for, no more: the real ones are large, and not at hand. */
function stubs(site: string): void {
  fs.mkdirSync(path.join(site, "IPython/core"), { recursive: true });
  fs.writeFileSync(path.join(site, "IPython/__init__.py"), "def get_ipython(): return None\n");
  fs.writeFileSync(path.join(site, "IPython/core/__init__.py"), "");
  fs.writeFileSync(path.join(site, "IPython/core/error.py"), "class UsageError(Exception): pass\n");
  fs.writeFileSync(
    path.join(site, "IPython/display.py"),
    "def display(answer): print('displayed', type(answer).__name__, answer.diagnoses[0].cause, '<div' in answer._repr_html_())\n",
  );
  fs.mkdirSync(path.join(site, "tensorboard/plugins"), { recursive: true });
  fs.writeFileSync(path.join(site, "tensorboard/__init__.py"), "");
  fs.writeFileSync(path.join(site, "tensorboard/plugins/__init__.py"), "");
  fs.writeFileSync(
    path.join(site, "tensorboard/plugins/base_plugin.py"),
    [
      "class TBPlugin:",
      "    def __init__(self, context): pass",
      "class FrontendMetadata:",
      "    def __init__(self, **given): self.__dict__.update(given)",
      "",
    ].join("\n"),
  );
}
