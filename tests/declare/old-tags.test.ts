import { expect, test } from "vitest";
import { declared, short } from "./declared.ts";

const upon = (image: string, line = "pip install matplotlib") => declared("Dockerfile", `FROM ${image}\nRUN ${line}\n`);
const unknown = async (image: string) =>
  (await upon(image)).check.unknown.filter(({ aside }) => !aside).map(({ subject, reason }) => `${subject}: ${reason}`);

test("tags of TensorFlow that name the Python, too", async () => {
  const old = await declared("Dockerfile", "FROM tensorflow/tensorflow:1.15.5-gpu-py3\nRUN pip install matplotlib\n", { driver: "384.81" });
  expect(old.check.judged).toEqual([expect.objectContaining({ program: "tensorflow", version: "1.15.5" })]);
  expect(short(old)).toEqual(["error driver-too-old 1"]);
  expect((await upon("tensorflow/tensorflow:2.0.4-gpu-py3-jupyter")).check.status).toBe("ok");
  expect(short(await upon("tensorflow/tensorflow:2.0.4-gpu-py3"))).toEqual([]);
});

test("an image of a framework whose release is not known is no image without one", async () => {
  expect(await unknown("tensorflow/tensorflow:1.12.0-gpu-py3")).toEqual([
    expect.stringMatching(/^tensorflow 1\.12\.0: nothing is known of this release; known are 1\.13\.1 to /),
  ]);
  expect((await upon("tensorflow/tensorflow:1.12.0-gpu-py3")).check.status).toBe("incomplete");
  for (const image of [
    "tensorflow/tensorflow:nightly-gpu",
    "pytorch/pytorch",
    "pytorch/pytorch:latest",
    "tensorflow/tensorflow:1.15.5-gpu",
  ])
    expect(await unknown(image)).toEqual([`${image}: its tag does not tell which release is in it`]);
  expect((await upon("pytorch/pytorch:latest")).check.status).toBe("incomplete");
  expect(await unknown("pytorch/pytorch:2.4.1-cuda12.4-cudnn9-runtime")).toEqual([]);
  expect(await unknown("tensorflow/tensorflow:2.15.0")).toEqual([]);
  expect(await unknown("mine/tensorflow:latest")).toEqual(["mine/tensorflow:latest: what this image brings is not known here"]);
});
