import { cudaToolkits } from "../../knowledge/texts/cuda-toolkits.generated.ts";
import { compareDotted } from "../../knowledge/dotted.ts";
import { leastDriver } from "../../knowledge/goes-together.ts";
import { toolkitOf } from "../../knowledge/toolkits.ts";
import { weights, type Problem, type Suspect } from "../cause.ts";
import { type Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix } from "../fixes.ts";
import { coded, runtimeOf, smsIn } from "../what-runs.ts";

/** PTX that the driver, or the linker of the program, cannot read. */
export default function newerThanRead(facts: Facts, context: Context): Problem[] {
  return newerPtx(coded(facts, 222, 218), facts, context);
}

const name = "libcuda.so.1";

const library = "libcuda";

// Before CUDA 11.1 the driver had no code of its own for PTX that is too new: it said 218, as for any PTX that it cannot read.
function newerPtx(errors: Fact<"cuda-error">[], facts: Facts, context: Context): Problem[] {
  const told = facts.all("ptx-version").filter(({ linker }) => linker);
  if (errors.length === 0 && told.length === 0) return [];
  const newer = ptxNewer([...errors, ...told.slice(0, 1)], facts, context);
  const sure = errors.some(({ code }) => code === 222) || (0 < errors.length && facts.has("ptx-version"));
  const linker = facts.notices("nvjitlink-failed");
  if (sure && linker.length === 0)
    return [
      {
        weight: facts.has("ptx-version") ? weights.said : weights.refused,
        suspects: [newer, ...(facts.on("jetson") ? [ofServers(newer)] : [])],
      },
    ];
  const versions = told[0];
  const old: Suspect = {
    cause: "toolkit-too-old",
    name: "libnvJitLink.so",
    library: "nvjitlink",
    ...(versions === undefined ? {} : { required: `PTX ${versions.wanted}`, found: `PTX ${versions.known}` }),
    certainty: "possible",
    message: "nvJitLink is of an older CUDA than the compiler that made the PTX",
    evidence: [...linker, ...told],
    next: ["pip list | grep -i 'nvjitlink\\|nvcc\\|nvrtc\\|numba'"],
    fixes: [
      fix(
        "bring nvJitLink and the compiler parts to one CUDA release",
        "pip install --upgrade nvidia-nvjitlink-cu12 nvidia-cuda-nvcc-cu12",
      ),
    ],
  };
  if (0 < linker.length)
    return [
      {
        weight: weights.refused,
        suspects: [
          { ...old, certainty: "likely" },
          { ...old, cause: "library-wrong-version", message: "or an nvJitLink of another release is found before the right one" },
          { ...newer, certainty: "possible" },
        ],
      },
    ];
  // 218 alone is said of any PTX that cannot be read.
  const arch: Suspect = {
    ...newer,
    cause: "arch-unsupported",
    name: "the GPU",
    required: "code for this GPU",
    certainty: "possible",
    message: "or the program was built before this GPU, and the PTX that it brings does not serve it",
    fixes: [fix("install a build with code for this GPU")],
  };
  return [
    {
      weight: weights.refused,
      symptom: "the driver cannot read the PTX that it is given",
      suspects: [{ ...newer, certainty: versions ? "likely" : "possible" }, ...(versions ? [old] : [arch])],
    },
  ];
}

/** A Jetson's driver comes with its JetPack: what was built for servers brings PTX of another release. */
const ofServers = (newer: Suspect): Suspect => ({
  ...newer,
  cause: "wrong-wheel-platform",
  name: "the program",
  required: "a build for Jetson (JetPack, L4T)",
  certainty: "possible",
  message: "or the program's build for arm64 is one for servers, with CUDA libraries that the Jetson's driver does not serve",
  fixes: [fix("build it on the Jetson itself, or take NVIDIA's package for its JetPack")],
});

// Numba and OpenMM compile when they run, with the toolkit that they find.
const isOfNumba = (facts: Facts, { speaker }: Context): boolean =>
  speaker === "numba" || facts.everything().some(({ at }) => /\bnumba\b|<cudapy-ptx>|^.{0,4}Error loading CUDA module/.test(at.text));

function olderCompiler(cuda: string, { conda }: Context): ReturnType<typeof fix> {
  const [major, minor] = cuda.split(".");
  if (conda || Number(major) < 12)
    return fix(
      `or give it the CUDA that the driver knows`,
      `conda install -c conda-forge ${Number(major) < 12 ? `cudatoolkit=${cuda}` : `cuda-nvcc cuda-nvrtc "cuda-version=${cuda}"`}`,
    );
  return fix(
    "or give it the compiler of the CUDA that the driver knows",
    `pip install "nvidia-cuda-nvcc-cu${major}==${major}.${minor}.*" "nvidia-cuda-nvrtc-cu${major}==${major}.${minor}.*"`,
  );
}

function ptxNewer(errors: Fact[], facts: Facts, context: Context): Suspect {
  // The driver's own ptxas says which PTX it was given and which it knows.
  const versions = facts.all("ptx-version")[0];
  const made = versions && cudaToolkits().toolkits.find(({ ptx }) => ptx === versions.wanted)?.cuda;
  const knows = versions && cudaToolkits().toolkits.find(({ ptx }) => ptx === versions.known)?.cuda;
  const has = context.driver?.version;
  const gives =
    knows ??
    (has === undefined || facts.on("windows")
      ? context.driverCuda?.version
      : (context.driverCuda?.version ?? toolkitOf({ driver: has })?.newest.cuda));
  const spoken = runtimeOf(facts, context);
  // What somebody has installed is not what a program that he did not build was made with.
  const isSaid = spoken?.fact?.kind === "toolkit" && spoken.fact.from === "said" && context.driver === undefined;
  const named = made === undefined ? (isSaid ? undefined : spoken) : { cuda: made, fact: versions };
  // What the driver reads did not make this PTX: another toolkit did, which the text does not name.
  const runtime = named && (gives === undefined || 0 < compareDotted(named.cuda, gives)) ? named : undefined;
  const least = runtime && leastDriver([{ cuda: runtime.cuda, makesPtx: true }], smsIn(facts));
  return {
    cause: "ptx-newer-than-driver",
    name,
    library,
    // Either side may give way: the driver, or the toolkit that made the PTX.
    required: `${
      runtime
        ? `a driver for CUDA ${runtime.cuda}${least === undefined ? "" : ` (${least.driver})`}`
        : "a driver as new as the toolkit that made the PTX"
    }${versions ? ` that reads PTX ${versions.wanted}` : ""}${gives === undefined ? "" : `, or PTX ${versions ? `${versions.known} ` : ""}of CUDA ${gives} at most`}`,
    ...(has === undefined && gives === undefined
      ? {}
      : {
          found: `${has ?? "a driver"}${gives === undefined ? "" : ` (CUDA ${gives})`}${versions ? `, which reads PTX ${versions.known}; it got PTX ${versions.wanted}` : ""}`,
        }),
    certainty: "certain",
    message: `the program brings PTX of a newer toolkit than the driver${has === undefined ? "" : ` ${has}`} can translate${gives === undefined ? "" : ` (it knows CUDA ${gives})`}`,
    evidence: [...errors, context.driver, context.driverCuda, runtime?.fact].filter((fact) => fact !== undefined),
    next: ["nvidia-smi"],
    fixes: [
      fix(`install a newer NVIDIA driver${least === undefined || facts.on("windows") ? "" : ` (${least.driver} or newer)`}`),
      ...(gives !== undefined && isOfNumba(facts, context) ? [olderCompiler(gives, context)] : []),
      ...(gives !== undefined && isOfNumba(facts, context)
        ? []
        : [
            fix(
              `or build with ${gives === undefined ? "an older toolkit" : `CUDA ${gives} or older`}, or for this very GPU (\`nvcc -arch=native\`), so that no PTX must be translated`,
            ),
          ]),
    ],
  };
}
