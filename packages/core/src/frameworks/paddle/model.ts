import { cudnnPart } from "../library-habits.ts";
import { namesIn, textAt } from "../../survey/python.ts";
import type { View } from "../../resolve/view.ts";
import { needDriver } from "../driver.ts";
import { defineFramework, type CompiledFor, type FrameworkCopy } from "../framework.ts";
import { notFoundByName } from "../not-found.ts";
import { pinnedVersions } from "../pins.ts";
import type { PythonProcess } from "../python-process.ts";
import names from "./names.ts";

// phi/backends/dynload/dynamic_loader.cc, read for 2.6: libphi holds the runtime, and opens each library of CUDA when it is first called, by its
// name for compilers (libcudnn.so), which no wheel of NVIDIA's has; then in /usr/local/cuda/lib64. Builds that pin NVIDIA's wheels ask by
// the number (libcudnn.so.8) in those wheels first. Watched up to the first call without a GPU; with one, read only.
export default defineFramework({
  ...names,
  compiledFor,
  cpuOnly: (_, { package: { name } }) =>
    name === "paddlepaddle" ? "the package paddlepaddle has no CUDA; paddlepaddle-gpu has" : undefined,
  steps: {
    import: (process, copy) => void process.extension(`${copy.package.folder}/paddle/base`, "libpaddle", { required: true }),
    device: (process) => needDriver(process, "paddle", process.loadedLike("libphi")),
    matmul: (process, copy) => void openOwn(process, copy, "cublas"),
    convolution(process, copy) {
      const front = openOwn(process, copy, "cudnn");
      const major = /\.so\.(\d+)/.exec(front?.fact.soname ?? "")?.[1];
      if (major !== undefined) process.possibly(() => ["ops_infer", "cnn_infer"].map((part) => cudnnPart(process, part, major)));
    },
  },
  after: { matmul: ["device"], convolution: ["device"] },
});

/** One of CUDA's libraries, as its loader finds it. */
function openOwn(process: PythonProcess, copy: FrameworkCopy, library: "cublas" | "cudnn") {
  const asker = process.loadedLike("libphi") ?? process.process.executable;
  const pinned = pinnedVersions(process.view, copy.package)[library];
  const folder = pinned && process.folders(`nvidia.${library}`)[0];
  const inWheel =
    folder === undefined ? [] : (namesIn(process.view, `${folder}/lib`) ?? []).filter((name) => name.startsWith(`lib${library}.so.`));
  const name = inWheel[0] ?? `lib${library}.so`;
  const opened = process.ladder(asker, [...inWheel.map((each) => `${folder}/lib/${each}`), name, `/usr/local/cuda/lib64/${name}`]);
  if (!opened && !process.process.pending)
    process.stop({
      ...notFoundByName(process, "paddle", name),
      message: `The third-party dynamic library (${name}) that Paddle depends on is not configured correctly.`,
    });
  return opened;
}

/** paddle/version/__init__.py says what it was built with. */
function compiledFor(view: View, copy: FrameworkCopy): CompiledFor {
  const file = `${copy.package.folder}/paddle/version/__init__.py`;
  const text = textAt(view, file) ?? "";
  const found: CompiledFor = { ...pinnedVersions(view, copy.package) };
  for (const [library, name] of [
    ["cuda", "cuda_version"],
    ["cudnn", "cudnn_version"],
  ] as const) {
    const version = new RegExp(`^${name}\\s*=\\s*'([\\d.]+)'`, "m").exec(text)?.[1];
    if (version !== undefined) found[library] ??= { version, evidence: file };
  }
  return found;
}
