import { expect, test } from "vitest";
import step from "../../../packages/core/src/log/causes/l4t-image.ts";
import { factsOf } from "../../../packages/core/src/log/fact.ts";
import { logReader } from "../../../packages/core/src/log/read.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "library-wrong-version > driver-too-old > driver-not-exposed",
    "- JetPack: 4.6 [L4T 32.6.1]\n- Image: dustynv/ros:foxy-desktop-l4t-r35.4.1",
  ],
  [
    "library-wrong-version > driver-too-old > driver-not-exposed",
    "# R32 (release), REVISION: 3.1, GCID: 18284527, BOARD: t186ref, EABI: aarch64\n$ docker run --runtime nvidia dustynv/ros:foxy-pytorch-l4t-r32.5.0",
  ],
]);

// Within one major of later releases, and where only the JetPack is known, nothing is concluded.
test.each([
  "L4T 35.4.1\n$ docker run --runtime nvidia nvcr.io/nvidia/l4t-pytorch:r35.2.1-pth2.0-py3",
  "JetPack 4.6\n$ docker run --runtime nvidia nvcr.io/nvidia/l4t-pytorch:r32.7.1-pth1.10-py3",
])("%s", (text) => {
  const reader = logReader();
  reader.push(new TextEncoder().encode(text));
  const facts = factsOf(reader.end().facts);
  expect(step(facts)).toEqual([]);
});
