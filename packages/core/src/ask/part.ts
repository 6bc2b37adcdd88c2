/** What frameworks load, and all that is installed; loaded when asked for (`parts.ts`). */
export { gpuNamed, gpusLike } from "../knowledge/gpus.ts";
export { installedPackage, isFramework, placeWithoutPython } from "./choose.ts";
export { loadsOfFrameworks, loadsOfGpuProgram } from "./frameworks.ts";
export { collectStack, listStack } from "./inventory.ts";
export { withModules } from "./modules.ts";
export { whyOfFrameworks, whyOfProgram } from "./why.ts";
export { unusableProgram } from "./unusable-program.ts";
