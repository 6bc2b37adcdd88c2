import { weights } from "../cause.ts";
import type { Context } from "../context.ts";
import type { Fact } from "../fact.ts";
import { fix, linkFolderOf } from "../fixes.ts";
import { notice, type Signature } from "../signature.ts";

// What the linker takes for a whole program, and no loader ever opens: archives of the toolkit, each in its own package.
const packages: [pattern: RegExp, apt: string, conda: string][] = [
  [/^(?:cudart_static|cudadevrt)/, "cuda-cudart-dev", "cuda-cudart-static cuda-cudart-dev"],
  [/^(?:cublas|cublasLt)_static/, "libcublas-dev", "libcublas-static"],
  [/^cufft\w{0,9}_static/, "libcufft-dev", "libcufft-static"],
  [/^curand_static/, "libcurand-dev", "libcurand-static"],
  [/^cusparse_static/, "libcusparse-dev", "libcusparse-static"],
  [/^cusolver_static/, "libcusolver-dev", "libcusolver-static"],
  [/^npp\w{1,5}_static/, "libnpp-dev", "libnpp-static"],
  [/^nvrtc\w{0,10}_static/, "cuda-nvrtc-dev", "cuda-nvrtc-static"],
];

const subjectOf = ([fact]: Fact<"notice">[]) => fact!.subject!;

function installed(subject: string, { conda, toolkits }: Context): ReturnType<typeof fix> {
  const [, apt, ofConda] = packages.find(([pattern]) => pattern.test(subject)) ?? [];
  const release = toolkits[0]?.version.split(".").slice(0, 2).join("-");
  if (conda && ofConda !== undefined)
    return fix("install what conda keeps apart from the libraries, for the linker alone", `conda install -c conda-forge ${ofConda}`);
  return apt === undefined || release === undefined
    ? fix(
        `install the whole toolkit, or ${apt === undefined ? "its development packages" : `its package \`${apt}\` (with the number of its release)`}`,
      )
    : fix("install the part of the toolkit that is for the linker", `sudo apt-get install ${apt}-${release}`);
}

// FindCUDA of CMake before 3.12.2 asks every toolkit for it; CUDA 10.0 has it no more (threads of people who met it).
const isGone = (all: Fact<"notice">[]) => all.some(({ subject }) => /cublas_device/i.test(subject!));
const isDriver = (all: Fact<"notice">[]) =>
  all.some(({ subject }) => /^(?:CUDA_CUDA|CUDA_DRIVER|CUDA_cuda_driver)_LIBRARY$/i.test(subject!));

/** What a linker lacks that no program loads: archives, names that CMake did not find, and the driver where there is none. */
export default [
  {
    ...notice(
      "link-archive",
      ["-lcu", "-lnpp", "-lnvrtc", "-lnvptx", "-lnvjitlink", "-lnccl_static"],
      /\bld(?:\.\w{2,5})? ?: (?!warning)(?:[^\n/]{0,50}? )?-l(?<subject>cudadevrt|culibos|(?:cudart|cublas|cublasLt|cudnn|cufft(?:_\w{2,10})?|curand|cusparse|cusolver|cupti|nccl|npp\w{1,5}|nvrtc(?:-builtins)?|nvptxcompiler|nvJitLink)_static(?:_\w{2,10})?)(?=[:\s.]|$)/,
      "/usr/bin/ld: cannot find -lcudadevrt",
      "x86_64-conda-linux-gnu/bin/ld: cannot find -lcudart_static: No such file or directory",
    ),
    means: {
      weight: weights.failed,
      about: (_facts, _context, all) => ({
        name: `lib${subjectOf(all)}.a`,
        required: `lib${subjectOf(all)}.a in a folder of the linker`,
        found: "not found",
        next: [`find / -name 'lib${subjectOf(all)}.a' 2>/dev/null`, "which -a nvcc"],
      }),
      symptom: (_facts, _context, all) => `the linker does not find \`lib${subjectOf(all)}.a\``,
      may: [
        {
          cause: "library-not-on-path",
          message:
            "the toolkit has it in another folder than the build names (`lib`, `lib64` or `targets/x86_64-linux/lib`); LD_LIBRARY_PATH is for programs that run, the linker asks LIBRARY_PATH and -L",
          fixes: (_facts, _context, all) => [linkFolderOf(`lib${subjectOf(all)}.a`)],
        },
        {
          cause: "library-missing",
          message: "or it is not installed: wheels, conda's runtime packages and images without `devel` have no archives",
          fixes: (_facts, context, all) => [installed(subjectOf(all), context)],
        },
        {
          cause: "cuda-home-wrong",
          message: "or the build takes an nvcc whose toolkit is not complete, and another is meant",
        },
      ],
    },
  },
  {
    // CMake goes on with what it did not find; in the end the linker is given the name of the variable.
    ...notice(
      "cmake-notfound",
      ["library-notfound", "library (advanced)"],
      /(?:-l|\b)(?<subject>(?:CUDA|CUDNN|NCCL|TENSORRT|NVML|NVTX|NVRTC|CUPTI)_?\w{0,30}_?LIBRARY)(?:-NOTFOUND| \(ADVANCED\))/i,
      "/usr/bin/ld: cannot find -lCUDA_cublas_device_LIBRARY-NOTFOUND",
      "CUDA_CUDA_LIBRARY (ADVANCED)",
    ),
    means: {
      weight: weights.failed,
      about: (_facts, _context, all) => ({
        name: isGone(all) ? "cublas_device" : subjectOf(all),
        required: isGone(all) ? "CMake 3.12.2 or newer for CUDA 10 and newer" : `a value for ${subjectOf(all)}`,
        found: "NOTFOUND",
      }),
      next: ["cmake --version; nvcc --version", "grep NOTFOUND CMakeCache.txt"],
      may: [
        {
          cause: "library-missing",
          certainty: "likely",
          when: (facts) => isGone(facts.notices("cmake-notfound")),
          message:
            "the toolkit has no cublas_device since CUDA 10.0, and CMake before 3.12.2, or a FindCUDA that the project brings, asks for it",
          fixes: [
            fix("take a newer CMake, and configure again in an empty build folder", "pip install -U cmake"),
            fix("where the project names it itself, take it out of its CMake files, or take a newer release of the project"),
          ],
        },
        {
          cause: "library-not-on-path",
          when: (facts) => !isGone(facts.notices("cmake-notfound")),
          message: (_facts, _context, all) =>
            isDriver(all)
              ? "CMake does not find the driver's libcuda.so, which is not on a machine without a driver; the toolkit has one for the linker in `lib64/stubs`"
              : `CMake does not find the library for ${subjectOf(all)} in the folders where it looks`,
          fixes: (_facts, _context, all) => [
            isDriver(all)
              ? fix(`name it, in an empty build folder: \`cmake -D${subjectOf(all)}=/usr/local/cuda/lib64/stubs/libcuda.so ..\``)
              : subjectOf(all).startsWith("CUDA_")
                ? fix("name the toolkit's folder, in an empty build folder", "cmake -DCUDA_TOOLKIT_ROOT_DIR=/usr/local/cuda ..")
                : fix(
                    `name the file that this finds to CMake (\`-D${subjectOf(all)}=…\`), in an empty build folder`,
                    `find / -name 'lib${/^[A-Za-z]+/.exec(subjectOf(all))![0].toLowerCase().replace("tensorrt", "nvinfer").replace("nvml", "nvidia-ml")}*.so*' 2>/dev/null`,
                  ),
          ],
        },
        {
          cause: "library-missing",
          when: (facts) => !isGone(facts.notices("cmake-notfound")),
          message: "or it is not installed: it is in a development package, or left the toolkit with a newer release",
          fixes: [fix("install the development package that has it, of the release of the toolkit that is there")],
        },
        { cause: "upstream-bug", message: "or the project asks for a library by a name that this release of CUDA does not have" },
      ],
    },
  },
  {
    // ld: a library on its line needs the driver, and the machine on which it links has none (login nodes, images).
    ...notice(
      "link-needs-driver",
      ["needed by"],
      /\bwarning: lib(?<subject>cuda|nvidia-ml)\.so\.1, needed by (?<found>[^\s,]{3,200}), not found/,
      "/usr/bin/ld: warning: libcuda.so.1, needed by lib/libbackend.so, not found (try using -rpath or -rpath-link)",
    ),
    means: {
      weight: weights.failed,
      unless: (facts) => facts.has("cuda-error"),
      about: (_facts, _context, [fact]) => ({
        name: `lib${fact!.subject}.so.1`,
        library: fact!.subject === "cuda" ? "libcuda" : "nvml",
        required: `lib${fact!.subject}.so.1 for the linker`,
        found: `the toolkit's stub, which has the name lib${fact!.subject}.so alone`,
      }),
      symptom: (_facts, _context, [fact]) => `the linker follows \`${fact!.found}\` to lib${fact!.subject}.so.1, and does not find it`,
      next: ["ls -l /usr/local/cuda/lib64/stubs/"],
      may: [
        {
          cause: "stub-library",
          message: "this machine links without a driver: the toolkit's stub stands in for it, under its name without a number only",
          fixes: (_facts, _context, [fact]) => [
            fix(
              "give the stub the other name too, in a folder of the linker's own, and build again; where the program runs, the driver's own is taken",
              "mkdir -p /tmp/stubs",
              `ln -sf /usr/local/cuda/lib64/stubs/lib${fact!.subject}.so /tmp/stubs/lib${fact!.subject}.so.1`,
              "export LDFLAGS=-Wl,-rpath-link,/tmp/stubs",
            ),
            fix("or link on a machine that has the driver"),
          ],
        },
        {
          cause: "upstream-bug",
          message:
            "or the project should tell the linker itself (`-Wl,--allow-shlib-undefined`, or the stub with -rpath-link), and does not",
          fixes: [fix("until it does: `-DCMAKE_EXE_LINKER_FLAGS=-Wl,--allow-shlib-undefined`, in an empty build folder")],
        },
        {
          cause: "driver-not-exposed",
          message: "or a driver is meant to be there, and is not installed or not handed to the container",
        },
        { cause: "library-not-on-path", message: "or it lies where the linker does not look" },
      ],
    },
  },
] satisfies Signature[];
