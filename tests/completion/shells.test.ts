// Completion in real shells: what each of them offers when somebody presses the key.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { commands } from "../../packages/cli/src/commands.ts";
import { needs } from "../needs.ts";

const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "culprit-completion-")));
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));
fs.writeFileSync(path.join(scratch, "requirements.txt"), "");
const has = (command: string) => spawnSync("sh", ["-c", `command -v ${command}`]).status === 0;
const env = { PATH: process.env["PATH"] ?? "", HOME: scratch, TERM: "dumb", LC_ALL: "C.UTF-8" };

function scriptFor(shell: string): string {
  const { stdout, stderr, status } = spawnSync(process.execPath, ["dist/cli.js", "completion", shell], { encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const file = path.join(scratch, shell === "zsh" ? "_culprit" : `culprit.${shell}`);
  fs.writeFileSync(file, stdout);
  return file;
}

/** What a shell offers for the last word of a line. */
const offers: { [shell: string]: (line: string) => string[] } = {
  bash: (line) => {
    const words = line.split(" ");
    const array = words.map((word) => `'${word}'`).join(" ");
    // `compopt` works only while the key is handled; what it is told is told to us.
    const script = `compopt() { echo "(compopt $*)"; }; . "$1"; COMP_WORDS=(${array}); COMP_CWORD=${words.length - 1}; _culprit; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return run("bash", ["--norc", "-c", script, "bash", scriptFor("bash")]);
  },
  fish: (line) =>
    run("fish", ["--no-config", "-c", `source ${scriptFor("fish")}; complete -C '${line}'`]).map((each) => each.split("\t")[0]!),
  zsh: (line) => {
    scriptFor("zsh");
    fs.writeFileSync(path.join(scratch, "ask.zsh"), askZsh);
    return run("zsh", ["-f", path.join(scratch, "ask.zsh"), line]);
  },
};

// A shell in a terminal of its own, in which compadd writes down what would be shown.
const askZsh = String.raw`
zmodload zsh/zpty
zpty asked zsh -f -i
zpty -w asked "PS1=; stty columns 500 -echo; fpath=(${scratch} \$fpath); autoload -Uz compinit; compinit -u -D; bindkey '^I' complete-word; zstyle ':completion:*' list-grouped false"
zpty -w asked 'compadd () { local -a _m; builtin compadd -O _m "$@"; print -rl -- "offer:"$^_m"<" > /dev/tty; builtin compadd "$@" }'
zpty -w asked 'complete-all () { zle complete-word; print -r -- "asked:end" > /dev/tty; exit }; zle -N complete-all; bindkey "^I" complete-all; cd ${scratch}; print "asked:ready"'
while zpty -r asked out; do [[ $out == *asked:ready* ]] && break; done
zpty -n -w asked "$1"$'\t'
all=""
while zpty -r asked out; do all+=$out; [[ $out == *asked:end* ]] && break; done
print -r -- "$all" | tr '\r' '\n' | sed -n 's/.*offer:\(.*\)<.*/\1/p'
`;

function run(program: string, given: string[]): string[] {
  const { stdout, stderr, error } = spawnSync(program, given, { encoding: "utf8", env, cwd: scratch, timeout: 60_000 });
  if (error) throw error;
  expect(stderr).toBe("");
  return stdout.split("\n").filter((line) => line !== "");
}

describe.each(["bash", "fish", "zsh"])("%s", (shell) => {
  const withShell = needs({ [shell]: has(shell) });
  const offered = (line: string) => offers[shell]!(line);

  test("commands", withShell, () => {
    expect(offered("culprit ")).toEqual(expect.arrayContaining(commands.map(({ name }) => name)));
    expect(offered("culprit exp").filter((each) => !each.startsWith("("))).toEqual(["explain"]);
  });

  test("options of the command, and of no other", withShell, () => {
    expect(offered("culprit trace --e")).toContain("--expect");
    expect(offered("culprit check --s")).toEqual(expect.arrayContaining(["--sarif", "--shell"]));
    expect(offered("culprit trace --sar")).toEqual([]);
    // Without a command, check is meant.
    expect(offered("culprit --sar")).toContain("--sarif");
  });

  test("values", withShell, () => {
    expect(offered("culprit check --shell l")).toEqual(["login"]);
    expect(offered("culprit check --format ")).toEqual(expect.arrayContaining(["concise", "github", "junit"]));
    expect(offered("culprit completion f")).toEqual(["fish"]);
  });

  test("lists with commas", withShell, () => {
    const ends = offered("culprit loads torch --do matmul,conv").map((each) => each.split(",").at(-1));
    expect(ends).toContain("convolution");
  });

  test("frameworks, rules and files", withShell, () => {
    expect(offered("culprit loads torcha")).toContain("torchaudio");
    expect(offered("culprit fix two-c")).toContain("two-copies");
    const files = offered("culprit explain req");
    // bash itself offers files where it is told to.
    expect(files).toContain(shell === "bash" ? "(compopt -o default)" : "requirements.txt");
  });
});

test("another shell is one sentence", () => {
  const { status, stderr } = spawnSync(process.execPath, ["dist/cli.js", "completion", "csh"], { encoding: "utf8" });
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: "culprit: `culprit completion` takes the name of one shell: bash, zsh or fish\n",
  });
});
