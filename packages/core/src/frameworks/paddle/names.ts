import { defineNames } from "../../model/framework-names.ts";

export default defineNames({
  id: "paddle",
  packages: ["paddlepaddle-gpu", "paddlepaddle"],
  modules: ["paddle"],
  mapped: ["/paddle/base/libpaddle.so", "/paddle/libs/"],
  sameFolder: ["paddlepaddle-gpu", "paddlepaddle"],
  withoutGpu: ["paddlepaddle"],
  asking: ["paddlepaddle-gpu"],
});
