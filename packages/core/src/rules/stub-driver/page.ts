import { describeRule } from "../rule.ts";

export default describeRule({
  id: "stub-driver",
  title: "The stub of libcuda is loaded instead of the driver",
  cause: "stub-library",
  severity: "error",
  page: {
    what: "`libcuda.so.1`, or `libnvidia-ml.so.1` where a framework cannot do without it, leads to the stub of a toolkit: a file with names and no code, made to link against where there is no driver.",
    why: "`lib64/stubs` got into LD_LIBRARY_PATH, an RPATH or ld.so.conf, often from a Dockerfile that needed it to build.",
    how: "The copy that would be loaded lies in a folder `stubs`, or is far too small to be a driver.",
    fix: "Take the stubs folder out of the search. It belongs on the linker's command line (`-L`), never in a run-time path.",
    observed:
      "On an H200: torch, jax and cupy with the stub first; error 34, and jax falls back to the CPU with exit code 0. With the stub of libnvidia-ml torch and cupy work, jax finds no GPU.",
  },
});
