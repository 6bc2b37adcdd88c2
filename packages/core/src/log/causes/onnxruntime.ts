import { frameworkRelease } from "../../knowledge/frameworks.ts";
import { onnxruntime as onnxruntimes } from "../../knowledge/texts/onnxruntime.generated.ts";
import { nameOf } from "../../lib/path.ts";
import { weights, type Problem, type Suspect } from "../cause.ts";
import { majorOf, type Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix, onnxruntimeFor } from "../fixes.ts";

/** ONNX Runtime could not load its provider, and does not say for want of what: its release and the CUDA here may tell. */
export default function onnxruntime(facts: Facts, context: Context): Problem[] {
  const both = bothPackages(facts, context);
  if (both) return [both];
  const failed = facts.notices("ort-provider-failed");
  const explained = facts.has("not-found") || facts.has("undefined-symbol") || facts.has("damaged") || facts.has("cuda-error");
  if (failed.length === 0 && !explained) return askedOf(context);
  if (failed.length === 0 || explained) return [];
  const named = failed.find(({ subject }) => subject !== undefined)?.subject;
  const tensorrt = failed.every(({ subject }) => subject === undefined || /tensorrt/i.test(subject));
  const name = tensorrt && named !== undefined ? "libnvinfer.so" : providerOf(named);
  const wants = wantedBy(context);
  const suspects = suspectsOf({
    name,
    evidence: [...failed.slice(0, 3), ...wants.facts],
    required: tensorrt && named !== undefined ? "the TensorRT that ONNX Runtime was built for" : wants.words,
    next: ["culprit loads onnxruntime --do device", "pip list | grep -i 'onnxruntime\\|nvidia'"],
  });
  const other = context.toolkits.find(({ version }) => wants.cuda !== undefined && majorOf(version) !== majorOf(wants.cuda));
  const fitting = context.toolkits.some(({ version }) => wants.cuda !== undefined && majorOf(version) === majorOf(wants.cuda));
  const problem = { weight: weights.refused, symptom: `\`${name}\` cannot be loaded` };
  if (other && !fitting)
    return [{ ...problem, suspects: [otherCuda(suspects.wheel, wants, other), suspects.missing, suspects.path, suspects.version] }];
  const cudnn = otherCudnn(suspects.version, context);
  if (cudnn) return [{ ...problem, suspects: [cudnn, suspects.missing, suspects.path, suspects.wheel] }];
  const code = failed.find(({ found }) => found !== undefined)?.found;
  if (code !== undefined) return [{ ...problem, suspects: ofWindows(code, suspects) }];
  return [{ ...problem, suspects: [suspects.missing, suspects.path, suspects.version, suspects.wheel] }];
}

/** Both packages write into one folder: the one that was installed last is the one that is imported, and most often it is that of the CPU. */
function bothPackages(facts: Facts, { packages }: Context): Problem | undefined {
  const [cpu] = packages(/^onnxruntime$/);
  const [gpu] = packages(/^onnxruntime-gpu$/);
  const without = [
    ...facts.notices("ort-without-cuda"),
    ...facts.all("available").filter(({ by, value }) => by === "onnxruntime" && !value),
  ];
  const overwritten = facts.notices("ort-overwritten-told");
  const [told] = [...overwritten, ...facts.notices("ort-both-told")];
  if (without.length === 0 && overwritten.length === 0) return undefined;
  if (told && (!cpu || !gpu))
    return ofBoth({ name: "onnxruntime", required: "onnxruntime-gpu alone", found: "onnxruntime beside it" }, [
      ...without.slice(0, 1),
      told,
    ]);
  if (!cpu || !gpu) return undefined;
  const base = { name: "onnxruntime", required: `onnxruntime-gpu ${gpu.version} alone`, found: `onnxruntime ${cpu.version} beside it` };
  return ofBoth(base, [...without.slice(0, 1), cpu, gpu]);
}

function ofBoth(base: { name: string; required: string; found: string }, evidence: Fact[]): Problem {
  const fixes = [fix("keep only the GPU package", "pip uninstall -y onnxruntime onnxruntime-gpu", "pip install onnxruntime-gpu")];
  const message =
    "`onnxruntime` and `onnxruntime-gpu` are both installed: they share one folder, and the files of the build for the CPU won";
  return {
    weight: weights.said,
    suspects: [
      { ...base, cause: "package-conflict", certainty: "likely", message, evidence, fixes, next: ["pip list | grep -i onnxruntime"] },
      { ...base, cause: "wrong-wheel-cpu-only", certainty: "possible", message: "so what is imported has no CUDA", evidence, fixes },
    ],
  };
}

/** With Windows' code: 1114, a DLL that was found refuses to start; with the others one is not found, or is not what it should be. */
function ofWindows(code: string, { missing, path, version, wheel }: ReturnType<typeof suspectsOf>): Suspect[] {
  const next = ["where cudnn64_9.dll cudnn64_8.dll cublasLt64_12.dll cublasLt64_11.dll"];
  const [absent, elsewhere, other]: [Suspect, Suspect, Suspect] = [
    {
      ...missing,
      next,
      certainty: "likely",
      message: "Windows does not find a DLL that ONNX Runtime's part for CUDA needs: CUDA, cuDNN or zlibwapi.dll",
    },
    {
      ...path,
      next,
      fixes: [fix("open a new terminal after the installation; from Python 3.8 on call `os.add_dll_directory` with the folder")],
    },
    {
      ...version,
      next,
      fixes: [fix("put the `bin` folders of the CUDA and cuDNN of this ONNX Runtime (1.19 and newer: CUDA 12 and cuDNN 9) first on PATH")],
    },
  ];
  if (code !== "1114") return [absent, elsewhere, other, wheel];
  return [
    { ...other, message: "a DLL of another release of CUDA or cuDNN is found first" },
    elsewhere,
    {
      ...other,
      cause: "upstream-bug",
      message: "or a DLL refuses to start: the Visual C++ runtime is older than it was built with",
      fixes: [fix("install Microsoft's newest Visual C++ runtime (x64)")],
    },
    wheel,
  ];
}

const providerOf = (named: string | undefined): string =>
  named === undefined ? "a library" : named === "CUDA" ? "libonnxruntime_providers_cuda.so" : nameOf(named.replaceAll("\\", "/"));

/** The CUDA that this release was built for: as it says itself, or as its release is known. */
function wantedBy({ framework }: Context): { cuda?: string; words: string; facts: Fact[] } {
  const ort = framework("onnxruntime");
  const known = ort.version === undefined ? undefined : frameworkRelease("onnxruntime", ort.version)?.release;
  const [cuda, cudnn] = [ort.cuda ?? known?.cuda, ort.cudnn ?? known?.cudnn];
  if (cuda === undefined) return { words: "the CUDA and cuDNN that ONNX Runtime was built for", facts: [] };
  return { cuda, words: `CUDA ${cuda}${cudnn === undefined ? "" : ` and cuDNN ${cudnn}`}`, facts: ort.facts.slice(0, 1) };
}

function suspectsOf(base: Pick<Suspect, "name" | "evidence" | "required" | "next">): {
  [which in "missing" | "path" | "version" | "wheel"]: Suspect;
} {
  return {
    missing: {
      ...base,
      cause: "library-missing",
      certainty: "possible",
      message: "a library that it depends on is missing",
      fixes: [
        fix(
          "in Python: let its package bring CUDA and cuDNN, and call `onnxruntime.preload_dlls()` before the first session (1.21 and newer)",
          'pip install -U "onnxruntime-gpu[cuda,cudnn]"',
        ),
        fix("elsewhere: install the CUDA and cuDNN of its requirements page, and Microsoft's Visual C++ runtime on Windows"),
      ],
    },
    path: {
      ...base,
      cause: "library-not-on-path",
      certainty: "possible",
      message: "or a library that it depends on lies where the loader does not look",
      fixes: [fix("put the folders of CUDA and of cuDNN on PATH")],
    },
    version: { ...base, cause: "library-wrong-version", certainty: "possible", message: "or one of another release is found", fixes: [] },
    wheel: {
      ...base,
      cause: "wrong-wheel-cuda-version",
      certainty: "possible",
      message: "or it is built for another CUDA than the one here",
      fixes: [onnxruntimeFor(undefined)],
    },
  };
}

/** The cuDNN of the text is of another major than ONNX Runtime asks for. */
function otherCudnn(version: Suspect, { framework, packages }: Context): Suspect | undefined {
  const wanted = framework("onnxruntime").cudnn;
  const here = packages(/^(?:cudnn|libcudnn\d{0,2}|nvidia-cudnn-cu\d{2})$/i);
  if (wanted === undefined || here.length === 0 || here.some((each) => majorOf(each.version) === majorOf(wanted))) return undefined;
  return {
    ...version,
    certainty: "likely",
    found: `cuDNN ${here[0]!.version}`,
    message: `it asks for cuDNN ${wanted}, and cuDNN ${here[0]!.version} is here`,
    evidence: [...version.evidence, here[0]!],
    fixes: [fix(`install cuDNN ${wanted} beside it, or a build of ONNX Runtime for cuDNN ${majorOf(here[0]!.version)}`)],
  };
}

function otherCuda(wheel: Suspect, { cuda, words, facts: own }: ReturnType<typeof wantedBy>, here: Fact<"toolkit">): Suspect {
  return {
    ...wheel,
    certainty: "likely",
    message: `this release of ONNX Runtime was built for CUDA ${cuda}, and CUDA ${here.version} is here`,
    found: `CUDA ${here.version}`,
    evidence: [...wheel.evidence, ...own, here],
    fixes: [onnxruntimeFor(majorOf(here.version)), fix(`or install ${words} beside it, and put their folders on PATH`)],
  };
}

/** Somebody names his CUDA or cuDNN and a release of ONNX Runtime that was built for others, and asks. */
function askedOf(context: Context): Problem[] {
  const { facts: own, version } = context.framework("onnxruntime");
  const wants = wantedBy(context);
  const here = context.packages(/^(?:cudnn|libcudnn\d{0,2}|nvidia-cudnn-cu\d{2})$/i)[0];
  const toolkit = context.toolkits[0];
  if (own.length === 0 || wants.cuda === undefined || !own.some(({ at }) => asks.test(at.text))) return [];
  const wrongCudnn = otherMajor(here, version);
  const wrongCuda = toolkit !== undefined && majorOf(toolkit.version) !== majorOf(wants.cuda) ? toolkit : undefined;
  if (!wrongCudnn && !wrongCuda) return [];
  const found = [wrongCuda && `CUDA ${wrongCuda.version}`, wrongCudnn && `cuDNN ${wrongCudnn.version}`].filter(Boolean).join(", ");
  const fitting = fittingRelease((wrongCuda ?? toolkit)?.version, here?.version);
  return [
    {
      // Two releases that exclude each other say more than that a GPU is not used.
      weight: weights.hint + 1,
      suspects: [
        {
          cause: wrongCuda && !wrongCudnn ? "wrong-wheel-cuda-version" : "library-wrong-version",
          name: wrongCudnn ? "cuDNN" : "onnxruntime-gpu",
          required: wants.words,
          found,
          certainty: "likely",
          message: `ONNX Runtime ${version} was built for ${wants.words}, and ${found} is here`,
          evidence: [...own.slice(0, 1), ...[wrongCuda, wrongCudnn].filter((each) => each !== undefined)],
          next: ["pip list | grep -i 'onnxruntime\\|nvidia'"],
          fixes: [
            ...(fitting === undefined
              ? []
              : [fix(`take the release that was built for what is here: ${fitting}`, `pip install "onnxruntime-gpu==${fitting}"`)]),
            fix(
              "or let its own packages bring CUDA and cuDNN, and call `onnxruntime.preload_dlls()` before the first session (1.21 and newer)",
              'pip install -U "onnxruntime-gpu[cuda,cudnn]"',
            ),
          ],
        },
      ],
    },
  ];
}

/** The cuDNN of the text, where this release was built for another major. */
function otherMajor(here: Fact<"package"> | undefined, version: string | undefined): Fact<"package"> | undefined {
  const cudnn = version === undefined ? undefined : frameworkRelease("onnxruntime", version)?.release.cudnn;
  return cudnn !== undefined && here !== undefined && majorOf(here.version) !== majorOf(cudnn) ? here : undefined;
}

const asks =
  /\?|\b(?:which|what|how|why|fail\w{0,4}|error|not|cannot|missing|lost?|lack\w{0,3}|fall(?:s|ing)? back|fell back|instead of|silently|slow(?:er)?)\b|n['\u2019]t\b/i;

/** The newest release on PyPI for this CUDA and cuDNN. */
const fittingRelease = (cuda: string | undefined, cudnn: string | undefined): string | undefined =>
  onnxruntimes().releases.findLast(
    (row) =>
      row.default &&
      (cuda === undefined || majorOf(row.cuda) === majorOf(cuda)) &&
      (cudnn === undefined || majorOf(row.cudnn) === majorOf(cudnn)),
  )?.version;
