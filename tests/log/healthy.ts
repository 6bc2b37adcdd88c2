import { Dice } from "../fuzz/fuzz.ts";

// Lines as programs print them that do their work; `{n}` is a number, `{v}` a version, `{h}` a few hexadecimal digits, `{w}` a word.
const lines: { [program: string]: string[] } = {
  pip: [
    "Collecting {w}=={v}",
    "  Downloading {w}-{v}-py3-none-any.whl ({n} kB)",
    "  Downloading nvidia_cudnn_cu12-8.9.2.26-py3-none-manylinux1_x86_64.whl (731.7 MB)",
    "Requirement already satisfied: torch>=1.10 in /opt/venv/lib/python3.10/site-packages (2.1.0)",
    "Requirement already satisfied: {w}<{n},>={v} in ./lib/python3.11/site-packages (from {w}) ({v})",
    "Building wheels for collected packages: {w}",
    "  Building wheel for {w} (pyproject.toml): finished with status 'done'",
    "  Stored in directory: /root/.cache/pip/wheels/{h}/{h}/{h}",
    "Installing collected packages: {w}, {w}, {w}",
    "Successfully installed nvidia-cublas-cu12-12.1.3.1 torch-2.1.0 triton-2.1.0 {w}-{v}",
    "[notice] A new release of pip is available: {v} -> {v}",
  ],
  training: [
    "Epoch {n}/{n} loss 0.{n} acc 0.{n} lr 1e-3",
    "step {n} | loss {v} | lr 3.0e-4 | grad_norm 0.{n} | tok/s {n} | mem {n}.3GB",
    "Epoch {n}: 100%|##########| {n}/{n} [00:12<00:00, 75.31it/s, loss=0.{n}, v_num=3]",
    "GPU available: True (cuda), used: True",
    "Using device: cuda:{n}",
    "LOCAL_RANK: {n} - CUDA_VISIBLE_DEVICES: [0,1]",
    "NCCL version 2.20.5+cuda12.4",
    "node1:{n}:{n} [0] NCCL INFO comm 0x{h} rank 0 nranks 2 cudaDev 0 busId 1000 - Init COMPLETE",
    "I tensorflow/stream_executor/platform/default/dso_loader.cc:53] Successfully opened dynamic library libcudart.so.11.0",
    "I tensorflow/stream_executor/cuda/cuda_dnn.cc:369] Loaded cuDNN version 8907",
    "ggml_cuda_init: found 1 CUDA devices:",
    "  Device 0: NVIDIA GeForce RTX 3090, compute capability 8.6, VMM: yes",
    "llm_load_tensors: offloaded {n}/{n} layers to GPU",
    "INFO gpu_executor.py:94] # GPU blocks: {n}, # CPU blocks: {n}",
    "Saving model checkpoint to ./out/checkpoint-{n}",
    "Loaded checkpoint, {n} missing keys, 0 unexpected keys",
    "validation: no improvement for {n} epochs, learning rate reduced",
  ],
  apt: [
    "Get:{n} http://deb.debian.org/debian bookworm/main amd64 {w} amd64 {v} [{n} kB]",
    "Selecting previously unselected package {w}.",
    "Preparing to unpack .../{n}-{w}_{v}_amd64.deb ...",
    "Setting up {w} ({v}) ...",
    "Setting up cuda-toolkit-12-4 (12.4.1-1) ...",
    "Processing triggers for libc-bin (2.36-9+deb12u{n}) ...",
    "update-alternatives: using /usr/bin/{w} to provide /usr/bin/{w} ({w}) in auto mode",
    "{n} upgraded, {n} newly installed, 0 to remove and {n} not upgraded.",
  ],
  docker: [
    "#{n} [{n}/{n}] RUN apt-get update && apt-get install -y {w}",
    "#{n} sha256:{h}{h} {n}MB / {n}MB 2.1s done",
    "Step {n}/{n} : COPY {w} /opt/{w}",
    " ---> Running in {h}",
    "Removing intermediate container {h}",
    "Successfully tagged {w}:{v}",
  ],
  pytest: [
    "tests/test_{w}.py::test_{w} PASSED [ {n}%]",
    "tests/test_cuda.py::test_multi_gpu SKIPPED (requires 2 GPUs) [ {n}%]",
    "SKIPPED [1] tests/test_fp8.py:{n}: requires compute capability 8.9 or higher",
    "SKIPPED [3] tests/test_{w}.py:{n}: could not import '{w}'",
    "================== {n} passed, {n} skipped, {n} warnings in {v}s ===================",
    "tests/{w}.py:{n}: DeprecationWarning: {w} is deprecated since version {v}",
  ],
  npm: [
    "npm warn deprecated {w}@{v}: this package is no longer supported",
    "added {n} packages, and audited {n} packages in {n}s",
    "found 0 vulnerabilities",
    "npm warn EBADENGINE   required: { node: '>=22' },",
    "npm warn EBADENGINE   current: { node: 'v20.{n}.2', npm: '10.8.2' }",
  ],
  kernel: [
    "[    {n}.{n}] nvidia: loading out-of-tree module taints kernel.",
    "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5 22:23:56 UTC 2024",
    "usb {n}-{n}: new high-speed USB device number {n} using xhci_hcd",
    "EXT4-fs (nvme0n1p{n}): mounted filesystem with ordered data mode",
    'audit: type=1400 audit({n}.{n}:{n}): apparmor="STATUS" operation="profile_load"',
    "ACPI: button: Power Button [PWRF]",
    "systemd[1]: Started {w}.service - {w}.",
    "pci 0000:{h}:00.0: BAR {n}: no space for [io  size 0x1000]",
  ],
  conda: [
    "Collecting package metadata (current_repodata.json): ...working... done",
    "Solving environment: ...working... done",
    "  pytorch-cuda=12.1   |       ha16c6d3_{n}           {n} KB  pytorch",
    "  {w}-{v}             | py311h{h}_0         {n} MB  conda-forge",
    "Preparing transaction: ...working... done",
  ],
  cmake: [
    "-- The CUDA compiler identification is NVIDIA 12.4.131",
    '-- Found CUDAToolkit: /usr/local/cuda/include (found suitable version "12.4.131", minimum required is "11.0")',
    "-- Could NOT find {w} (missing: {w}_INCLUDE_DIR)",
    "-- Looking for {w} - not found",
    "-- Performing Test {w} - Failed",
    "[{n}%] Building CUDA object CMakeFiles/{w}.dir/{w}.cu.o",
    "-- Autodetected CUDA architecture(s): 8.6",
  ],
  tools: [
    "Driver version 550.54.15 supports CUDA up to 12.4",
    "CUDA toolkit 12.1 requires driver 530.30.02 or newer; driver 550.54.15 found",
    "torch.cuda.is_available(): True",
    "Result = PASS",
    '==PROF== Profiling "{w}" - {n}: 0%....50%....100% - {n} passes',
    "cudaMalloc {n} bytes at 0x{h}, status 0",
    "worker {n} finished with exit code 0",
    "error rate {v}%, {n} of {n} requests failed over, all retried",
    "GET /{w}/{w}.so HTTP/1.1 404 {n}",
  ],
};

const words = ["alpha", "numpy", "render", "dataset", "widgets", "requests", "mesh", "tokens", "cluster", "sampler", "zlib", "curl"];

/** Lines of healthy programs; the same ones each time. */
export function healthyLines(count: number): string[] {
  const dice = new Dice(4711);
  const all = Object.values(lines).flat();
  return Array.from({ length: count }, () =>
    dice
      .pick(all)
      .replace(/\{n\}/g, () => String(dice.below(900)))
      .replace(/\{v\}/g, () => `${dice.below(9)}.${dice.below(30)}.${dice.below(9)}`)
      .replace(/\{h\}/g, () => dice.below(0xffff).toString(16))
      .replace(/\{w\}/g, () => dice.pick(words)),
  );
}
