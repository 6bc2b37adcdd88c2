// A driver, and packages whose builds nobody has looked at.
import { expect, test } from "vitest";
import { declared, short } from "./declared.ts";

const open = ({ check }: Awaited<ReturnType<typeof declared>>) => check.unknown.filter(({ aside }) => !aside).map(({ subject }) => subject);
const onDriver = (list: string, driver: string) => declared("requirements.txt", list, { driver });

test.each([
  ["nvidia-dali-cuda130", "535.104.05", "580.82.07"],
  ["cudf-cu13==26.10.2", "535.104.05", "580.82.07"],
  ["rmm-cu12", "470.82.01", "535.104.05"],
  // Its wheels of NVIDIA tell.
  ["xgboost==3.4.1", "535.104.05", "580.82.07"],
])("%s is for one CUDA: not with driver %s, with %s", async (name, older, newer) => {
  const answer = await onDriver(`${name}\n`, older);
  const own = answer.check.findings.filter(({ subject }) => subject.startsWith(name.split("=")[0]!));
  expect(own.map(({ rule, severity }) => `${severity} ${rule}`)).toEqual(["error driver-too-old"]);
  expect(answer.check.status).toBe("findings");
  const fine = await onDriver(`${name}\n`, newer);
  expect([short(fine), open(fine), fine.check.status]).toEqual([[], [], "ok"]);
});

test("a name is surer than what comes along, and the package for an older CUDA is advised where there is one", async () => {
  const [named] = (await onDriver("nvidia-dali-cuda130\n", "535.104.05")).check.findings;
  expect(named!.advice.map(({ words }) => words)).toEqual(["take nvidia-dali-cuda120", "or a driver of 580.65.06 or newer"]);
  const [brought] = (await onDriver("xgboost==3.4.1\n", "535.104.05")).check.findings;
  expect(brought).toMatchObject({ certainty: "likely", advice: [{ command: expect.arrayContaining(["solve", "xgboost"]) }, {}] });
});

test.each(["paddlepaddle-gpu==2.6.2", "xgboost==1.7.6", "warp-lang==1.8.0", "catboost==1.2.8"])(
  "of %s nothing tells the CUDA: who asks about a driver is not told that it is fine",
  async (line) => {
    const answer = await onDriver(`${line}\n`, "535.104.05");
    expect([short(answer), open(answer), answer.check.status]).toEqual([[], [line.replace("==", " ")], "incomplete"]);
    expect((await declared("requirements.txt", `${line}\n`)).check.status).toBe("ok");
  },
);

test.each([
  "paddlepaddle==2.6.2\n",
  "numba==0.60.0\n",
  "spacy==3.8.2\n",
  "torch==2.5.1\ntorchvision==0.20.1\ndeepspeed\n",
  "fastembed-gpu==0.9.1\n",
])("what uses no GPU, or one that is judged, is not open: %j", async (list) => {
  const answer = await onDriver(list, "580.82.07");
  expect([short(answer), open(answer)]).toEqual([[], []]);
});
