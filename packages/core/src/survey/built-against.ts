import { folderOf, nameOf } from "../lib/path.ts";
import type { ElfFact } from "../model/snapshot.ts";
import type { View } from "../resolve/view.ts";
import { textAt } from "./python.ts";

/** What a program of one's own was built against, where that can still be seen: its versions, and the CMake cache beside a build. */
export function builtAgainst(view: View, file: string, elf: ElfFact): { [library: string]: { version: string; evidence: string } } {
  const found: { [library: string]: { version: string; evidence: string } } = {};
  for (const name of elf.needed) {
    const named = /^lib(cudart|cudnn|cublas|cublasLt|cupti|nvrtc|nccl|nvinfer|cufft|cusolver|cusparse)\.so\.(\d+(?:\.\d+)*)$/.exec(name);
    if (named) found[named[1]!.toLowerCase()] = { version: named[2]!, evidence: `${nameOf(file)} needs ${name}` };
  }
  // Only a program that needs a GPU library was built against one.
  const cache = 0 < Object.keys(found).length ? nearestCache(view, file) : undefined;
  if (!cache) return found;
  const entry = (pattern: RegExp) => pattern.exec(cache.text)?.[1];
  const cuda = entry(/^CUDA(?:Toolkit)?_VERSION(?:_STRING)?:[A-Z]+=([\d.]+)/m) ?? entry(/^CUDA_TOOLKIT_ROOT_DIR:PATH=\S*cuda-([\d.]+)/m);
  if (cuda !== undefined) found["cuda"] = { version: cuda, evidence: cache.file };
  const include = entry(/^C(?:UDNN|udnn)_INCLUDE_(?:DIR|PATH):[A-Z]+=(\S+)/m);
  const header = include === undefined ? "" : (textAt(view, `${include}/cudnn_version.h`) ?? "");
  const part = (name: string) => new RegExp(`^#define CUDNN_${name}\\s+(\\d+)`, "m").exec(header)?.[1];
  const [major, minor, patch] = ["MAJOR", "MINOR", "PATCHLEVEL"].map(part);
  if (major !== undefined) found["cudnn"] = { version: `${major}.${minor}.${patch}`, evidence: `${include}/cudnn_version.h` };
  return found;
}

// A build folder is at most a few levels above the program it made.
function nearestCache(view: View, file: string): { file: string; text: string } | undefined {
  let folder = folderOf(file);
  for (let level = 0; level < 4 && folder !== "/"; level += 1, folder = folderOf(folder)) {
    const text = textAt(view, `${folder}/CMakeCache.txt`);
    if (text) return { file: `${folder}/CMakeCache.txt`, text };
  }
  return undefined;
}
