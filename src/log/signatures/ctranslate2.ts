import { notice, type Signature } from "../signature.ts";

/** CTranslate2: src/devices.cc and the stubs of src/cuda. */
export default [
  notice(
    "ct2-without-cuda",
    "not compiled with cuda support",
    /This CTranslate2 package was not compiled with CUDA support/,
    "ValueError: This CTranslate2 package was not compiled with CUDA support",
  ),
] satisfies Signature[];
