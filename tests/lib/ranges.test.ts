import { describe, expect, test } from "vitest";
import { expandRanges, joinRanges } from "../../packages/core/src/lib/ranges.ts";

describe("names that differ in a number", () => {
  test("are written out as clusters mean them", () => {
    expect(expandRanges("node[008-011,100]")).toEqual(["node008", "node009", "node010", "node011", "node100"]);
    expect(expandRanges("r[1-2]n[01-02].lan")).toEqual(["r1n01.lan", "r1n02.lan", "r2n01.lan", "r2n02.lan"]);
    for (const name of ["node", "", "::1", "[::1]", "a[]b", "a[x-y]", "a[1-]"]) expect(expandRanges(name)).toEqual([name]);
    expect(expandRanges("n[3-1]")).toEqual([]);
    expect(expandRanges("n[1-99999999]")).toBe(undefined);
    expect(expandRanges("n[1-1000][1-1000]")).toBe(undefined);
  });

  test("are joined so that writing them out gives them back", () => {
    expect(joinRanges(["n9", "n10", "n11"])).toEqual(["n[9-11]"]);
    expect(joinRanges(["n099", "n100", "n1000", "n098"])).toEqual(["n[1000,098-100]"]);
    expect(joinRanges(["gpu-a100-1.dc2", "gpu-a100-2.dc2", "login"])).toEqual(["gpu-a100-[1,2].dc2", "login"]);
    expect(joinRanges(["u@10.0.0.7", "u@10.0.0.8", "u@10.0.0.9"])).toEqual(["u@10.0.0.[7-9]"]);
    expect(joinRanges(["one"])).toEqual(["one"]);
    expect(joinRanges(["n1"])).toEqual(["n1"]);
    for (const names of [
      ["ssh:n7", "ssh:n07", "ssh:n8", "ssh:n08", "ssh:n008"],
      ["a", "b1", "b3", "b2", "c.1", "c1", "é2x"],
      Array.from({ length: 250 }, (_, index) => `node${String(index * 3).padStart(3, "0")}.x`),
    ])
      expect(
        joinRanges(names)
          .flatMap((each) => expandRanges(each)!)
          .sort(),
      ).toEqual([...names].sort());
  });
});
