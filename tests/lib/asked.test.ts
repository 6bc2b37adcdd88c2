import { describe, expect, test } from "vitest";
import { adviceAt, culpritLine, fixCommandsAt, lineAskingAgain, type Asked } from "../../packages/core/src/lib/asked.ts";
import { adviceLine } from "../../packages/core/src/lib/shell.ts";

const here: Asked = { target: [], options: [] };
const root: Asked = {
  target: ["--root", "/mnt/a b"],
  options: [
    ["--env", "A=x y"],
    ["--for", "torch"],
    ["--colab", "latest"],
  ],
  place: { kind: "root", name: "/mnt/a b" },
};
const image: Asked = { target: ["--target", "image:app.tar"], options: [], place: { kind: "image", name: "app.tar" } };
const host: Asked = { target: ["--target", "ssh:node7"], options: [["--ldconfig"]], place: { kind: "host", name: "node7" } };

describe("a command of ours", () => {
  test.each([
    [["fix", "stub-driver"], undefined, "culprit fix stub-driver"],
    [["fix", "stub-driver"], here, "culprit fix stub-driver"],
    [["fix", "stub-driver"], root, "culprit fix stub-driver --root '/mnt/a b' --env 'A=x y' --for torch"],
    [["help", "stub-driver"], root, "culprit help stub-driver"],
    [["why", "libcuda.so.1", "--for", "jax"], root, "culprit why libcuda.so.1 --for jax --root '/mnt/a b' --env 'A=x y'"],
    [["loads", "jax"], root, "culprit loads jax --root '/mnt/a b' --env 'A=x y'"],
    [["check"], host, "culprit check ssh:node7 --ldconfig"],
    [["fix", "--apply"], image, "culprit fix --apply --target image:app.tar"],
  ])("%j of %j", (words, asked, line) => expect(culpritLine(words, asked)).toBe(line));

  test("a line of text gets the same, and is left alone when it is none", () => {
    expect(lineAskingAgain("culprit why libcupti --do profile", host)).toBe(
      "culprit why libcupti --do profile --target ssh:node7 --ldconfig",
    );
    expect(lineAskingAgain("nvidia-smi | grep 'x  y'", host)).toBe("nvidia-smi | grep 'x  y'");
  });
});

describe("advice is for where it was asked about", () => {
  const said = (advice: Parameters<typeof adviceAt>[0], asked: Asked) => adviceLine(adviceAt(advice, asked));
  const install = { words: "install it", command: ["/venv/bin/python", "-m", "pip", "install", "numpy<2"], scope: "install" as const };
  const once = { words: "for one command", command: ["env", "-u", "LD_PRELOAD", "COMMAND"], scope: "once" as const };
  const byRoot = {
    words: "for all",
    command: ["sudo", "sh", "-c", "echo /x > /etc/ld.so.conf.d/x.conf && ldconfig"],
    scope: "file" as const,
  };
  const written = { words: "take /x out of LD_LIBRARY_PATH, in /etc/profile.d/cuda.sh, line 3" };
  test.each([
    [install, here, "install it: /venv/bin/python -m pip install 'numpy<2'"],
    [install, root, "install it: sudo chroot '/mnt/a b' /venv/bin/python -m pip install 'numpy<2'"],
    [install, image, "install it, in its Dockerfile: RUN /venv/bin/python -m pip install 'numpy<2'"],
    [install, host, "install it: ssh node7 '/venv/bin/python -m pip install '\\''numpy<2'\\'''"],
    [byRoot, root, "for all: sudo chroot '/mnt/a b' sh -c 'echo /x > /etc/ld.so.conf.d/x.conf && ldconfig'"],
    [once, image, "for one command (in the image): env -u LD_PRELOAD COMMAND"],
    [once, host, "for one command (on node7): env -u LD_PRELOAD COMMAND"],
    [written, here, "take /x out of LD_LIBRARY_PATH, in /etc/profile.d/cuda.sh, line 3"],
    [written, root, "take /x out of LD_LIBRARY_PATH, in /etc/profile.d/cuda.sh, line 3 (inside /mnt/a b)"],
  ])("%j, asked of %j", (advice, asked, line) => expect(said(advice, asked)).toBe(line));
});

describe("the commands of a fix", () => {
  const edit = {
    fix: "unset-variable",
    reach: "machine",
    commands: ["sed -i 3d /etc/profile.d/cuda.sh"],
    steps: [{ do: "edit" as const, file: "/etc/profile.d/cuda.sh" }],
  };
  const entry = {
    fix: "ldconfig-entry",
    reach: "machine",
    commands: ["echo /x | sudo tee /etc/ld.so.conf.d/c.conf", "sudo ldconfig"],
    steps: [],
  };
  test.each([
    [edit, here, ["sed -i 3d /etc/profile.d/cuda.sh"]],
    [edit, root, ["sed -i 3d '/mnt/a b/etc/profile.d/cuda.sh'"]],
    [edit, image, ["RUN sed -i 3d /etc/profile.d/cuda.sh"]],
    [edit, host, ["ssh node7 'sed -i 3d /etc/profile.d/cuda.sh'"]],
    [entry, root, ["sudo chroot '/mnt/a b' sh -c 'echo /x | tee /etc/ld.so.conf.d/c.conf'", "sudo ldconfig -r '/mnt/a b'"]],
    [entry, host, ["ssh -t node7 'echo /x | sudo tee /etc/ld.so.conf.d/c.conf'", "ssh -t node7 'sudo ldconfig'"]],
    [{ ...edit, reach: "shell", commands: ["unset X"], steps: [] }, host, ["unset X"]],
  ])("%j, asked of %j", (fix, asked, commands) => expect(fixCommandsAt(fix, asked)).toEqual(commands));
});
