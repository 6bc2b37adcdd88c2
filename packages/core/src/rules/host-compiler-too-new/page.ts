import { describeRule } from "../rule.ts";

export default describeRule({
  id: "host-compiler-too-new",
  title: "gcc is newer than nvcc takes",
  cause: "toolkit-too-old",
  severity: "warning",
  page: {
    what: "The nvcc that would compile CUDA code does not take the gcc that it would find: “unsupported GNU version! gcc versions later than 11 are not supported!”.",
    why: "nvcc leaves the host's part of the code to gcc, and host_config.h of each toolkit refuses majors of gcc that came after it. Distributions upgrade gcc, and the toolkit stays.",
    how: "The toolkit is the one that a build would take (CUDA_HOME, CUDA_PATH, else the nvcc on PATH, else /usr/local/cuda); the gcc is that of NVCC_CCBIN, CUDAHOSTCXX, CC or CXX, else the first on PATH. A warning where a variable chooses that toolkit or PyCUDA, which compiles when it runs, is installed; else a note, because nothing may ever be compiled there. In a Dockerfile: an image with nvcc, and a variable that names a newer gcc.",
    fix: "Install an older gcc and name it: `export CC=gcc-11 CXX=g++-11`, for nvcc alone `export NVCC_CCBIN=g++-11`; or take a newer toolkit.",
    observed: "The comparison is known from the headers of toolkits and from reports; no build was run.",
  },
});
