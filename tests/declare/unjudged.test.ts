// What is not judged, and what only looks so.
import { expect, test } from "vitest";
import { declared, short } from "./declared.ts";

const open = ({ check }: Awaited<ReturnType<typeof declared>>) => check.unknown.filter(({ aside }) => !aside).map(({ subject }) => subject);

test("a pre-release is judged as the release that it led to", async () => {
  const answer = await declared("requirements.txt", "lightning==2.3.0.dev20240324\ntorch==2.3.0\n");
  expect([short(answer), open(answer), answer.check.status]).toEqual([[], [], "ok"]);
  expect(answer.check.unknown).toMatchObject([{ subject: "lightning 2.3.0.dev20240324", aside: true }]);
  expect(answer.predicted.packages.find(({ name }) => name === "lightning")).toMatchObject({ version: "2.3.0.dev20240324" });
  // What does not fit with the release is not known of what came before it.
  const clash = await declared("requirements.txt", "lightning==2.3.0.dev20240324\ntorch==1.9.0\n");
  expect([short(clash), open(clash).length]).toEqual([[], 1]);
  expect(short(await declared("requirements.txt", "lightning==2.3.0\ntorch==1.9.0\n"))).toContain("error requirements-clash 2");
});

test("lines for some Pythons of what holds no framework are of no weight; of a framework they are open", async () => {
  const numba = 'torch==2.5.1\nnumba==0.55.1;python_version<"3.9"\nnumba>=0.57.0;python_version>="3.9"\n';
  const answer = await declared("requirements.txt", numba);
  expect([short(answer), open(answer)]).toEqual([[], []]);
  const torch = 'torch==2.0.1;python_version<"3.9"\ntorch==2.5.1;python_version>="3.9"\n';
  expect(open(await declared("requirements.txt", torch))).toHaveLength(1);
});

test("a wheel that says `+cpu` brings nothing for a GPU", async () => {
  const wheel = (label: string) => `https://example.org/llama_cpp_binaries-0.1.0+${label}-py3-none-linux_x86_64.whl\n`;
  expect(open(await declared("requirements.txt", wheel("cpu")))).toEqual([]);
  expect(open(await declared("requirements.txt", wheel("cu124")))).toEqual(["llama-cpp-binaries"]);
});

test("what is built from a repository is not unknown for its revision; a version from a variable is", async () => {
  const docker = (word: string) => `FROM python:3.11\nRUN pip install torch==2.5.1\nRUN V=$(cat v); pip install "${word}"\n`;
  for (const word of ["git+https://github.com/a/b.git@v$V", "$(ls /dist/horovod-*.tar.gz)[spark]"])
    expect(open(await declared("Dockerfile", docker(word))), word).toEqual([]);
  expect(open(await declared("Dockerfile", docker("torchvision==$V")))).toHaveLength(1);
});

test("a tag that moves on is the newest release, and says so", async () => {
  const { check } = await declared("Dockerfile", "FROM tensorflow/tensorflow:latest-gpu\nRUN pip install pandas\n");
  expect(check.status).toBe("ok");
  expect(check.unknown).toMatchObject([{ subject: "tensorflow/tensorflow:latest-gpu", aside: true }]);
  const nightly = await declared("Dockerfile", "FROM tensorflow/tensorflow:nightly-gpu\n");
  expect(nightly.check.status).toBe("incomplete");
});

test("a library that apt brings under a name from a variable is not missing", async () => {
  const docker = (name: string) =>
    `FROM nvidia/cuda:11.8.0-runtime-ubuntu20.04\nRUN M=$(cat m); apt-get install -y python3-pip ${name}\nRUN pip install tensorflow==2.11.0\n`;
  expect(short(await declared("Dockerfile", docker("libcudnn$M=8.6")))).not.toContain("error library-missing 3");
  expect(short(await declared("Dockerfile", docker("wget")))).toContain("error library-missing 3");
});

test("a torch that is older than what is known stays where another command leaves it", async () => {
  const text =
    "FROM python:3.7\nRUN pip install torch==1.5.0+cpu torchvision==0.6.0+cpu -f https://download.pytorch.org/whl/torch_stable.html\nRUN pip install pytorch-lightning==0.7.3\n";
  const answer = await declared("Dockerfile", text);
  expect([short(answer), open(answer)]).toEqual([[], ["torch 1.5.0+cpu", "torchvision 0.6.0+cpu"]]);
});
