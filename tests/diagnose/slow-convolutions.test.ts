import { describe, expect, test } from "vitest";
import { glibcLoader } from "../loader/answers.ts";
import { without } from "../frameworks/python-root.ts";
import { findings, healthy, named } from "./python-stack.ts";
import { needs } from "../needs.ts";

/** As where an image was made smaller, and the package's list of files with it. */
const slimmed = (pattern: RegExp) => without(without(healthy(), pattern), /nvidia_cudnn_cu12.*RECORD/);

describe("cuDNN without its ready-made kernels", needs({ glibc: glibcLoader }), () => {
  test.each(["engines_precompiled", "heuristic"])("without %s convolutions still come out", async (part) => {
    const [found, ...others] = await findings(slimmed(new RegExp(`libcudnn_${part}`)));
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      rule: "slow-convolutions",
      severity: "warning",
      cause: "library-missing",
      breaks: [],
      endangers: [{ framework: "torch", activity: "convolution" }],
    });
  });

  test("where the package's own list says that it was there, its missing files are the finding", async () => {
    expect(named(await findings(without(healthy(), /libcudnn_engines_precompiled/)))).toEqual(["warning wheel-files-missing"]);
  });

  test("a part without which nothing comes out is an error of another kind", async () => {
    expect(named(await findings(slimmed(/libcudnn_graph/)))).toEqual(["error library-missing"]);
  });
});
