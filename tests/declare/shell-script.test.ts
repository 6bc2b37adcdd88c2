import { expect, test } from "vitest";
import { asked, declared, short } from "./declared.ts";

test("a script: variables, continuations, folders, heredocs and functions, with their lines", async () => {
  const text = `#!/usr/bin/env bash
set -euo pipefail
TORCH=2.5.1
cat > Dockerfile <<'EOF'
FROM python:3.8
RUN pip install tensorflow==1.15.0
EOF
install_cpu() {
  pip install torch==2.0.0 --index-url https://download.pytorch.org/whl/cpu
}
function main() {
  cd server
  sudo -H python3.11 -m pip install \\
    "torch==$TORCH" \\
    torchvision==0.19.1
  pip install -r requirements.txt
}
bash <<EOF
pip install "numpy<2"
EOF
main "$@"
`;
  const answer = await declared("scripts/install.sh", text, { beside: { "server/requirements.txt": "pandas==2.2.2\n" } });
  expect(short(answer)).toEqual(["error requirements-clash 15"]);
  expect(answer.check.findings[0]!.place).toMatchObject({ column: 5, endColumn: 24 });
  expect(asked(answer)).toContain("pandas 2.2.2");
  expect(answer.check.unknown).toEqual([
    { subject: "scripts/install.sh:9", kind: "file", reason: "judged both where `install_cpu` is called and where not", aside: true },
  ]);
  const fine = text.replace("0.19.1", "0.20.1").replace(/install_cpu\(\)[^}]*\}\n/, "");
  const silent = await declared("install.sh", fine, { beside: { "server/requirements.txt": "numpy\n" } });
  expect([short(silent), silent.check.unknown, silent.check.status]).toEqual([[], [], "ok"]);
});

test("several environments are judged one by one, one is the whole", async () => {
  const one = "python3 -m venv .venv\nsource .venv/bin/activate\npip install torch==2.5.1 torchvision==0.20.1\n";
  const other = "deactivate\nconda create -n old python=3.10 -y\nconda activate old\npip install torch==2.0.1\n";
  const answer = await declared("setup.sh", one + other);
  expect([short(answer), answer.check.status]).toEqual([[], "ok"]);
  expect(answer.check.judged.map(({ version }) => version)).toEqual(["2.5.1+cu124", "2.0.1+cu117"]);
  // Without the second environment, the second torch is put under the first torchvision.
  expect(short(await declared("setup.sh", `${one}pip install torch==2.0.1\n`))).toContain("warning pins-not-met 4");
});

test.each([
  "python -m uv pip install torch==2.5.1 torchvision==0.19.1",
  "python3.10 -m uv pip install --system torch==2.5.1 torchvision==0.19.1",
  "uvx pip install torch==2.5.1 torchvision==0.19.1",
  "uv --no-progress pip install torch==2.5.1 torchvision==0.19.1",
  "uv run pip install torch==2.5.1 torchvision==0.19.1",
  "pip3.11 install torch==2.5.1 torchvision==0.19.1",
  "sudo -H pip install torch==2.5.1 torchvision==0.19.1",
  "sudo -H -u builder env A=b pip3 install torch==2.5.1 torchvision==0.19.1",
  "conda run -n x pip install torch==2.5.1 torchvision==0.19.1",
  "conda run --no-capture-output -n x python -m pip install torch==2.5.1 torchvision==0.19.1",
  "micromamba run -n x pip install torch==2.5.1 torchvision==0.19.1",
  "mamba run -p /x pip install torch==2.5.1 torchvision==0.19.1",
  "poetry run pip install torch==2.5.1 torchvision==0.19.1",
  "$PIP install torch==2.5.1 torchvision==0.19.1",
  '"${PYTHON}" -m pip install torch==2.5.1 torchvision==0.19.1',
  ".venv/bin/pip install torch==2.5.1 torchvision==0.19.1",
  `bash -lc "pip install torch==2.5.1 torchvision==0.19.1"`,
  "srun -n 1 --gres gpu:1 pip install torch==2.5.1 torchvision==0.19.1",
])("`%s` is read", async (line) => {
  expect(short(await declared("install.sh", `${line}\n`))).toEqual(["error requirements-clash 1"]);
  expect(short(await declared("Dockerfile", `FROM python:3.11\nRUN ${line}\n`))).toEqual(["error requirements-clash 2"]);
});

test("what never ends, ends", async () => {
  const itself = `X='bash -c "$X"'\nbash -c "$X"\n`;
  expect((await declared("a.sh", itself)).check.status).toBe("nothing-to-check");
  for (const text of ["", "cat <<EOF\n".repeat(10_000), "f() {\n".repeat(10_000), "if true; then\n".repeat(10_000), "'"])
    expect((await declared("a.sh", text)).check.findings).toEqual([]);
  await expect(declared("a.sh", "pip install torch\0==2.5.1\n")).rejects.toThrow("is neither a dependency file");
});

test("a command that a variable holds is told where it is not known", async () => {
  const { check } = await declared("a.sh", "$INSTALL torch\npip install torch==2.5.1\n");
  expect([check.status, check.unknown.map(({ subject, reason }) => `${subject} ${reason}`)]).toEqual([
    "incomplete",
    ["a.sh:1:1 what is installed here depends on a variable"],
  ]);
  // One that is set in a branch is judged with and without it.
  const either = 'if command -v nvidia-smi; then\n  INSTALL="pip install torch==2.5.1"\nfi\n$INSTALL\npip install torch==2.5.1\n';
  expect((await declared("a.sh", either)).check.status).toBe("ok");
  // One that is known is read.
  expect(short(await declared("a.sh", 'INSTALL="pip install"\n$INSTALL torch==2.5.1 torchvision==0.19.1\n'))).toEqual([
    "error requirements-clash 2",
  ]);
});

// `bash -n` refuses the first three and takes the others.
test("a quote that is never closed is told with its line and column, in every shell, and nothing is green", async () => {
  const unread = async (file: string, text: string) => {
    const { check } = await declared(file, text);
    return [check.status, ...check.unknown.filter(({ aside }) => !aside).map(({ subject, reason }) => `${subject} ${reason}`)];
  };
  const reason = (column: number) => `the quote in column ${column} is never closed: what follows cannot be read, and no shell runs it`;
  expect(await unread("install.sh", "echo it's\npip install torch==2.5.1\n")).toEqual(["incomplete", `install.sh:1:8 ${reason(8)}`]);
  expect(await unread("install.sh", 'pip install torch==2.5.1\necho "one\ntwo" \'three\n')).toEqual([
    "incomplete",
    `install.sh:3:6 ${reason(6)}`,
  ]);
  expect(await unread("Makefile", "a:\n\tpip install 'torch==2.3.1\n")).toEqual(["incomplete", `Makefile:2:14 ${reason(14)}`]);
  expect(await unread("Dockerfile", "FROM python:3.11\nRUN pip install 'torch==2.3.1\n")).toEqual([
    "incomplete",
    `Dockerfile:2 ${reason(17)}`,
  ]);
  for (const fine of [
    "echo $'it\\'s'\n",
    "A=`aws --query 'Stacks[?Key==\\`Group\\`].Value' --text`\n",
    "echo \"it's\" # don't\n",
    "cat <<EOF\nit's\nEOF\n",
  ])
    expect(await unread("install.sh", `${fine}pip install torch==2.5.1\n`)).toEqual(["ok"]);
});

test("a wheel that was made before is no word that pip cannot read", async () => {
  const { check } = await declared("install.sh", "pip install torch==2.5.1\npip install app-*.whl dist/*.whl --no-deps\n");
  // What it asks for, nobody sees.
  expect(check.unknown.map(({ subject }) => subject)).toEqual(["`app-*.whl` at install.sh:2", "`dist/*.whl` at install.sh:2"]);
  expect(check.unknown.map(({ reason }) => reason).join()).not.toContain("cannot read");
});

test("a script that is fetched and run may install anything; one of a tool does not", async () => {
  const unknowns = async (line: string) => (await declared("install.sh", `${line}\npip install torch==2.5.1\n`)).check.unknown;
  for (const line of [
    "curl -fsSL https://example.org/setup.sh | bash",
    "curl -fsSL https://example.org/setup.sh | sudo -E bash -s -- --yes",
    "wget -qO- https://example.org/setup.sh | sh",
    'bash -c "$(curl -fsSL https://example.org/setup.sh)"',
    "bash <(curl -s https://example.org/setup.sh)",
  ])
    expect(await unknowns(line), line).toMatchObject([{ reason: "what the script that is fetched here installs is not known" }]);
  for (const line of [
    "curl -LsSf https://astral.sh/uv/install.sh | sh",
    "curl https://sh.rustup.rs -sSf | sh -s -- -y",
    "curl -fsSL https://example.org/data.tar | tar x",
    "curl -fsSL https://example.org/setup.sh -o setup.sh",
  ])
    expect(await unknowns(line), line).toEqual([]);
});

test("pixi brings what its lock says", async () => {
  const manifest =
    '[workspace]\nchannels = ["conda-forge"]\nplatforms = ["linux-64"]\n[dependencies]\npython = "3.13.*"\n[pypi-dependencies]\ntorch = "==2.3.1"\n';
  expect(short(await declared("install.sh", "pixi install\n", { beside: { "pixi.toml": manifest } }))).toEqual([
    "error no-wheel-for-python 7",
  ]);
  expect((await declared("install.sh", "pixi run train\n")).check.status).toBe("incomplete");
});

test.each([
  ["if", 'pip install torch==2.5.1\nif [ -n "$X" ]; then\n  pip install numpy\n', "install.sh:2"],
  ["for", "pip install torch==2.5.1\nfor x in a b; do\n  pip install numpy\n", "install.sh:2"],
  ["while", "pip install torch==2.5.1\nwhile read x; do\n  pip install numpy\n", "install.sh:2"],
  ["case", "pip install torch==2.5.1\ncase $X in\n  a) pip install numpy;;\n", "install.sh:2"],
])("a script whose `%s` never ends is run by no shell", async (_, text, line) => {
  const { check } = await declared("install.sh", text);
  expect(check.status).toBe("incomplete");
  expect(check.unknown.filter(({ aside }) => !aside)).toEqual([
    expect.objectContaining({ subject: expect.stringContaining(line), reason: expect.stringContaining("is never ended by") }),
  ]);
});

test.each([
  'if [ -n "$X" ]; then pip install numpy; fi\nfor x in a b; do pip install numpy; done\ncase $X in a) pip install numpy;; esac\n',
  "if true; then\n  for x in a b; do echo $x; done\nelif false; then :\nelse\n  while read y; do :; done < list\nfi\n",
  'if [ -n "$X" ]; then\n  exit 1\nfi\necho if then for do\n',
  "for x in 1 2; do if [ $x = 1 ]; then continue; fi; done\n",
  "until false; do break; done\nselect x in a b; do break; done\nfor ((i=0;i<3;i++)); do echo $i; done\n",
  "f() { if true; then return; fi; }\nf\n(cd x; for y in *; do echo $y; done)\n",
])("a script that ends all that it begins is judged: %j", async (text) => {
  const { check } = await declared("install.sh", `pip install torch==2.5.1\n${text}`);
  expect([check.unknown.filter(({ aside }) => !aside), check.status]).toEqual([[], "ok"]);
});

const open = 'if [ -n "$X" ]; then pip install numpy';
const image = (run: string) => `FROM python:3.11\nRUN pip install torch==2.5.1\n${run}\n`;
const workflow = (step: string) =>
  `on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n    - run: pip install torch==2.5.1\n${step}`;
const makefile = (recipe: string) => `install:\n\tpip install torch==2.5.1\n${recipe}`;

test.each([
  ["Dockerfile", image(`RUN ${open}`), "Dockerfile:3", "`if` is never ended by `fi`"],
  ["Dockerfile", image(`RUN ["bash", "-c", "for x in a; do echo"]`), "Dockerfile:3", "`for` is never ended by `done`"],
  ["Dockerfile", image(`RUN bash -c 'while read x; do echo'`), "Dockerfile:3", "`while` is never ended by `done`"],
  ["Dockerfile", image("RUN pip install numpy; fi"), "Dockerfile:3", "`fi` ends nothing"],
  ["Dockerfile", image("RUN for x in a b; do if [ $x = a ]; then echo; done"), "Dockerfile:3", "`if` is never ended by `fi`"],
  ["Dockerfile", image(`RUN <<EOF\n${open}\nEOF`), "Dockerfile:4", "`if` is never ended by `fi`"],
  ["Makefile", makefile(`\t${open.replace("$", "$$")}\n`), "Makefile:3", "`if` is never ended by `fi`"],
  ["Makefile", makefile("\tfor x in a b; do \\\n\techo $$x\n"), "Makefile:3", "`for` is never ended by `done`"],
  [".github/workflows/a.yml", workflow(`    - run: |\n        ${open}\n`), "a.yml:8", "`if` is never ended by `fi`"],
  ["install.sh", "pip install torch==2.5.1\nesac\n", "install.sh:2", "`esac` ends nothing"],
])("a block that is open at the end of its shell is told: %s", async (file, text, line, why) => {
  const { check } = await declared(file, text);
  expect(check.unknown.filter(({ aside }) => !aside)).toEqual([
    expect.objectContaining({ subject: expect.stringContaining(line), reason: expect.stringContaining(why) }),
  ]);
  expect(check.status).toBe("incomplete");
});

test.each([
  ["Dockerfile", image(`RUN if [ -n "$X" ]; then \\\n  # a comment\n  pip install numpy; \\\n  fi`)],
  ["Dockerfile", image(`RUN <<EOF\n${open}\nfi\nEOF`)],
  ["Dockerfile", image(`RUN if echo "$X" | grep -q a; then Y=$(echo "$X" | grep -oP 'A=[^)]+(?=\\))'); echo "$Y" >> z; fi`)],
  ["Dockerfile", image(`RUN if true; then Y="$(echo "it's (a" | cut -c1)"; Z=$(echo \\)); fi`)],
  ["Dockerfile", image("RUN case $X in a|b) echo;; (c) echo;; *) for i in 1 2; do echo $i; done; esac")],
  ["Dockerfile", image("RUN for ((i=0; i<3; i++)); do echo done; done && echo fi && f() { if true; then echo; fi; } && f")],
  ["Makefile", `.ONESHELL:\n${makefile(`\t@${open.replace("$", "$$")}\n\n\t@fi\n`)}`],
  [".github/workflows/a.yml", workflow("    - run: |\n        cat > a.py <<EOF\n        for x in y:\n          print(x)\n        EOF\n")],
  [".github/workflows/a.yml", workflow("    - shell: pwsh\n      run: |\n        if ($true) { echo 'a' }\n")],
  [".github/workflows/a.yml", workflow("    - shell: python\n      run: |\n        if True:\n          print(1)\n")],
])("what ends its blocks is read: %s", async (file, text) => {
  const { check } = await declared(file, text);
  expect(check.unknown.filter(({ aside }) => !aside)).toEqual([]);
  expect(check.status).toBe("ok");
});
