import step from "../../../packages/core/src/log/causes/two-cuda-majors.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["package-conflict > library-wrong-version", "ERROR 4 in nvvmAddNVVMContainerToProgram, may need newer version of nvJitLink library"],
]);
