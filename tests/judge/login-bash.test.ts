// What a login shell leaves, asked of a real bash that takes itself for one before a terminal, and of dash where no file is bash's own.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openTarget } from "../../packages/core/src/index.ts";
import { settle } from "../../packages/core/src/ask/settle.ts";
import { loginShell } from "../../packages/core/src/survey/login.ts";
import { readVariableSources } from "../../packages/core/src/survey/variables.ts";
import { root } from "../../packages/machine/src/target/index.ts";
import { hasTool } from "../elf/readelf.ts";
import { temporary } from "../loader/tree.ts";
import { needs } from "../needs.ts";

const { folder, remove } = temporary();
afterAll(remove);

const name = "LD_LIBRARY_PATH";
const guard = "case $- in\n    *i*) ;;\n      *) return;;\nesac\n";
const debian =
  'if [ -n "$BASH_VERSION" ]; then\n    # include .bashrc if it exists\n    if [ -f "$HOME/.bashrc" ]; then\n\t. "$HOME/.bashrc"\n    fi\nfi\n';

type Home = { [file: string]: string };

let count = 0;
/** The value that a shell of a home gets, and what we say; undefined: not set. `told`: whether we say that we cannot tell. */
async function both(home: Home, shell: "bash" | "dash") {
  count += 1;
  const top = path.join(folder, String(count));
  const at = path.join(top, "home/u");
  for (const [file, text] of Object.entries(home)) {
    fs.mkdirSync(path.dirname(path.join(at, file)), { recursive: true });
    fs.writeFileSync(path.join(at, file), text);
  }
  const command = `[ -z "\${${name}+x}" ] || printf 'set:%s' "$${name}"`;
  const { stdout } = spawnSync(shell, shell === "bash" ? ["--login", "-i", "-c", command] : ["-l", "-c", command], {
    env: { HOME: at, PATH: process.env["PATH"] ?? "", PS1: "$ " },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const real = /set:(.*)$/.exec(stdout)?.[1]?.replaceAll(at, "/home/u");
  const examination = await openTarget(root(top), { environment: { HOME: "/home/u" } });
  const { environment, unclear } = await settle(examination, (view) => loginShell(view, ["HOME"]));
  const places = await settle(examination, (view) => readVariableSources(view, []));
  return {
    real,
    ours: environment[name],
    told: unclear.some(({ reason }) => reason.includes(name)),
    places: places.filter((each) => each.name === name).map(({ file, line }) => `${file.replace("/home/u/", "")}:${line}`),
  };
}

const set = (value: string) => `export ${name}=${value}\n`;

describe("a home", needs({ bash: hasTool("bash") }), () => {
  test.each<[string, Home, string[]]>([
    ["with one line", { ".profile": set("/a") }, [".profile:1"]],
    ["with several on a line", { ".profile": `export PATH=/bin:$PATH ${name}=/a\n` }, [".profile:1"]],
    ["with several commands on a line", { ".profile": `CUDA=/a; export ${name}=$CUDA/lib\n` }, [".profile:1"]],
    ["whose words are made before", { ".profile": `CUDA=/a\nexport CUDA=/b ${name}=$CUDA/lib\n` }, [".profile:2"]],
    ["whose assignments follow each other", { ".profile": `CUDA=/a\nCUDA=/b ${name}=$CUDA/lib\nexport ${name}\n` }, [".profile:2"]],
    ["that reads a script in", { ".profile": ". ~/lab/setup.sh\n", "lab/setup.sh": set("/a") }, ["lab/setup.sh:1"]],
    ["that sources one", { ".profile": 'source "$HOME/lab/setup.sh"\n', "lab/setup.sh": set("/a") }, ["lab/setup.sh:1"]],
    ["that asks before", { ".profile": "[ -f ~/s ] && . ~/s\n", s: set("/a") }, ["s:1"]],
    ["that asks for what is not there", { ".profile": "[ -f ~/s ] && . ~/s\n", other: set("/a") }, []],
    ["that asks on one line", { ".profile": 'if [ -r "${HOME}/s" ]; then . "${HOME}/s"; fi\n', s: set("/a") }, ["s:1"]],
    ["as Debian makes it", { ".profile": debian, ".bashrc": `${guard}${set("/a")}` }, [".bashrc:5"]],
    ["with another guard", { ".profile": debian, ".bashrc": `[ -z "$PS1" ] && return\n${set("/a")}` }, [".bashrc:2"]],
    ["as Fedora makes it", { ".bash_profile": "if [ -f ~/.bashrc ]; then\n\t. ~/.bashrc\nfi\n", ".bashrc": set("/a") }, [".bashrc:1"]],
    ["whose .profile bash does not read", { ".bash_profile": set("/a"), ".profile": set("/b") }, [".bash_profile:1", ".profile:1"]],
    ["whose .bashrc nothing reads", { ".profile": "# nothing\n", ".bashrc": set("/a") }, [".bashrc:1"]],
    ["with a chain", { ".profile": ". ~/a\n", a: ". ~/b\n", b: set("/a") }, ["b:1"]],
    ["with a circle that ends", { ".profile": ". ~/a\n", a: `[ "$DONE" ] && return\nDONE=1\n. ~/a\n${set("/a")}` }, ["a:4"]],
    ["that adds in a script", { ".profile": `${set("/a")}. ~/s\n`, s: `export ${name}=/b:$${name}\n` }, [".profile:1", "s:1"]],
    ["that adds behind a script", { ".profile": `. ~/s\nexport ${name}=/b:$${name}\n`, s: set("/a") }, ["s:1", ".profile:2"]],
    ["with a folder that is there", { ".profile": `if [ -d ~/cuda ]; then\n  ${set("~/cuda")}fi\n`, "cuda/x": "" }, [".profile:2"]],
    [
      "with a folder that is not",
      { ".profile": `if [ -d ~/cuda ]; then\n  ${set("/a")}else\n  ${set("/b")}fi\n` },
      [".profile:2", ".profile:4"],
    ],
    ["with quotes", { ".profile": `export ${name}="$HOME/lib":/a\n` }, [".profile:1"]],
    ["with a variable of its own", { ".profile": `C=/opt\nexport ${name}="\${C}/lib\${${name}:+:$${name}}"\n` }, [".profile:2"]],
    ["with one that is taken away", { ".profile": `${set("/a")}unset ${name}\n` }, [".profile:1"]],
    ["in a function", { ".profile": `cuda() {\n  ${set("/a")}}\ncuda\n` }, [".profile:2"]],
    ["in a loop", { ".profile": `for d in /a /b; do\n  export ${name}=$d:$${name}\ndone\n` }, [".profile:2"]],
    ["for one command", { ".profile": `${name}=/a true\n` }, []],
    ["in an alias", { ".profile": `alias x='${name}=/a y'\n` }, []],
    ["behind &&", { ".profile": `true && export ${name}=/a\n` }, [".profile:1"]],
    ["with more of it", { ".profile": `${set("/a")}export ${name}+=:/b\n` }, [".profile:1", ".profile:2"]],
    ["that goes on", { ".profile": `export CUDA=/c \\\n  ${name}=/a\n` }, [".profile:2"]],
  ])("%s", async (_what, home, places) => {
    const answer = await both(home, "bash");
    // What cannot be told is said; what is told is what bash says.
    if (!answer.told) expect(answer.ours).toBe(answer.real);
    else expect(answer.ours).toBeUndefined();
    expect(answer.places).toEqual(places);
  });

  test.each<[string, Home]>([
    ["several on a line", { ".profile": `export PATH=/bin:$PATH ${name}=/a\n` }],
    ["words that are made before", { ".profile": `CUDA=/a\nexport CUDA=/b ${name}=$CUDA/lib\n` }],
    ["assignments that follow each other", { ".profile": `CUDA=/a\nCUDA=/b ${name}=$CUDA/lib\nexport ${name}\n` }],
    ["a script", { ".profile": '. "$HOME/s"\n', s: set("/a") }],
    ["Debian's files", { ".profile": debian, ".bashrc": `${guard}${set("/a")}` }],
  ])("%s can be told", async (_what, home) => {
    const answer = await both(home, "bash");
    expect(answer).toMatchObject({ told: false, ours: answer.real });
    expect(answer.real).toBeDefined();
  });
});

describe("a home, by dash", needs({ dash: hasTool("dash") }), () => {
  test.each<[string, Home]>([
    ["several on a line", { ".profile": `export PATH=/bin:$PATH ${name}=/a\n` }],
    ["words that are made before", { ".profile": `CUDA=/a\nexport CUDA=/b ${name}=$CUDA/lib\n` }],
    ["assignments that follow each other", { ".profile": `CUDA=/a\nCUDA=/b ${name}=$CUDA/lib\nexport ${name}\n` }],
    ["a script", { ".profile": '. "$HOME/s"\n', s: set("/a") }],
  ])("%s", async (_what, home) => {
    const answer = await both(home, "dash");
    expect(answer.ours).toBe(answer.real);
  });
});
