// Two majors of cuDNN in one process, as TensorFlow and torch bring them: each opens parts of its own.
import { describe, expect, test } from "vitest";
import { findings, healthy, loud } from "../diagnose/python-stack.ts";
import { glibcLoader } from "../loader/answers.ts";
import { needs } from "../needs.ts";
import { driver, library, predict, pythonRoot } from "./python-root.ts";

const eight = {
  "/opt/cudnn8/libcudnn.so.8": { link: "libcudnn.so.8.9.7" },
  "/opt/cudnn8/libcudnn.so.8.9.7": library("libcudnn.so.8", { runpath: "$ORIGIN" }),
  "/opt/cudnn8/libcudnn_ops_infer.so.8": library("libcudnn_ops_infer.so.8"),
};
const environment = { LD_PRELOAD: "/opt/cudnn8/libcudnn.so.8" };

describe("two majors of cuDNN in one process", needs({ glibc: glibcLoader }), () => {
  test("torch takes the parts of the one that it was built for", async () => {
    const { folder } = pythonRoot({ ...healthy(), ...eight, ...driver("/usr/lib") });
    const { loads, failures } = await predict(folder, "torch", { environment, do: ["convolution", "rnn"] });
    const parts = loads.filter(({ file }) => file.includes("libcudnn")).map(({ file }) => file);
    expect(parts[0]).toBe("/opt/cudnn8/libcudnn.so.8.9.7");
    expect(parts.slice(1).every((file) => file.startsWith("/venv/") && file.includes(".so.9"))).toBe(true);
    expect(parts.some((file) => file.includes("libcudnn_graph"))).toBe(true);
    expect(failures.filter(({ refusal }) => refusal?.kind === "part" || refusal?.kind === "version")).toEqual([]);
  });

  test("that is no mixture", async () => {
    expect(loud(await findings({ ...healthy(), ...eight }, { environment })).map(({ rule }) => rule)).not.toContain(
      "cudnn-parts-from-two-releases",
    );
  });
});
