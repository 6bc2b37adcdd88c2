import { defineNames } from "../../model/framework-names.ts";

export default defineNames({
  id: "transformer-engine",
  packages: ["transformer-engine-cu13", "transformer-engine-cu12", "transformer-engine"],
  modules: ["transformer_engine"],
  mapped: ["/libtransformer_engine.so", "/transformer_engine_torch."],
  parts: ["transformer-engine-torch", "transformer-engine-jax"],
  asking: ["transformer-engine*"],
  provides: ["libtransformer_engine"],
});
