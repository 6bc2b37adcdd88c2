// What a script does only where something holds: it is judged with and without it.
import { expect, test } from "vitest";
import { declared, notebook, short } from "./declared.ts";

const docker = (...lines: string[]) => `FROM python:3.11\n${lines.join("\n")}\n`;
const vision = "pip install torch==2.5.1 torchvision==0.19.1";

test.each([
  [`RUN if [ -f gpu ]; then ${vision}; fi`, "only where `[ -f gpu ]` holds"],
  [`RUN if ! [ -f gpu ]; then true; else ${vision}; fi`, "only where `[ -f gpu ]` holds"],
  [`ARG KIND\nRUN if [ "$KIND" = gpu ]; then ${vision}; fi`, "only where `$KIND` is `gpu`"],
  [`ARG KIND\nRUN if [ "$KIND" != gpu ]; then true; elif test -f x; then true; else ${vision}; fi`, "only where `$KIND` is `gpu`"],
  [`ARG KIND\nRUN case "$KIND" in cpu) pip install torch==2.5.1;; gpu|cuda) ${vision} ;; esac`, "only where `$KIND` is `gpu` or `cuda`"],
  [`RUN [ -f gpu ] && ${vision}`, "only where `[ -f gpu ]` holds"],
  [`RUN [ -f gpu ] && { echo a; ${vision}; }`, "only where `[ -f gpu ]` holds"],
  [`RUN pip install torch==2.5.1 || ${vision}`, "only where `pip install torch==2.5.1` fails"],
  [
    `ARG KIND\nRUN if [ -f gpu ]; then V=0.19.1; else V=0.20.1; fi; pip install torch==2.5.1 torchvision==$V`,
    "only where `[ -f gpu ]` holds",
  ],
  [`RUN while read line; do ${vision}; done < list`, "only where `read line` holds"],
  [`RUN if [ -f a ]; then if [ -f gpu ]; then ${vision}; fi; fi`, "only where `[ -f a ]` holds, and `[ -f gpu ]` holds"],
])("a fault in one branch is told, less surely, with its condition: %s", async (line, because) => {
  const { check } = await declared("Dockerfile", docker(line));
  expect(check.findings.map(({ rule, certainty }) => `${rule} ${certainty}`)).toEqual(["requirements-clash likely"]);
  expect(check.findings[0]!.because).toContain(because);
});

test.each([
  // Both branches are fine.
  `RUN if [ -f gpu ]; then pip install torch==2.5.1; else pip install torch==2.4.1; fi`,
  // The same condition is the same again: what never comes together never clashes.
  `ARG C\nRUN if [ "$C" = 1 ]; then pip install torch==2.5.1; else pip install torch==2.4.1; fi\nRUN if [ "$C" = 1 ]; then pip install torchvision==0.20.1; else pip install torchvision==0.19.1; fi`,
  `ARG C\nRUN case $C in a) pip install torch==2.5.1;; *) pip install torch==2.4.1;; esac\nRUN if [ "\${C}" = a ]; then pip install torchvision==0.20.1; else pip install torchvision==0.19.1; fi`,
  // What ends with an error is no installation.
  `ARG C\nRUN if [ "$C" = a ]; then V=2.5.1; W=0.20.1; elif [ "$C" = b ]; then V=2.4.1; W=0.19.1; else echo no; exit 1; fi; pip install torch==$V torchvision==$W`,
  `RUN pip install torch==2.5.1 torchvision==0.20.1 || exit 1`,
  `RUN pip install torch==2.5.1 torchvision==0.20.1 || true`,
])("what is fine either way is ok: %s", async (line) => {
  const { check } = await declared("Dockerfile", docker(line));
  expect([short({ check } as never), check.status]).toEqual([[], "ok"]);
  expect(check.unknown.every(({ aside }) => aside)).toBe(true);
});

test("what the text decides is decided: arguments with a default, the processor, a variable that was set", async () => {
  for (const line of [
    `ARG KIND=cpu\nRUN if [ "$KIND" = gpu ]; then ${vision}; fi; pip install torch==2.5.1`,
    `RUN if [ "$(uname -m)" = aarch64 ]; then ${vision}; else pip install torch==2.5.1; fi`,
    `ARG TARGETARCH\nRUN case $TARGETARCH in arm*) ${vision};; amd64) pip install torch==2.5.1;; esac`,
    `RUN K=1; if [[ $K == 2 ]]; then ${vision}; fi; pip install torch==2.5.1`,
  ]) {
    const { check } = await declared("Dockerfile", docker(line));
    expect([check.findings.length, check.unknown, check.status], line).toEqual([0, [], "ok"]);
  }
  expect(short(await declared("Dockerfile", docker(`ARG KIND=gpu\nRUN if [ "$KIND" = gpu ]; then ${vision}; fi`)))).toEqual([
    "error requirements-clash 3",
  ]);
});

test("a fault that a branch takes away is less sure, too", async () => {
  const { check } = await declared("a.sh", "V=0.19.1\nif [ -f new ]; then V=0.20.1; fi\npip install torch==2.5.1 torchvision==$V\n");
  expect(check.findings).toMatchObject([{ rule: "requirements-clash", certainty: "likely" }]);
  expect(check.findings[0]!.because).toContain("not where `[ -f new ]` holds");
});

test("loops over words that are written are gone through, with every one", async () => {
  const text = "for v in 0.20.1 0.19.1; do\n  pip install torch==2.5.1 torchvision==$v\ndone\n";
  expect(short(await declared("a.sh", text))).toEqual(["error requirements-clash 2"]);
  expect(short(await declared("a.sh", text.replace(" 0.19.1", "")))).toEqual([]);
});

test("ifeq of make, and conditions of notebooks", async () => {
  const make = (line: string) => `install:\n${line}\n\t${vision}\nendif\n`;
  const { check } = await declared("Makefile", make("ifeq ($(GPU),1)"));
  expect(check.findings).toMatchObject([{ rule: "requirements-clash", certainty: "likely" }]);
  expect((await declared("Makefile", `GPU = 0\n${make("ifeq ($(GPU),1)")}`)).check.findings).toEqual([]);
  const cell = `if use_gpu:\n  !${vision}\nelse:\n  !pip install torch==2.5.1`;
  const answer = await declared("n.ipynb", notebook([cell]));
  expect(answer.check.findings.map(({ rule, certainty }) => `${rule} ${certainty}`)).toEqual(["requirements-clash likely"]);
});

test("a script with more conditions than are tried says so", async () => {
  const many = Array.from({ length: 200 }, (_, index) => `if [ -f f${index} ]; then pip install torch==2.5.1; fi\n`).join("");
  const { check } = await declared("a.sh", many);
  expect(check.status).toBe("incomplete");
  expect(check.unknown.some(({ reason }) => reason.includes("more conditions than"))).toBe(true);
});

test.each([
  ['[[ "$P" == torch==2.5.* ]]', true],
  ['[[ "$P" == torch==2.[0123].* ]]', false],
  ['[[ "$P" != *"-nightly"* ]]', true],
  ['[[ "$P" == a || ( "$P" == torch* && -n "$P" ) ]]', true],
  ['[ "$P" = a ] || [ "${P%%=*}" = torch ]', true],
  ['[ "${P##*=}" = 2.5.1 ] && [ "${P/torch/x}" != x ]', true],
  ['[ "${N:0:2}" -ge 12 ]', true],
  ['[ "${N%.*}" -lt 12 ]', false],
  ['test -z "$P" -o "$P" = torch', false],
  ["! [ -z $P ]", true],
])("a test whose variables are known is worked out: %s", async (condition, isSo) => {
  const line = `ARG P=torch==2.5.1\nARG N=12.4\nRUN if ${condition}; then ${vision}; else pip install $P; fi`;
  const { check } = await declared("Dockerfile", docker(line));
  expect([check.findings.map(({ certainty }) => certainty), check.unknown]).toEqual([isSo ? ["certain"] : [], []]);
});
