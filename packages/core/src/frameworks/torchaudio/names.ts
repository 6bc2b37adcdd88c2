import { defineNames } from "../../model/framework-names.ts";

export default defineNames({
  id: "torchaudio",
  packages: ["torchaudio"],
  modules: ["torchaudio"],
  // It runs inside of torch.
  mapped: [],
});
