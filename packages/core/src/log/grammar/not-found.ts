import type { Frame } from "../frame.ts";
import { objectNamed } from "../objects.ts";

// An object by its file's name, wherever it stands: a library of any maker on Linux, one of this stack on Windows.
const object =
  /(?<![\w.-])(?:[\w.~+:-]{0,80}[/\\]){0,12}(?<name>lib[a-z][\w+-]{1,60}(?:\.\d{1,3})?\.so(?:\.\d{1,4}){0,4}|(?:cu|nv|onnxruntime_providers_|torch_|c10|zlib|amdhip|hip|roc|MIOpen)[a-z\d_][\w.-]{1,40}\.dll|[\w-]{3,40}\.node)(?![\w-]|\.\w)/i;

const titles =
  "cudnn|cublaslt|cublas|cufft|cusparselt|cusparse|cusolver|curand|nccl|nvrtc|nvvm|nvjitlink|cupti|tensorrt|nvinfer|cudart|cuda runtime|cuda driver|nvml|hiprtc|amdhip64|hipblaslt|hipblas|rocblas|miopen|rccl|hipfft|rocfft|hipsparse|rocsparse|hipsolver|rocsolver|roctracer64";
const verbs = "find|found|locate|load|open|dlopen";

/** A library by the name that people give it: `library` stands before or behind it, or it is the very thing that was not opened. */
const words = [
  `\\b(?:lib)?(?<title>${titles})\\b(?: (?:shared|dynamic|runtime|gpu))?(?: (?:librar(?:y|ies)|lib|dll|object|so))`,
  `\\b(?:librar(?:y|ies)|lib|dll|shared object)(?: named| called)?[ :]{1,2}["'\`]?(?:lib)?(?<title>${titles})\\b(?![-./])`,
  // CMake looks for much and goes on: its "Could NOT find" is no failure.
  `\\b(?:fail(?:ed|s) to|unable to|could(?: not|n't)|can(?:not|'t| not)) (?:dynamically )?(?:${verbs})(?: the)? ["'\`]?(?:lib)?(?<title>${titles})["'\`]?(?=[.,;:!]{0,2}(?:\\s|$))(?! \\(missing)`,
  `\\b(?:DLL|(?:shared |dynamic |native )?(?:library|module))(?: named)? ["'\`](?:lib)?(?<title>${titles}|nvcuda)["'\`]`,
  `(?<![\\w/-])(?:lib)?(?<title>${titles}) (?:(?:was|is|could) )?not (?:be )?(?:found|installed|located|detected)\\b`,
  `\\b[Nn]o (?<title>${titles})(?: (?:library|libraries|install(?:ation)?))? (?:was |were |is )?(?:found|installed|detected)\\b`,
  `\\bno (?:jni)?(?<title>${titles}) in java\\.library\\.path\\b`,
  `\\b(?:dynamically|to) (?:load|dlopen|open) (?<title>CUDA)(?=[.!]?$)`,
  `\\b(?:lib)?(?<title>${titles}) (?:can(?:not|'t| not)|could(?: not|n't)) be (?:${verbs}ed|found|loaded|located|opened)\\b`,
].map((source) => new RegExp(source, "i"));

const sonames: { [title: string]: string } = {
  cublaslt: "libcublasLt.so",
  cusparselt: "libcusparseLt.so",
  nvjitlink: "libnvJitLink.so",
  tensorrt: "libnvinfer.so",
  "cuda runtime": "libcudart.so",
  "cuda driver": "libcuda.so.1",
  nvml: "libnvidia-ml.so.1",
  nvcuda: "nvcuda.dll",
  cuda: "libcuda.so.1",
  miopen: "libMIOpen.so",
};

const lost =
  /\b(?:can(?:not|'t| not)|could(?: not|n't)|unable to|fail(?:ed|s|ure)? (?:to|in|while|when)|failed(?= (?:loading|opening|locating|finding))|did(?: not|n't)|(?:is|was|are|were) not) (?:be )?(?:dynamically |properly |successfully )?(?:find|found|finding|bind|resolve|resolved|locate|located|locating|load|loaded|loading|open|opened|opening|dlopen|dlopened|read|access|preloaded)\b|\bnot found\b|\b[Nn]o [\w ]{3,24} (?:was |were |is )?(?:found|installed|detected)\b|\bno jni\w{4,20} in java\.library\.path\b|\bdoes(?: not|n't) exist\b|\bno such (?:file|library|dll|shared object)\b|\b(?:is|was|are) (?:absent|not (?:present|there|available))\b|n['’]t (?:been )?(?:found|present|located|there)\b|\bfile (?:is )?missing\b|\breturned (?:NULL|nullptr)\b|\bdid(?: not|n['’]t) succeed\b|\b(?:is|are) missing\b|\bmissing (?:shared |dynamic )?(?:library|libraries|object|file|dlls?)\b|\bunder the names?\b|\bcan(?:not|'t| not) open shared object\b|\b(?:load|loading|open|opening|dlopen) ["'`]?[\w./\\:+~-]{3,200}["'`]? (?:has )?failed\b|\bunable to be (?:found|loaded|opened)\b/i;

// What is only weighed, promised or left out on purpose.
const conditional =
  /\b(?:if|unless|whether|when|in case|should) (?!I |we )[^\n]{0,80}$|\b(?:optional|skipp(?:ed|ing)|ignor(?:ed|ing)|harmless|may be|falling back|CPU mode|not (?:needed|required)|will be (?:built|downloaded))\b/i;

// A toolkit is not a library: its compiler is what is missed.
const toolkit =
  /\bCUDA toolkit (?:(?:was|is|could) )?not (?:be )?(?:found|installed|located|detected)\b|\bno CUDA toolkit (?:was |is )?(?:found|installed|detected)\b/i;

const byCmake = /^-- |\bCould NOT find\b/;

const everyObject = new RegExp(object.source, "gi");

/** Of several files, the one of this stack that stands next before what is said of it: others only needed it. */
function missedIn(text: string, said: string): string | undefined {
  const named = [...text.matchAll(everyObject)].slice(0, 8);
  const end = text.indexOf(said) + said.length;
  const before = named.filter(({ index, groups }) => index < end && objectNamed(groups!["name"]!)?.cuda !== undefined);
  return (1 < named.length ? before.at(-1) : undefined)?.groups!["name"] ?? named[0]?.groups!["name"];
}

/** Something was looked for and is not there: a file by its name, or a library by what people call it. */
export default {
  id: "not-found",
  literals: [
    ".so",
    ".dll",
    "library",
    "libraries",
    "load cuda",
    "load dll",
    ".node",
    "cuda toolkit",
    "java.library.path",
    ...titles.split("|"),
  ],
  examples: [
    "engine: the module libcudnn.so.9 could not be located by the runtime",
    "[plugin] failed while loading cublas64_12.dll",
    "fatal: cuDNN library is missing",
    "library nvvm not found",
    "tracer: Loading 'libamdhip64.so' failed, (null)",
    "OSError: library nvrtc not found",
    "ERROR: failed to open nvvm",
    "DllNotFoundException: Unable to load DLL 'nvcuda': The specified module could not be found",
    "java.lang.UnsatisfiedLinkError: no jnicudart in java.library.path",
    "[context] Could not dynamically load CUDA",
    "loading of libcusparse.so.12 did not succeed",
    "the runtime component cublasLt64_12.dll is not present on this system",
    "no such library: libnccl.so.2",
  ],
  read(text) {
    const missing = lost.exec(text);
    if (!missing || conditional.test(text.slice(0, missing.index)) || conditional.test(text.slice(missing.index))) return [];
    const near = text.slice(Math.max(0, missing.index - 200), missing.index + 300);
    const file = missedIn(near, missing[0]);
    // A DLL of a framework's own needs others: which one is missing, Windows does not say.
    if (file !== undefined && /\.(?:dll|node)$/i.test(file) && !objectNamed(file))
      return [{ kind: "notice", id: "dll-not-found", subject: file }];
    if (file !== undefined) return [{ kind: "not-found", name: file, by: "said" }];
    if (byCmake.test(text)) return [];
    if (toolkit.test(near))
      return /\bINFO\b|\b(?:I|we)(?: \w{2,8})? (?:have|do(?: not|n['’]t)|did(?: not|n['’]t))\b/.test(text)
        ? []
        : [{ kind: "notice", id: "nvcc-missing" }];
    const title = words
      .map((word) => word.exec(near)?.groups?.["title"])
      .find((each) => each !== undefined)
      ?.toLowerCase();
    return title === undefined ? [] : [{ kind: "not-found", name: sonames[title] ?? `lib${title}.so`, by: "said" }];
  },
} satisfies Frame;
