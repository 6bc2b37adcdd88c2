import { compareDotted } from "../knowledge/dotted.ts";
import { frameworkRelease } from "../knowledge/frameworks.ts";
import { tensorflow } from "../knowledge/texts/tensorflow.generated.ts";
import { comparePythonVersions } from "../lib/pep440.ts";
import type { Suspect } from "./cause.ts";
import { majorOf, type Context } from "./context.ts";
import type { Fact, Facts } from "./fact.ts";
import { cuptiFixes, fix, withFolder, withoutSearchPath } from "./fixes.ts";
import { isInstallable } from "./installable.ts";
import { belongsTo, type ObjectName } from "./objects.ts";

type Fix = ReturnType<typeof fix>;

/** What a release of TensorFlow was built for, and how that comes to where it looks: it names its libraries exactly. */
export function fixesForTensorflow(object: ObjectName, facts: Facts, context: Context): Fix[] {
  const { version } = context.framework("tensorflow");
  // CUPTI and TensorRT are opened beside these, and have packages of their own.
  const isBeside = object.library === "cupti" || object.library === "tensorrt";
  if (context.speaker !== "tensorflow" || version === undefined || isBeside || facts.on("jetson")) return [];
  const windows = facts.on("windows") && !facts.on("wsl2");
  // Since 2.11 there is no CUDA in it on Windows: whoever asks for a DLL of CUDA there is older.
  const bare = windows && 0 <= comparePythonVersions(version.replace(/\+.*/, ""), "2.11") ? "2.10" : version.replace(/\+.*/, "");
  const release = releaseFor(object, bare, windows);
  if (!release) return [];
  const { cuda, cudnn } = release;
  if (windows) return [ofWindows(bare, cuda, cudnn), ...otherRelease(cuda, facts, context)];
  if (0 <= comparePythonVersions(bare, "2.14"))
    return [fix(`let TensorFlow ${bare} bring the CUDA that it was built for`, `pip install "tensorflow[and-cuda]==${bare}"`)];
  const brought = context.conda || Number(majorOf(cuda)) < 11;
  return [
    brought
      ? fix(
          `TensorFlow ${bare} was built for CUDA ${cuda} and cuDNN ${cudnn}; conda has both, and the loader must be told of its folder`,
          `conda install ${Number(majorOf(cuda)) < 11 ? "" : "-c conda-forge "}cudatoolkit=${cuda} cudnn=${majorOf(cudnn) === "7" ? "7.6" : cudnn}`,
          "export LD_LIBRARY_PATH=$CONDA_PREFIX/lib:$LD_LIBRARY_PATH",
        )
      : fix(
          `TensorFlow ${bare} was built for CUDA ${cuda} and cuDNN ${cudnn}: install those, and let the loader look in their folder`,
          `export LD_LIBRARY_PATH=/usr/local/cuda-${cuda}/lib64:$LD_LIBRARY_PATH`,
        ),
    ...otherRelease(cuda, facts, context),
  ];
}

/** From here on it finds NVIDIA's wheels by itself, and `and-cuda` asks for them. */
const looksIntoWheels = (version: string): boolean => 0 <= comparePythonVersions(version.replace(/\+.*/, ""), "2.14");

/** The CUPTI that the TensorFlow of the text opens, by its exact name; and one that the text names and that cannot stand in for it. */
function cuptiOfTensorflow(context: Context): { name: string; version: string; cuda: string; other?: Fact<"toolkit"> } | undefined {
  const { version } = context.framework("tensorflow");
  const known = version === undefined ? undefined : frameworkRelease("tensorflow", version)?.release;
  if (version === undefined || known?.cuda === undefined) return undefined;
  const { cuda } = known;
  const exact = Number(majorOf(cuda)) < 12;
  const serves = (toolkit: string) => (exact ? minorOf(toolkit) === cuda : majorOf(toolkit) === majorOf(cuda));
  const other = context.toolkits.some((each) => serves(each.version))
    ? undefined
    : context.toolkits.find((each) => each.kind === "toolkit");
  return { name: `libcupti.so.${exact ? cuda : majorOf(cuda)}`, version, cuda, ...(other ? { other } : {}) };
}

/** The release of TensorFlow and the CUDA that is here are told: up to CUDA 11 the name of CUPTI holds the minor, and one has no other. */
export function ofOtherToolkit(base: Suspect, context: Context): Suspect[] {
  const asked = cuptiOfTensorflow(context);
  if (!asked?.other) return [];
  const { name, version, cuda, other } = asked;
  return [
    {
      ...base,
      cause: "library-wrong-version",
      name,
      certainty: "likely",
      required: `${name} (CUDA ${cuda})`,
      found: `CUDA ${other.version}`,
      message: `TensorFlow ${version} opens \`${name}\`, and CUDA ${other.version} does not have it`,
      because: [`TensorFlow ${version} was built for CUDA ${cuda}`],
      evidence: [...(base.evidence ?? []), other],
      fixes: cuptiFixesForTensorflow(context),
    },
  ];
}

/** How a TensorFlow gets its CUPTI: from its own wheels where it looks into them, else from the very release of CUDA. */
export function cuptiFixesForTensorflow(context: Context, ofTool = false): Fix[] {
  // Others bring their own CUPTI: a toolkit's before it is what does harm. So do NVIDIA's own tools.
  if (context.speaker !== "tensorflow" && (context.speaker !== undefined || ofTool)) return [withoutSearchPath()];
  const asked = cuptiOfTensorflow(context);
  if (asked && !looksIntoWheels(asked.version)) return cuptiFixes(asked.cuda, context);
  const bare = asked?.version.replace(/\+.*/, "");
  const exact = bare === undefined ? "" : `==${bare}${bare.split(".").length < 3 ? ".*" : ""}`;
  return [
    withFolder(`/usr/local/cuda${asked ? `-${asked.cuda}` : ""}/extras/CUPTI/lib64`),
    fix("or install TensorFlow with its CUDA packages, CUPTI among them", `pip install "tensorflow[and-cuda]${exact}"`),
  ];
}

/** Whether the TensorFlow that was compiled with a cuDNN finds the wheel of it: by its own release, or by those that were compiled with it. */
export function findsWheelOfCudnn(cudnn: string, context: Context): boolean {
  const { version } = context.framework("tensorflow");
  if (version !== undefined) return looksIntoWheels(version);
  const compiledWith = tensorflow().releases.filter((each) => each.cudnn !== undefined && minorOf(each.cudnn) === minorOf(cudnn));
  return compiledWith.every((each) => looksIntoWheels(each.version));
}

/** What it was built for; undefined where a release of this number does not ask for the object: then another one spoke. */
function releaseFor(object: ObjectName, version: string, windows: boolean): { cuda: string; cudnn: string } | undefined {
  const { cuda, cudnn } = frameworkRelease("tensorflow", version)?.release ?? {};
  if (cuda === undefined || cudnn === undefined) return undefined;
  const isOther = object.library === "cudnn" ? majorOf(object.suffix) !== majorOf(cudnn) : belongsTo(object, cuda) === false;
  return isOther || (object.suffix === "" && !windows) ? undefined : { cuda, cudnn };
}

const ofWindows = (version: string, cuda: string, cudnn: string): Fix =>
  fix(
    `install CUDA ${cuda} and cuDNN ${cudnn}, which TensorFlow ${version}${version === "2.10" ? ", the last with CUDA on Windows," : ""} was built for (NVIDIA's archives have both), put the \`bin\` folders of both on PATH, and open a new terminal`,
  );

/** The release that was built for the CUDA that is here, where the Python of the text has it. */
function otherRelease(cuda: string, facts: Facts, { toolkits }: Context): Fix[] {
  const here = toolkits.find(({ version }) => minorOf(version) !== cuda)?.version;
  if (here === undefined || toolkits.some(({ version }) => minorOf(version) === cuda)) return [];
  const windows = facts.on("windows") && !facts.on("wsl2");
  const fitting = tensorflow().releases.filter(
    (each) => each.cuda === minorOf(here) && (!windows || comparePythonVersions(each.version, "2.11") < 0),
  );
  const newest = fitting.toSorted((a, b) => compareDotted(a.version, b.version)).at(-1);
  const line = newest && `pip install "tensorflow==${newest.version.split(".").slice(0, 2).join(".")}.*"`;
  return line !== undefined && isInstallable(line, facts) ? [fix(`or the TensorFlow that was built for CUDA ${minorOf(here)}`, line)] : [];
}

const minorOf = (version: string) => version.split(".").slice(0, 2).join(".");

/** Up to 2.11 its lines name the file of its own loader: that one opened CUDA 11 at most. */
export const isOldLoader = (reports: Fact[]): boolean =>
  reports.some(({ at }) => at.text.includes("tensorflow/stream_executor/platform/default/dso_loader"));
