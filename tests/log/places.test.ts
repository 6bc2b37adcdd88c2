// What is told in one place, and never in another: driven by texts of many kinds with a line in front that says where they come from.
import { describe, expect, test } from "vitest";
import { explainLog } from "../../packages/core/src/culprit.ts";
import { signatures } from "../../packages/core/src/log/index.generated.ts";

const explain = (text: string) => explainLog([new TextEncoder().encode(text)]);
const examples = [...new Set(signatures.flat().flatMap(({ examples: texts }) => texts))];

/** Every command that an answer prints, wherever it stands: fixes, what to look at, and the question. */
async function commandsOf(text: string): Promise<string[]> {
  const { diagnoses, question = "" } = await explain(text);
  return [
    ...diagnoses.flatMap(({ fixes, next }) => [...fixes.flatMap(({ commands }) => commands), ...next]),
    ...[...question.matchAll(/`([^`]+)`/g)].map(([, command]) => command!),
  ];
}
const fixesOf = async (text: string) => {
  const [first] = (await explain(text)).diagnoses;
  return (first?.fixes ?? []).flatMap(({ fix, commands }) => [fix, ...commands]);
};

const elsewhere =
  /WSL|[Cc]olab|Kaggle|[Jj]etson|JetPack|L4T|Windows|win32|\.dll|C:\\|site-packages\\|dxcore|win_amd64|[Dd]ocker|container|podman|[Ss]ingularity|[Kk]ube/;

const never: { [line: string]: RegExp } = {
  "C:\\Users\\me>": /\bgrep\b|\bfind \/|\bls -|\/usr\/local|\bsudo\b|^docker\b|^export\b|^[A-Z_]+=\S/,
  "Jetson AGX Orin, JetPack 5.1":
    /\bpip install "?nvidia-|\bconda install\b|apt-get install (?:cuda-|lib(?:cu|nv))|^nvidia-smi|docker run --rm --gpus/,
  "$ kubectl logs pod/train": /\bdocker (?:run|exec|restart)\b/,
  "$ singularity exec --nv image.sif python train.py": /\bsudo\b|\breboot\b|\bmodprobe\b|\bdocker run\b|\bapt-get\b/,
  "$ sbatch job.sh": /\bsudo\b|\breboot\b|\bmodprobe\b|\bdocker run\b|\bapt-get\b/,
  "it fails on Perlmutter": /\bsudo\b|\breboot\b|\bmodprobe\b|\bdocker run\b|\bapt-get\b/,
  "Ubuntu 22.04 in wsl2": /^docker\b|\bmodprobe\b|\/dev\/nvidia|update-initramfs/,
};

test.each(Object.entries(never))("no command that cannot work after: %s", async (line, wrong) => {
  for (const example of examples) {
    if (elsewhere.test(example)) continue;
    for (const command of await commandsOf(`${line}\n${example}`)) expect(command, example).not.toMatch(wrong);
  }
});

describe("what helps there comes first", () => {
  test.each([
    [
      "Jetson Xavier NX, JetPack 4.4",
      "ImportError: libcublas.so.10.0: cannot open shared object file: No such file or directory",
      /^take a build for this JetPack: .*JetPack 4\.2 and 4\.3/,
    ],
    ["my Jetson TX2", "CMake Error: Failed to detect a default CUDA architecture.", /^the toolkit of JetPack lies in/],
    ["On a Jetson Nano", "AssertionError: Torch not compiled with CUDA enabled", /PyTorch that NVIDIA publishes/],
    ["Ubuntu under wsl", "ImportError: libcuda.so.1: cannot open shared object file: No such file or directory", /\/usr\/lib\/wsl\/lib/],
    ["minikube start", "libcuda.so.1: cannot open shared object file: No such file or directory", /nvidia\.com\/gpu/],
    [
      "conda create -n work -c conda-forge jax",
      "E0101 cuda_dnn.cc:456] Loaded runtime CuDNN library: 9.1.0 but source was compiled with: 9.3.0.  CuDNN library needs to have matching major version",
      /^install cuDNN 9\.3[^]*conda install -c conda-forge "cudnn>=9\.3\.0,<10"/,
    ],
    [
      "in Google Colab",
      "ImportError: libcudart.so.9.0: cannot open shared object file: No such file or directory",
      /^the runtime has a newer CUDA/,
    ],
  ])("%s", async (line, error, expected) => {
    expect((await fixesOf(`${line}\n${error}`)).join("\n")).toMatch(expected);
  });

  test("pip stays where only the environment is conda's", async () => {
    const told = await fixesOf(
      "conda create -n work python=3.11; pip install jax\nE0101 cuda_dnn.cc:456] Loaded runtime CuDNN library: 9.1.0 but source was compiled with: 9.3.0.",
    );
    expect(told.join("\n")).toMatch(/pip install "nvidia-cudnn-cu12>=9\.3\.0,<10"/);
  });
});

test.each([
  ["I have a RX 6700 XT", "RuntimeError: Found no NVIDIA driver on your system."],
  ["card: 7800xt", "ImportError: libcuda.so.1: cannot open shared object file: No such file or directory"],
  ["GPU: AMD FirePro W8100", "CUDA error 100: no CUDA-capable device is detected"],
  ["Instinct MI210", "RuntimeError: Found no NVIDIA driver on your system."],
])("an AMD GPU is known by its name: %s", async (line, error) => {
  const { diagnoses } = await explain(`${line}\n${error}`);
  expect(diagnoses[0]?.cause).toBe("wrong-vendor");
});

test.each([
  ["Jax crashes since today", "JAX"],
  ["tf.config.list_physical_devices()", "TensorFlow"],
])("XLA's lines are those of the framework that is named: %s", async (line, who) => {
  const { diagnoses } = await explain(
    `${line}\nE0303 41 cuda_dnn.cc:454] Loaded runtime CuDNN library: 9.1.1 but source was compiled with: 9.7.0.  CuDNN library needs`,
  );
  expect(diagnoses[0]?.message).toContain(`${who} was compiled with`);
});

test("a toolkit whose nvcc answered is not called missing", async () => {
  const unset = "OSError: CUDA_HOME environment variable is not set. Please set it to your CUDA install root.";
  const { diagnoses } = await explain(`${unset}\n$ nvcc -V\nCuda compilation tools, release 12.1, V12.1.105`);
  expect(diagnoses[0]).toMatchObject({ cause: "cuda-home-wrong", found: "nvcc of CUDA 12.1, and no CUDA_HOME" });
  expect((await explain(unset)).diagnoses[0]).toMatchObject({ cause: "library-missing" });
});

test("in a container an unknown error is the host's module before a suspend", async () => {
  const unknown = "failed call to cuInit: CUDA_ERROR_UNKNOWN: unknown error";
  expect((await explain(`$ docker run --gpus all image\n${unknown}`)).diagnoses[0]).toMatchObject({ cause: "kernel-module-missing" });
  expect((await explain(unknown)).diagnoses[0]).toMatchObject({ cause: "not-a-mismatch" });
});

test("Windows in a field of a form, or as what somebody runs instead of WSL, is Windows", async () => {
  const toolkit = await commandsOf("nvcc fatal : Unsupported gpu architecture 'compute_120'\n### Operating systems\nWindows");
  expect(toolkit).toContain(String.raw`set "CUDA_PATH=C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA\v12.8"`);
  const built = await fixesOf("OS: Windows\nllama_cpp_python 0.2.64\nI still cannot use the GPU");
  expect(built.filter((each) => each.includes("CMAKE_ARGS"))).toEqual([
    'set "CMAKE_ARGS=-DGGML_CUDA=on" & pip install --force-reinstall --no-cache-dir llama-cpp-python',
  ]);
  const native = await fixesOf("I natively run Windows, and WSL2 is slow. TensorFlow 2.10 does not see my GPU. CUDA 11.8");
  expect(native.join()).toMatch(/`bin` folders of both on PATH/);
});

test("PyTorch for Windows holds cuDNN itself: no wheel of NVIDIA's is advised for it", async () => {
  const text = "cuDNN version mismatch with torch 2.5.1";
  expect((await commandsOf(text)).join("\n")).toContain("nvidia-cudnn-cu12==9.1.0.70");
  expect((await commandsOf(`${text}\nOS: Windows`)).join("\n")).not.toContain("nvidia-cudnn");
});

test("who brings CUPTI himself is led to no toolkit, and is not told to install TensorFlow", async () => {
  const commands = (await commandsOf("CUPTI version mismatch with torch 2.5.1")).join("\n");
  expect(commands).toContain("unset LD_LIBRARY_PATH");
  expect(commands).not.toMatch(/tensorflow|extras\/CUPTI/);
});
