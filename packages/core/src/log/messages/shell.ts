import { notice, type Signature } from "../signature.ts";

/** What a shell says when a program dies by a signal. */
export default [
  notice("bus-error", "bus error", /\bBus error\b|SIGBUS/, "Bus error (core dumped)"),
  notice("segfault", "segmentation fault", /Segmentation fault|SIGSEGV|signal 11/i, "Segmentation fault (core dumped)"),
] satisfies Signature[];
