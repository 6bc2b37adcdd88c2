import { notice, type Signature } from "../signature.ts";

/** What a shell says when a program dies by a signal, and the system when there is no room. */
export default [
  notice("bus-error", "bus error", /\bBus error\b|SIGBUS/, "Bus error (core dumped)"),
  notice("segfault", "segmentation fault", /Segmentation fault|SIGSEGV|signal 11/i, "Segmentation fault (core dumped)"),
  notice(
    "no-space",
    "no space left on device",
    /No space left on device/,
    "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device",
  ),
] satisfies Signature[];
