import { compareDotted } from "../../knowledge/dotted.ts";
import { nameOf } from "../../lib/path.ts";
import type { Fact, Facts } from "../fact.ts";
import { onnxruntimeFor, fix, installFixes, linkFolderOf, whyLine, withFolder, withFolderOf, withoutNumber } from "../fixes.ts";
import { weights, type Problem, type Suspect } from "../cause.ts";
import { majorOf, type Context } from "../context.ts";
import { belongsTo, objectNamed, releaseText, type ObjectName } from "../objects.ts";
import { fixesForTensorflow, isOldLoader } from "../for-tensorflow.ts";
import { furtherDriverLibrary } from "./driver-parts.ts";
import { pythonIn } from "../installable.ts";
import { torchInMajor } from "../torch-lines.ts";
import { broughtByTorch } from "../cudnn-brought.ts";
import { ofRocm } from "./rocm-library.ts";
import { packageProviding } from "../../knowledge/packages.ts";
import { supplyOf } from "../../knowledge/suppliers.ts";

// Binary packages that are published per CUDA release and bring none of its libraries.
const boundToCuda =
  /onnxruntime|cupy|mxnet|paddle|bitsandbytes|ctranslate2|diff_gaussian|torch_scatter|torch_sparse|flash_attn|pytorch3d|spconv|mmcv|detectron2|simple_knn|_C$/;
// Frameworks that name their libraries exactly and take no other.
const frameworks = new Set(["torch", "torchvision", "tensorflow", "jax", "jaxlib", "jax_plugins"]);
const optional = /^lib(?:nvinfer|cupti)|^nvinfer|^cupti/;

// The first activity at which a framework opens a library.
const activities: { [library: string]: string } = { cupti: "profile", cudnn: "convolution" };

// NCCL tries these and goes on without.
const plugins = /^libnccl-(?:net|tuner|profiler|env|gin|rma)/;

/** An object that the loader did not find: absent, elsewhere, of another release, or wanted by a binary for another CUDA. */
export default function missingLibrary(facts: Facts, context: Context): Problem[] {
  const wanted = new Map<string, Fact<"not-found">[]>();
  const idle = 0 < facts.notices("no-gpu-here").length;
  for (const fact of facts.all("not-found")) {
    const name = nameOf(fact.name.replaceAll("\\", "/"));
    const object = objectNamed(name);
    // The driver's own libraries have a step of their own.
    if (!object || object.library === "libcuda" || object.library === "nvml") continue;
    // Whoever has no GPU misses nothing that TensorFlow looks for.
    if (idle && facts.all("not-found").some((other) => other.by === "tensorflow" && other.name === fact.name)) continue;
    if (!isOfStack(object) || plugins.test(name) || furtherDriverLibrary.test(name)) continue;
    wanted.set(name, [...(wanted.get(name) ?? []), fact]);
  }
  // bitsandbytes looks in many places; where it speaks of its own build, it found a runtime in the end.
  if (0 < facts.notices("bnb-no-build").length)
    for (const [name, reports] of wanted) if (reports.some(({ by }) => by === "bitsandbytes")) wanted.delete(name);
  // Or it says so outright, beside what it calls a warning.
  if (facts.all("file").some(({ at }) => at.text.includes("CUDA runtime path found")))
    for (const [name, reports] of wanted)
      if (reports.every(({ at }) => /in any environmental path|did not contain/.test(at.text))) wanted.delete(name);
  // Who asks about a line that is known to be harmless misses nothing.
  for (const [name, reports] of wanted)
    if (reports.every(({ grammar }) => grammar?.startsWith("people-")) && isHarmlessTalk(name, facts)) wanted.delete(name);
  // The loader has opened it, and misses a version in it.
  for (const { subject = "" } of facts.notices("symbol-version-missing")) wanted.delete(nameOf(subject));
  const opened = new Set(facts.all("opened").map(({ name }) => name));
  for (const name of opened) wanted.delete(name);
  const linuxOnly = linuxBitsandbytes([...wanted.values()].flat(), facts);
  if (linuxOnly) return [linuxOnly];
  // A plain name beside a full one is the same search.
  for (const name of wanted.keys())
    if (name.endsWith(".so") && [...wanted.keys()].some((other) => other.startsWith(`${name}.`))) wanted.delete(name);
  const problems: Problem[] = [];
  for (const [name, reports] of wanted) {
    // TensorRT is optional for TensorFlow: the harmless step speaks of it.
    if (/nvinfer/.test(name) && reports.some(({ by }) => by === "tensorflow")) continue;
    const problem: Problem = { symptom: `\`${name}\` is not found`, ...problemOf(objectNamed(name)!, reports, facts, context) };
    problems.push(withRest(problem, name, reports, facts, context));
  }
  return [...problems, ...ofOthers(facts, context)];
}

/** What the rest of the text adds to the causes that fit any library. */
function withRest(problem: Problem, name: string, reports: Fact<"not-found">[], facts: Facts, context: Context): Problem {
  const brought = broughtByTorch(objectNamed(name)!, reports, facts, context);
  const linking = reports.every(({ by }) => by === "ld");
  const fitting = linking ? forLinker(name, problem.suspects) : problem.suspects;
  const own = brought?.first ? fitting.map((each) => ({ ...each, certainty: "possible" as const })) : fitting;
  const shadowing = own.some(({ cause }) => cause === "library-shadowed") ? undefined : hiddenWheel(name, reports, context);
  const [nightly] = facts.notices("nightly");
  const julia = 0 < facts.notices("julia-packages").length;
  return {
    ...problem,
    suspects: [
      ...(brought?.first ? [brought.suspect] : []),
      ...own,
      ...(brought && !brought.first ? [brought.suspect] : []),
      ...(julia ? [ofJll(name, reports)] : []),
      ...(nightly ? [ofNightly(name, nightly, reports)] : []),
      ...(shadowing ? [shadowing] : []),
      ...(linking ? [brokenLink(name, reports)] : []),
      ...(reports.some(({ by }) => by === "cudarc") ? [ofCudarc(name, reports)] : []),
    ],
  };
}

const ofNightly = (name: string, nightly: Fact<"notice">, reports: Fact<"not-found">[]): Suspect => ({
  cause: "upstream-bug",
  name: nightly.subject ?? "the nightly build",
  required: `a build that brings ${name}, or finds it`,
  certainty: "possible",
  message: "or this build of the day was published without it, or looks for it in the wrong place",
  evidence: [nightly, ...reports.slice(0, 1)],
  next: [`find / -name '${objectNamed(name)!.stem}.so*' 2>/dev/null`],
  fixes: [fix("take the build of another day, or a release")],
});

const ofCudarc = (name: string, reports: Fact<"not-found">[]): Suspect => ({
  cause: "upstream-bug",
  name: "cudarc",
  required: "a cudarc that knows the library's name",
  certainty: "possible",
  message: "or this release of cudarc does not look for the library under the name that it has here",
  evidence: reports,
  next: [`ldconfig -p | grep ${objectNamed(name)!.stem}`],
  fixes: [fix("build the program with a newer cudarc", "cargo update -p cudarc")],
});

/** Its wheel is installed: an older copy of it, or of what it needs, is found first and does not serve. */
function hiddenWheel(name: string, reports: Fact<"not-found">[], context: Context): Suspect | undefined {
  const { library } = objectNamed(name)!;
  const [wheel] = context.packages(new RegExp(`^nvidia-${library}(?:-cu\\d{2})?$`));
  if (!wheel) return undefined;
  return {
    cause: "library-shadowed",
    name,
    library,
    required: `the one of ${wheel.name} ${wheel.version}`,
    certainty: "possible",
    message: "or LD_LIBRARY_PATH leads to an older CUDA, whose libraries answer in the place of the wheel's",
    evidence: [...reports.slice(0, 1), wheel],
    next: ["echo $LD_LIBRARY_PATH"],
    fixes: [fix("run it without", "unset LD_LIBRARY_PATH")],
  };
}

/** A linker asks other folders than the loader, for a name that only development packages have; and it is itself built for no CUDA. */
const forLinker = (name: string, suspects: Suspect[]): Suspect[] =>
  suspects
    .filter(({ cause }) => cause !== "wrong-wheel-cuda-version")
    .map((each) =>
      each.cause === "library-not-on-path"
        ? {
            ...each,
            message: `${each.certainty === "possible" ? "or it" : `\`${name}\``} is in a folder where the linker does not look: it asks LIBRARY_PATH and -L, and not LD_LIBRARY_PATH`,
            fixes: [linkFolderOf(name)],
          }
        : {
            ...each,
            fixes: [
              fix(
                `install the development package of the toolkit or library that has \`${name}\`, the name without a number: packages that are only for running leave it out`,
              ),
            ],
          },
    );

/** The linker takes the name without a number, which is a link: one that leads nowhere is passed over in silence. */
const brokenLink = (name: string, reports: Fact<"not-found">[]): Suspect => ({
  cause: "library-damaged",
  name,
  required: `a link ${name} to the library`,
  certainty: "possible",
  message: "or the link of that name is there, and what it leads to is gone",
  evidence: reports.slice(0, 1),
  next: [`find / -xtype l -name '${name}' 2>/dev/null`],
  fixes: [fix("install the development package of the library again, which brings the link")],
});

/** Julia's packages of binaries declare what they load, one by one: what they forget, nobody finds. */
const ofJll = (name: string, reports: Fact<"not-found">[]): Suspect => ({
  cause: "upstream-bug",
  name,
  required: `a package of Julia's that declares ${name}`,
  certainty: "possible",
  message: "or the package of Julia's that brings it does not declare it, and so does not load it",
  evidence: reports.slice(0, 1),
  next: ["julia -e 'using CUDA; CUDA.versioninfo()'"],
  fixes: [fix("bring the packages up to date: `using Pkg; Pkg.update()`")],
});

function isHarmlessTalk(name: string, facts: Facts): boolean {
  const title = { nvinfer: "TensorRT" }[objectNamed(name)!.stem.slice(3)] ?? objectNamed(name)!.title;
  return facts.all("noise").some(({ at }) => at.text.toLowerCase().includes(title.toLowerCase()));
}

/** Up to 0.42 bitsandbytes looked for a `.so` on Windows too: no such file can be there. */
function linuxBitsandbytes(reports: Fact<"not-found">[], facts: Facts): Problem | undefined {
  const evidence = reports.filter(({ by, name }) => by === "bitsandbytes" && name.includes(".so"));
  if (!facts.on("windows") || facts.on("wsl2") || evidence.length === 0) return undefined;
  const base = {
    name: "bitsandbytes",
    required: "bitsandbytes 0.43 or newer, the first with files for Windows",
    evidence: evidence.slice(0, 2),
  };
  const fixes = [fix("install a bitsandbytes with files for Windows", 'pip install -U "bitsandbytes>=0.43"')];
  return {
    weight: weights.refused,
    suspects: [
      {
        ...base,
        cause: "wrong-wheel-platform",
        certainty: "likely",
        message: "this bitsandbytes was made for Linux: it looks for `libcudart.so`, which Windows has not",
        next: ["pip list | grep -i bitsandbytes"],
        fixes,
      },
      { ...base, cause: "library-missing", certainty: "possible", message: "or CUDA's runtime is not installed", fixes },
    ],
  };
}

// Programs that use a GPU, where the very line names one.
const ofGpuProgram =
  /\b(?:mxnet|tensorflow|(?:py)?torch|jax(?:lib)?|onnxruntime|paddle(?:paddle)?|cupy|numba|cudf|cuml|nsys|ncu|cuda|nvidia)\b/i;

/** A library that belongs to no GPU stack: the loader's words say all there is to say. */
function ofOthers(facts: Facts, context: Context): Problem[] {
  // What any other program lacks is not our affair.
  const near = (["gpu", "driver", "driver-cuda", "toolkit", "platform", "traceback", "package", "framework"] as const).some((kind) =>
    facts.has(kind),
  );
  const isOurs = near || context.speaker !== undefined || facts.all("not-found").some(({ at }) => ofGpuProgram.test(at.text));
  const lost = facts.all("not-found").filter(({ name, by }) => {
    const object = by === "loader" || by === "ldd" ? objectNamed(name) : undefined;
    return (
      object !== undefined &&
      !isOfStack(object) &&
      !ofRocm.test(nameOf(name)) &&
      !plugins.test(nameOf(name)) &&
      !/^lib(?:torch|c10|caffe2|cuda|nvidia|tpu)/.test(nameOf(name))
    );
  });
  const [first] = lost;
  // Python that ends for want of it was started by who asks.
  if (!first || (!isOurs && !/(?:ImportError|OSError): /.test(first.at.text))) return [];
  const name = nameOf(first.name);
  const base = { name, required: name, evidence: lost.slice(0, 3), next: [`culprit why ${name}`] };
  return [
    {
      weight: weights.other + 1,
      suspects: [
        {
          ...base,
          cause: "library-missing",
          certainty: "likely",
          message: `\`${name}\` is not found: it is no part of CUDA, and its package is not installed here`,
          fixes: [fix("install the package that has it; on Debian and Ubuntu this names it:", `apt-file search ${name}`)],
        },
        {
          ...base,
          cause: "library-not-on-path",
          certainty: "possible",
          message: "or it is installed in a folder that the loader does not search",
          fixes: [withFolderOf(name)],
        },
        ...(/\.so\.\d/.test(name)
          ? [
              {
                ...base,
                cause: "library-wrong-version" as const,
                certainty: "possible" as const,
                message: `or another release of it is installed, and the program was built for the one with the number ${/\.so\.(\d[\d.]*)/.exec(name)![1]}`,
                next: [`ldconfig -p | grep ${name.split(".so")[0]}`],
                fixes: [],
              },
            ]
          : []),
      ],
    },
  ];
}

const isOfStack = (object: ObjectName) => object.library !== object.stem.slice(3) || /^lib(?:cu|nv|nccl|tensorrt)/.test(object.stem);

function problemOf(object: ObjectName, reports: Fact<"not-found">[], facts: Facts, context: Context): Problem {
  const { name } = object;
  const evidence: Fact[] = reports;
  const release = releaseText(object);
  const required = release === undefined ? name : `${name} (${release})`;
  const wantedBy = reports.find((report) => report.wantedBy !== undefined)?.wantedBy;
  const searched = [...new Set(context.searched.map(({ folder }) => folder))];
  const looked = 0 < searched.length ? `not in ${searched.join(":")}` : "not found";
  const isProgram = reports.some(({ at }) => at.text.includes("error while loading shared libraries"));
  const base = { name, library: object.library, required, evidence };
  const settle = object.windows
    ? [`where ${name}`]
    : [whyLine(name, context, activities[object.library]), `find / -name '${object.stem}.so*' 2>/dev/null`];

  const files = facts.all("file").filter((fact) => objectNamed(fact.path)?.stem === object.stem && !/\/stubs\//.test(fact.path));
  const exact = files.find((fact) => nameOf(fact.path) === name || (fact.target !== undefined && nameOf(fact.path) === name));
  const others = files.filter((fact) => nameOf(fact.path) !== name && nameOf(fact.path) !== `${object.stem}.so`);
  const otherReleases = others.filter((fact) => !isSameRelease(object, objectNamed(fact.path)!));
  const toolkit =
    context.toolkits.find(({ version, from }) => from !== "said" && belongsTo(object, version) !== undefined) ??
    context.toolkits.find(({ version }) => belongsTo(object, version) !== undefined);
  const fitting = context.toolkits.find(({ version }) => belongsTo(object, version) === true);
  const strange =
    context.toolkits.find(({ version, from }) => belongsTo(object, version) === false && from !== "said") ??
    context.toolkits.find(({ version }) => belongsTo(object, version) === false);
  const provider = providerVersion(object, facts, context);
  const ceiling = context.driverCuda && belongsTo(object, context.driverCuda.version) === false ? context.driverCuda : undefined;

  const own = [...fixesForTensorflow(object, facts, context), ...fixesForCupy(object, reports, facts, context)];
  const bringing = 0 < own.length ? own : installFixes(object, context, isProgram, isOldLoader(reports) ? "11" : undefined);
  const missing = (certainty: Suspect["certainty"], found?: string): Suspect => ({
    ...base,
    cause: "library-missing",
    certainty,
    ...(found === undefined ? {} : { found }),
    message:
      certainty === "possible" ? "or it is not installed" : `\`${name}\` is not found, and nothing in the text says that it is installed`,
    next: settle,
    fixes: bringing,
  });
  const notOnPath = (certainty: Suspect["certainty"], found: string, folder?: string, extra: Fact[] = [], placed = false): Suspect => ({
    ...base,
    cause: "library-not-on-path",
    certainty,
    found,
    evidence: [...evidence, ...extra],
    message: placed
      ? `\`${name}\` is there, in a folder that the loader does not search`
      : certainty === "possible"
        ? "or it is installed in a folder that the loader does not search"
        : `\`${name}\` is not found: it may be installed in a folder that the loader does not search`,
    next: settle,
    fixes: object.windows
      ? [fix(`put the folder of \`${name}\` on PATH`)]
      : folder === undefined
        ? [withFolderOf(name), ...withoutNumber(name, context), ...cuptiFolder(object)]
        : [withFolder(folder)],
  });
  const wrongVersion = (certainty: Suspect["certainty"], found: string | undefined, extra: Fact[] = []): Suspect => ({
    ...base,
    cause: "library-wrong-version",
    certainty,
    ...(found === undefined ? {} : { found }),
    evidence: [...evidence, ...extra],
    message:
      found === undefined
        ? `or another release than \`${name}\`${release === undefined ? "" : ` (${release})`} is installed`
        : `\`${name}\`${release === undefined ? "" : ` (${release})`} is not found, and the text speaks of ${found}`,
    because: standIn(object, found),
    next: settle,
    fixes: [...rebuilt(isProgram, found), ...bringing],
  });
  // A name that CUDA kept through several majors says nothing about the one that a program was built for.
  const manyMajors = object.cuda !== undefined && majorOf(object.cuda.first) !== majorOf(object.cuda.last);
  const wrongWheel = (certainty: Suspect["certainty"], found: string | undefined, extra: Fact[] = []): Suspect => ({
    ...base,
    cause: "wrong-wheel-cuda-version",
    name: wantedBy === undefined ? name : nameOf(wantedBy.replaceAll("\\", "/")),
    certainty,
    ...(found === undefined ? {} : { found }),
    evidence: [...evidence, ...extra],
    message: `${asker(reports, facts) ?? "the program"} was built for ${release ?? name}${found === undefined ? ", which may not be what is here" : `, and the text speaks of ${found}`}`,
    next: settle,
    fixes: [wheelFix(reports, facts, object, found), ...bringing.map((one) => ({ ...one, fix: `or ${one.fix.replace(/^or /, "")}` }))],
  });

  const openWheel = manyMajors ? [] : [wrongWheel("possible", undefined)];
  // What was compiled on the spot keeps the names of the toolkit that it was compiled with.
  const leftOver = (found: string): Suspect => ({
    ...base,
    cause: "stale-artefact",
    certainty: "possible",
    found,
    evidence,
    message: `or what asks for it was compiled here, with ${release ?? "the release"} that was replaced since`,
    next: settle,
    fixes: [fix("build it again with what is installed now, without pip's cache of built wheels (`--no-cache-dir`)")],
  });

  // What CUDA 12 built asks for libnvJitLink.so.12; in the copy that a program for CUDA 11 opened it betrays the wrong release.
  if (wantedBy !== undefined && object.library === "nvjitlink") {
    const asked = objectNamed(wantedBy)!;
    const own = facts
      .all("opened")
      .map((fact) => ({ fact, object: objectNamed(fact.name) }))
      .find((each) => each.object?.library === "cudart");
    if (asked.cuda && own?.object?.cuda && own.object.suffix !== "" && majorOf(own.object.suffix) !== object.suffix) {
      return {
        weight: weights.said,
        suspects: [
          {
            cause: "library-wrong-version",
            name: asked.name,
            library: asked.library,
            required: `${asked.name} of CUDA ${majorOf(own.object.suffix)}`,
            found: `${asked.name} of CUDA ${object.suffix}, which needs ${name}`,
            certainty: "likely",
            message: `the \`${asked.name}\` that is found belongs to CUDA ${object.suffix}: releases 11 and 12 of CUDA share this name, and the program uses CUDA ${majorOf(own.object.suffix)}`,
            evidence: [...evidence, own.fact],
            next: [`culprit why ${asked.name}`],
            fixes: [
              fix(
                `install \`${asked.name}\` of CUDA ${majorOf(own.object.suffix)}`,
                `pip install nvidia-${asked.library}-cu${majorOf(own.object.suffix)}`,
              ),
            ],
          },
          missing("possible"),
        ],
      };
    }
  }

  // Since CUDA 11 the DLL of CUPTI is named by year, and TensorFlow went on to ask for the release: no toolkit has that name.
  const renamed = object.windows && object.library === "cupti" && /^1[1-9]\.\d$/.test(object.suffix);
  if (renamed) {
    const byYear = others.find((fact) => /64_20\d\d\./.test(fact.path));
    const seen = byYear && nameOf(byYear.path.replaceAll("\\", "/"));
    const misnamed: Suspect = {
      ...base,
      cause: "upstream-bug",
      found: seen ?? "a file that is named by year",
      certainty: "possible",
      message: `since CUDA 11 this file is named by year (\`cupti64_2020.1.1.dll\`): no toolkit has a \`${name}\`, which the framework asks for`,
      next: settle,
      fixes: [
        fix(
          `copy CUPTI of CUDA ${object.suffix} under the name that is asked for (in an administrator's prompt)`,
          `copy "%CUDA_PATH_V${object.suffix.replace(".", "_")}%\\extras\\CUPTI\\lib64\\cupti64_20*.dll" "%CUDA_PATH_V${object.suffix.replace(".", "_")}%\\bin\\${name}"`,
        ),
        fix(
          "or do without it, as only the profiler asks for it: give the TensorBoard callback `profile_batch=0`, and training goes on without it",
        ),
        fix("or profile under WSL 2 or Linux, where the name is found"),
      ],
    };
    const path = notOnPath("possible", fitting ? describeToolkit(fitting, context) : looked);
    return {
      weight: weights.warned,
      suspects:
        seen === undefined
          ? [
              { ...misnamed, certainty: "likely" },
              ...(context.knowsSearchPath || fitting ? [path, missing("possible")] : [missing("possible"), path]),
              wrongVersion("possible", undefined),
            ]
          : [
              { ...misnamed, certainty: "likely", evidence: [...evidence, byYear!] },
              // No installation brings that name.
              ...[wrongVersion("possible", undefined, [byYear!]), path, missing("possible")].map((each) => ({ ...each, fixes: [] })),
            ],
    };
  }

  const bound = isBound(reports, facts, object);
  const weight = optional.test(name) && reports.every(({ by }) => by === "tensorflow") ? weights.warned : weights.refused;
  if (exact) {
    const folder = exact.path.slice(0, exact.path.lastIndexOf("/"));
    return {
      weight,
      suspects: [
        notOnPath("likely", exact.path, folder.startsWith("/") ? folder : undefined, [exact], true),
        { ...missing("possible"), message: `or the \`${name}\` of the text is on another machine or in another image` },
      ],
    };
  }
  if (provider && provider.fits)
    return {
      weight,
      suspects: [
        notOnPath("likely", `${provider.text}, whose folder is not searched`, undefined, [provider.fact]),
        missing("possible"),
        wrongVersion("possible", undefined),
      ],
    };
  // The real file says more than the links to it: its name holds the whole version.
  const bySuffix = [...otherReleases].sort((a, b) => objectNamed(b.path)!.suffix.length - objectNamed(a.path)!.suffix.length);
  const other = bySuffix.find((fact) => fact.path.startsWith("/")) ?? bySuffix[0];
  if (other || (provider && !provider.fits) || (strange && !fitting)) {
    const found = other ? describeFile(other) : provider ? provider.text : describeToolkit(strange!, context);
    const extra = [other, provider?.fact, strange].filter((fact) => fact !== undefined);
    // Before CUDA 11 every release had names of its own.
    const isOtherMajor =
      object.cuda !== undefined &&
      strange !== undefined &&
      (majorOf(strange.version) !== majorOf(object.cuda.last) || Number(majorOf(object.cuda.last)) < 11);
    if (bound && (isOtherMajor || other))
      return {
        weight,
        suspects: [
          wrongWheel("likely", strange ? describeToolkit(strange, context) : found, extra),
          missing("possible"),
          wrongVersion("possible", found, extra),
          notOnPath("possible", looked),
        ],
      };
    return {
      weight,
      suspects: [
        wrongVersion("likely", found, extra),
        missing("possible"),
        notOnPath("possible", looked),
        wrongWheel("possible", found, extra),
        ...(bound || found === undefined || !isBuiltHere(facts) ? [] : [leftOver(found)]),
      ],
    };
  }
  if (fitting) {
    const folder = searched.find((each) => each.includes(`cuda-${fitting.version}`));
    const usual = object.cuda === undefined || object.library === "cupti" || fitting.from === "package" ? undefined : folderOf(fitting);
    const cupti =
      object.library === "cupti" && folder !== undefined
        ? `${folder.replace(/\/lib(?:64)?\/?$|\/targets\/.*$/, "")}/extras/CUPTI/lib64`
        : undefined;
    const told = cupti ?? (folder === undefined ? usual : undefined);
    // The loader has just found another library there.
    if (told !== undefined && facts.all("opened").some(({ path }) => path?.startsWith(`${told}/`)))
      return {
        weight,
        suspects: [
          { ...missing("likely"), message: `\`${name}\` is not found, and \`${told}\` was searched: another library was found in it` },
          { ...notOnPath("possible", looked), fixes: [withFolderOf(name)] },
          wrongVersion("possible", undefined),
        ],
      };
    return {
      weight,
      suspects: [
        notOnPath(
          "likely",
          `${describeToolkit(fitting, context)}${0 < searched.length ? `; LD_LIBRARY_PATH has only ${searched.join(":")}` : ""}`,
          told,
          [fitting],
        ),
        missing("possible"),
        wrongVersion("possible", undefined),
        ...(bound ? openWheel : []),
      ],
    };
  }
  if (ceiling && !toolkit) {
    const found = `a driver for CUDA ${ceiling.version}`;
    const because = [
      `the CUDA ${ceiling.version} that nvidia-smi shows is the newest that the driver runs: it says nothing of what is installed`,
    ];
    return {
      weight,
      suspects: [
        ...(bound ? [wrongWheel("possible", found, [ceiling])] : []),
        { ...missing("possible"), because },
        wrongVersion("possible", undefined),
        notOnPath("possible", looked),
        ...(bound ? [] : openWheel),
      ],
    };
  }
  const beside = besideTorch(object, reports, facts, context);
  if (beside)
    return {
      weight,
      suspects: [
        { ...wrongWheel("likely", beside.found, beside.facts), message: beside.message, fixes: beside.fixes },
        missing("possible"),
        wrongVersion("possible", undefined),
        notOnPath("possible", looked),
      ],
    };
  const wheelOf = torchOfOtherCuda(object, facts, context);
  if (wheelOf !== undefined)
    return {
      weight,
      suspects: [
        {
          ...base,
          cause: "package-conflict",
          name,
          found: `PyTorch for CUDA ${wheelOf}`,
          certainty: "likely",
          message: `PyTorch for CUDA ${wheelOf} is spoken of, and the one that is imported asks for \`${name}\`${release === undefined ? "" : ` (${release})`}: another installation of PyTorch lies in front of it`,
          next: ['python -c "import torch; print(torch.__file__)"', "pip list | grep -i torch"],
          fixes: [
            fix(
              "remove every PyTorch from this Python, then install one",
              "pip uninstall -y torch torchvision torchaudio",
              "pip install torch",
            ),
          ],
        },
        ...openWheel,
        wrongVersion("possible", undefined),
        missing("possible"),
        notOnPath("possible", looked),
      ],
    };
  const [apart] = facts.notices("wheels-apart");
  if (apart && supplyOf(name).wheel !== undefined)
    return {
      weight,
      suspects: [
        {
          ...notOnPath("likely", "a folder of its own for each package", undefined, [apart]),
          message: `\`${name}\` comes in a wheel of its own, and Bazel unpacks every wheel into another folder: PyTorch looks only beside itself`,
          fixes: [
            fix(
              "let the loader look in the folders of NVIDIA's wheels as Bazel unpacked them",
              'export LD_LIBRARY_PATH="$(ls -d "$(bazel info output_base)"/external/*nvidia*/site-packages/nvidia/*/lib | paste -sd:):$LD_LIBRARY_PATH"',
            ),
            fix("or name these wheels among the `deps` of the target too, if they are not there"),
          ],
        },
        missing("possible"),
        wrongVersion("possible", undefined),
      ],
    };
  const first = context.knowsSearchPath
    ? [notOnPath("likely", looked), missing("possible")]
    : [missing("likely"), notOnPath("possible", looked)];
  // After an upgrade the old name is gone, and what was compiled before still asks for it.
  const upgraded = !bound && isBuiltHere(facts) ? [leftOver("a newer release")] : [];
  return { weight, suspects: [...first, wrongVersion("possible", undefined), ...upgraded, ...openWheel] };
}

/** CuPy opens half a dozen libraries, one after the other: it can ask for the wheels of all of them at once. */
function fixesForCupy(
  { cuda, windows }: ObjectName,
  reports: Fact<"not-found">[],
  facts: Facts,
  { speaker }: Context,
): ReturnType<typeof fix>[] {
  const ofCupy = speaker === "cupy" || reports.some(({ by }) => by === "cupy") || facts.all("traceback").at(-1)?.package === "cupy";
  const major = cuda && majorOf(cuda.first) === majorOf(cuda.last) ? majorOf(cuda.first) : undefined;
  // That release is for Python 3.10 and newer.
  const old = compareDotted(pythonIn(facts) ?? "3.10", "3.10") < 0;
  if (!ofCupy || windows || old || (major !== "12" && major !== "13")) return [];
  const name = `cupy-cuda${major}x`;
  return [
    fix(
      "let CuPy bring all of CUDA's libraries that it opens, which it looks for in wheels since release 14",
      `pip install -U "${name}[ctk]"`,
    ),
    fix(`or install the toolkit of CUDA ${major}, with its development packages, where CuPy looks (/usr/local/cuda, CUDA_PATH)`),
  ];
}

// What its users compile themselves, as there is no wheel of it.
const compiledHere = /^(?:pycuda|detectron2|llama_cpp|apex|amp_C|mmcv|horovod|jetson|spconv|tinycudann|pytorch3d|_pycuda)/;
const isBuiltHere = (facts: Facts): boolean =>
  0 < facts.notices("system-upgraded-told", "package-upgraded").length ||
  facts.all("traceback").some(({ package: name }) => compiledHere.test(name));

/** A part of a package that is compiled against PyTorch asks for a library of another CUDA than the PyTorch of the text is for. */
function besideTorch(object: ObjectName, reports: Fact<"not-found">[], facts: Facts, context: Context) {
  const { cuda, version, facts: told } = context.framework("torch");
  const by = asker(reports, facts) ?? context.packages(bindsTorch)[0]?.name;
  const other = object.cuda !== undefined && cuda !== undefined && belongsTo(object, cuda) === false;
  if (!other || by === undefined || !bindsTorch.test(by) || version === undefined) return undefined;
  const wanted = majorOf(object.cuda!.last);
  const line = torchInMajor(version.replace(/\+.*/, ""), object.cuda!.last, facts);
  return {
    facts: told.slice(0, 1),
    found: `torch ${version}`,
    message: `${by} was built for CUDA ${wanted}, and the PyTorch beside it for CUDA ${cuda}: it asks for \`${object.name}\`, which that PyTorch does not bring`,
    fixes: [
      ...(line === undefined ? [] : [fix(`install the PyTorch for CUDA ${wanted}, which brings it`, line)]),
      fix(`${line === undefined ? "" : "or "}install a ${by} that was built for CUDA ${cuda}, where its makers have one`),
    ],
  };
}

const bindsTorch =
  /^(?:vllm|sglang|sgl[-_]kernel|flash[-_]attn|xformers|torch(?:vision|audio|codec)|flashinfer\w*|deepspeed|apex|auto[-_]gptq|gptqmodel|awq\w*|exllama\w*|causal[-_]conv1d|mamba[-_]ssm|lmdeploy|transformer[-_]engine)$/i;

/** The toolkit's own folder where the text names it. */
function folderOf({ version, at }: Fact<"toolkit">): string | undefined {
  const folder = `/usr/local/cuda-${version}`;
  return at.text.includes(folder) ? `${folder}/lib64` : undefined;
}

const rebuilt = (isProgram: boolean, found: string | undefined) =>
  isProgram && found !== undefined ? [fix(`build the program again with the CUDA that is here, or take a build of it for that one`)] : [];

// The text names a build of PyTorch; the one that Python imports wants a library of another CUDA.
function torchOfOtherCuda(object: ObjectName, facts: Facts, context: Context): string | undefined {
  const { cuda } = context.framework("torch");
  const importer = facts.all("traceback").at(-1)?.package;
  return importer === "torch" && cuda !== undefined && belongsTo(object, cuda) === false ? cuda : undefined;
}

function isSameRelease(a: ObjectName, b: ObjectName): boolean {
  if (a.suffix === b.suffix) return true;
  // libcurand.so.10.0 belongs to CUDA 10.0, libcurand.so.10 to CUDA 10.1 and later: a longer name alone says nothing.
  if (a.cuda !== undefined && b.cuda !== undefined)
    return compareDotted(a.cuda.first, b.cuda.first) <= 0 && compareDotted(b.cuda.last, a.cuda.last) <= 0;
  return b.suffix.startsWith(`${a.suffix}.`);
}

// How the text knows of a toolkit: what somebody says is not yet installed.
const known = { nvcc: "nvcc of ", runtime: "a runtime of ", package: "a package of ", path: "a folder of ", said: "" };

function describeToolkit(toolkit: Fact<"toolkit">, context: Context): string {
  const brought = toolkit.from === "package" ? context.packages(/^(?:cudatoolkit|cuda-version)$/)[0] : undefined;
  return brought ? `CUDA ${toolkit.version} (${brought.name} ${brought.version})` : `${known[toolkit.from]}CUDA ${toolkit.version}`;
}

// Up to CUDA 11 the name of CUPTI holds the minor release.
function standIn(object: ObjectName, found: string | undefined): string[] {
  if (object.library !== "cupti" || !/^1[01]\.\d/.test(object.suffix)) return [];
  const other = /\b(1[01]\.\d)\b/.exec(found ?? "")?.[1];
  return [
    `up to CUDA 11 the name of CUPTI holds the minor release: ${other === undefined || other === object.suffix ? "another release" : other} cannot stand in for ${object.suffix}`,
  ];
}

// In a toolkit CUPTI lies in a folder of its own, which no installer tells the loader of.
function cuptiFolder({ library, cuda }: ObjectName): ReturnType<typeof fix>[] {
  if (library !== "cupti" || cuda === undefined || cuda.first !== cuda.last) return [];
  return [withFolder(`/usr/local/cuda-${cuda.first}/extras/CUPTI/lib64`)];
}

function describeFile({ path }: Fact<"file">): string {
  const object = objectNamed(path);
  const release = object && releaseText(object);
  return release === undefined ? path : `${nameOf(path)} (${release})`;
}

// A package of the text that brings this library, and whether its release is the right one.
function providerVersion(object: ObjectName, facts: Facts, context: Context): { fact: Fact; text: string; fits: boolean } | undefined {
  const names = new Set(packageProviding(object.name).map(({ name }) => name));
  if (object.library === "cudnn") {
    const found = context.packages(/^(?:nvidia-cudnn(?:-cu\d{2})?|cudnn|libcudnn\d?)$/)[0];
    return found
      ? { fact: found, text: `${found.name} ${found.version}`, fits: majorOf(found.version) === majorOf(object.suffix) }
      : ofHeader(object, facts);
  }
  const found = context.packages(/./).find(({ name, manager }) => manager === "pip" && names.has(name));
  return found && { fact: found, text: `${found.name} ${found.version}`, fits: true };
}

/** A header of cuDNN that is printed says which release is installed; one that fits says nothing of the library itself. */
function ofHeader(object: ObjectName, facts: Facts): { fact: Fact; text: string; fits: false } | undefined {
  const parts = facts.all("header-version");
  const [major, minor, patch] = (["major", "minor", "patch"] as const).map((part) => parts.find((fact) => fact.part === part)?.value);
  if (major === undefined || major === majorOf(object.suffix)) return undefined;
  return { fact: parts[0]!, text: `cuDNN ${[major, minor, patch].filter(Boolean).join(".")}, by its header`, fits: false };
}

function isBound(reports: Fact<"not-found">[], facts: Facts, object: ObjectName): boolean {
  // A package whose name says for which CUDA it is, beside a library of that very CUDA.
  const ofName = (name: string) => /-cu(?:da)?(?<major>1\d)/.exec(name)?.groups?.["major"];
  const bound = facts
    .all("package")
    .some(({ name }) => !name.startsWith("nvidia-") && ofName(name) !== undefined && ofName(name) === object.suffix);
  if (bound) return true;
  if (reports.some(({ by }) => boundToCuda.test(by))) return true;
  if (reports.some(({ wantedBy }) => wantedBy !== undefined && boundToCuda.test(wantedBy))) return true;
  // Whoever quotes the sentence alone names the program, and not the file that asked.
  if (reports.every(({ by }) => by === "said") && facts.all("voice").some(({ id }) => /^mention of (?:ctranslate2|faster)/.test(id)))
    return true;
  const last = facts.all("traceback").at(-1);
  return last !== undefined && !frameworks.has(last.package);
}

function asker(reports: Fact<"not-found">[], facts: Facts): string | undefined {
  // cuDNN's own message names cuDNN, and not who opened it.
  const by = reports.find((report) => !["loader", "said", "ldd", "cudnn"].includes(report.by))?.by;
  return by ?? facts.all("traceback").at(-1)?.package;
}

function wheelFix(reports: Fact<"not-found">[], facts: Facts, object: ObjectName, found: string | undefined): ReturnType<typeof fix> {
  const by = asker(reports, facts) ?? "the package";
  const major = /CUDA (\d{1,2})/.exec(found ?? "")?.[1];
  if (by === "cupy" && major !== undefined)
    return fix(
      `install CuPy for CUDA ${major}`,
      `pip uninstall -y cupy-cuda${object.suffix.slice(0, 2)}x`,
      `pip install cupy-cuda${major}x`,
    );
  if (by === "onnxruntime") return onnxruntimeFor(major);
  const [, digits] = /CUDA (\d{1,2}\.\d)/.exec(found ?? "") ?? [];
  if (by === "mxnet" && digits !== undefined)
    return fix(
      `install MXNet for CUDA ${digits}: its packages have the CUDA in their name`,
      "pip uninstall -y mxnet mxnet-cu90 mxnet-cu92 mxnet-cu100 mxnet-cu101 mxnet-cu102",
      `pip install mxnet-cu${digits.replace(".", "")}`,
    );
  return fix(`install a build of ${by} for the CUDA that is here${major === undefined ? "" : ` (${major})`}, or rebuild it`);
}
