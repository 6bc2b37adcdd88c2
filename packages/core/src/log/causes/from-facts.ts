import { compareDotted } from "../../knowledge/dotted.ts";
import { leastDriver } from "../../knowledge/goes-together.ts";
import { isTegra, majorOf, numberOf } from "../../knowledge/gpu-code.ts";
import { architecture, architectures, toolkitOf } from "../../knowledge/toolkits.ts";
import { weights, type Problem, type Suspect } from "../cause.ts";
import { isTooOld, type Context } from "../context.ts";
import type { Facts } from "../fact.ts";
import { fix } from "../fixes.ts";
import { firstToolkitFor, newestGcc } from "../../knowledge/host-compilers.ts";
import { persons } from "../sentence.ts";
import { smIn } from "./architecture.ts";
import { olderDriver } from "./driver-too-old.ts";
import { showsMore } from "./forward-compat.ts";

/** What follows from the versions in a text alone, where nobody says what is wrong: each a hint, and only where the text names one of each. */
export default function fromFacts(facts: Facts, context: Context): Problem[] {
  return [
    ...driverAndCuda(facts, context),
    ...compatInFront(facts, context),
    ...gpuAndCuda(facts, context),
    ...twoCompilers(facts, context),
    ...gccAndToolkit(facts, context),
    ...ptxAndDriver(facts, context),
  ];
}

// nvcc knows the compilers of its time: a newer gcc's headers are more than it can read.
function gccAndToolkit(facts: Facts, { toolkits }: Context): Problem[] {
  const [gcc] = facts.notices("gcc-here");
  const [toolkit, ...others] = toolkits;
  const major = gcc && Number(gcc.found!.split(".")[0]);
  const first = major === undefined ? undefined : firstToolkitFor(major);
  const newest = toolkit && newestGcc(toolkit.version)?.gcc;
  if (!gcc || !toolkit || 0 < others.length || newest === undefined || major! <= newest || !/\bnvcc\b/i.test(gcc.at.text + toolkit.at.text))
    return [];
  const lines = [gcc.at.text, toolkit.at.text];
  if (!lines.some((text) => complains.test(text))) return [];
  return [
    {
      weight: weights.hint,
      suspects: [
        {
          cause: "toolkit-too-old",
          name: "nvcc",
          required: `a toolkit that knows gcc ${major}, or gcc ${newest} or older`,
          found: `CUDA ${toolkit.version} and gcc ${gcc.found}`,
          certainty: "likely",
          message: `nvcc of CUDA ${toolkit.version} knows gcc up to ${newest}, and gcc ${gcc.found} compiles here`,
          evidence: [gcc, toolkit],
          next: ["gcc --version; nvcc --version"],
          fixes: [
            fix(
              `let nvcc use an older compiler: install gcc ${newest} and name it`,
              `export NVCC_PREPEND_FLAGS='-ccbin /usr/bin/g++-${newest}'`,
            ),
            fix(`or take a newer toolkit${first === undefined ? "" : `: CUDA ${first} or newer takes gcc ${major}`}`),
          ],
        },
      ],
    },
  ];
}

// PTX is compiled by the driver, which knows that of its own CUDA and older.
function ptxAndDriver(facts: Facts, { driver, driverCuda, toolkits }: Context): Problem[] {
  const [told] = facts.notices("ptx-told");
  const toolkit = toolkits.toSorted((a, b) => compareDotted(b.version, a.version))[0];
  const ceiling = driverCuda?.version ?? (driver && !facts.on("windows") ? toolkitOf({ driver: driver.version })?.newest.cuda : undefined);
  if (!told || !toolkit || ceiling === undefined || compareDotted(toolkit.version, ceiling) <= 0) return [];
  return [
    {
      weight: weights.hint,
      suspects: [
        {
          cause: "ptx-newer-than-driver",
          name: "libcuda.so.1",
          library: "libcuda",
          required: `a driver for CUDA ${toolkit.version}, or PTX of CUDA ${ceiling} or older`,
          found: [driver && `driver ${driver.version}`, `CUDA ${ceiling}`].filter(Boolean).join(", "),
          certainty: "likely",
          message: `the PTX is of CUDA ${toolkit.version}, and the driver here compiles that of CUDA ${ceiling} and older`,
          evidence: [told, toolkit, ...[driver ?? driverCuda].filter((fact) => fact !== undefined)],
          next: ["nvidia-smi", "nvcc --version"],
          fixes: [
            fix(
              "ship machine code for the GPUs that it runs on beside the PTX (`-gencode` with `code=sm_…`): that runs on every driver of the same major of CUDA",
            ),
            fix(`or build with CUDA ${ceiling} or older, or install a driver for CUDA ${toolkit.version}`),
          ],
        },
      ],
    },
  ];
}

// Two nvcc speak, each of its own release, and the text is about a build.
function twoCompilers(facts: Facts, { toolkits }: Context): Problem[] {
  const compilers = toolkits.filter(({ from }) => from === "nvcc").sort((a, b) => compareDotted(a.version, b.version));
  const installed = facts.notices("toolkit-installed-told");
  const newest = toolkits.find(({ version }) => installed.some(({ found }) => found === version));
  const [older, newer] = [compilers[0], 1 < compilers.length ? compilers.at(-1) : newest];
  const told = facts.notices("two-compilers").concat(1 < compilers.length ? [] : installed);
  if (!older || !newer || compareDotted(newer.version, older.version) <= 0 || told.length === 0) return [];
  if (1 === compilers.length && !told.some(({ at }) => /\bnvcc\b/.test(at.text) && complains.test(at.text))) return [];
  return [
    {
      weight: weights.hint,
      suspects: [
        {
          cause: "cuda-home-wrong",
          name: "nvcc",
          required: `CUDA ${newer.version}`,
          found: `CUDA ${older.version} first on PATH`,
          certainty: "likely",
          message: `two toolkits are installed, and PATH selects nvcc of CUDA ${older.version} before that of ${newer.version}`,
          evidence: [older, newer, ...told.slice(0, 1)],
          next: ["which -a nvcc; echo $PATH $CUDA_HOME"],
          fixes: [
            fix(
              "let the newer one come first; a distribution's own package lies in /usr/bin",
              `export CUDA_HOME=/usr/local/cuda-${newer.version} PATH=/usr/local/cuda-${newer.version}/bin:$PATH`,
            ),
          ],
        },
      ],
    },
  ];
}

const complains =
  /\b(?:complain\w{0,3}|although|even though|wrong|mismatch|fail\w{0,4}|refus\w{1,3}|cannot|unable|not|never|unsupported|slow|only|crash\w{0,3}|why|how)\b|n['\u2019]t\b|\?/i;
const builds = /\b(?:build\w{0,3}|built|compil\w{1,5}|setup\.py|nvcc|cmake|make|from source|ninja)\b/i;

/** Code for a GPU runs on later ones of its major: a toolkit that knows one of those makes what this one runs, too. */
const runsOlderCode = (sm: string, cuda: string): boolean => {
  const number = numberOf(sm);
  if (number === undefined) return false;
  return architectures().some(
    ({ sm: other, first }) =>
      majorOf(numberOf(other) ?? 0) === majorOf(number) &&
      (numberOf(other) ?? 0) <= number &&
      !isTegra(other) &&
      compareDotted(first, cuda) <= 0,
  );
};

// "RTX 5070 Ti with CUDA 11.8": the one came after the other.
function gpuAndCuda(facts: Facts, { toolkits }: Context): Problem[] {
  const gpu = smIn(facts);
  const first = gpu && architecture(gpu.sm)?.first;
  const newest = toolkits.toSorted((a, b) => compareDotted(b.version, a.version))[0];
  if (!gpu || first === undefined || !newest || 0 <= compareDotted(newest.version, first) || runsOlderCode(gpu.sm, newest.version))
    return [];
  const lines = [gpu.fact.at.text, newest.at.text];
  if (!lines.some((text) => complains.test(text) && persons.test(text))) return [];
  const name = gpu.fact.kind === "gpu" ? (gpu.fact.name ?? gpu.sm) : gpu.sm;
  const base = {
    required: `CUDA ${first} or newer, for ${name} (${gpu.sm})`,
    found: `CUDA ${newest.version}`,
    certainty: "possible" as const,
    evidence: [gpu.fact, newest],
    next: ["nvcc --version", "nvidia-smi --query-gpu=name,compute_cap --format=csv"],
  };
  const toolkit: Suspect = {
    ...base,
    cause: "toolkit-too-old",
    name: "nvcc",
    message: `CUDA ${newest.version} is older than ${name}: it makes no code for ${gpu.sm}, which came with CUDA ${first}`,
    fixes: [fix(`build with CUDA ${first} or newer, and with a PyTorch that was built for it`)],
  };
  const build: Suspect = {
    ...base,
    cause: "arch-unsupported",
    name,
    message: `a build for CUDA ${newest.version} holds no code for ${name} (${gpu.sm}), which came with CUDA ${first}`,
    fixes: [fix(`take builds for CUDA ${first} or newer: of the framework, and of whatever is compiled for it`)],
  };
  return [{ weight: weights.hint, suspects: lines.some((text) => builds.test(text)) ? [toolkit, build] : [build, toolkit] }];
}

// "driver 418.87, CUDA 10.2": the one does not run the other.
function driverAndCuda(facts: Facts, { driver, driverCuda, toolkits }: Context): Problem[] {
  const [toolkit, ...others] = toolkits;
  const drivers = new Set(facts.all("driver").map(({ version }) => version));
  if (!driver || !toolkit || 0 < others.length || 1 < drivers.size || driverCuda) return [];
  if (isTooOld(driver.version, toolkit.version, facts.on("windows")) !== true) return [];
  const gpu = smIn(facts)?.sm;
  const least = leastDriver([{ cuda: toolkit.version }], gpu === undefined ? [] : [gpu])?.driver;
  return olderDriver({
    required: `${least === undefined ? "a newer driver" : `driver ${least} or newer`} for CUDA ${toolkit.version}`,
    found: `driver ${driver.version}`,
    message: `driver ${driver.version} is older than CUDA ${toolkit.version} needs`,
    evidence: [driver, toolkit],
    fixes: [fix("install a newer NVIDIA driver, or use an older CUDA")],
  });
}

// nvidia-smi shows the newest CUDA of the libcuda that it finds: above what the driver's release has, a compat library answers.
function compatInFront(facts: Facts, context: Context): Problem[] {
  const { driver, driverCuda } = context;
  if (!driver || !driverCuda || !showsMore(facts, context)) return [];
  return [
    {
      weight: weights.hint,
      suspects: [
        {
          cause: "forward-compat-misuse",
          name: "libcuda.so.1",
          library: "libcuda",
          required: `the libcuda of driver ${driver.version}`,
          found: `one that runs CUDA ${driverCuda.version}`,
          certainty: "possible",
          message: `CUDA ${driverCuda.version} is more than driver ${driver.version} runs by itself: a libcuda of a cuda-compat package is found first`,
          evidence: [driver, driverCuda],
          next: ["culprit why libcuda.so.1", "ldconfig -p | grep libcuda.so"],
          fixes: [
            fix(
              "leave the compat folder out of LD_LIBRARY_PATH, unless the GPU is one of a data center and the driver's branch is served by it",
            ),
          ],
        },
      ],
    },
  ];
}
