import { memo } from "../lib/memo.ts";
import { textAt } from "../survey/python.ts";
import type { PythonPackage } from "../model/environment.ts";
import { isElf, type View } from "../resolve/view.ts";
import type { CompiledFor } from "./framework.ts";

/** Which library a pinned wheel carries: `nvidia-cudnn-cu13` → cuDNN. */
const wheels: { [stem: string]: string } = {
  "nvidia-cuda-runtime": "cudart",
  "nvidia-cublas": "cublas",
  "nvidia-cudnn": "cudnn",
  "nvidia-cuda-cupti": "cupti",
  "nvidia-cuda-nvrtc": "nvrtc",
  "nvidia-nvjitlink": "nvjitlink",
  "nvidia-cufft": "cufft",
  "nvidia-curand": "curand",
  "nvidia-cusolver": "cusolver",
  "nvidia-cusparse": "cusparse",
  "nvidia-cusparselt": "cusparselt",
  "nvidia-nccl": "nccl",
  "nvidia-nvshmem": "nvshmem",
};

/** Versions that a wheel pins exactly in its metadata: what it was built and tested with. */
export function pinnedVersions(view: View, { metadata }: PythonPackage): CompiledFor {
  const file = `${metadata}/METADATA`;
  const found: CompiledFor = {};
  for (const [name, version] of exactPins(textAt(view, file) ?? "")) {
    const normal = name.toLowerCase().replace(/[_.]/g, "-");
    const stem = normal.replace(/-cu\d+$/, "");
    const library = wheels[stem] ?? (stem === "cuda-toolkit" ? "cuda" : undefined);
    if (library !== undefined) found[library] ??= { version, evidence: `${file}: ${name}==${version}`, pin: { package: normal, version } };
  }
  return found;
}

/** The very version of another package that one asks for: `torch==2.5.1`; undefined where it lets several in. */
export const pinOf = (view: View, { metadata }: PythonPackage, name: string): string | undefined =>
  exactPins(textAt(view, `${metadata}/METADATA`) ?? "").find(([each]) => each === name)?.[1];

// Models ask for the same few texts over and over. The texts themselves are held, too, so these are not many.
const exactPins = memo(100, (text: string): [name: string, version: string][] => {
  const lines = text.matchAll(/^Requires-Dist:\s*([A-Za-z0-9._-]+)(?:\[[^\]]*\])?\s*\(?==\s*([0-9][0-9.]*)(?:\.\*)?\)?/gm);
  return [...lines].map(([, name, version]) => [name!, version!]);
});

/** Libraries whose DT_SONAME counts their own releases. */
const sonames: { [object: string]: string } = {
  libcudart: "cudart",
  libcublas: "cublas",
  libcublasLt: "cublas",
  libcudnn: "cudnn",
  libcufft: "cufft",
  libcurand: "curand",
  libcusolver: "cusolver",
  libcusparse: "cusparse",
  libnccl: "nccl",
  libnvrtc: "nvrtc",
  libnvinfer: "tensorrt",
};

/** Versions in the names that an object needs: `libcudnn.so.9` says cuDNN 9. CUDA's own is that of its runtime. */
export function neededVersions(view: View, path: string): CompiledFor {
  const at = view.lookup(path);
  const fact = "found" in at && at.entry.kind === "file" ? view.object(at.found, at.entry) : undefined;
  const found: CompiledFor = {};
  for (const name of isElf(fact) ? fact.needed : []) {
    const [, object, version] = /^(\w+)\.so\.(\d+(?:\.\d+)*)$/.exec(name) ?? [];
    const library = object === undefined ? undefined : sonames[object];
    if (library === undefined) continue;
    const evidence = `${path}: needs ${name}`;
    found[library] ??= { version: version!, evidence };
    // libcudart.so.11.0 was the name for all of CUDA 11.
    if (library === "cudart") found["cuda"] ??= { version: version!.split(".")[0]!, evidence };
  }
  return found;
}
