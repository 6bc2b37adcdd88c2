import { expect, test } from "vitest";
import { explainLog } from "../../packages/core/src/culprit.ts";

const said = async (text: string) => {
  const { diagnoses } = await explainLog([new TextEncoder().encode(text)]);
  return diagnoses
    .flatMap(({ cause, fixes }) => [`[${cause}]`, ...fixes.flatMap(({ fix, commands }) => [fix, ...commands.map((line) => `  ${line}`)])])
    .join("\n");
};

interface Row {
  of: string;
  text: string;
  says: (string | RegExp)[];
  never?: RegExp;
}

/** What would end the thread, and what would not. */
const holds = (title: string, rows: Row[]) =>
  test.each(rows)(`${title}: $of`, async ({ text, says, never }) => {
    const answer = await said(text);
    for (const each of says)
      expect(answer).toMatch(typeof each === "string" ? new RegExp(each.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")) : each);
    if (never) expect(answer).not.toMatch(never);
  });

const xformers = (built: string, has: string) => `xFormers was built for:\n    PyTorch ${built} with CUDA 1201 (you have ${has})`;

holds("releases that are made for each other are named by their numbers", [
  {
    of: "another release of PyTorch",
    text: xformers("2.2.0+cu121", "2.3.0+cu121"),
    says: [
      "xformers==0.0.26.post1 --index-url https://download.pytorch.org/whl/cu121",
      "torch==2.2.0+cu121 --index-url https://download.pytorch.org/whl/cu121",
    ],
  },
  { of: "a build without CUDA", text: xformers("2.2.0+cu121", "2.2.0+cpu"), says: ["torch==2.2.0"], never: /xformers==/ },
  {
    of: "a Python without such a wheel",
    text: `Python version: 3.13.1\n${xformers("2.2.0+cu121", "2.3.0+cu121")}`,
    says: [],
    never: /torch==2\.2\.0|xformers==0\.0\.26/,
  },
  {
    of: "the pip of another Python",
    text: `${xformers("2.1.2+cu121", "2.0.1+cu118")}\ntorch                  2.3.0+cu121`,
    says: ["xformers==0.0.22", "the one that lists torch 2.3.0+cu121 is another"],
  },
]);

const noImage = "RuntimeError: CUDA error: no kernel image is available for execution on the device";

holds("code for a GPU comes from where its program comes from", [
  {
    of: "PyTorch on a new GPU",
    text: `GPU: RTX 5090\n${noImage}`,
    says: ["pip install --force-reinstall torch --index-url https://download.pytorch.org/whl/cu128"],
  },
  { of: "PyTorch on an old GPU", text: `GPU: GTX 1080 Ti\nPyTorch 2.9.0+cu130\n${noImage}`, says: ["whl/cu126"] },
  { of: "a GPU that is not named", text: noImage, says: ["whl/cu128", "whl/cu126"] },
  {
    of: "the name of a GPU before an architecture that somebody supposes",
    text: `I use an NVIDIA RTX 5090 with torch 2.3.1\n"${noImage}"\nIt seems the wheels do not support the new architecture (sm_90+).`,
    says: ["whl/cu128", "TORCH_CUDA_ARCH_LIST=12.0"],
  },
  {
    of: "llama.cpp",
    text: "/opt/llama.cpp/ggml/src/ggml-cuda/ggml-cuda.cu:97: CUDA error\nCUDA error: no kernel image is available for execution on the device",
    says: ["-DCMAKE_CUDA_ARCHITECTURES=native"],
    never: /torch/i,
  },
  {
    of: "an attention that the GPU is too old for",
    text: "RuntimeError: FlashAttention only supports Ampere GPUs or newer.",
    says: ["sdpa"],
    never: /another GPU/,
  },
]);

test("code that a driver cannot read is a matter of the driver first, where the GPU is an old one", async () => {
  const unread = "CUDA error: device kernel image is invalid";
  expect(await said(`Device 0: NVIDIA GeForce GTX 1080 Ti, compute capability 6.1\n${unread}`)).toMatch(/^\[driver-too-old\]/);
  expect(await said(`GPU 0: NVIDIA GeForce RTX 5090\n${unread}`)).toMatch(/^\[arch-unsupported\]/);
});

const tooOld = (found: string) =>
  `RuntimeError: The NVIDIA driver on your system is too old (found version ${found}). Please update your GPU driver`;

holds("a driver that is too old is told in numbers", [
  { of: "CUDA 11.4", text: tooOld("11040"), says: ["525.60.13 or newer for builds for CUDA 12", "580.65.06 or newer", "whl/cu118"] },
  { of: "CUDA 12.2", text: tooOld("12020"), says: ["580.65.06 or newer", /torch --index-url \S+whl\/cu12\d/], never: /525\./ },
  {
    of: "a toolkit that is not what the program was built with",
    text: "CUDA error 35: CUDA driver version is insufficient for CUDA runtime version\nUbuntu 22\nCuda 11.7\ndriver is 515.43.04",
    says: [/^\[driver-too-old\]/, "525.60.13"],
    never: /docker run --rm/,
  },
]);

const noDriver = "RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver";

holds("another maker's GPU gets nothing of NVIDIA's", [
  {
    of: "RDNA 3",
    text: `I have an AMD RX 7900XTX\n${noDriver}`,
    says: ["whl/rocm6.4"],
    never: /driver-not-exposed|--gpus all|HSA_OVERRIDE/,
  },
  { of: "RDNA 2", text: `a Radeon 6700XT\n${noDriver}`, says: ["HSA_OVERRIDE_GFX_VERSION=10.3.0"] },
  { of: "Polaris", text: `I have an AMD RX570\n${noDriver}`, says: ["does not serve this GPU any more"], never: /whl\/rocm/ },
  {
    of: "a driver that cannot be there",
    text: `I run it with AMD RX 7900XTX\n${tooOld("11010")}`,
    says: [/^\[wrong-vendor\]/],
    never: /driver-too-old/,
  },
]);

const lost = "tool: error while loading shared libraries: libcuda.so.1: cannot open shared object file: No such file or directory";

holds("a container is spoken of where the text does", [
  { of: "none", text: lost, says: [/on a machine: [^\n]+\nin a container/], never: /docker run --rm/ },
  { of: "docker", text: `$ docker run tools tool\n${lost}`, says: ["docker run --rm --gpus all ubuntu nvidia-smi"] },
  {
    of: "singularity",
    text: `$ singularity run tools.sif tool\n${lost}`,
    says: ["start it with `--nv`"],
    never: /install the NVIDIA driver|docker run/,
  },
  {
    of: "singularity that was asked already",
    text: `singularity.runOptions = '--nv'\n$ singularity run t.sif\n${lost}`,
    says: ["asks for a GPU already"],
  },
]);

const none = "RuntimeError: No CUDA GPUs are available";

holds("a variable that hides GPUs is taken back where it is set", [
  { of: "in the program", text: `${none}\nos.environ['CUDA_VISIBLE_DEVICES'] = '7'`, says: ["out of the program"], never: /unset/ },
  { of: "in the shell", text: `CUDA_VISIBLE_DEVICES=-1 python train.py\n${none}`, says: ["unset CUDA_VISIBLE_DEVICES"] },
  { of: "the first GPU, which hides none", text: `CUDA_VISIBLE_DEVICES=0 python train.py\n${none}`, says: ["driver-not-exposed"] },
]);

test("what the numbers of a text refute is no suspect", async () => {
  const text =
    "print(torch.cuda.is_available())\nFalse\n| NVIDIA-SMI 450.51.05  Driver Version: 450.51.05  CUDA Version: 11.0 |\ntorch 1.8.1+cu102";
  expect(await said(text)).not.toMatch(/driver-too-old|install the NVIDIA driver/);
});

const dso = (name: string) =>
  `2022-02-16 22:23:08.042291: W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library '${name}'; dlerror: ${name}: cannot open shared object file: No such file or directory`;
const dll = (name: string) => dso(name).replace(/dlerror: .*$/, `dlerror: ${name} not found`);

holds("TensorFlow gets the CUDA that its release was built for", [
  { of: "Windows", text: `Windows 10\nTensorFlow version: 2.3.0\n${dll("cudnn64_7.dll")}`, says: ["CUDA 10.1 and cuDNN 7.6"] },
  {
    of: "Windows with another CUDA",
    text: `Windows 10\nTensorFlow version: 2.3.0\nPython version: 3.7\nCUDA/cuDNN version: 11.2\n${dll("cudart64_101.dll")}`,
    says: ["CUDA 10.1 and cuDNN 7.6", 'pip install "tensorflow==2.10.*"'],
  },
  {
    of: "a Python that has no such release",
    text: `Windows 10\nTensorFlow version: 2.3.0\nPython version: 3.6\nCUDA/cuDNN version: 11.2\n${dll("cudart64_101.dll")}`,
    says: ["CUDA 10.1 and cuDNN 7.6"],
    never: /tensorflow==2\.10/,
  },
  {
    of: "its packages",
    text: `TensorFlow version: 2.15.0\n${dso("libcudart.so.12")}`,
    says: ['pip install "tensorflow[and-cuda]==2.15.0"'],
  },
  { of: "a release that does not ask for it", text: `TensorFlow version: 2.17.0\n${dso("libcudart.so.11.0")}`, says: [], never: /2\.17/ },
  { of: "an old loader without a release", text: dso("libcusolver.so.11"), says: ["nvidia-cusolver-cu11"], never: /cu12/ },
]);

const absent = (name: string) =>
  `./app: error while loading shared libraries: ${name}: cannot open shared object file: No such file or directory`;

holds("a library comes from where the system of the text has it", [
  {
    of: "an image without cuDNN",
    text: `FROM nvidia/cuda:11.8.0-base-ubuntu22.04\nCould not load library libcudnn_ops_infer.so.8. Error: libcudnn_ops_infer.so.8: cannot open shared object file: No such file or directory`,
    says: ["docker pull nvidia/cuda:11.8.0-cudnn8-runtime-ubuntu22.04", "nvidia-cudnn-cu11"],
    never: /cu12/,
  },
  {
    of: "a toolkit that no repository has any more",
    text: `Ubuntu 20.04\n${absent("libcublas.so.9.1")}`,
    says: ["cuda-toolkit-archive"],
    never: /apt-get/,
  },
  {
    of: "a folder that is named",
    text: `/usr/local/cuda-9.0 is installed\n${absent("libcublas.so.9.0")}`,
    says: ["LD_LIBRARY_PATH=/usr/local/cuda-9.0/lib64:"],
  },
  { of: "Fedora", text: `Fedora 38\n${absent("libcublas.so.12")}`, says: ["sudo dnf install libcublas-12"], never: /apt-get/ },
  {
    of: "a template that names Ubuntu as an example",
    text: `OS Platform and Distribution (e.g., Linux Ubuntu 16.04): Centos 7\n${absent("libcublas.so.12")}`,
    says: ["sudo dnf install"],
    never: /apt-get/,
  },
  { of: "Arch", text: `Arch Linux\n${absent("libcublas.so.12")}`, says: ["with the package manager of this Linux"], never: /apt-get/ },
  {
    of: "two that are named",
    text: `Ubuntu 22.04 and CentOS 7\n${absent("libcublas.so.12")}`,
    says: ["sudo apt-get install libcublas-12"],
  },
]);

holds("the least that helps comes first, by number", [
  {
    of: "an nvcc that does not know the GPU",
    text: "nvcc fatal   : Unsupported gpu architecture 'compute_89'\nCuda compilation tools, release 11.5, V11.5.119",
    says: ['TORCH_CUDA_ARCH_LIST="8.6"'],
  },
  {
    of: "an nvcc of an older generation",
    text: "nvcc fatal   : Unsupported gpu architecture 'compute_120'\nCuda compilation tools, release 12.4, V12.4.99",
    says: ['TORCH_CUDA_ARCH_LIST="9.0+PTX"'],
  },
  {
    of: "bitsandbytes for Linux on Windows",
    text: "C:\\Users\\me>python\nCUDA_SETUP: WARNING! libcudart.so not found in any environmental path. Searching in backup paths...",
    says: ['"bitsandbytes>=0.43"'],
  },
  { of: "NVENC", text: "Driver does not support the required nvenc API version. Required: 12.1 Found: 12.0", says: ["530.41.03 or newer"] },
  {
    of: "NVENC on Windows",
    text: "OS: Microsoft Windows NT 10.0.19045.0\nDriver does not support the required nvenc API version. Required: 12.1 Found: 12.0",
    says: ["531.61 or newer"],
  },
  {
    of: "JAX by its release",
    text: "RuntimeError: Unable to initialize backend 'cuda': INVALID_ARGUMENT: Mismatched PJRT plugin PJRT API version (0.54) and framework PJRT API version 0.51).\njax==0.4.28",
    says: ['pip install "jax[cuda12]==0.4.28" -f'],
  },
  {
    of: "torchvision by its torch",
    text: "RuntimeError: operator torchvision::nms does not exist\ntorch 2.4.0+cu121\ntorchvision 0.20.1+cu124",
    says: ["torchvision==0.19.0 --index-url https://download.pytorch.org/whl/cu121"],
  },
  {
    of: "PTX that numba made",
    text: "numba.cuda.cudadrv.driver.LinkerError: [222] Call to cuLinkAddData results in UNKNOWN_CUDA_ERROR\nptxas application ptx input, line 9; fatal   : Unsupported .version 7.3; current version is '7.2'",
    says: ["465.19.01 or newer", "cudatoolkit=11.2"],
    never: /nvcc -arch=native/,
  },
  {
    of: "a newer wheel that is not what is loaded",
    text: "CUDA backend failed to initialize: Found cuBLAS version 120205, but JAX was built against version 120304, which is newer. The copy of cuBLAS that is installed must be at least as new\nnvidia-cublas-cu12        12.4.2.65",
    says: [/^\[library-shadowed\]/, "unset LD_LIBRARY_PATH"],
  },
  {
    of: "another copy on Windows",
    text: "OS: Windows 10\ncudnn: 8.2.0\nE tensorflow/stream_executor/cuda/cuda_dnn.cc:352] Loaded runtime CuDNN library: 8.0.5 but source was compiled with: 8.1.0.",
    says: ["where cudnn64_8.dll"],
  },
]);

const symbol = (file: string) => `ImportError: /v/lib/python3.10/site-packages/${file}: undefined symbol: _ZN3c104cuda9SetDeviceEa`;

holds("what was compiled for another PyTorch comes from where its makers keep it", [
  {
    of: "PyTorch Geometric",
    text: `torch 2.1.0+cu118\n${symbol("torch_sparse/_spmm_cuda.so")}`,
    says: ["torch-sparse -f https://data.pyg.org/whl/torch-2.1.0+cu118.html"],
    never: /--no-binary/,
  },
  {
    of: "torchvision for another CUDA",
    text: "Detected that PyTorch and torchvision were compiled with different CUDA versions. PyTorch has CUDA Version=11.7 and torchvision has CUDA Version=11.8. Please reinstall",
    says: ["torch torchvision --index-url https://download.pytorch.org/whl/cu117"],
    never: /data\.pyg/,
  },
  {
    of: "torchvision for another CUDA, with the release of PyTorch",
    text: "torch 2.0.1+cu117\nDetected that PyTorch and torchvision were compiled with different CUDA versions. PyTorch has CUDA Version=11.7 and torchvision has CUDA Version=11.8. Please reinstall",
    says: ["--no-deps torchvision==0.15.2 --index-url https://download.pytorch.org/whl/cu117"],
    never: /data\.pyg/,
  },
  { of: "PyTorch Geometric without a release", text: symbol("torch_sparse/_spmm_cuda.so"), says: ["torch-$(python -c"] },
  {
    of: "OpenMMLab",
    text: `${symbol("mmcv/_ext.cpython-310-x86_64-linux-gnu.so")}`,
    says: ["pip install -U openmim"],
  },
  {
    of: "vLLM by its release",
    text: `vllm==0.3.2\ntorch==2.2.1\n${symbol("vllm/_C.cpython-310-x86_64-linux-gnu.so")}`,
    says: ["torch==2.1.2", "vllm==0.3.2"],
  },
  { of: "torchvision", text: `torch 2.4.0+cu121\n${symbol("torchvision/_C.so")}`, says: ["torchvision==0.19.0"] },
]);

holds("parts that are compiled or looked for when a program runs", [
  {
    of: "libdevice of an old CUDA",
    text: "Can't find libdevice directory ${CUDA_DIR}/nvvm/libdevice\n/usr/local/cuda-10.1/bin",
    says: ["cuda_data_dir=/usr/local/cuda-10.1"],
    never: /cu12/,
  },
  {
    of: "Triton's own ptxas",
    text: "triton.runtime.errors.PTXASError: PTXAS error: Internal Triton PTX codegen error\nptxas fatal   : Value 'sm_121a' is not defined for option 'gpu-name'",
    says: ["TRITON_PTXAS_PATH"],
    never: /CUDA_HOME/,
  },
  {
    of: "two CuPys and CUDA 13",
    text: "Cuda compilation tools, release 13.0, V13.0.48\nCuPy may not function correctly because multiple CuPy packages are installed",
    says: ["pip install cupy-cuda13x"],
  },
  {
    of: "a GPU that NVRTC has left",
    text: "GPU: Quadro K2000\nCuda compilation tools, release 11.4, V11.4.48\nnvrtc: error: invalid value for --gpu-architecture (-arch)",
    says: ["cudatoolkit=10.2"],
  },
]);

test("what the text has installed already is not advised as if it had not", async () => {
  const ran = "pip3 install --pre torch torchvision --index-url https://download.pytorch.org/whl/nightly/cu128";
  expect(await said(`${ran}\nGPU: RTX 5090\n${noImage}`)).toMatch(/installs from that index already/);
  expect(await said(`pip install torch --index-url https://download.pytorch.org/whl/cu118\nGPU: RTX 5090\n${noImage}`)).not.toMatch(
    /already/,
  );
});

const cpuOnly =
  "AssertionError: Torch not compiled with CUDA enabled\nNVIDIA-SMI 550.54.14    Driver Version: 550.54.14    CUDA Version: 12.4";
const pipsOwn = /^ {2}(?:pip|conda) /m;

holds("whoever keeps the packages of a project gets its own line", [
  {
    of: "uv's project",
    text: `$ uv run python train.py\n${cpuOnly}`,
    says: [/uv add torch torchvision torchaudio --index pytorch-cu\d{3}=https:\/\/download\.pytorch\.org\/whl\/cu\d{3}$/m],
    never: pipsOwn,
  },
  {
    of: "an environment that uv installs into",
    text: `$ uv pip install torch\n${cpuOnly}`,
    says: [/^ {2}uv pip uninstall torch/m, /^ {2}uv pip install torch torchvision torchaudio --index-url/m],
    never: /uv add|-y\b/,
  },
  {
    of: "poetry",
    text: `$ poetry run python train.py\n${cpuOnly}`,
    says: [
      /poetry source add --priority=explicit pytorch-cu\d{3} https/,
      /poetry add --source pytorch-cu\d{3} torch torchvision torchaudio$/m,
    ],
    never: pipsOwn,
  },
  {
    of: "pixi",
    text: `$ pixi run python train.py\n${cpuOnly}\npytorch 2.5.1 cpu_mkl_py312_h446997d_108 conda-forge`,
    says: ["pixi workspace system-requirements add cuda 12", 'pixi add "pytorch=*=cuda*"'],
    never: pipsOwn,
  },
  {
    of: "two managers, of which neither is said to be the one",
    text: `$ poetry install\n$ pixi install\n${cpuOnly}`,
    says: [/^ {2}pip install torch/m],
  },
  {
    of: "conda-forge's build for the CPU, which no package asks for",
    text: `${cpuOnly}\npytorch                   2.3.0           cpu_generic_py310h1234_0    conda-forge`,
    says: ['conda install -c conda-forge "pytorch=*=cuda*"'],
    never: /conda remove cpuonly/,
  },
]);

holds("other makers and other places", [
  { of: "Intel Arc", text: `Intel Arc A770\n${none}`, says: [/^\[wrong-vendor\]/, "whl/xpu"], never: /unset CUDA/ },
  {
    of: "Intel's older graphics",
    text: `My laptop has Intel(R) Iris(R) Xe Graphics\n${noDriver}`,
    says: ["on the CPU"],
    never: /whl\/xpu|install the NVIDIA driver/,
  },
  { of: "Intel beside NVIDIA", text: `Intel(R) UHD Graphics 630\nNVIDIA GeForce RTX 3060\n${noDriver}`, says: [/^\[driver-not-exposed\]/] },
  {
    of: "no kernel module under WSL",
    text: "5.15.90.1-microsoft-standard-WSL2\nNVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.",
    says: ["wsl.exe --update"],
    never: /start the kernel|dkms/,
  },
]);

holds("a cure fits the program that the text is about", [
  {
    of: "a program with a venv of its own, on Windows",
    text: "when starting webui-user.bat it shows an error:\nAssertionError: Torch not compiled with CUDA enabled",
    says: [".\\venv\\Scripts\\python.exe -m pip install torch", ".\\venv\\Scripts\\python.exe -m pip uninstall -y torch"],
    never: /^ {2}pip /m,
  },
  {
    of: "a program with a venv of its own, on Linux",
    text: "$ ./webui.sh\nAssertionError: Torch not compiled with CUDA enabled",
    says: ["./venv/bin/python -m pip install torch"],
    never: /^ {2}pip /m,
  },
  {
    of: "a name without a number, for CUDA 11",
    text: "gpu_resources.cc:61] Please NOTE: device: 0, GPU Compute Capability: 8.6, Driver API Version: 11.8, Runtime API Version: 11.7\nW0203 07:54:14.771862 13098 dynamic_loader.cc:307] The third-party dynamic library (libcudnn.so) that Paddle depends on is not configured correctly. (error code is /usr/local/cuda/lib64/libcudnn.so: cannot open shared object file: No such file or directory)",
    says: ['pip install "nvidia-cudnn-cu11==8.*"', "ln -s libcudnn.so.8", "sudo apt-get install libcudnn8-dev"],
  },
  {
    of: "a DLL of CUDA 13 that ONNX Runtime asks for",
    text: "onnxruntime-gpu 1.28.0 on Windows\nError loading onnxruntime_providers_cuda.dll: cublasLt64_13.dll is missing",
    says: ['pip install "onnxruntime-gpu[cuda,cudnn]"', "preload_dlls()"],
  },
  {
    of: "a GPU newer than the build of PyTorch that is named",
    text: "I have a RTX 5090 and torch 2.5.1+cu124. Everything imports, cuda is available, but any tensor operation on the GPU fails.",
    says: [/whl\/cu1(?:28|29|30)/],
    never: /whl\/cu12[0-6]/,
  },
  {
    of: "root in a container",
    text: "root@5f3c1a2b9d10:/workspace# ncu ./app\n==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on the target device 0.",
    says: ["--cap-add=SYS_ADMIN"],
    never: /as root|sudo. before/,
  },
]);

test.each([
  ["!pip install torch<2.4 torchaudio<2.4", 'requirement in quotes: `"torch<2.4"`'],
  ["pip install ctranslate2>=4.5", "asked for any `ctranslate2`"],
])("what the shell takes for a file is told: %s", async (line, told) => {
  const { warnings } = await explainLog([new TextEncoder().encode(`libcudnn_ops.so.9: cannot open shared object file\n${line}\n`)]);
  expect(warnings.map(({ message }) => message).join("\n")).toContain(told);
});

test.each(['!pip install "torch<2.4"', "pip install 'ctranslate2>=4.5'", "pip install torch==2.4 > log.txt", "pip install torch 2>&1"])(
  "quotes and real files are left alone: %s",
  async (line) => {
    const { warnings } = await explainLog([new TextEncoder().encode(`libcudnn_ops.so.9: cannot open shared object file\n${line}\n`)]);
    expect(warnings.map(({ message }) => message).join("\n")).not.toContain("the shell takes");
  },
);
