import { weights } from "../cause.ts";
import { fix } from "../fixes.ts";
import { notice, type Signature } from "../signature.ts";

/** .NET, about native libraries (System.EntryPointNotFoundException). */
export default [
  {
    // .NET: the function is in the library of the GPU package alone.
    ...notice(
      "ort-entry-point",
      "unable to find an entry point named",
      /Unable to find an entry point named '(?<subject>OrtSessionOptionsAppendExecutionProvider_(?:CUDA|Tensorrt|ROCM|DML))'/,
      "System.EntryPointNotFoundException: Unable to find an entry point named 'OrtSessionOptionsAppendExecutionProvider_CUDA' in shared library 'onnxruntime'",
    ),
    means: {
      weight: weights.said,
      name: "onnxruntime",
      required: "the library of the package for GPUs (Microsoft.ML.OnnxRuntime.Gpu)",
      found: "one without its providers",
      may: [
        {
          cause: "wrong-wheel-cpu-only",
          certainty: "likely",
          message: "the `onnxruntime` library that the program loads is that of the CPU's package: it lacks the function that adds CUDA",
          fixes: [
            fix(
              "reference the package for GPUs alone, in every project of the solution: one that brings Microsoft.ML.OnnxRuntime beside it puts its own library there",
              "dotnet list package --include-transitive",
            ),
          ],
        },
        { cause: "package-conflict", message: "so two packages bring a library of the same name, and the CPU's is copied last", fixes: [] },
        { cause: "library-shadowed", message: "or another onnxruntime, such as Windows' own in System32, is found first", fixes: [] },
      ],
    },
  },
  {
    // .NET and Java, of a native library whose release is not that of the package around it.
    ...notice(
      "native-entry-point",
      "unable to find an entry point named",
      /Unable to find an entry point named '(?!OrtSessionOptionsAppend)(?<subject>\w{3,60})' in (?:DLL|shared library) '(?<found>(?:lib)?(?:tensorflow|torch\w{0,12}|LibTorchSharp|onnxruntime|cudnn\w{0,12}|cublas\w{0,12}|nvinfer))/i,
      "Unable to find an entry point named 'TF_StringInit' in DLL 'tensorflow'.",
    ),
    means: {
      weight: weights.said,
      about: (_facts, _context, [fact]) => ({
        name: fact!.found!,
        required: `a ${fact!.found} with ${fact!.subject}, of the release of the package that calls it`,
        found: "one of another release",
        evidence: [fact!],
        next: ["dotnet list package --include-transitive"],
      }),
      may: [
        {
          cause: "library-wrong-version",
          certainty: "likely",
          message: (_facts, _context, [fact]) =>
            `the native library \`${fact!.found}\` is of another release than the package that calls \`${fact!.subject}\` in it`,
          fixes: [fix("reference the package with the native library in the same release as the one that uses it")],
        },
        { cause: "package-conflict", message: "so two packages of the project are of releases that do not go together", fixes: [] },
        { cause: "library-shadowed", message: "or another copy of it is found first", fixes: [] },
      ],
    },
  },
] satisfies Signature[];
