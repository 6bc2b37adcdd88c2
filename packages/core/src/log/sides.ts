import type { Diagnosis } from "../model/explain.ts";
import type { Context } from "./context.ts";
import type { Facts } from "./fact.ts";

/*
 * Which releases a text names for the two sides of a fault. A message often says only that two things do not fit; which they are stands
 * elsewhere: in a list of packages, a table of nvidia-smi, a sentence. Where the text names one release of each, they are told.
 */

type Cause = Diagnosis["cause"];

const ofDriver = new Set<Cause>(["driver-too-old", "ptx-newer-than-driver", "forward-compat-misuse", "kernel-module-mismatch"]);
const ofBuild = new Set<Cause>([
  "wrong-wheel-cpu-only",
  "wrong-wheel-cuda-version",
  "arch-unsupported",
  "package-conflict",
  "upstream-bug",
]);
const ofToolkit = new Set<Cause>(["toolkit-too-old", "cuda-home-wrong"]);

const ofCopy = new Set<Cause>(["library-shadowed", "library-wrong-version"]);

const ofLost = new Set<Cause>(["library-missing", "library-not-on-path"]);

// The driver's own are of no toolkit.
const ofDriverItself = new Set(["libcuda", "nvml"]);

/** What ONNX Runtime's provider is built upon: of both the text may name a release. */
const bothIn = (name: string | undefined, context: Context): string | undefined =>
  /onnxruntime_providers_cuda/.test(name ?? "")
    ? [toolkitIn(context), cudnnIn(context)].filter((part) => part !== undefined).join(", ") || undefined
    : undefined;

const hasRelease = (said: string | undefined) => said !== undefined && /\d\.\d/.test(said);

/** The diagnosis with the releases of the text, where it says none itself. */
export function withSides(diagnosis: Diagnosis, facts: Facts, context: Context): Diagnosis {
  const moved = upgraded(diagnosis, facts) ?? asPipSays(diagnosis, facts);
  return moved ?? withFound(ofPtx(withRequired(diagnosis, context), facts), facts, context);
}

/** Who wants a CUDA build and names one CUDA wants the build for that. */
function withRequired(diagnosis: Diagnosis, { toolkits }: Context): Diagnosis {
  const cuda = one(toolkits.filter(({ from }) => from !== "runtime").map(({ version }) => version));
  const { required } = diagnosis;
  return diagnosis.cause !== "wrong-wheel-cpu-only" || cuda === undefined || !/^a CUDA build of [\w.-]+$/.test(required ?? "")
    ? diagnosis
    : { ...diagnosis, required: `${required}, such as one for CUDA ${cuda}` };
}

/** PTX and its reader have numbers of their own. */
function ofPtx(diagnosis: Diagnosis, facts: Facts): Diagnosis {
  const [version] = facts.all("ptx-version");
  return diagnosis.cause !== "ptx-newer-than-driver" || !version || hasRelease(diagnosis.required) || hasRelease(diagnosis.found)
    ? diagnosis
    : { ...diagnosis, required: `a driver that knows PTX ${version.wanted}`, found: `one that knows PTX ${version.known}` };
}

function withFound(diagnosis: Diagnosis, facts: Facts, context: Context): Diagnosis {
  if (hasRelease(diagnosis.found)) return diagnosis;
  const seen = releaseFor(diagnosis, facts, context);
  if (seen === undefined) return diagnosis;
  // What is asked for is not what is there; a file lies where it lies.
  const asked = (seen.match(/\d{1,6}(?:\.\d{1,6}){1,5}/g) ?? []).some((version) => (diagnosis.required ?? "").includes(version));
  if (asked && !seen.startsWith("/")) return diagnosis;
  const before = diagnosis.found;
  if (/^(?:no|not|none)\b/.test(before ?? ""))
    return ofLost.has(diagnosis.cause) ? { ...diagnosis, found: `${before}; ${seen} is here` } : diagnosis;
  // What must fit the framework is asked for by its release.
  if (diagnosis.required === "a build for the installed framework")
    return { ...diagnosis, required: `a build for ${seen}`, found: diagnosis.found ?? `a build for another release than the ${seen} here` };
  // "perhaps a build without CUDA" stays: the release is what it is said of.
  return { ...diagnosis, found: before === undefined || before === "another" ? seen : `${before} (${seen})` };
}

function releaseFor({ cause, name, library }: Diagnosis, facts: Facts, context: Context): string | undefined {
  if (cause === "mixed-cudnn-sublibraries") return cudnnsIn(context);
  if (ofDriver.has(cause)) return driverIn(facts, context);
  if (ofCopy.has(cause)) return copyIn(name, facts, context) ?? (library === "cudnn" ? cudnnIn(context) : undefined);
  if (ofToolkit.has(cause)) return toolkitIn(context);
  if (ofLost.has(cause))
    return library === "cudnn"
      ? cudnnIn(context)
      : library === undefined || ofDriverItself.has(library)
        ? bothIn(name, context)
        : toolkitIn(context);
  return ofBuild.has(cause) ? buildsIn(name, facts, context) : undefined;
}

const one = (values: string[]): string | undefined => {
  const distinct = [...new Set(values)];
  return distinct.length === 1 ? distinct[0] : undefined;
};

function driverIn(facts: Facts, { driverCuda }: Context): string | undefined {
  const version = one(facts.all("driver").map((each) => each.version));
  if (version === undefined) return driverCuda && `a driver for CUDA ${driverCuda.version}`;
  return `driver ${version}${driverCuda ? `, which runs CUDA ${driverCuda.version}` : ""}`;
}

function toolkitIn({ toolkits }: Context): string | undefined {
  const compilers = toolkits.filter(({ from }) => from === "nvcc");
  const version = one((0 < compilers.length ? compilers : toolkits).map((each) => each.version));
  return version && `CUDA ${version}`;
}

function cudnnIn({ packages }: Context): string | undefined {
  const version = one(packages(/^(?:cudnn|libcudnn\d{0,2}|nvidia-cudnn-cu\d{2})$/i).map((each) => each.version.replace(/-.*/, "")));
  return version && `cuDNN ${version}`;
}

/** Which releases of cuDNN are there, where the text names more than one. */
function cudnnsIn({ packages }: Context): string | undefined {
  const versions = [
    ...new Set(packages(/^(?:cudnn|libcudnn\d{0,2}|nvidia-cudnn-cu\d{2})$/i).map((each) => each.version.replace(/-.*/, ""))),
  ];
  return versions.length === 2 ? `cuDNN ${versions[0]} and ${versions[1]}` : undefined;
}

/** The file that the loader took or would take, where ldd, a map or a search path shows it. */
function copyIn(name: string | undefined, facts: Facts, { searched }: Context): string | undefined {
  const stem = /^lib[\w+-]{2,60}\.so/.exec(name ?? "")?.[0];
  if (stem === undefined) return undefined;
  const opened = one(facts.all("opened").flatMap(({ path }) => (path !== undefined && path.includes(`/${stem}`) ? [path] : [])));
  const folder = one(
    searched
      .map((each) => each.folder)
      .filter((each) => /\/cuda[-/]v?\d{1,2}\.\d/.test(each) && /\/lib(?:64)?\/?$/.test(each) && !/CUPTI|nccl/.test(each)),
  );
  return opened ?? (folder && `${folder} is searched first`);
}

const plain = (name: string) => name.toLowerCase().replaceAll(/[_.]/g, "-");

/** The package of which the diagnosis speaks, and the framework that it was built for. */
function buildsIn(name: string | undefined, facts: Facts, context: Context): string | undefined {
  const subject = plain(name ?? "");
  const packages = facts
    .all("package")
    .filter((each) => 2 < each.name.length && (subject === plain(each.name) || subject.startsWith(`${plain(each.name)}-`)));
  const own = one(packages.map((each) => `${each.name} ${each.version}`));
  const isExtension = facts.has("undefined-symbol");
  const speaker = context.speaker ?? (packages.length === 0 && !isExtension ? undefined : "torch");
  const framework = speaker === undefined || subject === speaker ? undefined : frameworkIn(speaker, facts, context);
  const self = own ?? (subject === "" ? undefined : frameworkIn(subject, facts, context));
  return [self, framework].filter((part) => part !== undefined).join(", ") || undefined;
}

function frameworkIn(id: string, facts: Facts, context: Context): string | undefined {
  const plainest = (version: string) => version.replace(/\+.*/, "");
  const version =
    one(facts.all("framework").flatMap((each) => (each.id === id && each.version !== undefined ? [plainest(each.version)] : []))) ??
    one(facts.all("package").flatMap((each) => (plain(each.name) === id ? [plainest(each.version)] : [])));
  const { version: whole, cuda } = context.framework(id);
  return version && `${id} ${whole ?? version}${cuda === undefined || whole?.includes("+cu") ? "" : `, built for CUDA ${cuda}`}`;
}

/** pip itself said which release a package wants that now fails with another. */
function asPipSays(diagnosis: Diagnosis, facts: Facts): Diagnosis | undefined {
  if (diagnosis.cause !== "package-conflict" || !facts.has("undefined-symbol")) return undefined;
  const failed = plain(diagnosis.name ?? "").replace(/^lib|-so.*$/g, "");
  const said = facts
    .all("conflict")
    .find((each) => plain(each.package).replace(/ .*/, "") === failed && /^(?:torch|tensorflow|jax)/.test(each.dependency));
  return (
    said && {
      ...diagnosis,
      required: `${said.dependency}${said.wanted}, as ${said.package} asks for`,
      found: `${said.dependency} ${said.found}`,
    }
  );
}

/** "I updated PyTorch 1.1 to PyTorch 1.2": what was built before is for the one, and the other is here. */
function upgraded(diagnosis: Diagnosis, facts: Facts): Diagnosis | undefined {
  const [fact] = facts.notices("package-upgraded");
  const isOfBuild = diagnosis.cause === "package-conflict" || diagnosis.cause === "stale-artefact";
  if (!fact || !isOfBuild || hasRelease(diagnosis.required) || hasRelease(diagnosis.found)) return undefined;
  return { ...diagnosis, required: `a build for ${fact.subject} ${fact.required}`, found: `one for ${fact.subject} ${fact.found}` };
}
