import { defineNames } from "../../model/framework-names.ts";

export default defineNames({
  id: "faster-whisper",
  packages: ["faster-whisper"],
  modules: ["faster_whisper"],
  // It has no library of its own: what is mapped is CTranslate2's.
  mapped: [],
  wantsWithoutGpu: ["onnxruntime"],
});
