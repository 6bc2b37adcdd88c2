import { expect, test } from "vitest";
import { changesOf, countWords, isUnjudged } from "../../packages/page/src/stack/changes.ts";
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
  placeIn,
  whatIfOf,
  wordsOf,
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

test("a fix is called by its rule and its file, where a whole path has no room", () => {
  const fixes = ["cudnn-parts-from-two-releases /opt/venv/lib/libcudnn.so.9#0", "pins-not-met jax in /opt/venv#1"];
  expect(wordsOf({ variables: {}, fixes })).toBe(
    "fix for cudnn-parts-from-two-releases (libcudnn.so.9); fix for pins-not-met (jax in /opt/venv)",
  );
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
    wrong: "",
    variables: {},
    took: 0,
  });
  const before = answer([{ key: "a", severity: "error", headline: "A" }], "/usr/lib", "9.14.0", "ld-library-path");
  const after = answer([{ key: "b", severity: "warning", headline: "B" }], "/venv", "9.19.0", "runpath");
  expect(changesOf(before, after).map(({ mark, words }) => `${mark} ${words}`)).toEqual([
    "! new: B",
    "✓ gone: A",
    "→ torch 2: cudnn 9.19.0 (was 9.14.0)",
  ]);
  expect(changesOf(before, before)).toEqual([]);
  expect(changesOf(before, after)[2]!.search).toEqual({
    name: "libcudnn_graph.so.9",
    places: [
      {
        place: "the folders of LD_LIBRARY_PATH, one after the other",
        before: { words: "found in `/usr/lib`", found: true },
        now: { words: "not set", found: false },
      },
      {
        place: "the folders that are written into `libcudnn.so.9`, which asks for it (its RUNPATH)",
        before: { words: "never reached", found: false },
        now: { words: "found in `/venv`", found: true },
      },
    ],
    so: "",
  });
  const mixed = answer([], "/usr/lib", "9.14.0", "ld-library-path");
  mixed.loads["torch 2"]!["cudnn"]!.versions = ["9.14.0", "9.19.0"];
  expect(changesOf(mixed, after)[1]!.search!.so).toBe(
    "So all files of cudnn are of one release, 9.19.0, and fit together; before, they were of 9.14.0 and 9.19.0.",
  );
  expect(changesOf(after, mixed)[1]!.search!.so).toMatch(/ are of different releases, 9\.14\.0 and 9\.19\.0, and may not fit together; /);
  // Where another folder of the variable is found now, others of it may be set still.
  const other = { ...answer([], "/opt", "9.14.0", "ld-library-path"), variables: { LD_LIBRARY_PATH: "/opt" } };
  expect(changesOf(before, other)[1]).toMatchObject({
    words: "torch 2: cudnn 9.14.0 from another folder",
    search: { places: [{ before: { words: "found in `/usr/lib`" }, now: { words: "found in `/opt`" } }] },
  });
  expect(changesOf(other, { ...after, variables: { LD_LIBRARY_PATH: "/empty" } })[1]!.search!.places[0]!.now.words).toBe("not there");
  // What was not searched for is told in a sentence.
  const asked = answer([], "/venv", "9.19.0", "path" as never);
  expect(changesOf(before, asked)[1]!.why).toBe(
    "`libcudnn_graph.so.9` was found in `/usr/lib`: LD_LIBRARY_PATH names this folder, and the loader looks there before the folders that libraries name themselves (their RUNPATH) and before the system's own. Now it is found in `/venv`: `libcudnn.so.9` asks for this very file, so nothing is searched.",
  );
  expect([countWords(before), countWords(after), countWords({ ...before, findings: [] })]).toEqual([
    "1 error",
    "1 warning",
    "nothing wrong found",
  ]);
  // Nothing that was looked at is nothing that is well.
  const nothing = { ...before, findings: [], status: "nothing-to-check" };
  expect([countWords(nothing), isUnjudged(nothing), isUnjudged({ ...nothing, status: "ok" })]).toEqual(["nothing to check", true, false]);
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
  expect(placeIn(`#${addressWith(whole, kept, "copies")}`)).toBe("copies");
  expect(experimentOf(`#${addressWith(whole, kept, "copies")}`)).toEqual(whole);
  expect(placeIn(address)).toBe(undefined);
  expect(isAddress(`#${addressWith(asItIs, kept)}`)).toBe(true);
  expect(experimentOf(`#${addressWith(asItIs, kept)}`)).toEqual(asItIs);
  expect(keptIn("#keep=%E0%A4%A|unset=A&keep=nothing")).toHaveLength(1);
});
