import { expect, test } from "vitest";
import { changesOf } from "../../packages/page/src/stack/changes.ts";
import {
  addressOf,
  asItIs,
  commandOf,
  experimentOf,
  isAsItIs,
  moved,
  whatIfOf,
  type Experiment,
} from "../../packages/page/src/stack/experiment.ts";
import type { Answer } from "../../packages/page/src/stack/messages.ts";

const whole: Experiment = {
  variables: { LD_LIBRARY_PATH: "/a b:/c=d&e", CUDA_HOME: null },
  driver: "535.104.05",
  gpus: ["RTX 4090", "sm_90"],
  cpu: "amd:v3",
  removed: ["/usr/lib/libcudnn.so.9"],
  ldconfig: true,
};

test("an experiment survives its address", () => {
  expect(experimentOf(`#${addressOf(whole)}`)).toEqual(whole);
  expect(experimentOf(addressOf(asItIs))).toEqual(asItIs);
});

test("what is no experiment in an address is as it is", () => {
  for (const address of ["", "#", "#findings", "#env=novalue", "#env==x", "#without=relative", "#gpu=&driver=", "#%E0%A4%A"])
    expect(isAsItIs(experimentOf(address)), address).toBe(true);
});

test("the engine is asked for what was changed", () => {
  expect(whatIfOf(whole)).toEqual({
    environment: { LD_LIBRARY_PATH: "/a b:/c=d&e" },
    unset: ["CUDA_HOME"],
    driver: "535.104.05",
    gpus: ["RTX 4090", "sm_90"],
    ldconfig: true,
  });
});

test("the command asks the same, and what was asked before stays unless it is changed", () => {
  const asked = {
    target: ["--target", "m.json"],
    options: [
      ["--env", "CUDA_HOME=/x"],
      ["--env", "A=1"],
      ["--gpu", "T4"],
    ],
  };
  expect(commandOf(whole, asked)).toBe(
    "culprit check m.json --env A=1 --env 'LD_LIBRARY_PATH=/a b:/c=d&e' --unset CUDA_HOME --driver 535.104.05 --gpu 'RTX 4090' --gpu sm_90 --cpu amd:v3 --ldconfig",
  );
});

test("an element moves to another place", () => {
  expect(moved(["a", "b", "c"], 0, 2)).toEqual(["b", "c", "a"]);
  expect(moved(["a", "b", "c"], 2, 0)).toEqual(["c", "a", "b"]);
});

test("what changed: findings that come, then those that go, then libraries from elsewhere", () => {
  const answer = (findings: Answer["findings"], folder: string, version: string): Answer => ({
    status: "",
    findings,
    loads: { "torch 2": { cudnn: { folders: [folder], versions: [version] } } },
    verdict: "",
    answer: [],
    variables: {},
    took: 0,
  });
  const before = answer([{ key: "a", severity: "error", headline: "A" }], "/usr/lib", "9.14.0");
  const after = answer([{ key: "b", severity: "warning", headline: "B" }], "/venv", "9.19.0");
  expect(changesOf(before, after).map(({ mark, words }) => `${mark} ${words}`)).toEqual([
    "! new: B",
    "✓ gone: A",
    "→ torch 2: cudnn 9.19.0 from `/venv` (was 9.14.0 from `/usr/lib`)",
  ]);
  expect(changesOf(before, before)).toEqual([]);
});
