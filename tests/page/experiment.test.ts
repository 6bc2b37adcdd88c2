import { expect, test } from "vitest";
import { changesOf, countWords } from "../../packages/page/src/stack/changes.ts";
import {
  addressOf,
  addressWith,
  asItIs,
  commandOf,
  experimentOf,
  isAddress,
  isAsItIs,
  keptIn,
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
  const answer = (findings: Answer["findings"], folder: string, version: string, via: "runpath" | "ld-library-path"): Answer => ({
    status: "",
    findings,
    loads: {
      "torch 2": {
        cudnn: { folders: [folder], versions: [version], files: { "libcudnn_graph.so.9": { folder, via, by: "libcudnn.so.9" } } },
      },
    },
    verdict: "",
    answer: [],
    variables: {},
    took: 0,
  });
  const before = answer([{ key: "a", severity: "error", headline: "A" }], "/usr/lib", "9.14.0", "ld-library-path");
  const after = answer([{ key: "b", severity: "warning", headline: "B" }], "/venv", "9.19.0", "runpath");
  expect(changesOf(before, after).map(({ mark, words }) => `${mark} ${words}`)).toEqual([
    "! new: B",
    "✓ gone: A",
    "→ torch 2: cudnn 9.19.0 from `/venv` (was 9.14.0 from `/usr/lib`)",
  ]);
  expect(changesOf(before, before)).toEqual([]);
  expect(changesOf(before, after)[2]!.why).toBe(
    "`libcudnn_graph.so.9` was found in `/usr/lib`: LD_LIBRARY_PATH names this folder, and the loader looks there before the folders that libraries name themselves (their RUNPATH) and before the system's own. Now it is found in `/venv`: `libcudnn.so.9`, which asks for it, has this folder written into itself (its RUNPATH), and the loader looks there when LD_LIBRARY_PATH does not lead it elsewhere.",
  );
  const mixed = answer([], "/usr/lib", "9.14.0", "ld-library-path");
  mixed.loads["torch 2"]!["cudnn"]!.versions = ["9.14.0", "9.19.0"];
  expect(changesOf(mixed, after)[1]!.why).toMatch(
    / So all files of cudnn are of one release, 9\.19\.0, and fit together; before, they were of 9\.14\.0 and 9\.19\.0\.$/,
  );
  expect(changesOf(after, mixed)[1]!.why).toMatch(/ are of different releases, 9\.14\.0 and 9\.19\.0, and may not fit together; /);
  expect([countWords(before), countWords(after), countWords({ ...before, findings: [] })]).toEqual([
    "1 error",
    "1 warning",
    "nothing wrong found",
  ]);
});

test("experiments that were kept stand in the address, and are none of the experiment itself", () => {
  const kept = [
    { name: "without it | 50 % = &", experiment: { variables: { LD_LIBRARY_PATH: null } } },
    { name: "whole", experiment: whole },
  ];
  const address = `#${addressWith(whole, kept)}`;
  expect(isAddress(address)).toBe(true);
  expect(experimentOf(address)).toEqual(whole);
  expect(keptIn(address)).toEqual(kept);
  expect(isAddress(`#${addressWith(asItIs, kept)}`)).toBe(true);
  expect(experimentOf(`#${addressWith(asItIs, kept)}`)).toEqual(asItIs);
  expect(keptIn("#keep=%E0%A4%A|unset=A&keep=nothing")).toHaveLength(1);
});
