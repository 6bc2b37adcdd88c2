import { libraryOf } from "../../knowledge/libraries.ts";
import { nameOf } from "../../lib/path.ts";
import type { Signature } from "../signature.ts";

/** ldd, libtree, LD_DEBUG=libs, /proc/PID/maps, ldconfig -p, ls, find and locate. */
export default [
  {
    literals: ["=> not found", "not found"],
    pattern: /^\s{0,8}(?<name>lib[\w.+-]{2,80}) (?:=> )?not found\b/,
    examples: ["        libcudart.so.11.0 => not found"],
    facts: ({ name }) => ({ kind: "not-found", name: name!, by: "ldd" }),
    single: true,
  },
  {
    literals: ["calling init:"],
    pattern: /calling init: (?<path>\/\S{3,300})/,
    examples: ["     1000:     calling init: /opt/venv/lib/python3.10/site-packages/nvidia/cudnn/lib/libcudnn.so.9"],
    facts: ({ path }) => (libraryOf(path!) ? { kind: "opened", name: nameOf(path!), path: path! } : undefined),
    single: true,
  },
  {
    // LD_DEBUG=libs
    literals: ["search path="],
    pattern: /search path=(?<value>\/\S{2,3000})\s{1,8}\(LD_LIBRARY_PATH\)/,
    examples: ["      4709:	 search path=/opt/cuda/12.4/lib64:/opt/lib		(LD_LIBRARY_PATH)"],
    facts: ({ value }) => ({ kind: "variable", name: "LD_LIBRARY_PATH", value: value! }),
    single: true,
  },
  {
    literals: ["r-xp ", "r--p "],
    pattern: /^[0-9a-f]{6,16}-[0-9a-f]{6,16} r[-w][x-]p [0-9a-f]{6,16} \S{3,8} \d{1,12} {1,40}(?<path>\/\S{3,300})/,
    examples: ["7f1200000000-7f1200100000 r-xp 00000000 08:01 123456                     /usr/lib/x86_64-linux-gnu/libcudnn.so.9.1.0"],
    facts: ({ path }) => (libraryOf(path!) ? { kind: "opened", name: nameOf(path!), path: path! } : undefined),
    single: true,
  },
  {
    literals: [" => /"],
    pattern: /(?<name>lib[\w.+-]{2,80}) (?:\([\w,\- .:]{2,80}\) )?=> (?<path>\/\S{3,300})/,
    examples: [
      "	libcudart.so.9.1 (libc6,x86-64) => /opt/cuda/lib64/libcudart.so.9.1",
      "        libcudnn.so.8 => /usr/local/cuda/lib64/libcudnn.so.8 (0x00007f0000000000)",
    ],
    facts: ({ name, path }, { input }) => {
      if (!libraryOf(path!)) return undefined;
      // Behind the path ldd shows the address; ldconfig -p lists files that nobody asked for.
      const asked = / \(0x[0-9a-f]{6,16}\)/.test(input);
      const file = { kind: "file" as const, path: path! };
      return asked ? [{ kind: "opened", name: name!, path: path!, by: "ldd" }, file] : file;
    },
    single: true,
  },
  {
    literals: [" -> lib"],
    pattern: /(?<![\w./+-])(?<name>[\w./+-]{0,400}lib[\w.+-]{2,80}\.so[\w.]{0,40})\*? -> (?<target>\S{3,200})/,
    examples: ["lrwxrwxrwx 1 root root       17 25. Sep 11:43 libcuda.so -> libcuda.so.375.82"],
    facts: ({ name, target }) => (libraryOf(name!) ? { kind: "file", path: name!, target: target! } : undefined),
    single: true,
  },
  {
    // `dir /b`, and what people see in a folder.
    literals: [".dll"],
    pattern:
      /^(?:[\d./-]{8,10}\s{1,4}[\d:]{4,5}.{0,40}\s)?(?<path>(?:[A-Z]:\\[^"'<>|\n]{0,200}\\)?(?:cudnn|cublas|cudart|cufft|cusparse|cusolver|nvrtc|cupti|nvJitLink|nvinfer)\w{0,30}64_[\d._]{1,10}\.dll)$|\b(?:saw|see|found|find|contains?|has|have|there (?:is|are)|only)\b[^\n]{0,30}?[`'"]?(?<seen>(?:cudnn|cublas|cudart|cufft|nvrtc|cupti)\w{0,30}64_[\d._]{1,10}\.dll)[`'"]?(?= instead| but|,? not|$|\.$| there| in )/i,
    examples: ["cudnn_ops64_9.dll", "I looked in torch\\lib and saw `cudnn_ops_infer64_9.dll` instead of `cudnn_ops_infer64_8.dll`"],
    facts: ({ path, seen }) => ({ kind: "file", path: (path ?? seen)! }),
    single: true,
  },
  {
    literals: [".so"],
    pattern: /^(?:[-l]r[\w-]{8}[.+]? .{10,60} )?(?<path>(?:\/[^\s:'"]{1,300}\/)?lib[\w+-]{2,60}\.so[\w.]{0,40})\*?$/,
    examples: [
      "/usr/local/cuda-11.5/targets/x86_64-linux/lib/libcupti.so.11.5",
      "-rwxr-xr-x 1 root root 12345678 Jan  1 00:00 libcudnn.so.8.4.1",
    ],
    facts: ({ path }) => (libraryOf(path!) ? { kind: "file", path: path! } : undefined),
    single: true,
  },
] satisfies Signature[];
