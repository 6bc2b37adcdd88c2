import { libraryOf } from "../../knowledge/libraries.ts";
import { weights } from "../cause.ts";
import { fix, selectToolkit } from "../fixes.ts";
import { notice, type Signature } from "../signature.ts";

// Whose header a name of CUDA's is from, by how it begins.
const owners: [pattern: RegExp, library: string, title: string][] = [
  [/^cudnn|^CUDNN_/, "cudnn", "cuDNN"],
  [/^cublas|^CUBLAS_/, "cublas", "cuBLAS"],
  [/^cusparse|^CUSPARSE_/, "cusparse", "cuSPARSE"],
  [/^cusolver/, "cusolver", "cuSOLVER"],
  [/^cufft/, "cufft", "cuFFT"],
  [/^nccl/i, "nccl", "NCCL"],
  [/^CUpti|^cupti|^CUPTI_/, "cupti", "CUPTI"],
];
const ownerOf = (name: string) => owners.find(([pattern]) => pattern.test(name)) ?? [undefined, "cudart", "CUDA"];

/** nvcc, gcc and clang, about a name that a header of CUDA's does not have: it went with an older release, or came with a newer one. */
export default [
  {
    ...notice(
      "name-undeclared",
      ["is undefined", "was not declared", "use of undeclared identifier", "undeclared identifier"],
      /(?:identifier ["'‘](?<subject>(?:cu(?:da[A-Z]|dnn|blas|sparse|solver|fft|rand|pti|Tex)\w{2,60}|C(?:UDNN|USPARSE|UBLAS|UPTI|UDA)_\w{3,60}|nccl[A-Z]\w{2,40}|CUpti_\w{3,60}))["'’] is undefined|["'‘](?<required>(?:cu(?:da[A-Z]|dnn|blas|sparse|solver|fft|rand|pti|Tex)\w{2,60}|C(?:UDNN|USPARSE|UBLAS|UPTI)_\w{3,60}|nccl[A-Z]\w{2,40}|CUpti_\w{3,60}))["'’] was not declared|undeclared identifier ["'‘](?<found>(?:cu(?:da[A-Z]|dnn|blas|sparse|solver|fft|rand|pti)\w{2,60}|C(?:UDNN|USPARSE|UBLAS|UPTI)_\w{3,60}|nccl[A-Z]\w{2,40}))["'’])/,
      'convolution.cu(82): error: identifier "CUDNN_CONVOLUTION_FWD_PREFER_FASTEST" is undefined',
      "error: 'cusparseScsrmv' was not declared in this scope",
    ),
    means: {
      weight: weights.failed,
      about: (_facts, { packages, toolkits }, [fact]) => {
        const name = fact!.subject ?? fact!.required ?? fact!.found ?? "";
        const [, library, title] = ownerOf(name);
        const [own] = packages(new RegExp(`^(?:lib)?${library}\\d{0,2}$`, "i"));
        // cuDNN and NCCL have releases of their own, the others that of the toolkit.
        const apart = library === "cudnn" || library === "nccl";
        const seen = own ? `${title} ${own.version}` : apart || !toolkits[0] ? undefined : `CUDA ${toolkits[0].version}`;
        return {
          name: `${title}'s headers`,
          library: libraryOf(`lib${library}.so`)?.id ?? library!,
          required: `a release of ${title} that has \`${name}\``,
          found: seen ?? `a ${title} without it`,
          evidence: [fact!],
          next: [
            "nvcc --version",
            ...(library === "cudnn" ? ["grep -m3 'define CUDNN_M\\|define CUDNN_P' /usr/include/cudnn_version.h"] : []),
          ],
        };
      },
      may: [
        {
          cause: "library-wrong-version",
          certainty: "likely",
          message:
            "the sources use a name that the headers which are found do not have: they were written for an older release, which still had it, or for a newer one",
          fixes: (_facts, { toolkits }) => [
            fix("take a release of the sources for the CUDA and cuDNN that are installed"),
            ...(toolkits.length === 0 ? [] : [selectToolkit("or build with the release that they were written for", undefined)]),
          ],
        },
        { cause: "cuda-home-wrong", message: "or headers of another toolkit are found first", fixes: [] },
        { cause: "upstream-bug", message: "or the sources do not know this release yet", fixes: [] },
      ],
    },
  },
] satisfies Signature[];
