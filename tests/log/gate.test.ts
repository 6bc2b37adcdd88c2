import { expect, test } from "vitest";
import { torchBuilds } from "../../packages/core/src/knowledge/frameworks.ts";
import { explainLog } from "../../packages/core/src/culprit.ts";
import { signatures } from "../../packages/core/src/log/index.generated.ts";

const explain = (text: string) => explainLog([new TextEncoder().encode(text)]);
const examples = [...new Set(signatures.flat().flatMap(({ examples: texts }) => texts))];
const variants = new Set(["cpu", "rocm6", "xpu", ...torchBuilds().map(({ variant }) => variant)]);

const linesOf = async (text: string) => {
  const { diagnoses } = await explain(text);
  return diagnoses.flatMap(({ fixes, next }) => [...fixes.flatMap(({ commands }) => commands), ...next]);
};
const said = async (text: string) => {
  const { diagnoses } = await explain(text);
  return diagnoses.flatMap(({ fixes }) => fixes.map(({ fix, commands }) => [fix, ...commands].join("\n"))).join("\n");
};

// What no text may be told, whatever it says, where it comes from one of these places.
const places: { [line: string]: RegExp } = {
  "C:\\Users\\me>": /\bsudo\b|\bapt-get\b|\bldconfig\b|\/usr\/local|LD_LIBRARY_PATH|\bgrep\b|^export |\$\(|\/proc\/|\bculprit\b/m,
  "kernel 6.6.87.2-microsoft-standard-WSL2": /\bmodprobe\b|\brmmod\b|\bdkms\b|linux-headers|^sudo reboot$/m,
  "in Google Colab": /\bdocker run\b|^sudo\b|^export |\breboot\b|LD_LIBRARY_PATH/m,
  "Jetson Orin with JetPack 6.2": /download\.pytorch\.org|^nvidia-smi$/m,
};

test.each(Object.entries(places))("a text from %s gets only what works there", async (line, never) => {
  for (const example of examples) {
    if (/WSL|[Cc]olab|Kaggle|[Jj]etson|JetPack|L4T|Windows|win32|\.dll|C:\\|site-packages\\|dxcore|win_amd64/.test(example)) continue;
    const lines = await linesOf(`${line}\n${example}`);
    for (const each of lines.filter((command) => !command.includes(": "))) expect(each, example).not.toMatch(never);
  }
});

test("every index that is named exists, and no package is a file", async () => {
  for (const example of examples)
    for (const line of await linesOf(example)) {
      for (const [, index] of line.matchAll(/download\.pytorch\.org\/whl\/(\w+)/g)) expect(variants, example).toContain(index);
      expect(line, example).not.toMatch(/pip install[^|;&]*\s\S+\.(?:so|dll|pyd)\b/);
    }
});

test.each(examples)("nothing is said twice: %s", async (example) => {
  const { diagnoses } = await explain(example);
  const messages = diagnoses.map(({ message }) => message.replace(/^or /, ""));
  expect(new Set(messages).size).toBe(messages.length);
  expect(diagnoses[0]?.message ?? "").not.toMatch(/^or /);
});

test("an index that the driver of the text cannot run is replaced by one that it can, or by a newer driver", async () => {
  const without = "AssertionError: Torch not compiled with CUDA enabled";
  expect(await said(`${without}\n| NVIDIA-SMI 450.80.02  Driver Version: 450.80.02  CUDA Version: 11.0 |`)).not.toMatch(
    /whl\/cu12|whl\/cu13/,
  );
  expect(await said(`${without}\n| NVIDIA-SMI 580.65.06  Driver Version: 580.65.06  CUDA Version: 13.0 |`)).toMatch(/whl\/cu1[23]/);
  const blackwell = "NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation.";
  expect(await said(`${blackwell}\n| NVIDIA-SMI 535.54.03  Driver Version: 535.54.03  CUDA Version: 12.2 |`)).toMatch(
    /first install a newer NVIDIA driver/,
  );
});

test("a driver that is new enough is not called too old beside other causes", async () => {
  const { diagnoses } = await explain(
    "CUDA error: CUDA driver version is insufficient for CUDA runtime version\nDriver Version: 550.54.15\nPyTorch 2.1.0 built with CUDA 12.1",
  );
  expect(diagnoses[0]!.cause).toBe("driver-not-exposed");
  expect(diagnoses.map(({ cause }) => cause)).not.toContain("driver-too-old");
});

test("on Windows the folder of a DLL and the builds with CUDA are named", async () => {
  const dll = "Could not load dynamic library 'cudart64_110.dll'; dlerror: cudart64_110.dll not found\nCUDA 11.2 is installed";
  expect(await said(`Windows 10\n${dll}`)).toMatch(/os\.add_dll_directory/);
  expect(await said(`Windows 10, Python 3.8 from the Windows Store\n${dll}`)).toMatch(/Microsoft Store/);
  expect(
    await said(
      'C:\\Users\\me>python\nOSError: [WinError 126] The specified module could not be found. Error loading "C:\\v\\torch\\lib\\fbgemm.dll" or one of its dependencies.',
    ),
  ).toMatch(/torch>=2\.4\.1" --index-url/);
});

test("on Windows code within quotes stays whole", async () => {
  const text = "C:\\Users\\me>julia\nERROR: Could not find cublasLt (cublasLt64_11.dll) in C:\\Users\\me\\.julia\\artifacts\\8c7ad41f\\bin";
  expect(await said(text)).toContain('julia -e "using Pkg; Pkg.gc(); Pkg.update(\\"CUDA\\"); Pkg.instantiate()"');
});

test("on a cluster and in a hosted notebook, the GPU is asked for where it is given", async () => {
  const none = "RuntimeError: Found no NVIDIA driver on your system.";
  expect(await said(`$ sbatch train.sh\n${none}`)).toMatch(/srun --gres=gpu:1 nvidia-smi/);
  expect(await said(`$ sbatch train.sh\n${none}`)).not.toMatch(/docker|sudo/);
  expect(await said(`in Google Colab\n${none}`)).toMatch(/Change runtime type/);
});

test("rights to profile: the least first, and in the words of what runs the container", async () => {
  const closed = "ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters";
  expect(await said(`docker run image\n${closed}`)).toMatch(/^start the container/);
  expect(await said(`kubectl logs pod\n${closed}`)).toMatch(/securityContext/);
  expect(await said(closed)).toMatch(/^for once: .*sudo/);
  expect(await said(`$ srun ncu ./a\n${closed}`)).toMatch(/administrators/);
});
