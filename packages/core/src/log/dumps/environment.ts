import type { Signature } from "../signature.ts";

const interesting =
  "LD_LIBRARY_PATH|LD_PRELOAD|CUDA_VISIBLE_DEVICES|NVIDIA_VISIBLE_DEVICES|CUDA_HOME|CUDA_PATH|XLA_FLAGS|PATH|TF_FORCE_GPU_ALLOW_GROWTH|JAX_PLATFORMS|JAX_PLATFORM_NAME|HSA_OVERRIDE_GFX_VERSION";

// Singularity comes first: its images are often those of Docker.
const tools: [pattern: RegExp, tool: "docker" | "singularity" | "podman" | "kubernetes"][] = [
  [/singularity|apptainer|\.sif\b/i, "singularity"],
  [
    /kubectl|kubernetes|minikube|\bkubelet\b|device-plugin-daemonset|pod sandbox|\bCrashLoopBackOff\b|\bDaemonSet\b|nvidia-(?:operator|cuda)-validator|\bhelm (?:install|upgrade)|(?<!\/)\bk8s\b(?!\/)|\b(?:microk8s|k3s|k3d|rke2|openshift|GKE|EKS|AKS)\b|runtimeClass|nvidia\.com\/gpu: /i,
    "kubernetes",
  ],
  [/podman/i, "podman"],
  [/docker/i, "docker"],
];

// They start a program, and are to blame for nothing of it.
const launchers =
  /^(?:IPython|ipykernel(?:_launcher)?|jupyter\w{0,20}|nbconvert|nbclient|traitlets|tornado|runpy|_?pytest|pluggy|click|typer|fire|hydra|gunicorn|uvicorn|starlette|fastapi|flask|celery|ray|streamlit|gradio|debugpy|pip|setuptools|pkg_resources|accelerate|absl|wandb|distributed|dask)$/;

/** env, export lines, `echo $NAME`, assignments in Python; headers of cuDNN; where it all runs. */
export default [
  {
    literals: [
      "ld_library_path",
      "ld_preload",
      "cuda_home",
      "cuda_path",
      "visible_devices",
      "export path",
      "jax_platform",
      "xla_flags",
      "tf_force_gpu",
      "hsa_override_gfx",
    ],
    pattern: new RegExp(
      `(?:(?:^|[\\s;'"\`(])(?:export |set )?(?<name>${interesting})(?:=| = )|\\bENV (?<docker>${interesting}) )(?<quote>["']?)(?<value>[^\\s"'\`]{1,3000})\\k<quote>`,
    ),
    examples: [
      'export LD_LIBRARY_PATH="/usr/local/cuda/lib64:/usr/local/cuda/lib64/stubs"',
      "CUDA_VISIBLE_DEVICES=-1 python train.py",
      "ENV LD_LIBRARY_PATH /usr/local/cuda/lib64",
    ],
    facts: ({ name: plain, docker, value }) => {
      const name = plain ?? docker;
      return /^[\w./$:{}\-,~+@\\;=%]{1,3000}$/.test(value!) && (name !== "PATH" || value!.includes("/"))
        ? { kind: "variable", name: name!, value: value! }
        : undefined;
    },
    single: true,
  },
  {
    literals: ["cuda_visible_devices=", 'cuda_visible_devices"]', "cuda_visible_devices']"],
    pattern: /CUDA_VISIBLE_DEVICES["']?\]? ?= ?(?<quote>["'])(?<value>[^"']{0,40})\k<quote>/,
    examples: ['os.environ["CUDA_VISIBLE_DEVICES"]="-1"', "export CUDA_VISIBLE_DEVICES=''"],
    facts: ({ value }) => ({ kind: "variable", name: "CUDA_VISIBLE_DEVICES", value: value! }),
    single: true,
  },
  {
    literals: ["echo $"],
    pattern: new RegExp(`echo "?\\$\\{?(?<name>${interesting})\\}?"?\\s{1,8}(?<value>[/.~][^\\s"']{1,3000})`),
    examples: ["$ echo $LD_LIBRARY_PATH /usr/local/cuda-12.0/lib64:/opt/lib"],
    facts: ({ name, value }) => ({ kind: "variable", name: name!, value: value! }),
  },
  {
    // The reports of mmcv and detectron2, and torch's own variable.
    literals: ["cuda_home", "cuda compiler"],
    pattern: /\bCUDA_HOME[:\s,)]{1,30}None\b|\bCUDA Compiler:? {1,8}(?:not available|N\/A|None)|CUDA_HOME\)['"]?[^\n]{0,40}\bNone\b/,
    examples: ["CUDA_HOME                 None", "Detectron2 CUDA Compiler  not available"],
    facts: () => ({ kind: "notice", id: "cuda-home-none" }),
    single: true,
  },
  {
    literals: ["define cudnn_"],
    pattern: /#define CUDNN_(?<part>MAJOR|MINOR|PATCHLEVEL) (?<value>\d{1,3})/,
    examples: ["#define CUDNN_MAJOR 7"],
    facts: ({ part, value }) => ({
      kind: "header-version",
      part: part === "MAJOR" ? "major" : part === "MINOR" ? "minor" : "patch",
      value: value!,
    }),
    every: true,
    single: true,
  },
  {
    // ldd --version, collect_env, and people.
    literals: ["glibc", "gnu libc"],
    pattern:
      /\bldd \([^)\n]{3,40}\) (?<ldd>2\.\d{2})\b|\bGNU libc\) [^\d\n]{0,24}(?<gnu>2\.\d{2})\b|\bLibc version: glibc-(?<env>2\.\d{2})\b|(?<![`'"<>=])\bglibc(?: version)?(?: is)?[ :=]{1,3}(?<said>2\.\d{2})\b(?! or (?:newer|later))/i,
    examples: ["ldd (Ubuntu GLIBC 2.31-0ubuntu9.9) 2.31", "Libc version: glibc-2.35", "Ubuntu 20.04, GLIBC version 2.31"],
    facts: ({ ldd, gnu, env, said }, { input, index }) =>
      /\b(?:requires?|needs?|at least|minimum|than)\s*$/i.test(input.slice(0, index))
        ? undefined
        : { kind: "notice", id: "glibc-here", found: (ldd ?? gnu ?? env ?? said)! },
    single: true,
  },
  {
    // `ver` of Windows: from build 19044 on (Windows 10 21H2) WSL shows the GPU to Linux.
    literals: ["[version 10.0."],
    pattern: /\[Version 10\.0\.(?<build>\d{5})\b/,
    examples: ["Microsoft Windows [Version 10.0.19043.1586]"],
    facts: ({ build }) => ({ kind: "notice", id: "windows-build", found: build! }),
    single: true,
  },
  {
    literals: ["wsl"],
    pattern: /microsoft-standard-WSL2|\bWSL ?2?\b|\/usr\/lib\/wsl/i,
    examples: ["kernel 6.6.87.2-microsoft-standard-WSL2", "Ubuntu 22.04 on wsl2"],
    // Who runs Windows itself speaks of WSL as of what he does not use.
    facts: (_groups, { input }) =>
      /\bnative(?:ly)?\b[^\n.]{0,30}\bWindows\b|\bWindows\b[^\n.]{0,12}\bnative(?:ly)?\b|\b(?:not|without|instead of|no) (?:\w{2,8} ){0,2}WSL/i.test(
        input,
      )
        ? { kind: "platform", is: "windows" }
        : { kind: "platform", is: "wsl2" },
    single: true,
  },
  {
    // A field of an issue's form, with its heading or below it.
    literals: ["windows"],
    pattern: /^\W{0,6}(?:(?:Operating [Ss]ystems?|OS|Platform)\W{1,6})?Windows\W{0,4}$/i,
    examples: ["OS: Windows", "Windows"],
    facts: () => ({ kind: "platform", is: "windows" }),
    single: true,
  },
  {
    literals: [
      "on win32",
      "windowspath",
      "windows 1",
      "windows 7",
      "windows 8",
      "win10",
      "win 1",
      "win11",
      "windows10",
      "windows11",
      "[msc v.",
      ":\\users\\",
      ":\\program files",
      "win_amd64",
      ".dll",
      "site-packages\\",
      ":\\",
      "dll load failed",
      "[winerror ",
    ],
    pattern:
      /\bon win32\b|WindowsPath|\b(?:Windows (?:7|8|10|11)|(?:[Ww]in|WIN)(?:dows)? ?1[01])\b(?![^\n]{0,20}WSL)|\[MSC v\.\d{4}|\b[A-Z]:\\\w|\bDLL load failed\b|\[WinError \d|Could not find module '[^'\n]{1,200}\.dll|\w64_\d{1,4}\.dll|site-packages\\|\bFile "[A-Z]:\\/,
    examples: ["Python 3.10.10 (tags/v3.10.10:aad5f6a) [MSC v.1929 64 bit (AMD64)] on win32", "C:\\Users\\user>python"],
    facts: () => ({ kind: "platform", is: "windows" }),
    single: true,
  },
  {
    literals: [
      "docker",
      "kubectl",
      "kubernetes",
      "k8s",
      "minikube",
      "kubelet",
      "helm ",
      "device-plugin",
      "/.dockerenv",
      " container",
      "nvidia-container",
      "runpod",
      "k3s",
      "k3d",
      "rke2",
      "openshift",
      " gke",
      " eks",
      " aks",
      "runtimeclass",
      "nvidia.com/gpu: ",
      "singularity",
      "apptainer",
      "podman",
      "pod sandbox",
      "crashloopbackoff",
      "daemonset",
      "nvidia-operator-validator",
      "nvidia-cuda-validator",
    ],
    pattern:
      /\bdocker(?:\.io| run| exec| compose| build|:)|docker|nvidia-container-cli|\bcontainers?\b|kubectl|[Kk]ubernetes|\b[Kk]8s\b|minikube|\bkubelet\b|device-plugin-daemonset|pod sandbox|\bCrashLoopBackOff\b|\bDaemonSet\b|nvidia-(?:operator|cuda)-validator|\bhelm (?:install|upgrade)|\bin (?:a|the|my) pod\b|\bmicrok8s\b|\b[Kk]3[sd]\b|\bRKE2\b|\b[Oo]pen[Ss]hift\b|\b(?:on|in|with|using) (?:GKE|EKS|AKS)\b|runtimeClass|nvidia\.com\/gpu: |RunPod|[Ss]ingularity|[Aa]pptainer|podman/,
    examples: ["docker: Error response from daemon:", "inside the container"],
    facts: (_, { input }) => {
      const tool = tools.find(([pattern]) => pattern.test(input))?.[1];
      return { kind: "platform", is: "container", ...(tool === undefined ? {} : { tool }) };
    },
    single: true,
  },
  {
    // Who starts his containers by a file has no line to which options of `docker run` could be added.
    literals: ["docker-compose", "docker compose", "compose.y"],
    pattern: /\bdocker[- ]compose\b|\bcompose\.ya?ml\b/i,
    examples: ["docker compose up -d", "my docker-compose.yml"],
    facts: () => ({ kind: "notice", id: "compose-here" }),
    single: true,
  },
  {
    literals: ["colab", "google coll", "t4 coll", "dist-packages/google/colab", "/content/"],
    pattern: /\b[Cc]oll?ab\b|google\.colab|google\/colab|(?:^|[\s"'(])\/content\//,
    examples: ["Is it the runtime of Google Colab?", "from google.colab import drive"],
    facts: () => ({ kind: "platform", is: "colab" }),
    single: true,
  },
  {
    // Data sets come from Kaggle, too: only who runs something there is there.
    literals: ["kaggle"],
    pattern:
      /\b(?:on|in|using|inside) (?:a |the |my )?Kaggle(?! data)\b|\bKaggle(?:'s)? (?:notebook|kernel|runtime|GPU|T4|P100)|\/kaggle\/(?:working|input|temp)\b/i,
    examples: ["RuntimeError on Kaggle", 'File "/kaggle/working/train.py", line 3'],
    facts: () => ({ kind: "platform", is: "kaggle" }),
    single: true,
  },
  {
    literals: ["jetson", "l4t", "tegra", "+nv2"],
    pattern: /\b[Jj]etson\b|\bL4T\b|[Jj]et[Pp]ack|-tegra\b|nv_tegra_release|\btegra-ubuntu\b/,
    examples: ["Jetson Nano with JetPack 4.3"],
    facts: () => ({ kind: "platform", is: "jetson" }),
    single: true,
  },
  {
    literals: ["-packages/", "-packages\\"],
    pattern: /File "(?<path>[^"]{0,300}?(?:site|dist)-packages[\\/](?<package>[\w.-]{2,60})[\\/][^"]{1,200})"/,
    examples: ['  File "/usr/local/lib/python3.10/dist-packages/diff_gaussian_rasterization/__init__.py", line 15, in <module>'],
    facts: ({ path, package: name }) =>
      launchers.test(name!) ? { kind: "file", path: path! } : { kind: "traceback", package: name!, path: path! },
    single: true,
  },
  {
    literals: ["torch/__init__.py", "torch\\__init__.py", "torch/_c"],
    pattern: /\b(?<package>torch)[\\/](?:__init__\.py|_C)/,
    examples: ['... torch/__init__.py", line 202, in <module>'],
    facts: ({ package: name }) => ({ kind: "traceback", package: name!, path: "torch/__init__.py" }),
    single: true,
  },
  {
    literals: [
      "macos",
      "mac os",
      "darwin",
      "macosx_",
      "osx",
      "apple m1",
      "apple m2",
      "apple m3",
      "apple m4",
      "apple silicon",
      "macbook",
      "imac",
      " mac",
      "mac m",
    ],
    pattern:
      /\b(?:on|using|use|have|with) (?:(?:an?|my|the) )?(?:M[1-5] )?(?:[Mm]ac|iMac)\b(?! (?:address|and (?:linux|windows)|or|users))|\bM[1-5](?: (?:Pro|Max|Ultra))? [Mm]acs?\b|\b[Mm]ac M[1-5]\b|\biMac\b|\bMac (?:mini|Studio|Pro)\b|\bmacOS\b|\bMac ?OS ?X?\b|\bOSX\b|\bDarwin\b|macosx_\d{1,2}|\bApple (?:M[1-9]|[Ss]ilicon)\b|\b[Mm]ac[Bb]ook/,
    examples: ["OS: macOS 14.1 (arm64)", "torch-2.1.0-cp311-none-macosx_11_0_arm64.whl"],
    facts: () => ({ kind: "platform", is: "macos" }),
    single: true,
  },
  {
    // A home folder of a Mac, as the file of a program; on Windows a drive stands before it.
    literals: ["/users/"],
    pattern: /(?:File "|\b(?:in|at|from|dlopen\()[ '"]{0,2}|\(|^)\/Users\/(?!(?:runner|Shared)\/)[\w.-]{1,40}\//,
    examples: ['  File "/Users/ada/miniforge3/lib/python3.10/site-packages/bitsandbytes/functional.py", line 12, in <module>'],
    facts: () => ({ kind: "platform", is: "macos" }),
    single: true,
  },
] satisfies Signature[];
