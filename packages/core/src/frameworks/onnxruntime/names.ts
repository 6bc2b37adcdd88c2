import { defineNames } from "../../model/framework-names.ts";

export default defineNames({
  id: "onnxruntime",
  packages: ["onnxruntime-gpu", "onnxruntime"],
  modules: ["onnxruntime"],
  provides: ["libonnxruntime"],
  mapped: ["/onnxruntime/capi/"],
  solve: { name: "onnxruntime-gpu", rank: 5 },
  aliases: ["onnxruntime", "ort"],
  sameFolder: ["onnxruntime", "onnxruntime-gpu"],
  withoutGpu: ["onnxruntime"],
  asking: ["onnxruntime", "onnxruntime-gpu"],
  needsPath: true,
  bundling: { packages: ["onnxruntime", "onnxruntime-gpu"], folders: ["onnxruntime/capi"] },
});
