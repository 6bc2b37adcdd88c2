import { compareDotted, driverReaches } from "../knowledge/dotted.ts";
import { toolkitOf } from "../knowledge/toolkits.ts";
import type { Diagnosis } from "../model/explain.ts";
import { solvedFrameworks } from "../model/frameworks.ts";
import { majorOf, wslFound } from "./context.ts";
import type { Copy, InstalledFramework, Inventory } from "../model/inventory.ts";

type Joined = Diagnosis & { findings: string[] };

/** Why a cause that a text leaves open cannot be on this machine, with what shows it; undefined: it can, or the machine does not tell. */
type Refutation = (diagnosis: Diagnosis, inventory: Inventory) => { says: string; shows: string[] } | undefined;

const refutations: { [cause in Diagnosis["cause"]]?: Refutation } = {
  "driver-too-old": driverIsNew,
  "ptx-newer-than-driver": driverIsNew,
  "driver-not-exposed": driverIsHere,
  "kernel-module-missing": driverIsHere,
  "kernel-module-mismatch": halvesAreOne,
  "arch-unsupported": otherGpu,
  "wrong-wheel-cpu-only": builtWithCuda,
  "profiler-permission": countersOpen,
  "mixed-cudnn-sublibraries": loadsOneRelease,
  "library-shadowed": loadsItsOwn,
  "stub-library": noStub,
  "profiler-platform-unsupported": isLinuxItself,
  "cupti-too-old-for-driver": sameGeneration,
};

/**
 * What a machine without a finding says about a text's suspicion: a cause that it refutes goes behind those it leaves open; where it
 * refutes every one, that is the conclusion. Copies of the very releases that a text names are named by their files.
 */
export function borneOut(diagnoses: Joined[], inventory: Inventory): Joined[] {
  if (diagnoses.some(({ findings }) => 0 < findings.length)) return diagnoses;
  const named = once(diagnoses.map((each) => withFiles(each, inventory)));
  // What was found by its file is here; whatever this shell would load, the process loaded that one.
  const isNamed = (each: Joined) => !diagnoses.includes(each);
  const judged = named.map((each) => ({
    each,
    refuted: isNamed(each) ? undefined : (notInstalled(each, inventory) ?? refutations[each.cause]?.(each, inventory)),
  }));
  const refuted = judged.filter((one) => one.refuted !== undefined);
  if (refuted.length === 0) return named;
  const open = judged.filter((one) => one.refuted === undefined && !isHarmless(one.each)).map(({ each }) => each);
  const behind = refuted.map(({ each, refuted: why }) => doubted(each, why!.says));
  const first = judged[0]!;
  // What is left has to have been open from the start; a cause that only followed the first falls with it.
  const left = open.filter(
    ({ symptom, certainty }) => symptom !== undefined || certainty !== "possible" || first.each.certainty === "possible",
  );
  if (first.refuted === undefined) return [...judged.filter((one) => one.refuted === undefined).map(({ each }) => each), ...behind];
  if (0 < left.length) return [...left, ...behind, ...open.filter((each) => !left.includes(each))];
  return [elsewhere(first.each, first.refuted), ...behind, ...open];
}

const once = (diagnoses: Joined[]): Joined[] =>
  diagnoses.filter(({ cause, name }, index) => diagnoses.findIndex((other) => other.cause === cause && other.name === name) === index);

const isHarmless = ({ cause }: Pick<Diagnosis, "cause">) => cause === "not-a-mismatch" || cause === "benign-warning";

const doubted = (diagnosis: Joined, why: string): Joined => {
  const { symptom: _, ...rest } = diagnosis;
  return { ...rest, certainty: "possible", message: `${rest.message.replace(/^or /, "")}; not so here`, because: [why], fixes: [] };
};

/** The text is true, and of another machine, container or environment than the one that was looked at. */
function elsewhere(diagnosis: Joined, { says, shows }: { says: string; shows: string[] }): Joined {
  const { symptom: _, machine: __, found: ___, ...rest } = diagnosis;
  return {
    ...rest,
    cause: "not-a-mismatch",
    certainty: "likely",
    message: says,
    because: ["so the text comes from another machine, container or environment, or from before something was changed"],
    machine: shows,
    next: ["python -c 'import sys; print(sys.prefix)'"],
    fixes: [
      {
        fix: "ask where it fails: run `culprit check` in that very container, environment and shell, or the command again under `culprit run`",
        safety: "display-only",
        commands: [],
        proof: { removes: [], adds: [] },
      },
    ],
  };
}

function driverIsNew({ required = "", found = "" }: Diagnosis, { driver: { kernel, wsl }, frameworks }: Inventory): ReturnType<Refutation> {
  if (kernel === undefined || wsl) return undefined;
  const newest = toolkitOf({ driver: kernel })?.newest.cuda;
  const shows = [`driver ${kernel}${newest === undefined ? "" : ` (runs CUDA ${newest})`}`];
  const wanted = /\b(\d{3}\.\d{1,3}(?:\.\d{1,3})?)\b/.exec(required)?.[1];
  if (wanted !== undefined)
    return driverReaches(kernel, wanted) ? { says: `its driver is ${kernel}, which is not older than ${wanted}`, shows } : undefined;
  // The driver of the text by what it runs, beside the one here.
  const had = /CUDA (\d{1,2}\.\d{1,2})/.exec(found)?.[1];
  if (newest === undefined) return undefined;
  const built = frameworks.flatMap(({ compiledFor }) => compiledFor["cuda"]?.version.split(".").slice(0, 2).join(".") ?? []);
  if (had === undefined)
    return 0 < built.length && built.every((cuda) => Number(majorOf(cuda)) <= Number(majorOf(newest)))
      ? { says: `its driver ${kernel} runs CUDA ${newest}, and nothing here is built for a newer major`, shows }
      : undefined;
  return 0 < compareDotted(newest, had)
    ? { says: `its driver is ${kernel}, which runs CUDA ${newest}, and that of the text CUDA ${had} at most`, shows }
    : undefined;
}

const ownLibcuda = ({ copies }: Inventory): Copy[] =>
  copies.filter(({ library, stub, file }) => library === "libcuda" && !stub && !file.includes("/compat/"));

function driverIsHere(_: Diagnosis, inventory: Inventory): ReturnType<Refutation> {
  const { kernel } = inventory.driver;
  const [libcuda] = ownLibcuda(inventory);
  if (kernel === undefined || !libcuda || inventory.gpus.length === 0 || inventory.driver.container) return undefined;
  return {
    says: `its driver ${kernel} answers for ${inventory.gpus[0]!.name}; a container or another user may still not get it`,
    shows: [`driver ${kernel}`, libcuda.file, ...inventory.gpus.slice(0, 2).map(({ name }) => name)],
  };
}

function halvesAreOne(_: Diagnosis, inventory: Inventory): ReturnType<Refutation> {
  const { kernel } = inventory.driver;
  const copies = ownLibcuda(inventory).filter(({ version }) => version !== undefined);
  if (kernel === undefined || copies.length === 0 || copies.some(({ version }) => version !== kernel)) return undefined;
  return { says: `the kernel module and libcuda are both ${kernel}`, shows: [`driver ${kernel}`, copies[0]!.file] };
}

function otherGpu({ name = "", required = "", found = "" }: Diagnosis, { gpus }: Inventory): ReturnType<Refutation> {
  const sm = /\bsm_\d{2,3}\b/.exec(`${name} ${required} ${found}`)?.[0];
  if (sm === undefined || gpus.length === 0 || gpus.some(({ architecture }) => architecture === undefined || architecture === sm))
    return undefined;
  const here = gpus.map(({ name: each, architecture }) => `${each} (${architecture})`);
  return { says: `it has no GPU of ${sm}, but ${[...new Set(here)].join(", ")}`, shows: here.slice(0, 3) };
}

const builtFor = ({ framework, version, compiledFor }: InstalledFramework): string => {
  const cuda = compiledFor["cudart"]?.version ?? compiledFor["cuda"]?.version;
  return `${framework} ${version}${cuda === undefined ? "" : `, built for CUDA ${cuda}`}`;
};

function builtWithCuda({ name = "" }: Diagnosis, { frameworks }: Inventory): ReturnType<Refutation> {
  const same = frameworks.filter(({ framework }) => framework === name);
  if (same.length === 0 || same.some(({ cpuOnly }) => cpuOnly !== undefined)) return undefined;
  return {
    says: `${same.map((each) => `${builtFor(each)}, is in ${each.environment}`).join("; ")}: another Python ran`,
    shows: same.map((each) => `${each.environment}: ${builtFor(each)}`),
  };
}

function countersOpen(_: Diagnosis, { driver }: Inventory): ReturnType<Refutation> {
  if (driver.profilingAdminOnly !== false || driver.wsl) return undefined;
  return {
    says: "its counters are open to every user (RmProfilingAdminOnly: 0)",
    shows: ["/proc/driver/nvidia/params: RmProfilingAdminOnly: 0"],
  };
}

function loadsOneRelease(_: Diagnosis, { frameworks }: Inventory): ReturnType<Refutation> {
  const asking = frameworks.filter(({ wouldLoad, compiledFor }) => wouldLoad["cudnn"] !== undefined && compiledFor["cudnn"] !== undefined);
  const releases = asking.map(({ wouldLoad }) => new Set(wouldLoad["cudnn"]!.map(({ version }) => version)));
  if (asking.length === 0 || releases.some((each) => each.size !== 1 || each.has(undefined))) return undefined;
  return {
    says: `as this shell is set up, ${asking.map(({ framework, wouldLoad }) => `${framework} gets all parts of cuDNN ${wouldLoad["cudnn"]![0]!.version}`).join(", ")}; the process had other variables (LD_LIBRARY_PATH above all)`,
    shows: asking.flatMap(({ wouldLoad }) => wouldLoad["cudnn"]!.slice(0, 1).map(({ file }) => file)),
  };
}

// Frameworks that bring a library themselves, and what each would get as this shell is set up.
function loadsItsOwn({ library }: Diagnosis, { frameworks }: Inventory): ReturnType<Refutation> {
  if (library === undefined) return undefined;
  const asking = frameworks.filter(({ wouldLoad, compiledFor }) => wouldLoad[library] !== undefined && 0 < Object.keys(compiledFor).length);
  const foreign = asking.some(({ wouldLoad, environment }) => wouldLoad[library]!.some(({ file }) => !file.startsWith(`${environment}/`)));
  if (asking.length === 0 || foreign) return undefined;
  const names = [...new Set(asking.map(({ framework }) => framework))].join(", ");
  return {
    says: `as this shell is set up, ${names} ${asking.length === 1 ? "gets its" : "get their"} own copy; the process had other variables (LD_LIBRARY_PATH above all)`,
    shows: [...new Set(asking.map(({ wouldLoad }) => wouldLoad[library]![0]!.file))],
  };
}

function noStub(_: Diagnosis, inventory: Inventory): ReturnType<Refutation> {
  const libcuda = inventory.frameworks.flatMap(({ wouldLoad }) => wouldLoad["libcuda"] ?? []);
  const stubs = new Set(inventory.copies.filter(({ library, stub }) => library === "libcuda" && stub).map(({ file }) => file));
  if (libcuda.length === 0 || libcuda.some(({ file }) => stubs.has(file))) return undefined;
  return { says: `as this shell is set up, the driver's own ${libcuda[0]!.file} answers`, shows: [libcuda[0]!.file] };
}

function sameGeneration(_: Diagnosis, { driver: { kernel }, frameworks }: Inventory): ReturnType<Refutation> {
  const newest = kernel === undefined ? undefined : toolkitOf({ driver: kernel })?.newest.cuda;
  const asking = frameworks.filter(({ wouldLoad, compiledFor }) => wouldLoad["cupti"] !== undefined && compiledFor["cuda"] !== undefined);
  if (
    newest === undefined ||
    asking.length === 0 ||
    asking.some(({ compiledFor }) => majorOf(compiledFor["cuda"]!.version) !== majorOf(newest))
  )
    return undefined;
  return {
    says: `CUPTI and the driver ${kernel} are of one generation (CUDA ${majorOf(newest)})`,
    shows: asking.slice(0, 2).map(({ wouldLoad }) => wouldLoad["cupti"]![0]!.file),
  };
}

// A text about a framework that no environment here has.
function notInstalled({ name = "", cause }: Diagnosis, { frameworks, environments }: Inventory): ReturnType<Refutation> {
  if (!solvedFrameworks.some(({ id }) => id === name) || environments.length === 0 || isHarmless({ cause })) return undefined;
  if (frameworks.some(({ framework }) => framework === name)) return undefined;
  return { says: `no ${name} is in any environment here`, shows: environments.slice(0, 3).map(({ prefix }) => prefix) };
}

function isLinuxItself({ found }: Diagnosis, { driver }: Inventory): ReturnType<Refutation> {
  if (driver.kernel === undefined || driver.wsl || found !== wslFound) return undefined;
  return { says: "it runs Linux itself, and not under WSL", shows: [`driver ${driver.kernel}`] };
}

// A release that the text names is a file here: it is named, and whether the one that is wanted lies beside it.
function withFiles(diagnosis: Joined, inventory: Inventory): Joined {
  const { library, found = "", required = "", cause } = diagnosis;
  if (library === undefined || (cause !== "library-wrong-version" && cause !== "library-shadowed")) return diagnosis;
  const had = copyOf(library, found, inventory);
  if (!had) return diagnosis;
  const wanted = copyOf(library, required, inventory);
  const place = (copy: Copy) => `${copy.file} (${copy.version})`;
  // The headline may have named the file already.
  const told = diagnosis.message.includes(had.file) ? diagnosis.message : `${diagnosis.message}: it is ${had.file}`;
  if (!wanted || wanted.file === had.file) return { ...diagnosis, message: told, found: place(had), machine: [place(had)] };
  const environment = inventory.environments.find(({ prefix }) => wanted.file.startsWith(`${prefix}/`));
  return {
    ...diagnosis,
    cause: "library-shadowed",
    certainty: "likely",
    message: `\`${had.file}\` answered, and the right one lies in \`${wanted.file}\``,
    required: place(wanted),
    found: place(had),
    because: [
      ...diagnosis.because,
      ...otherShell(library, had, inventory),
      ...(environment ? [`${wanted.file} belongs to the environment ${environment.prefix}`] : []),
    ],
    machine: [place(had), place(wanted)],
  };
}

// As this shell is set up the program would get another copy: so it ran with other variables.
function otherShell(library: string, had: Copy, { frameworks }: Inventory): string[] {
  const would = frameworks.flatMap(({ wouldLoad }) => wouldLoad[library] ?? []);
  return 0 < would.length && would.every(({ file }) => file !== had.file)
    ? ["as this shell is set up, nothing would load it: the process ran with other variables, LD_LIBRARY_PATH above all"]
    : [];
}

function copyOf(library: string, said: string, { copies }: Inventory): Copy | undefined {
  const version = /\b\d{1,2}\.\d{1,2}(?:\.\d{1,3})?\b/.exec(said)?.[0];
  if (version === undefined) return undefined;
  return copies.find((copy) => copy.library === library && !copy.stub && `${copy.version ?? ""}.`.startsWith(`${version}.`));
}
