// What stands upon a framework loses the GPU with it: the machine that is kept with all its packages.
import fs from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { loadsOfFrameworks, openTarget, readSnapshot, whyOfFrameworks, whyReport, type WhatIf } from "../../packages/core/src/index.ts";
import { plain } from "../../packages/core/src/report/style.ts";
import { judge } from "../report/judged.ts";

async function kept(name: string) {
  const read = await readSnapshot(gunzipSync(fs.readFileSync(`cases/${name}/snapshot.json.gz`)).toString());
  if ("problem" in read) throw new Error(read.problem);
  return read.snapshot;
}

async function broken(whatIf: WhatIf): Promise<{ [program: string]: string[] }> {
  const { check } = await judge(await kept("h200-with-packages"), whatIf, { python: ["/opt/torch/.venv"] });
  const breaks: { [program: string]: string[] } = {};
  for (const { severity, breaks: affected } of check.findings)
    if (severity === "error") for (const { framework, activity } of affected) (breaks[framework] ??= []).push(activity);
  return breaks;
}

test("on a driver that is too old, operators upon torch have no GPU either", async () => {
  const breaks = await broken({ driver: "470.57.02" });
  expect(breaks["torch"]).toContain("device");
  expect([breaks["torchvision"], breaks["torchaudio"]]).toEqual(
    [["device"], ["device"]].map((each) => expect.arrayContaining(each) as string[]),
  );
});

test("an NVRTC that dropped a GPU compiles nothing for it, whoever asks", async () => {
  const breaks = await broken({ gpus: ["V100"] });
  expect(breaks["cuda-bindings"]).toEqual(["compile"]);
});

test("loads with a driver that is asked about shows no other one's release, and says what it does not judge", async () => {
  const run = { frameworks: ["torch"], activities: ["device" as const], python: ["/opt/torch/.venv"] };
  const loads = await loadsOfFrameworks(await openTarget(await kept("h200-healthy"), { driver: "470.57.02" }), run);
  if ("problem" in loads) throw new Error(loads.problem);
  const driver = loads.loads.filter(({ library }) => library === "libcuda" || library === "nvml");
  expect(driver.map(({ version, certainty }) => [version, certainty])).toEqual(driver.map(() => ["470.57.02", "possible"]));
  expect(driver).not.toEqual([]);
  expect(loads.unknown.map(({ subject }) => subject)).toEqual(["driver 470.57.02"]);
  const same = await loadsOfFrameworks(await openTarget(await kept("h200-healthy"), { driver: "580" }), run);
  expect("problem" in same || same.unknown).toEqual([]);
});

test("why says that parts of the library come from another copy, and nothing where they do not", async () => {
  const run = { frameworks: ["torch"], activities: [], python: ["/opt/torch/.venv"] };
  const answer = async (environment: { [name: string]: string }, library = "cudnn") => {
    const why = await whyOfFrameworks(await openTarget(await kept("h200-healthy"), { environment }), library, run);
    return "problem" in why ? why.problem : whyReport(why, { ...plain, asked: { target: [], options: [["--for", "torch"]] } });
  };
  const mixed = await answer({ LD_LIBRARY_PATH: "/usr/lib/x86_64-linux-gnu" });
  expect(mixed).toMatch(/^✓ libcudnn\.so\.9 is \/opt\/torch\/\S+ \(cuDNN 9\.19\.0\)\n/);
  expect(mixed).toMatch(/\n! \d parts of it come from another copy: culprit why libcudnn_graph\.so\.9 --for torch\n/);
  expect(mixed).toMatch(/libcudnn_graph\.so\.9 +\/usr\/lib\/x86_64-linux-gnu\/libcudnn_graph\.so\.9\.14\.0 \(cuDNN 9\.14\.0\)/);
  expect(await answer({})).not.toContain("another copy:");
  // 13.0 and, of its part, 13.0.88.
  expect(await answer({}, "nvrtc")).toMatch(/^✓ libnvrtc\.so\.13 is /);
  expect(await answer({}, "nvrtc")).not.toContain("another copy:");
});
