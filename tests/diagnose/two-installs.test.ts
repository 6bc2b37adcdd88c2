import { describe, expect, test } from "vitest";
import { library } from "../frameworks/python-root.ts";
import { glibcLoader } from "../loader/answers.ts";
import type { Files } from "../loader/tree.ts";
import { findings, healthy, named } from "./python-stack.ts";
import { needs } from "../needs.ts";

/** cuDNN from apt, as Colab has it beside that of torch's wheel. */
const system = (version: string): Files => ({
  [`/usr/lib/libcudnn.so.${version}`]: library("libcudnn.so.9"),
  "/usr/lib/libcudnn.so.9": { link: `libcudnn.so.${version}` },
});

describe("a library that is installed twice", needs({ glibc: glibcLoader }), () => {
  test("says which one is taken, and what would change that", async () => {
    const [found, ...others] = await findings({ ...healthy(), ...system("9.8.0") });
    expect(others).toEqual([]);
    expect(found).toMatchObject({ rule: "two-installs", severity: "info", subject: "libcudnn.so.9 for /venv" });
    expect(found!.because[0]).toMatch(/^torch, triton would take \/venv\/.*libcudnn\.so\.9 /);
    expect(found!.advice[0]!.words).toContain("keep /usr/lib out of LD_LIBRARY_PATH");
  });

  test("one that harms is told by the rule that knows why", async () => {
    const parts: Files = {
      "/opt/old/libcudnn_graph.so.9": { link: "libcudnn_graph.so.9.0.0" },
      "/opt/old/libcudnn_graph.so.9.0.0": library("libcudnn_graph.so.9"),
    };
    const files = { ...healthy(), ...system("9.8.0"), ...parts };
    expect(named(await findings(files, { environment: { LD_LIBRARY_PATH: "/opt/old" } }))).not.toContain("info two-installs");
  });

  test("one install is silent", async () => {
    expect(await findings(healthy())).toEqual([]);
  });
});
