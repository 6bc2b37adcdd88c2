import { notice, type Signature } from "../signature.ts";

/** dnf, yum and zypper, which print libsolv's problems. */
export default [
  notice(
    "dnf-conflict",
    "problem",
    /^ {0,3}Problem(?: \d{1,2})?: (?:package |cannot install |conflicting requests|problem with installed|nothing provides )/,
    " Problem 1: package cuda-drivers-550.54.15-1.x86_64 requires nvidia-driver >= 3:550.54.15, but none of the providers can be installed",
    "Problem: conflicting requests",
  ),
] satisfies Signature[];
