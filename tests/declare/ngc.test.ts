import { expect, test } from "vitest";
import { declared, short } from "./declared.ts";

const pytorch = (release: string) => `FROM nvcr.io/nvidia/pytorch:${release}-py3\n`;
const list = (text: string) => ({ beside: { "requirements.txt": text } });
const fromList = "COPY requirements.txt .\nRUN pip install -r requirements.txt\n";

test("driver-too-old: by the CUDA of the release; on GPUs of data centres the image has compat libraries", async () => {
  const text = pytorch("24.05");
  const answer = await declared("Dockerfile", text, { driver: "470.57.02", gpus: ["RTX 3090"] });
  expect(short(answer)).toEqual(["error driver-too-old 1"]);
  expect(answer.check.findings[0]!.message).toContain("CUDA 12.4.1, which needs driver 525");
  expect(answer.check.findings[0]!.sources[0]).toContain("github:triton-inference-server/server@");
  expect(short(await declared("Dockerfile", text, { driver: "470.57.02" }))).toEqual(["warning driver-too-old 1"]);
  expect(short(await declared("Dockerfile", text, { driver: "470.57.02", gpus: ["T4"] }))).toEqual([]);
  expect(short(await declared("Dockerfile", text, { driver: "535.104.05", gpus: ["RTX 3090"] }))).toEqual([]);
  const triton = "FROM nvcr.io/nvidia/tritonserver:25.12-vllm-python-py3\n";
  expect(short(await declared("Dockerfile", triton, { driver: "550.54.15", gpus: ["RTX 3090"] }))).toEqual(["error driver-too-old 1"]);
});

test("an image without a line of pip is judged by its own CUDA, wherever it is named", async () => {
  const status = async (file: string, text: string, question: object) => (await declared(file, text, question)).check.status;
  const service = "services:\n  train:\n    image: nvcr.io/nvidia/pytorch:24.10-py3\n";
  for (const [file, text] of [
    ["Dockerfile", pytorch("24.10")],
    ["docker-compose.yml", service],
  ] as const) {
    expect(await status(file, text, { driver: "470.57.02" })).toBe("findings");
    expect(await status(file, text, { driver: "580.65.06" })).toBe("ok");
    expect(await status(file, text, {})).toBe("ok");
  }
  const { check } = await declared("Dockerfile", pytorch("24.05"));
  expect(check.judged).toEqual([{ program: "torch", version: "2.4.0a0+07cecf4168", activities: ["import"] }]);
  // Nothing is known of its CUDA.
  expect(await status("Dockerfile", pytorch("23.09"), { driver: "470.57.02" })).toBe("incomplete");
  expect(await status("Dockerfile", pytorch("23.09"), {})).toBe("ok");
  expect(await status("Dockerfile", "FROM nvcr.io/nvidia/nemo:24.07\n", { driver: "470.57.02" })).toBe("incomplete");
});

test("the compat libraries of an image run on the branches that NVIDIA names, and on others nobody knows", async () => {
  const on = async (driver: string) => (await declared("Dockerfile", pytorch("24.10"), { driver, gpus: ["T4"] })).check;
  expect((await on("470.57.02")).status).toBe("ok");
  expect((await on("460.32.03")).status).toBe("incomplete");
  expect((await on("460.32.03")).unknown.map(({ reason }) => reason)).toContain(
    "whether its compat libraries do on driver 460.32.03 is not known here",
  );
});

test("driver-too-old: an image of nvidia/cuda by itself; what is installed upon it has a CUDA of its own", async () => {
  const cuda = "FROM nvidia/cuda:12.6.3-runtime-ubuntu22.04\n";
  const old = { driver: "470.57.02", gpus: ["RTX 3090"] };
  expect(short(await declared("Dockerfile", cuda, old))).toEqual(["error driver-too-old 1"]);
  expect(short(await declared("Dockerfile", cuda, { driver: "535.54.03", gpus: ["RTX 3090"] }))).toEqual([]);
  const upon = `${cuda}RUN pip install torch==2.0.1+cu118 "numpy<2" --index-url https://download.pytorch.org/whl/cu118\n`;
  expect(short(await declared("Dockerfile", upon, old))).toEqual([]);
});

test("gpu-not-in-build: a toolkit that no longer builds for the GPU", async () => {
  expect(short(await declared("Dockerfile", pytorch("25.12"), { gpus: ["V100"] }))).toEqual(["error gpu-not-in-build 1"]);
  expect(short(await declared("Dockerfile", pytorch("25.12"), { gpus: ["T4"] }))).toEqual([]);
  expect(short(await declared("Dockerfile", pytorch("24.05"), { gpus: ["V100"] }))).toEqual([]);
});

test("image-build-replaced: a list that pins torch, or a range that the own build is not within", async () => {
  const text = pytorch("24.05") + fromList;
  const pinned = await declared("Dockerfile", text, list("numpy\ntorch==2.4.0\n"));
  expect(pinned.check.findings[0]).toMatchObject({
    rule: "image-build-replaced",
    severity: "warning",
    place: { file: "requirements.txt", line: 2 },
    message: expect.stringContaining("the torch (2.4.0a0+07cecf4168) that nvcr.io/nvidia/pytorch:24.05-py3"),
  });
  expect(short(await declared("Dockerfile", text, list("torch>=2.4\n")))).toEqual(["warning image-build-replaced 1"]);
  expect(short(await declared("Dockerfile", `${pytorch("24.05")}RUN pip install torch==2.4.1\n`))).toEqual([
    "warning image-build-replaced 2",
  ]);
  const tensorflow = await declared(
    "Dockerfile",
    `FROM nvcr.io/nvidia/tensorflow:23.01-tf2-py3\n${fromList}`,
    list("tensorflow==2.15.0\n"),
  );
  expect(short(tensorflow)).toContain("warning image-build-replaced 1");
});

test("image-build-replaced: what is made for one release brings that release along", async () => {
  const forced = await declared("Dockerfile", `${pytorch("24.10")}RUN pip install tqdm\nRUN pip install torchvision==0.20.0\n`);
  expect(short(forced)).toEqual(["warning image-build-replaced 3"]);
  expect(forced.check.findings[0]!.message).toMatch(/^torchvision==0\.20\.0 brings torch 2\.5\.0, which takes the place of the torch/);
  const alone = await declared("Dockerfile", `${pytorch("24.10")}RUN pip install --no-deps torchvision==0.20.0\n`);
  expect(alone.check.findings[0]!.message).toMatch(/^torchvision==0\.20\.0 takes the place of the torchvision/);
  expect(short(await declared("Dockerfile", `${pytorch("25.06")}RUN pip install torchaudio==2.7.0\n`))).toEqual([
    "error image-build-replaced 2",
  ]);
  expect(
    short(await declared("Dockerfile", `FROM nvcr.io/nvidia/tensorflow:24.10-tf2-py3\nRUN pip install torchvision==0.20.0\n`)),
  ).toEqual([]);
});

test("image-build-replaced: since 25.03 pip refuses, unless the constraints are set aside", async () => {
  expect(short(await declared("Dockerfile", `${pytorch("25.06")}RUN pip install torch==2.7.0\n`))).toEqual([
    "error image-build-replaced 2",
  ]);
  for (const line of [
    "RUN PIP_CONSTRAINT= pip install torch==2.7.0",
    "ENV PIP_CONSTRAINT=\nRUN pip install torch==2.7.0",
    "RUN sed -i /^torch/d /etc/pip/constraint.txt && pip install torch==2.7.0",
  ])
    expect(short(await declared("Dockerfile", `${pytorch("25.06")}${line}\n`))).toEqual([
      expect.stringMatching(/^info image-build-replaced/),
    ]);
});

test.each([
  ["torch that is there will do", "torch\ntorchvision\nnumpy\n"],
  ["a range that it is within", "torch>=2.0,<3\n"],
  ["another package", "transformers==4.40.0\n"],
])("silence: %s", async (_, text) => {
  expect(short(await declared("Dockerfile", pytorch("24.05") + fromList, list(text)))).toEqual([]);
});

test("silence: taken out first; a release that nothing is known of; a tag for Jetson", async () => {
  expect(short(await declared("Dockerfile", `${pytorch("25.06")}RUN pip uninstall -y torch && pip install torch==2.7.0\n`))).toEqual([]);
  expect(short(await declared("Dockerfile", pytorch("23.09"), { driver: "450.51.06", gpus: ["RTX 3090"] }))).toEqual([]);
  expect(short(await declared("Dockerfile", `${pytorch("23.09")}${fromList}`, list("torch>=2.1\n")))).toEqual([]);
  expect(short(await declared("Dockerfile", "FROM nvcr.io/nvidia/pytorch:24.05-py3-igpu\n", { driver: "450.51.06" }))).toEqual([]);
});

test("what the image has is listed by its own name", async () => {
  const { predicted } = await declared("Dockerfile", pytorch("24.05"));
  expect(predicted).toMatchObject({ base: "nvcr.io/nvidia/pytorch:24.05-py3", python: "3.10", frameworks: [] });
  expect(predicted.packages).toContainEqual({ name: "torch", version: "2.4.0a0+07cecf4168", manager: "image", isAssumed: false });
});
