import { frameworkRelease } from "../knowledge/frameworks.ts";
import { majorOf, type Context } from "./context.ts";
import type { Suspect } from "./cause.ts";
import type { Fact, Facts } from "./fact.ts";
import { fix } from "./fixes.ts";
import type { ObjectName } from "./objects.ts";

// Packages that open the cuDNN that PyTorch brought into the environment, and are built for one major of it.
const users = /\b(?:ctranslate2|faster[-_ ]?whisper|whisper[-_ ]?x|whisper[-_ ]?webui|pyannote|onnxruntime-gpu)\b/i;

/** CTranslate2 went from cuDNN 8 to 9 with 4.5 (its changelog); a release of torch is known by the cuDNN that it pins. */
const needsOf = (version: string): string => (/^(?:[0-3]\.|4\.[0-4](?:\.|$))/.test(version) ? "8" : "9");

/** The major of cuDNN that the PyTorch of the text brings, where it is known. */
function broughtIn(context: Context): { torch: string; major: string } | undefined {
  const torch = context.framework("torch").version ?? context.packages(/^torch$/)[0]?.version;
  const cudnn = torch === undefined ? undefined : frameworkRelease("torch", torch)?.release.cudnn;
  return torch === undefined || cudnn === undefined || cudnn === "" ? undefined : { torch, major: majorOf(cudnn) };
}

/** A cuDNN that is not found, where the text names a PyTorch that brings another major, or a package that lives on PyTorch's. */
export function broughtByTorch(
  object: ObjectName,
  reports: Fact[],
  facts: Facts,
  context: Context,
): { suspect: Suspect; first: boolean } | undefined {
  if (object.library !== "cudnn" || object.suffix === "") return undefined;
  const wanted = majorOf(object.suffix);
  const brings = broughtIn(context);
  const user = facts.everything().find(({ at }) => users.test(at.text));
  const other = brings && brings.major !== wanted ? brings : undefined;
  if (!other && !user) return undefined;
  const named = users.exec(user?.at.text ?? "")?.[0];
  const ct2 = context.packages(/^ctranslate2$/i).find(({ version }) => needsOf(version) === wanted);
  const who = `${whoWas(named, ct2)} was built for cuDNN ${wanted}`;
  const suspect: Suspect = {
    cause: "package-conflict",
    name: object.name,
    library: "cudnn",
    required: `cuDNN ${wanted}${ct2 ? `, for which ctranslate2 ${ct2.version} is built` : ""}`,
    ...(other ? { found: `torch ${other.torch}, which brings cuDNN ${other.major}` } : {}),
    certainty: other ? "likely" : "possible",
    message: other ? `${who}, and torch ${other.torch} brings cuDNN ${other.major}` : `or ${who}, and the PyTorch beside it brings another`,
    evidence: [...reports.slice(0, 1), ...(user ? [user] : [])],
    next: ["pip list | grep -i 'torch\\|ctranslate2\\|cudnn'"],
    fixes: [oneCudnn(wanted)],
  };
  return { suspect, first: other !== undefined };
}

/** Whisper's programs open no cuDNN themselves. */
function whoWas(named: string | undefined, ct2: Fact<"package"> | undefined): string {
  const own = named !== undefined && /whisper/i.test(named);
  if (ct2) return `ctranslate2 ${ct2.version}${own ? `, which ${named} uses,` : ""}`;
  return named === undefined ? "a package" : own ? `ctranslate2, which ${named} uses,` : `\`${named}\``;
}

const oneCudnn = (wanted: string) =>
  wanted === "9"
    ? fix(
        "take releases of one cuDNN: PyTorch 2.4 or newer beside ctranslate2 4.5 or newer",
        'pip install -U "torch>=2.4" "ctranslate2>=4.5"',
      )
    : fix(
        "take releases of one cuDNN: with PyTorch 2.4 and newer ctranslate2 4.5 or newer",
        'pip install -U "ctranslate2>=4.5" faster-whisper',
      );
