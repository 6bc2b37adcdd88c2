// Only wheels for x86-64 were watched: on an aarch64 machine the same release is predicted, and only possibly.
import { expect, onTestFinished, test } from "vitest";
import { loadsOfFrameworks, openTarget } from "../../packages/core/src/index.ts";
import { withDriver } from "../../packages/core/src/ask/provided-driver.ts";
import { settle } from "../../packages/core/src/ask/settle.ts";
import { frameworkLoads } from "../../packages/core/src/frameworks/run.ts";
import cupy from "../../packages/core/src/frameworks/cupy/model.ts";
import { viewOf } from "../../packages/core/src/resolve/view.ts";
import { environmentAt, kindAt } from "../../packages/core/src/survey/python.ts";
import { root } from "../../packages/machine/src/target/index.ts";
import { glibcLoader } from "../loader/answers.ts";
import { build, temporary, type Files } from "../loader/tree.ts";
import { needs } from "../needs.ts";
import { driver, installed, module, pythonRoot, site } from "../frameworks/python-root.ts";

test("what was watched on x86-64 is only possible elsewhere", needs({ glibc: glibcLoader }), async () => {
  const { folder } = pythonRoot({
    ...installed("cupy-cuda12x", "13.6.0"),
    [`${site}/cupy/.data/_wheel.json`]: { text: "{}" },
    [`${site}/cupy_backends/cuda/api/runtime.so`]: module(),
    ...driver("/usr/lib"),
  });
  const examination = await openTarget(root(folder), { cpu: { level: 1 }, environment: {} });
  await loadsOfFrameworks(examination, { frameworks: ["cupy"], activities: ["device"], python: ["/venv"] });
  const { snapshot } = examination.view;
  const certainties = () => {
    const view = viewOf(snapshot);
    const answer = frameworkLoads(view, environmentAt(view, "/venv")!, [cupy], ["device"]);
    if ("missing" in answer) throw new Error("cupy is missing");
    return { certain: new Set(answer.loads.map(({ certainty }) => certainty)), unknown: answer.unknown.map(({ subject }) => subject) };
  };
  expect(certainties()).toEqual({ certain: new Set(["certain"]), unknown: [] });
  for (const fact of Object.values(snapshot.files)) if (fact.kind === "file" && fact.object?.kind === "elf") fact.object.machine = 183;
  expect(certainties()).toEqual({ certain: new Set(["possible"]), unknown: ["cupy 13.6.0"] });
});

// Red Hat and its kin have /usr/lib64 on both; a loader of another machine may be there for cross builds.
test.each<[string, string[], number]>([
  ["x86-64", ["/lib64/ld-linux-x86-64.so.2"], 62],
  ["aarch64", ["/lib/ld-linux-aarch64.so.1"], 183],
  ["x86-64 with aarch64's loader beside", ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"], 62],
])("a driver that is assumed is one for this machine: %s", async (_, loaders, machine) => {
  const made = temporary();
  onTestFinished(made.remove);
  const files: Files = { "/usr/lib64/README": { text: "" }, ...Object.fromEntries(loaders.map((path) => [path, { text: "" }])) };
  build(made.folder, files);
  const examination = await openTarget(root(made.folder), { cpu: { level: 1 }, environment: {} });
  await settle(examination, (view) => kindAt(view, "/usr/lib64"));
  const { view } = await withDriver(examination, true);
  expect(view.snapshot.files["/usr/lib64/libcuda.so.1"]).toMatchObject({ object: { machine } });
});
