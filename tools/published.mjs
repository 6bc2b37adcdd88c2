// Writes knowledge/published.json: what PyPI has of the packages that `culprit solve` answers with. The metadata of a wheel is read
// without the wheel. Requirements that are known are not asked for again; `--again` forgets them.
// `npm run published -- torch jax` looks at these packages only.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { listingText } from "./refresh/published.mjs";
import { comparePythonVersions, inParallel, releasesOf, requirementsOf } from "./releases.mjs";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const file = "knowledge/published.json";

/** Packages whose requirements count, and the first release that is worth knowing. */
const asked = {
  torch: "1.0",
  torchvision: "0.3",
  torchaudio: "0.3",
  xformers: "0.0.20",
  tensorflow: "1.13",
  "tensorflow-gpu": "1.13",
  "tensorflow-cpu": "1.13",
  jax: "0.2",
  jaxlib: "0.3",
  "jax-cuda12-plugin": "0.4.26",
  "jax-cuda12-pjrt": "0.4.26",
  "jax-cuda13-plugin": "0",
  "jax-cuda13-pjrt": "0",
  ...Object.fromEntries([102, 110, 111, 112, 113, 114, 115, 116, 117].map((cuda) => [`cupy-cuda${cuda}`, "8"])),
  "cupy-cuda11x": "11",
  "cupy-cuda12x": "11",
  "cupy-cuda13x": "13",
  "onnxruntime-gpu": "1.4",
  "cuda-toolkit": "11",
};
/** Releases that were given out as source alone are releases all the same. */
const comesAsSource = new Set(["jax", "tensorrt", "tensorrt-bindings", "tensorrt-libs"]);
const nvidia = (suffix, ...names) => names.map((name) => `nvidia-${name}${suffix}`);
const parts = ["cublas", "cuda-cupti", "cuda-nvcc", "cuda-nvrtc", "cuda-runtime", "cufft", "curand", "cusolver", "cusparse"];
const others = [
  "nvtx",
  "npp",
  "nvjpeg",
  "cuda-cccl",
  "cuda-opencl",
  "cuda-nvml-dev",
  "nvml-dev",
  "cuda-sanitizer-api",
  "cuda-profiler-api",
  "cuda-cuxxfilt",
];
/** These have releases of their own, for several CUDAs. */
const apart = ["cudnn", "nccl", "nvshmem", "cusparselt", "cudss", "nvcomp", "libnvcomp", "nvimgcodec", "nvjpeg2k"];
/** Packages of which only the versions count. */
const listed = [
  ...nvidia("-cu11", ...parts, ...others, ...apart),
  ...nvidia("-cu12", ...parts, ...others, ...apart, "nvjitlink", "cufile"),
  ...nvidia("", ...parts, ...others, "nvjitlink", "nvvm", "nvptxcompiler", "cufile", "cuda-crt", "cuda-nvdisasm"),
  ...nvidia("-cu13", ...apart),
  ...["11", "12", "13"].map((major) => `cutensor-cu${major}`),
  "numpy",
  "ml-dtypes",
  "protobuf",
  "triton",
  "tensorrt",
  "tensorrt-bindings",
  "tensorrt-libs",
];
// Extras that have nothing to do with GPUs.
const extrasOfUse = /^(and-cuda|cuda|cuda1[123]([_-](pip|local|cudnn\d+))?|with[_-]cuda|ctk|cudnn)$/;

const before = !process.argv.includes("--again") && existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).packages : [];
const today = new Date().toISOString().slice(0, 10);

const packages = [];
const only = process.argv.slice(2).filter((word) => !word.startsWith("--"));
for (const name of [...new Set([...Object.keys(asked), ...listed])].sort()) {
  const known = before.find((each) => each.name === name);
  if (known && 0 < only.length && !only.includes(name)) {
    packages.push(known);
    continue;
  }
  const first = asked[name];
  const found = await releasesOf(name, { sources: comesAsSource.has(name) });
  // Not every library has a package for every CUDA.
  if (!found || (found.length === 0 && !comesAsSource.has(name))) continue;
  const work = found.filter(({ row }) => first === undefined || comparePythonVersions(row.version, first) >= 0);
  await inParallel(8, work, async (release) => {
    const { row } = release;
    const same = known?.releases.find(({ version }) => version === row.version);
    if (first !== undefined) row.requires = same?.requires ?? (await requirementsOf(release, keeps(name))) ?? [];
    else if (/^(?:nvidia|cutensor)-/.test(name)) {
      const brings =
        same?.brings ?? (await requirementsOf(release, (needed, extra) => extra === undefined && listed.includes(needed))) ?? [];
      if (0 < brings.length || same?.brings) row.brings = brings;
    }
  });
  // Of torch there were older releases once, and some mirrors of PyPI still have them.
  const isWhole = found.isWhole && work.length === found.length && !/^torch(?:vision|audio)?$/.test(name);
  packages.push({ name, releases: work.map(({ row }) => row), source: "pypi", checked: today, ...(isWhole ? { whole: true } : {}) });
  // After each package: an interrupted run goes on where it stopped.
  write();
  console.error(`${name}: ${work.length} releases`);
}

/** Which requirements of a package are written down. */
function keeps(name) {
  return (needed, extra) => {
    if (name === "cuda-toolkit") return extra !== "all" && listed.includes(needed);
    return extra === undefined || extrasOfUse.test(extra);
  };
}

function write() {
  const about =
    "What PyPI has for Linux on x86_64 of the packages that `culprit solve` answers with: releases with wheels (of some also those that came as source alone: `sdist`), without pre-releases; `yanked` ones are taken only where they are pinned. `pythons` are those that a wheel was built for, `python` is what its metadata asks for, `requires` its requirements on Linux on x86_64 (of extras only those that bring GPU packages), `brings` what a library of NVIDIA asks for. `npm run published` writes this file.";
  const sources = { pypi: "the file lists and the metadata of wheels on https://pypi.org, read without the wheels" };
  const rest = before.filter(({ name }) => !packages.some((row) => row.name === name) && (name in asked || listed.includes(name)));
  writeFileSync(file, listingText({ about, sources, packages: [...packages, ...rest] }));
}
