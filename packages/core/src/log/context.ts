import { compareDotted } from "../knowledge/dotted.ts";
import { driverRuns } from "../knowledge/goes-together.ts";
import { driverFloor } from "../knowledge/toolkits.ts";
import type { Fact, Facts } from "./fact.ts";
import { speakerOf } from "./speaker.ts";

/** What the whole text says about the machine, gathered once for all steps. */
export interface Context {
  driver?: Fact<"driver">;
  driverCuda?: Fact<"driver-cuda">;
  /** Toolkits that are there, those of which a program speaks first; each release once. */
  toolkits: Fact<"toolkit">[];
  /** Folders of LD_LIBRARY_PATH, in order, wherever it is shown. */
  searched: { folder: string; fact: Fact }[];
  /** Whether LD_LIBRARY_PATH is shown at all. */
  knowsSearchPath: boolean;
  conda: boolean;
  /** The framework that the text is about (`speaker.ts`). */
  speaker?: string;
  /** What runs the container of which the text speaks. */
  containers?: NonNullable<Fact<"platform">["tool"]>;
  /** The Linux that the text speaks of, where it is one only. */
  linux?: { family: string; release?: string };
  /** An image of NVIDIA's with CUDA, by its tag. */
  image?: { cuda: string; system: string; parts: string };
  /** The text comes from a container, whatever runs it. */
  inContainer: boolean;
  /** The text shows that a GPU was asked for when it was started (`--gpus`, `--nv`). */
  gpusAsked: boolean;
  /** A compiled program speaks, and no Python: it looks into no wheels. */
  elf: boolean;
  framework(id: string): { version?: string; cuda?: string; cudnn?: string; cpuOnly?: boolean; facts: Fact<"framework">[] };
  packages(pattern: RegExp): Fact<"package">[];
}

const strength = { nvcc: 0, runtime: 1, package: 2, path: 3, said: 4 };

function toolkitsOf(facts: Facts): Fact<"toolkit">[] {
  const releases = new Set<string>();
  // "TensorFlow 2.4 (CUDA 11.0)" speaks of a build, and not of a toolkit that is there.
  const ofBuilds = new Set(facts.all("framework").flatMap(({ cuda, at }) => (cuda === undefined ? [] : `${at.line} ${cuda}`)));
  return (
    facts
      .all("toolkit")
      .filter(({ version, from, at }) => from !== "said" || !ofBuilds.has(`${at.line} ${version}`))
      // `libcudnn8 8.8.0.121-1+cuda12.0` says for which CUDA cuDNN was built, and not that it is there.
      .filter(
        ({ version, at }) => !new RegExp(`\\blib(?:cudnn|nccl|nvinfer)[^\\n]{0,80}\\+cuda${version.replace(".", "\\.")}`).test(at.text),
      )
      .sort((a, b) => strength[a.from] - strength[b.from])
      .filter(({ version }) => !releases.has(version) && releases.add(version))
  );
}

// What was given beside the text counts first, then what the kernel says.
function driverOf(facts: Facts): Fact<"driver"> | undefined {
  const drivers = facts.all("driver");
  return (
    drivers.find(({ at }) => at.line === 0) ??
    drivers.find(({ of }) => of === "kernel") ??
    drivers.find(({ version }) => version.includes(".")) ??
    drivers[0]
  );
}

export function contextOf(facts: Facts): Context {
  const driver = driverOf(facts);
  const driverCuda = facts.all("driver-cuda")[0];
  const toolkits = toolkitsOf(facts);
  const searched: Context["searched"] = [];
  for (const fact of facts.all("variable"))
    if (fact.name === "LD_LIBRARY_PATH")
      for (const folder of fact.value.split(":")) if (folder.startsWith("/")) searched.push({ folder, fact });
  for (const fact of facts.all("not-found"))
    for (const folder of (fact.searched ?? "").split(":")) if (folder.startsWith("/")) searched.push({ folder, fact });
  const conda =
    facts.all("package").some(({ manager }) => manager === "conda") ||
    [...facts.all("traceback"), ...facts.all("file")].some(({ path }) => /conda|\/envs\//.test(path) && path.endsWith(".py")) ||
    facts.all("undefined-symbol").some(({ file }) => /conda|\/envs\//.test(file));
  const speaker = speakerOf(facts);
  const containers = facts.all("platform").flatMap(({ tool }) => tool ?? []);
  // What runs above Docker is what somebody starts his containers with.
  const tool = (["singularity", "kubernetes"] as const).find((each) => containers.includes(each)) ?? containers[0];
  return {
    ...(speaker === undefined ? {} : { speaker }),
    ...(tool === undefined ? {} : { containers: tool }),
    ...linuxOf(facts),
    inContainer: facts.on("container"),
    gpusAsked: 0 < facts.notices("gpus-asked").length,
    elf: speaker === undefined && isElf(facts),
    ...(driver ? { driver } : {}),
    ...(driverCuda ? { driverCuda } : {}),
    toolkits,
    searched,
    knowsSearchPath:
      facts.all("variable").some(({ name }) => name === "LD_LIBRARY_PATH") ||
      facts.all("not-found").some(({ searched: value }) => value !== undefined),
    conda,
    framework(id) {
      const found = facts.all("framework").filter((fact) => fact.id === id);
      const version = found.find((fact) => fact.version !== undefined)?.version;
      const label = /\+cu(\d{2})(\d{1,2})/.exec(version ?? "");
      const cuda = found.find((fact) => fact.cuda !== undefined)?.cuda ?? (label ? `${label[1]}.${label[2]}` : undefined);
      const cudnn = found.find((fact) => fact.cudnn !== undefined)?.cudnn;
      const only = found.find((fact) => fact.cpuOnly !== undefined && fact.cpuOnly) ?? found.find((fact) => fact.cpuOnly !== undefined);
      return {
        facts: found,
        ...(version === undefined ? {} : { version }),
        ...(cuda === undefined ? {} : { cuda }),
        ...(cudnn === undefined ? {} : { cudnn }),
        ...(only?.cpuOnly === undefined ? {} : { cpuOnly: only.cpuOnly }),
      };
    },
    packages: (pattern) => facts.all("package").filter(({ name }) => pattern.test(name)),
  };
}

function linuxOf(facts: Facts): Pick<Context, "linux" | "image"> {
  const said = facts.notices("linux-family");
  const release = said.find(({ found }) => found !== undefined)?.found;
  const families = new Set(said.map(({ subject }) => subject!));
  const [tag] = facts.notices("cuda-image");
  return {
    ...(families.size === 1 ? { linux: { family: [...families][0]!, ...(release === undefined ? {} : { release }) } } : {}),
    ...(tag ? { image: { cuda: tag.subject!, system: tag.required!, parts: tag.found! } } : {}),
  };
}

function isElf(facts: Facts): boolean {
  const python =
    facts.has("traceback") ||
    facts.notices("ended-with-error").some(({ subject }) => /^[A-Z]\w{2,30}(?:Error|Exception)$/.test(subject ?? ""));
  const started = facts.all("not-found").some(({ by, at }) => by === "ldd" || at.text.includes("error while loading shared libraries"));
  return !python && (started || facts.all("opened").some(({ by }) => by === "ldd") || facts.has("cudnn-status"));
}

/** Whether a Linux driver is below the floor of a CUDA release; undefined: it cannot be told. */
export function isTooOld(driver: string, cuda: string, windows: boolean): boolean | undefined {
  const floor = driverFloor(cuda);
  if (!floor) return undefined;
  // Windows drivers have numbers of their own, a little above those of Linux.
  if (windows) return compareDotted(driver.split(".")[0]!, floor.driver.split(".")[0]!) < 0 ? true : undefined;
  return driverRuns(driver, cuda) === false;
}

/** What is found where a text comes from WSL, and that is the trouble. */
export const wslFound = "WSL 2";

export const majorOf = (version: string) => version.split(".")[0]!;
