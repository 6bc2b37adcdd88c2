import { pipAdvice } from "../../diagnose/pip.ts";
import { packageProviding } from "../../knowledge/packages.ts";
import { frameworkNamed } from "../../model/frameworks.ts";
import { supplyOf } from "../../knowledge/suppliers.ts";
import { nameOf } from "../../lib/path.ts";
import type { Copy } from "../../model/inventory.ts";
import type { Advice } from "../../model/finding.ts";
import { copyFact } from "../../diagnose/facts.ts";
import page from "./page.ts";
import { machineSide, type Blame } from "../rule.ts";
import type { Run, Stack, Stop } from "../../diagnose/stack.ts";
import { fileWords, stopName, tellLdconfig, triedWords, withFolders } from "../../diagnose/words.ts";

export default machineSide(page, {
  absence: true,
  blames(stack, stop, run) {
    const failed = stop.failure.underlying ?? stop.failure;
    const name = nameOf(failed.name);
    if (failed.reason !== "not-found" || stop.failure.refusal?.kind === "version" || !name.startsWith("libcupti.so")) return undefined;
    const copies = stack.inventory.copies.filter(({ file, stub }) => !stub && nameOf(file).startsWith("libcupti.so"));
    const isNamed = ({ file, names, soname }: Copy) =>
      [file, ...names, ...(soname === undefined ? [] : [soname])].some((path) => nameOf(path) === name);
    // Nsight's own folders hold many; they are no place to load from.
    const exact = copies
      .filter((copy) => isNamed(copy) && ![copy.file, ...copy.names].some((path) => failed.tried.includes(path)))
      .sort(toolsLast);
    const first = exact[0];
    const draft = first ? elsewhere(stack, stop, run, name, first, exact) : absent(stack, stop, run, name, copies);
    return { ...draft, evidence: [failed.message, ...triedWords(failed), ...draft.evidence] };
  },
});

type Words = Omit<Blame<"warning" | "info", "library-not-on-path" | "library-wrong-version">, "evidence"> & { evidence: string[] };

const consequence = (stop: Stop) =>
  stop.activity === "profile"
    ? "the profile would hold nothing of the GPU"
    : stop.activity === "import"
      ? "its import ends there"
      : "it goes on without the GPU";

function elsewhere(stack: Stack, stop: Stop, run: Run, name: string, first: Copy, all: Copy[]): Words {
  const at = [...first.names, first.file].find((path) => nameOf(path) === name) ?? first.file;
  const folder = at.slice(0, at.lastIndexOf("/"));
  return {
    specificity: 3,
    cause: "library-not-on-path",
    subject: name,
    short: `${name} is not on the search path`,
    message: `CUPTI is installed, but where ${stopName(run, stop)} does not look: ${name} is in ${folder}; ${consequence(stop)}`,
    because: [
      `${stop.failure.requestedBy} asks for ${name} by name, and neither a RUNPATH, LD_LIBRARY_PATH nor ld.so.cache leads to ${folder}`,
    ],
    evidence: all.map(({ file }) => `there is ${fileWords(stack, file)}`).slice(0, 3),
    advice: [withFolders([folder]), ...(first.owner?.kind === "pip" ? [] : [tellLdconfig(folder)])],
    facts: { copies: all.map((copy) => copyFact(copy, "hidden")) },
  };
}

function absent(stack: Stack, stop: Stop, run: Run, name: string, copies: Copy[]): Words {
  const others = [...copies].sort(toolsLast);
  return {
    specificity: 3,
    ...(others.some((copy) => !isOfTools(copy)) ? { cause: "library-wrong-version" as const } : {}),
    subject: name,
    short: `${name} is not installed`,
    message: `CUPTI is missing: ${stopName(run, stop)} needs ${name}${others.length === 0 ? ", and there is no libcupti at all" : ", and only other releases of it are installed"}; ${consequence(stop)}`,
    because: [
      `${stop.failure.requestedBy} asks for this very name${/\.so\.\d+\.\d+$/.test(name) ? ", which has the minor release of CUDA in it" : ""}`,
      ...(others.length === 0 ? [] : ["a link from another release to that name does not help: the program was not built for it"]),
    ],
    evidence: others.slice(0, 3).map(({ file }) => `another release: ${fileWords(stack, file)}`),
    advice: [
      ...wheelAdvice(stack, stop, run, name),
      ...systemAdvice(name, run.programs.find(({ id }) => id === stop.program)?.compiledFor["cuda"]?.version),
    ],
    facts: { copies: others.map((copy) => copyFact(copy, "other")) },
  };
}

const isOfTools = ({ file }: Copy) => /\/nsight-(compute|systems)\//i.test(file);
const toolsLast = (a: Copy, b: Copy) => Number(isOfTools(a)) - Number(isOfTools(b));

function wheelAdvice(stack: Stack, { program }: Stop, run: Run, name: string): Advice[] {
  const wheel = packageProviding(name, "pypi").find(({ name: found }) => found.startsWith("nvidia-cuda-cupti"));
  if (!wheel) return [];
  const { compiledFor = {} } = run.programs.find(({ id }) => id === program) ?? {};
  const own = stack.lacking.filter(({ environment, name: lacking }) => environment === run.environment?.prefix && lacking === wheel.name);
  const asked = own.find(({ by, extra }) => extra === undefined || frameworkNamed(by.name)?.id === program)?.specifier;
  // The names of CUDA 11 have the minor, and only two of them were ever put on the index. The wheel has the number of its CUDA.
  const minor = /^libcupti\.so\.(\d+\.\d+)$/.exec(name)?.[1] ?? /^\d+\.\d+/.exec(compiledFor["cuda"]?.version ?? "")?.[0];
  const pinned = compiledFor["cupti"]?.version;
  const version = pinned !== undefined ? `==${pinned}` : (asked ?? (minor === undefined ? "" : `==${minor}.*`));
  const install = pipAdvice(run.environment, "install the wheel that brings it", "install", `${wheel.name}${version}`);
  const site = run.environment?.sites[0];
  const folder = [wheel.folder ?? "nvidia/cuda_cupti/lib"].flat()[0]!;
  if (program !== "tensorflow") return [install];
  // Its library has no path to that folder.
  return [
    install,
    site === undefined
      ? { words: `and let ${folder} in its site-packages be searched` }
      : { ...withFolders([`${site}/${folder}`]), words: "and for the command" },
  ];
}

function systemAdvice(name: string, cuda: string | undefined): Advice[] {
  const [, major, minor] = /^libcupti\.so\.(\d+)(?:\.(\d+))?$/.exec(name) ?? [];
  if (major === undefined) return [];
  const debian = packageProviding(name, "apt-debian").find((found) => found.provides.includes(name));
  const from = `from NVIDIA's repository${debian ? ` (Debian: ${debian.name})` : ""}`;
  // Which minor is not in the name: that of the program, or the newest one of its major, which serves.
  if (minor === undefined) {
    const { apt } = supplyOf(name, cuda === undefined ? {} : { cuda });
    return apt === undefined
      ? []
      : [{ words: `or, for the whole system, install it ${from}`, command: ["sudo", "apt", "install", apt], scope: "install" }];
  }
  const folder = `/usr/local/cuda-${major}.${minor}/extras/CUPTI/lib64`;
  return [
    {
      words: `or, for the whole system, install it ${from}`,
      command: ["sudo", "apt", "install", `cuda-cupti-${major}-${minor}`],
      scope: "install",
    },
    { ...tellLdconfig(folder), words: "and, where it is not found then" },
  ];
}
