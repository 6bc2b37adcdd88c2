import { describeRule } from "../rule.ts";

export default describeRule({
  id: "library-shadowed",
  title: "A variable puts another copy before the right one",
  cause: "library-shadowed",
  severity: "error",
  page: {
    what: "The copy that the program was built for is there, but LD_LIBRARY_PATH, LD_PRELOAD or PYTHONPATH makes the loader take another one first.",
    why: "LD_LIBRARY_PATH is searched before a RUNPATH, before ld.so.cache and before the system folders; a line in a start-up file, written for one program, reaches every other.",
    how: "We predict the run twice, with the variables and without them. What goes wrong only with them is their doing. In a Dockerfile, a devcontainer or a job two cases are told: a toolkit of CUDA 12 that is older than the wheels of jax, or of torch 2.1 to 2.5, whose libnvJitLink comes first; and a cuDNN of apt, or of the image, in another release than the wheel's.",
    fix: "Take the folder out of the variable where it is set, or start this one program without it: `env -u LD_LIBRARY_PATH COMMAND`.",
    observed:
      "On an H200: a foreign libnvJitLink on LD_LIBRARY_PATH makes jax lose the GPU without an error, and leaves torch, whose libraries have an RPATH, alone.",
  },
});
