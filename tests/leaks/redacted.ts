// Secrets of every form in texts of every kind, and start-up files of every shape: nothing may be left, and nothing may be read otherwise.
import {
  beginsBlock,
  endsBlock,
  goesOn,
  isComment,
  maySet,
  readAssignment,
  variablesSetBy,
} from "../../packages/core/src/lib/shell-lines.ts";
import { viewOf } from "../../packages/core/src/resolve/view.ts";
import { loginShell } from "../../packages/core/src/survey/login.ts";
import { redactSnapshot } from "../../packages/core/src/index.ts";
import type { FileFact, Snapshot } from "../../packages/core/src/index.ts";
import { expansionAt, isUnclear } from "../../packages/core/src/plan/startup.ts";
import type { Stack } from "../../packages/core/src/diagnose/stack.ts";
import { Dice } from "../fuzz/fuzz.ts";
import { secretTexts } from "../lib/secret-forms.ts";
import { marker } from "./planted.ts";

const blank: Snapshot = {
  schema: "culprit/snapshot@1",
  culprit: "0",
  target: { kind: "machine" },
  environment: {},
  cwd: "/",
  user: { uid: 0, gid: 0 },
  cpu: {},
  files: {},
  unknown: [],
};

const elf = (more: object): FileFact =>
  ({ kind: "file", size: 1, object: { kind: "elf", class: 64, order: "little", machine: 62, type: 3, needed: [], ...more } }) as FileFact;
const file = (text: string): FileFact => ({ kind: "file", size: text.length, text });

/** Where a text can stand in a snapshot. */
const places: ((text: string, dice: Dice) => Partial<Snapshot>)[] = [
  (text) => ({ files: { "/etc/environment": file(text) } }),
  (text) => ({ files: { "/etc/profile.d/x.sh": file(`# x\n${text}\nexport LD_LIBRARY_PATH=/opt\n`) } }),
  (text) => ({ files: { "/etc/profile.d/x.sh": file(`export LD_LIBRARY_PATH=/opt:/x # ${text.replaceAll("\n", " ")}\n`) } }),
  (text) => ({ files: { "/etc/profile.d/x.sh": file(`export LD_LIBRARY_PATH=/opt; ${text.replaceAll("\n", " ")}\n`) } }),
  (text) => ({ files: { "/etc/profile.d/x.sh": file(`LD_PRELOAD=/x.so ${text.replaceAll("\n", " ")}\n`) } }),
  (text) => ({ files: { "/etc/profile.d/x.sh": file(`export PYTHONPATH=$(echo ${text.replaceAll("\n", " ")}):/x\n`) } }),
  (text) => ({ files: { "/etc/profile.d/x.sh": file(`cat <<EOF\n${text}\nEOF\nexport CUDA_HOME=/usr/local/cuda\n`) } }),
  (text) => ({
    environment: { HOME: "/srv/h" },
    files: {
      "/srv": { kind: "folder" },
      "/srv/h": { kind: "folder" },
      "/srv/h/.bashrc": { kind: "link", to: "rc" },
      "/srv/h/rc": file(text),
    },
  }),
  (text) => ({ files: { "/opt/env/bin/activate": file(text) } }),
  (text) => ({ files: { "/opt/env/etc/conda/activate.d/a.sh": file(text) } }),
  (text) => ({ files: { "/v/lib/python3.11/site-packages/x.pth": file(`import os; ${text}\n# ${text}\n`) } }),
  (text) => ({ files: { "/v/lib/python3.11/site-packages/x-1.dist-info/METADATA": file(`Name: x\nRequires-Dist: y @ ${text}\n`) } }),
  (text) => ({ files: { "/v/lib/python3.11/site-packages/x-1.dist-info/RECORD": file(`x/lib.so,${text},1\n`) } }),
  (text) => ({ files: { "/v/conda-meta/x.json": file(JSON.stringify({ url: text })) } }),
  (text) => ({ files: { "/etc/ld.so.conf": file(`# ${text}\n/usr/lib\n`) } }),
  (text) => ({ files: { "/etc/ld.so.preload": file(`/usr/lib/x.so # ${text}\n`) } }),
  (text) => ({ files: { "/v/pyvenv.cfg": file(`home = /usr/bin\ncommand = ${text}\n`) } }),
  (text) => ({ files: { "/x/CMakeCache.txt": file(`CUDA_VERSION:STRING=12.4\nX:STRING=${text}\n`) } }),
  (text) => ({ files: { "/x/libx.so": { kind: "file", size: 3, object: { kind: "not-elf", starts: text } } } }),
  (text) => ({ files: { "/x/libx.so": elf({ runpath: `/opt/lib:${text}` }) } }),
  (text) => ({ files: { "/x/libx.so": elf({ rpath: text, needed: [text], soname: text, interpreter: text }) } }),
  (text) => ({ environment: { TORCH_SOMETHING: text } }),
  (text) => ({ environment: { LD_LIBRARY_PATH: `/opt/lib:${text}` } }),
  (text) => ({ cwd: `/work/${text}` }),
  (text) => ({ unknown: [{ subject: text, reason: `because of ${text}` }] }),
  (text) => ({ running: { pid: 1, executable: text, started: text, maps: [{ file: text }] } }),
];

/** Where names of files can stand: only what looks like a secret by itself is known for one there. */
const namePlaces: ((text: string) => Partial<Snapshot>)[] = [
  (text) => ({ files: { "/x": { kind: "folder", names: [text] }, [`/x/${text}`]: { kind: "folder" } } }),
  (text) => ({ files: { "/x/l": { kind: "link", to: `/y/${text}/z` } } }),
];
const ownForms = new Set([
  "nvapi",
  "sk",
  "sk-proj",
  "hf",
  "ghp",
  "gho",
  "github_pat",
  "glpat",
  "xoxb",
  "Google",
  "npm",
  "PyPI",
  "vault",
  "databricks",
]);

/** Forms and places from which a secret got out. */
export function secretsLeft(seed: number, rounds: number): string[] {
  const dice = new Dice(seed);
  const left: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const [form, text, secret] = dice.pick(secretTexts(marker(dice, 20 + dice.below(24))));
    const isName = ownForms.has(form) && dice.chance(4);
    const at = dice.below(isName ? namePlaces.length : places.length);
    const around = dice.pick<(inner: string) => string>([
      (inner) => inner,
      (inner) => `export ${inner}`,
      (inner) => `  ${inner}  `,
      (inner) => `x ${inner} y`,
      (inner) => `echo "${inner}"`,
      (inner) => `[ -n x ] && ${inner}`,
    ]);
    const snapshot = { ...blank, ...(isName ? namePlaces[at]!(text) : places[at]!(around(text), dice)) };
    if (JSON.stringify(redactSnapshot(snapshot)).includes(JSON.stringify(secret).slice(1, -1)))
      left.push(`${form} in ${isName ? "name" : "place"} ${at}: ${around(text)}`);
  }
  return left;
}

const homes = [
  "/home",
  "/Users",
  "/export/home",
  "/data/users",
  "/nfs/home",
  "/scratch",
  "/users",
  "/mnt/big/home",
  "/homes",
  "/gpfs/users",
];

/** Homes whose owner's name is still there, or whose files are not found any more. */
export function peopleLeft(seed: number, rounds: number): string[] {
  const dice = new Dice(seed);
  const left: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const person = `${dice.pick(["ann", "j.doe", "x-y", "k_l", "wei", "o"])}${[...marker(dice, 6)].join("").toLowerCase()}${dice.pick(["", ".jr", "-2"])}`;
    const home = `${dice.pick(homes)}/${person}`;
    const library = `${home}/lib/libx.so`;
    const folders: Snapshot["files"] = {};
    for (let folder = `${home}/lib`; folder !== ""; folder = folder.slice(0, folder.lastIndexOf("/")))
      folders[folder] = { kind: "folder", ...(folder === home.slice(0, home.lastIndexOf("/")) ? { names: [person] } : {}) };
    const snapshot: Snapshot = {
      ...blank,
      environment: { LD_LIBRARY_PATH: `/opt:${home}/lib:/x`, ...(dice.chance(2) ? { HOME: home } : {}) },
      cwd: dice.pick([home, "/", `${home}/work`]),
      files: {
        ...folders,
        [library]: elf({ runpath: `${home}/lib:$ORIGIN/../../${person}/x` }),
        "/opt/l": { kind: "link", to: library },
        "/etc/profile.d/p.sh": file(`# ${person}\nexport PYTHONPATH=${home}/src:/x\n`),
        [`/var/${person}/x`]: { kind: "folder" },
      },
      unknown: [{ subject: library, reason: `${person}@host.example.org may not read ${home}` }],
    };
    const redacted = redactSnapshot(snapshot);
    const other = Object.keys(redacted.files).find((path) => path.endsWith("/lib/libx.so"))!;
    const link = redacted.files["/opt/l"] as { to: string };
    const isFound = link.to === other && redacted.environment["LD_LIBRARY_PATH"] === `/opt:${other.replace("/libx.so", "")}:/x`;
    if (JSON.stringify(redacted).includes(person) || !isFound) left.push(home);
  }
  return left;
}

const values = [
  "/opt/a:/opt/b",
  '"/opt/a:$LD_LIBRARY_PATH"',
  "'/opt/a'",
  "$BASE/lib:$LD_LIBRARY_PATH",
  "${BASE:-/opt}/lib",
  "$(cmd arg):/x",
  "`cmd`",
  "/opt/a\\ b",
  '"/opt/a b"',
  "",
  "/a#b",
  "${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}/opt/lib",
];
const tails = [
  "",
  " # comment",
  "; export A=1",
  " A=2",
  " && echo x",
  ";",
  " \\",
  " # then",
  " # \\",
  "; then",
  " {",
  "\r",
  " | cat",
  " # (",
];
const others = [
  "",
  "# comment",
  "# comment \\",
  "if [ -d /x ]; then",
  "fi",
  "else",
  "elif x; then",
  "{",
  "}",
  "done",
  "for x in a; do",
  "(",
  ")",
  "BASE=/opt/base",
  "export BASE='/srv'",
  "unset BASE",
  "read BASE",
  "[ x ] && BASE=/q",
  "alias x='y'",
  "echo $BASE \\",
  "foo() {",
  "case x in",
  "esac",
  "  ",
  "\t# x",
  "export LD_LIBRARY_PATH",
  "A=1 LD_LIBRARY_PATH=/x cmd",
  "unset LD_LIBRARY_PATH",
  "fi # then",
  'eval "$(x)"',
  "return 0",
  "cat <<cmd",
  "[ -f /etc/x ] && . /etc/x",
  "\r",
];
const heads = [
  "export LD_LIBRARY_PATH=",
  "LD_LIBRARY_PATH=",
  "  export LD_LIBRARY_PATH=",
  "setenv LD_LIBRARY_PATH ",
  "declare -x LD_LIBRARY_PATH=",
  "LD_LIBRARY_PATH+=",
  "export CUDA_HOME=",
  "export PYTHONPATH ",
  "XLA_FLAGS=",
  "export PATH=/cmd/bin LD_LIBRARY_PATH=",
  "OTHER=cmd; export LD_LIBRARY_PATH=",
  "[ -d /cmd ] && export LD_LIBRARY_PATH=",
  "export CUDA_HOME=/opt/cuda LD_LIBRARY_PATH=",
];

/** Start-up files of which a line is read otherwise after everything else was taken away. */
export function linesReadOtherwise(seed: number, rounds: number): string[] {
  const dice = new Dice(seed);
  const wrong: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const lines = Array.from({ length: 1 + dice.below(8) }, () =>
      dice.chance(2) ? dice.pick(others) : `${dice.pick(heads)}${dice.pick(values)}${dice.pick(tails)}`,
    );
    const name = "/etc/profile.d/x.sh";
    const before: Snapshot = {
      ...blank,
      files: { "/etc": { kind: "folder" }, "/etc/profile.d": { kind: "folder" }, [name]: file(lines.join("\n")) },
    };
    const after = redactSnapshot(before);
    const rest = (after.files[name] as { text: string }).text.split("\n");
    const differs = lines.length !== rest.length ? ["number of lines"] : lines.flatMap((line, index) => differences(line, rest[index]!));
    const stack = {
      variables: {},
      inventory: {
        variables: lines.flatMap((line, index) =>
          variablesSetBy(line).map((set) => ({ name: set.name, file: name, line: index + 1, text: line.trim() })),
        ),
      },
    } as unknown as Stack;
    for (const source of stack.inventory.variables) {
      const [one, two] = [expansionAt(stack, before, source), expansionAt(stack, after, source)];
      // Only what such a line refers to is ever asked for.
      const isAsked = stack.inventory.variables.some((each) => each.text.includes("BASE"));
      for (const text of [...(isAsked ? ["$BASE", "${BASE:-/x}/lib", "${BASE:+y}"] : []), "$LD_LIBRARY_PATH"])
        if (one(text) !== two(text)) differs.push(`expands ${text}`);
      if (isUnclear(source.text, source.name, one) !== isUnclear(rest[source.line - 1]!.trim(), source.name, two)) differs.push("clear");
    }
    const [whole, left] = [before, after].map((each) => loginShell(viewOf({ ...each, target: { kind: "root" } })).environment);
    // A block that is not told any more may hide what is set in it, and never the other way round.
    const value = left!["LD_LIBRARY_PATH"];
    if (value !== undefined && value !== whole!["LD_LIBRARY_PATH"]) differs.push("login");
    if (0 < differs.length) wrong.push(`${differs.join(", ")}: ${JSON.stringify(lines)} → ${JSON.stringify(rest)}`);
    if (rest.some((line) => /comment|alias|echo|cmd|arg/.test(line))) wrong.push(`left: ${JSON.stringify(rest)}`);
  }
  return wrong;
}

const namesIn = (text: string) => [...new Set(variablesSetBy(text).map(({ name }) => name))];

function differences(line: string, rest: string): string[] {
  const same: { [what: string]: (text: string) => unknown } = {
    blank: (text) => text.trim() === "",
    comment: isComment,
    continued: goesOn,
    begins: beginsBlock,
    ends: endsBlock,
    sets: (text) => namesIn(text).join(" "),
    indented: (text) => (namesIn(text).some((name) => readAssignment(text, name)) ? /^\s*/.exec(text)![0] : ""),
    reads: (text) =>
      namesIn(text)
        .map((name) => readAssignment(text.trim(), name))
        .map((read) => (read ? `${read.quote}${read.value}` : "?"))
        .join(" "),
    base: (text) => maySet(text, "BASE") && (readAssignment(text, "BASE")?.value ?? "?"),
    path: (text) => maySet(text, "LD_LIBRARY_PATH") && (readAssignment(text, "LD_LIBRARY_PATH")?.value ?? "?"),
  };
  // Whether a line sets a variable that nothing else asks for does not matter.
  const isAsked = rest.includes("BASE") || !maySet(line, "BASE");
  return Object.entries(same).flatMap(([what, of]) => (what === "base" && !isAsked ? [] : of(line) === of(rest) ? [] : [what]));
}
