import { expect, test } from "vitest";
import { solveRequest } from "../../packages/core/src/ask/solve.ts";
import { solveReport } from "../../packages/core/src/report/solve.ts";
import { commandOf, firstAnswer, solved, versionOf } from "./requests.ts";

test("two frameworks of different CUDAs share the one that both can have, and the loader is told where it is", async () => {
  const solution = await solved("tensorflow==2.10.*", "torch", "gpu=RTX 4090", "driver==535");
  const [plain, newer] = solution.answers;
  expect(plain!.packages.map(({ name, version }) => `${name} ${version}`)).toEqual(["tensorflow 2.10.1", "torch 2.0.1"]);
  expect(plain!.python).toBe("3.10");
  expect(plain!.certainty).toBe("certain");
  // Both use these very files: TensorFlow opens libcudnn.so.8 by name, torch pins the wheel that has it.
  expect(versionOf(plain!, "nvidia-cudnn-cu11")).toBe("8.5.0.96");
  expect(plain!.settings.map(({ name }) => name)).toEqual(["LD_LIBRARY_PATH"]);
  expect(commandOf(plain!, "pip")).toBe('pip install tensorflow==2.10.1 torch==2.0.1 "numpy<2"');
  expect(plain!.notes.join()).not.toContain("has no kernels");
  // torch for CUDA 11.8 with cuDNN 8 is the newest of PyTorch's own index; from 2.4 on it pins cuDNN 9.
  expect(commandOf(newer!, "pip")).toContain("torch==2.3.1+cu118");
  expect(commandOf(newer!, "pip")).toContain("--extra-index-url https://download.pytorch.org/whl/cu118");
  expect(newer!.certainty).toBe("likely");
  // An index that nobody asked is said to be one; what PyPI has was read there.
  expect(newer!.notes.join("\n")).toContain("Not tried: https://download.pytorch.org/whl/cu118 was not asked.");
  expect(plain!.notes.join("\n")).not.toContain("Not tried");
});

test("a driver rules builds out by the CUDA that they are for", async () => {
  expect(versionOf(await firstAnswer("torch", "driver==535.104.05"), "torch")).toBe("2.10.0");
  expect((await firstAnswer("torch", "driver==470.57.02")).packages[0]!.cuda).toBe("11.7");
});

test("a library that leaves a GPU out is held back, and pinned in the line", async () => {
  const answer = await firstAnswer("jax", "gpu=V100", "driver==535");
  expect(versionOf(answer, "nvidia-cudnn-cu12")).toBe("9.10.2.21");
  expect(commandOf(answer, "pip")).toContain("nvidia-cudnn-cu12==9.10.2.21");
});

test("what is compiled for one torch, and does not say so, comes with a torch that it was made for", async () => {
  // PyPI's torchaudio 2.11.0 asks for libcudart.so.13 and for no torch; torchcodec asks for none at all.
  const old = await firstAnswer("torch", "torchaudio", "driver==535.54.03");
  expect([versionOf(old, "torch"), versionOf(old, "torchaudio")]).toEqual(["2.10.0", "2.10.0"]);
  expect(commandOf(await firstAnswer("torchcodec", "torch==2.4.1"), "pip")).toContain("torchcodec==0.0.3");
  expect(commandOf(await firstAnswer("torchcodec"), "pip")).toMatch(/torchcodec==\S+ torch==/);
});

test("what opens cuBLAS and cuDNN by name gets the wheels that have them, and the loader is told where they are", async () => {
  const newest = await firstAnswer("faster-whisper");
  expect(commandOf(newest, "pip")).toMatch(/^pip install faster-whisper==\S+ nvidia-cublas-cu12==\S+$/);
  expect(newest.settings.map(({ name }) => name)).toEqual(["LD_LIBRARY_PATH"]);
  expect(newest.packages.map(({ name }) => name)).toEqual(["faster-whisper", "ctranslate2"]);
  expect(newest.driver.least).toBe("525.60.13");
  const older = await firstAnswer("faster-whisper", "ctranslate2==4.5.0");
  expect(versionOf(older, "nvidia-cudnn-cu12")).toMatch(/^9\./);
  // Up to 3.24 it is for CUDA 11 and cuDNN 8.
  const old = await firstAnswer("faster-whisper", "driver==470.57.02");
  expect(old.libraries.map(({ name }) => name)).toEqual(["nvidia-cublas-cu11", "nvidia-cudnn-cu11"]);
  expect(versionOf(old, "nvidia-cudnn-cu11")).toMatch(/^8\./);
});

test("NVIDIA's packages that serve any CUDA hold nothing back on a GPU that CUDA 13 has left", async () => {
  // Both bring nvidia-cudnn-frontend and nvidia-ml-py, which have no major in their names and are parts of no toolkit.
  for (const name of ["vllm", "sglang"]) {
    const answer = await firstAnswer(name, "gpu=V100");
    expect(answer.packages.find((each) => each.name === "torch")!.cuda).toBe("12.8");
    expect(versionOf(answer, "nvidia-ml-py")).toBeDefined();
    expect(versionOf(answer, "nvidia-cudnn-cu12")).toBe("9.10.2.21");
  }
});

test("libraries that cannot be had on a GPU are a proof, not a search that was given up", async () => {
  const { answers, conflict, unknown } = await solved("cudf-cu12", "gpu=K80");
  expect(answers).toEqual([]);
  expect(unknown.map(({ subject }) => subject)).toEqual(["driver"]);
  expect(conflict!.requirements.map(({ requirement }) => requirement)).toEqual(["cudf-cu12", "gpu=K80"]);
});

test("a way out of one clash does not say that the machine will do, where that is another clash", async () => {
  const { conflict } = await solved("tensorflow==2.15", "jax[cuda12]==0.4.30", "driver==470");
  expect(conflict!.ways.find(({ without }) => without === "tensorflow==2.15")!.possible).toMatch(
    /^jax 0\.4\.30 for CUDA 12, Python [\d.]+; whether with driver==470 is another question$/,
  );
});

test("who asks for xformers gets it", async () => {
  expect(commandOf(await firstAnswer("xformers", "torch==2.4.1"), "pip")).toContain("xformers==0.0.28.post1");
  expect(commandOf(await firstAnswer("xformers"), "pip")).toContain("xformers==");
});

test("what imports torch to be compiled is installed after it, and not apart from it", async () => {
  const answer = await firstAnswer("flash-attn", "torch==2.6.0");
  expect(answer.lines.find(({ tool }) => tool === "pip")!.commands.filter((line) => line.startsWith("pip"))).toEqual([
    "pip install torch==2.6.0 setuptools wheel packaging ninja psutil",
    expect.stringMatching(/^pip install --no-build-isolation flash-attn==\S+$/),
  ]);
  expect(answer.notes.join()).toContain("that takes nvcc of CUDA 12.4");
  expect(answer.lines.map(({ tool }) => tool)).not.toContain("docker");
});

test("what pip would choose by itself is not written", async () => {
  expect(commandOf(await firstAnswer("torch", "driver==535"), "pip")).toBe("pip install torch==2.10.0");
});

test("packages for two CUDAs that overwrite each other's files are not put together", async () => {
  const solution = await solved("tensorflow==2.21.*", "torch==2.15.*");
  expect(solution.answers).toEqual([]);
  expect(solution.conflict!.requirements.map(({ requirement }) => requirement)).toEqual(["tensorflow==2.21.*", "torch==2.15.*"]);
  expect(solution.conflict!.requirements[0]!.says).toContain("libcudnn.so.9");
});

test("several frameworks are new together, not one at the cost of the others", async () => {
  const answer = await firstAnswer("torch", "tensorflow");
  expect(new Set(answer.packages.map(({ cuda }) => cuda?.split(".")[0]))).toEqual(new Set(["12"]));
});

// Seen with the wheels of PyPI: tensorflow 2.15.1 beside torch 2.3.1 maps the libraries that torch brought, and has its GPU.
test("where the libraries of two exclude each other, one uses those of the other; not where its own were asked for", async () => {
  const { answers } = await solved("tensorflow==2.15.*", "torch==2.3.*");
  expect(commandOf(answers[0]!, "pip")).toBe('pip install tensorflow==2.15.1 torch==2.3.1 "numpy<2" nvidia-cuda-nvcc-cu12==12.1.105');
  expect(answers[0]!.certainty).toBe("likely");
  expect(answers[0]!.settings).toEqual([]);
  expect(answers[0]!.notes.join()).toContain("without its extra [and-cuda]");
  expect((await solved("tensorflow[and-cuda]==2.15.*", "torch==2.3.*")).conflict!.requirements).toHaveLength(2);
  expect((await solved("tensorflow==2.15.*")).answers[0]!.notes.join()).not.toContain("without its extra");
});

test("a conflict names the pins, and where they are written", async () => {
  const { conflict } = await solved("jax==0.4.35", "tensorflow==2.17.*", "gpu=A100");
  expect(conflict!.requirements.map(({ requirement, says }) => `${requirement}: ${says}`)).toEqual([
    "jax==0.4.35: jax 0.4.35 brings jax-cuda12-plugin 0.4.35, which needs nvidia-cudnn-cu12<10.0,>=9.1",
    "tensorflow==2.17.*: tensorflow 2.17.0 to 2.17.1 need nvidia-cudnn-cu12==8.9.7.29",
  ]);
  expect(conflict!.requirements[1]!.sources).toEqual(["the metadata of tensorflow 2.17.1 on PyPI"]);
  expect(conflict!.ways).toHaveLength(2);
});

test("a conflict that rests on what is only worked out is likely", async () => {
  const { conflict } = await solved("torch", "gpu=RTX 4090", "driver==470");
  expect(conflict!.requirements.map(({ requirement }) => requirement)).toEqual(["gpu=RTX 4090", "driver==470"]);
  expect(conflict!.certainty).toBe("likely");
  expect((await solved("torch", "gpu=RTX 5090", "driver==535")).conflict!.certainty).toBe("certain");
});

test("the least driver is the most that any part asks for", async () => {
  expect((await firstAnswer("torch", "gpu=H200")).driver.least).toBe("580.65.06");
});

test("CUDA and cuDNN can be asked for alone", async () => {
  const answer = await firstAnswer("cuda==12.*", "cudnn<9");
  expect(versionOf(answer, "nvidia-cudnn-cu12")).toMatch(/^8\./);
  expect(answer.lines.find(({ tool }) => tool === "apt")!.commands[0]).toMatch(/^sudo apt-get install cuda-toolkit-12-\d+ "libcudnn8=8\./);
});

test.each([
  ["torch=2.4", "the requirement `torch=2.4` cannot be read: `=2.4` is no version clause"],
  ["gpu=RTX 9999", "no GPU `RTX 9999` is known"],
  ["driver<=550", "a driver is given as `driver==535.104.05`"],
  ["somebodys-package", "is about a package that is not known here"],
  ["numpy==99.*", "PyPI has no such release of numpy"],
  ["torch @ https://example.org/torch.whl", "an address says nothing about versions"],
  ["", "it does not begin with the name of a package"],
])("the requirement `%s` is refused in one sentence", async (requirement, words) => {
  const solution = await solveRequest({ requirements: ["torch", requirement] });
  expect("problem" in solution && solution.problem).toContain(words);
  expect("problem" in solution && solution.problem.split("\n")).toHaveLength(1);
});

test("who asks for nothing that can be installed is told so", async () => {
  expect(await solveRequest({ requirements: ["python==3.11"] })).toEqual({
    code: "bad-question",
    problem:
      "name a package to solve for: torch, tensorflow, jax, cupy, onnxruntime-gpu, ctranslate2, torchvision, torchaudio, cuda or cudnn",
  });
});

test("notations that mean the same are read the same", async () => {
  const same = async (...requirements: string[]) => (await firstAnswer(...requirements)).packages;
  expect(await same("pytorch==2.4.*", "driver 535.104", "gpu:T4")).toEqual(await same("torch==2.4.*", "driver==535.104", "gpu=T4"));
  expect(await same("torch", "cuda=12.8", "python=3.12")).toEqual(await same("torch", "cuda==12.8.*", "python==3.12.*"));
});

test("every word for people is there", async () => {
  const text = solveReport(await solved("tensorflow==2.10.*", "torch", "gpu=RTX 4090", "driver==535"));
  for (const word of [
    "LD_LIBRARY_PATH must be set",
    "pip install",
    "uv pip install",
    "conda create",
    "FROM python:3.10-slim",
    "alone it could be",
  ])
    expect(text).toContain(word);
});

test("what is not known is not called impossible, and what is asked wrongly is said in one sentence", async () => {
  const problemOf = async (...requirements: string[]) => {
    const answer = await solveRequest({ requirements });
    return "problem" in answer ? answer.problem : "";
  };
  // There were such releases; they are not among those that are known here.
  expect(await problemOf("tensorflow==1.15")).toMatch(/nothing before [\d.]+ is known here/);
  expect(await problemOf("jax<0.4")).toMatch(/cannot be answered$/);
  expect(await problemOf("torhc")).toContain("did you mean `torch`?");
  expect(await problemOf("tensorlfow")).toContain("did you mean `tensorflow`?");
  expect(await problemOf("torch", "gpu=Jetson Orin")).toContain("NVIDIA makes for its JetPack");
  expect(await problemOf("jax[tpu]")).toContain("not for NVIDIA's GPUs");
});

test("why a request cannot be met: twice asked for, or a build that never was", async () => {
  const saysOf = async (...requirements: string[]) => (await solved(...requirements)).conflict!.requirements.map(({ says }) => says);
  expect(await saysOf("torch==2.4", "torch==2.5")).toEqual([
    "no release of torch is within all of torch==2.4, torch==2.5",
    "no release of torch is within all of torch==2.4, torch==2.5",
  ]);
  expect(await saysOf("torch==2.4.1+cu999")).toEqual([expect.stringMatching(/^torch 2\.4\.1 is there as cu\d+, .*and as nothing else$/)]);
});

test("five frameworks at once, whatever the driver", async () => {
  const all = ["torch", "tensorflow", "jax", "cupy", "onnxruntime-gpu"];
  const answer = await firstAnswer(...all);
  expect(answer.packages.map(({ name }) => name)).toEqual(expect.arrayContaining(all));
  // All for one CUDA, which an older driver runs as well.
  expect(new Set(answer.packages.flatMap(({ cuda }) => cuda?.split(".")[0] ?? []))).toEqual(new Set(["12"]));
  expect((await firstAnswer(...all, "driver==535")).packages.map(({ version }) => version)).toEqual(
    answer.packages.map(({ version }) => version),
  );
});

test("what a driver was chosen for is named, though another package brings it", async () => {
  const answer = await firstAnswer("xformers", "driver==535");
  expect(versionOf(answer, "torch")).toBe("2.10.0");
  // Left to itself, pip takes the newest torch, which that driver does not run.
  expect(commandOf(answer, "pip")).toContain(" torch==2.10.0");
  expect(commandOf(await firstAnswer("vllm", "driver==535"), "pip")).not.toContain(" torch==");
});

test("onnxruntime-gpu is never without CUDA, whoever brings it", async () => {
  const answer = await firstAnswer("fastembed-gpu", "driver==535");
  expect(answer.packages.find(({ name }) => name === "onnxruntime-gpu")?.cuda).toMatch(/^12/);
  expect(commandOf(answer, "pip")).toContain(`"onnxruntime-gpu[cuda,cudnn]==${versionOf(answer, "onnxruntime-gpu")}"`);
});

test.each([
  ["cudf-cu13", "driver==535"],
  ["nvidia-dali-cuda130", "driver==535"],
])("%s is for the CUDA that its name tells: not with %s", async (name, driver) => {
  expect((await solved(name, driver)).conflict?.requirements.map(({ requirement }) => requirement)).toEqual([name, driver]);
  expect((await solved(name, "driver==580.82.07")).answers).not.toEqual([]);
});

test("a package that always brings a wheel of NVIDIA is for its CUDA", async () => {
  // It asks for nvidia-nccl-cu13; which CUDA its own code is for, no metadata say.
  expect((await firstAnswer("xgboost==3.4.1", "driver==580.82.07")).doubts.join()).toContain("whether xgboost 3.4.1 is built for CUDA 13");
  expect((await solved("xgboost==3.4.1", "driver==535")).conflict?.certainty).toBe("likely");
});

test("an extra that is asked for is in the line", async () => {
  expect(commandOf(await firstAnswer("transformer-engine[pytorch]"), "pip")).toContain('"transformer-engine[pytorch]==');
});

test("of what nobody knows the CUDA, nothing is certain where a driver is given", async () => {
  const answer = await firstAnswer("paddlepaddle-gpu", "driver==535");
  expect(answer.certainty).toBe("likely");
  expect(answer.doubts).toEqual([expect.stringMatching(/^which CUDA paddlepaddle-gpu==\S+ would use$/)]);
});

test("a framework that is brought without CUDA is told, with the words that bring it", async () => {
  const { notes, packages } = await firstAnswer("flax", "driver==535");
  const { version } = packages.find(({ name }) => name === "jax")!;
  expect(notes).toContain(`jax ${version} comes without CUDA here: ask for "jax[cuda12]==${version}" as well.`);
});

test("a search that takes too long ends, and neither finds a conflict nor an answer", async () => {
  const { answers, conflict, unknown } = await solved("vllm", "gpu=V100");
  // Should it be found one day, it must be right.
  if (0 < answers.length) expect(answers[0]!.gpus).toEqual(["V100"]);
  else {
    expect(conflict).toBeUndefined();
    expect(unknown).toContainEqual({ subject: "search", reason: expect.stringContaining("given up") });
  }
}, 60_000);

test("what a documented defect rules out is held back, where the metadata let it in", async () => {
  const answer = await firstAnswer("tensorflow==2.8.0", "driver==510");
  expect(commandOf(answer, "pip")).toContain('"protobuf<4"');
  expect(answer.notes.join("\n")).toContain("protobuf stays below 4: tensorflow before 2.12 was generated for protobuf 3");
  // 2.8.2 asks for protobuf<3.20 itself.
  expect(commandOf(await firstAnswer("tensorflow==2.8.2"), "pip")).not.toContain("protobuf");
  expect((await solved("tensorflow==2.8.0", "protobuf==4.25.3")).answers).toEqual([]);
});

test("a cuDNN that PyPI never had is no quarrel between two that want it", async () => {
  const { conflict } = await solved("tensorflow", "cudnn==8.2");
  expect(conflict?.requirements.map(({ says }) => says).join("\n")).toContain("PyPI has no wheel of cuDNN 8.2");
});
