import { notice, type Signature } from "../signature.ts";

/** Toolbx. */
export default [
  notice(
    "kernel-dso-mismatch",
    "kernel and user space don't match",
    /NVIDIA driver's kernel and user space don't match/,
    "Error: the proprietary NVIDIA driver's kernel and user space don't match",
  ),
] satisfies Signature[];
