// Projects whose dependency files try to make culprit read, and repeat, what they must not.
import fs from "node:fs";
import path from "node:path";
import type { Dice } from "../fuzz/fuzz.ts";

export interface Trap {
  /** The file to check, in a project of its own. */
  file: string;
  /** Never to be seen. */
  secret: string;
  how: string;
}

/** What lies outside of the project, and a file in it that is no dependency file, both full of lines with the secret. */
const linesWith = (secret: string) =>
  `${secret}==1.0\n${secret}\n${secret} is secret\npassword ${secret}\nKEY=${secret}\n-r ${secret}.txt\n--index-url https://x/${secret}\n`;

export function setTrap(folder: string, dice: Dice, secret: string): Trap {
  const project = path.join(folder, "a/project");
  const outside = path.join(folder, "a/elsewhere");
  fs.mkdirSync(path.join(project, "sub/deeper"), { recursive: true });
  fs.mkdirSync(outside, { recursive: true });
  for (const name of ["secret.txt", "requirements.txt", "environment.yml", "Dockerfile", "pyproject.toml"])
    fs.writeFileSync(path.join(outside, name), linesWith(secret));
  for (const name of [".env", "id_rsa", "credentials"]) fs.writeFileSync(path.join(project, name), linesWith(secret));
  // Called like a list, and none: no line of it is one.
  fs.writeFileSync(path.join(project, "notes.txt"), `my ${secret} is\npassword: ${secret}\n${secret} ${secret}\n`);
  fs.writeFileSync(path.join(project, "key.txt"), `-----BEGIN OPENSSH PRIVATE KEY-----\n${secret}\n-----END OPENSSH PRIVATE KEY-----\n`);
  if (dice.chance(2)) fs.mkdirSync(path.join(project, ".git"));
  fs.symlinkSync(outside, path.join(project, "linked"));
  fs.symlinkSync("../elsewhere/secret.txt", path.join(project, "inside.txt"));
  fs.symlinkSync(path.join(outside, "requirements.txt"), path.join(project, "sub/requirements.txt"));
  fs.symlinkSync("/proc/self/environ", path.join(project, "environ.txt"));
  fs.symlinkSync("loop.txt", path.join(project, "loop.txt"));
  fs.symlinkSync("..", path.join(project, "sub/up"));
  fs.mkdirSync(path.join(project, "folder.txt"), { recursive: true });
  const name = dice.pick(["secret.txt", "requirements.txt"]);
  const up = () => "../".repeat(1 + dice.below(4));
  const target = dice.pick([
    path.join(outside, name),
    `../elsewhere/${name}`,
    `./../elsewhere/${name}`,
    `sub/../../elsewhere/${name}`,
    `sub/deeper/../../../elsewhere//${name}`,
    `linked/${name}`,
    `./linked/../elsewhere/${name}`,
    "inside.txt",
    "sub/requirements.txt",
    `sub/up/../elsewhere/${name}`,
    `sub/up/up/linked/${name}`,
    "environ.txt",
    "/proc/self/environ",
    "/proc/thread-self/environ",
    `/proc/${process.pid}/environ`,
    "/proc/self/root/proc/self/environ",
    `/proc/self/cwd/../elsewhere/${name}`,
    `/proc/self/root${outside}/${name}`,
    "/dev/stdin",
    "/dev/fd/0",
    "/dev/zero",
    "/dev/tty",
    "loop.txt",
    "folder.txt",
    ".env",
    "id_rsa",
    "credentials",
    "notes.txt",
    "key.txt",
    `${up()}elsewhere/${name}`,
    `${up()}${up()}etc/passwd`,
    `file://${outside}/${name}`,
    `https://me:${secret}@host.example/${name}`,
    `HTTPS://${secret}@host.example/requirements.txt`,
    `git+https://oauth2:${secret}@host.example/x.git`,
    `\${HOME}/../elsewhere/${name}`,
    `~/elsewhere/${name}`,
  ]);
  const [file, text] = dice.pick<() => [string, string]>([
    () => [
      "requirements.txt",
      `torch==2.4.1\n${dice.pick(["-r ", "-r", "-c ", "--requirement ", "--requirement=", "--constraint=", "-e ", "--find-links ", "--index-url "])}${dice.pick(["", '"', "'"]).replace(/(.)/, "$1")}${target}\n`,
    ],
    () => ["requirements.txt", `-r first.txt\n`],
    () => [
      "pyproject.toml",
      `[project]\nname = "x"\nversion = "1"\ndependencies = ["torch==2.4.1", ${JSON.stringify(`x @ file://${target}`)}, ${JSON.stringify(`${secret} is ${secret}`)}]\n[tool.uv]\nfind-links = [${JSON.stringify(target)}]\n[[tool.uv.index]]\nname = "x"\nurl = "https://me:${secret}@host.example"\n`,
    ],
    () => [
      "environment.yml",
      `dependencies:\n  - python=3.11\n  - pip:\n    - torch==2.4.1\n    - -r ${target}\n    - ${JSON.stringify(`${secret} !! ${secret}`)}\n`,
    ],
    () => [
      "Dockerfile",
      `FROM python:3.11\nCOPY ${target} /tmp/r.txt\nRUN pip install -r ${dice.pick([target, `/tmp/${path.basename(target)}`, "/tmp/r.txt"])}\nRUN conda env create -f ${target}\n`,
    ],
    () => [
      ".devcontainer/devcontainer.json",
      JSON.stringify({ build: { dockerfile: dice.pick([target, `../${target}`]) }, postCreateCommand: `pip install -r ${target}` }),
    ],
    () => [
      ".github/workflows/ci.yml",
      `on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: pip install -r ${target}\n`,
    ],
    () => [
      "n.ipynb",
      JSON.stringify({
        nbformat: 4,
        nbformat_minor: 5,
        metadata: {},
        cells: [{ cell_type: "code", metadata: {}, execution_count: null, outputs: [], source: `!pip install -r ${target}` }],
      }),
    ],
  ])();
  fs.mkdirSync(path.dirname(path.join(project, file)), { recursive: true });
  fs.rmSync(path.join(project, file), { force: true });
  fs.writeFileSync(path.join(project, file), text);
  fs.writeFileSync(path.join(project, "first.txt"), `numpy==1.26.4\n-r second.txt\n`);
  fs.writeFileSync(path.join(project, "second.txt"), `-r ${target}\n-c ${target}\n`);
  return { file: path.join(project, file), secret, how: `${file}: ${target}` };
}
