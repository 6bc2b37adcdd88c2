import { libraryOf } from "../../knowledge/libraries.ts";
import { weights, type Problem, type Suspect } from "../cause.ts";
import { type Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix, driverReachesFixes } from "../fixes.ts";

/** TensorFlow tries to open everything on a machine without a GPU, and says what it did not find. */
export default function cpuMachine(facts: Facts, context: Context): Problem[] {
  const lost = facts.all("not-found").filter(({ by }) => by === "tensorflow" || by === "loader");
  const driver = lost.filter(({ name }) => /^libcuda\.so|^nvcuda\.dll/.test(name));
  const spoken = facts.notices("tf-no-cuda-drivers", "tf-no-gpu-set-up", "no-nvidia-device-file", "no-kernel-driver", "jax-cpu");
  const gpu = facts.has("gpu") || facts.has("driver") || facts.has("driver-cuda") || 0 < facts.notices("tf-skipped-gpus").length;
  const noDriver =
    0 < driver.length &&
    driver.every(
      ({ by }) =>
        by === "tensorflow" || facts.all("not-found").some((other) => other.by === "tensorflow" && other.name === driver[0]!.name),
    );
  const uninit = facts.all("cuda-error").some(({ code }) => code === 303);
  const none = facts.notices("no-gpu-here");
  if (0 < none.length && 0 < lost.length && lost.some(({ by }) => by === "tensorflow")) return [saidToHaveNone(lost, none)];
  if (gpu || (!noDriver && spoken.length === 0 && !uninit)) return [];
  const evidence: Fact[] = [...driver, ...lost.filter(({ name }) => libraryOf(name)), ...spoken].slice(0, 6);
  const { cpu, exposed, lacking } = readings(facts, context, evidence, noDriver);
  const onlyWord = !noDriver && facts.notices("tf-no-cuda-drivers").length > 0;
  const untold = onlyWord ? [cpu, lacking, exposed] : [cpu, exposed, ...(noDriver ? [] : [lacking])];
  // With the driver's own library lost among others, the others are no faults of their own.
  return [
    {
      weight: noDriver ? weights.refused + 1 : weights.harmless + 4,
      suspects: wantedBy(facts, { cpu, exposed, lacking }) ?? untold,
    },
  ];
}

/** The same where a GPU was meant to be used: who names a CUDA release or a GPU in such a text has set one up. */
function wantedBy(facts: Facts, { cpu, exposed, lacking }: ReturnType<typeof readings>): Suspect[] | undefined {
  const ofJax = 0 < facts.notices("jax-cpu").length;
  const told = facts.has("toolkit") || facts.on("windows") || 0 < facts.notices("gpu-said", "gpu-there-told").length;
  // A toolkit of one's own on LD_LIBRARY_PATH, and its runtime opened: only the driver is not reached.
  const meant =
    facts.all("variable").some(({ name, value }) => name === "LD_LIBRARY_PATH" && /cuda/i.test(value)) &&
    facts.all("opened").some(({ name }) => name.startsWith("libcudart"));
  const missed = 0 < facts.notices("no-gpu-seen", "gpu-not-seen", "gpu-unused").length;
  if (!missed && !facts.all("available").some(({ value }) => !value) && !(told && ofJax) && !meant) return undefined;
  return ofJax
    ? [{ ...lacking, certainty: "likely" }, exposed, withoutLibraries(lacking), cpu]
    : [{ ...exposed, certainty: "likely" }, ...(meant ? [driverElsewhere(exposed)] : []), lacking, cpu];
}

/** The text says that there is no GPU: what TensorFlow does not find is nothing that anybody misses. */
const saidToHaveNone = (lost: Fact[], none: Fact[]): Problem => ({
  weight: weights.said + 2,
  suspects: [
    {
      cause: "benign-warning",
      name: "CPU run",
      certainty: "likely",
      message: "there is no GPU here, and TensorFlow runs on the CPU: it only says which libraries of CUDA it did not find",
      evidence: [...lost.slice(0, 2), ...none],
      next: [],
      fixes: [fix("nothing is to be done; this keeps such lines away:", "export TF_CPP_MIN_LOG_LEVEL=2")],
    },
  ],
});

/** What such lines may mean, one reading for each kind of machine. */
function readings(facts: Facts, context: Context, evidence: Fact[], noDriver: boolean): Record<"cpu" | "exposed" | "lacking", Suspect> {
  const cpu: Suspect = {
    cause: "benign-warning",
    name: "CPU run",
    certainty: noDriver ? "likely" : "possible",
    message: "no NVIDIA driver is here: on a machine without a GPU the framework runs on the CPU, and these lines mean nothing more",
    evidence,
    next: ["nvidia-smi"],
    fixes: [fix("nothing is to be done for a run on the CPU")],
  };
  const exposed: Suspect = {
    ...cpu,
    cause: "driver-not-exposed",
    name: "libcuda.so.1",
    library: "libcuda",
    certainty: "possible",
    message: "where there is a GPU: its driver does not reach the process",
    fixes: driverReachesFixes(context),
  };
  const missing: Suspect = {
    ...exposed,
    cause: "library-missing",
    name: "libcudart.so",
    library: "cudart",
    message: "where there is a GPU and a driver: the CUDA libraries are not installed",
    fixes: [fix("install TensorFlow with its CUDA packages", `pip install "tensorflow[and-cuda]"`)],
  };
  return { cpu, exposed, lacking: facts.notices("jax-cpu").length > 0 ? jaxWithoutCuda(facts, missing) : missing };
}

/** Nix and other loaders of their own do not look where the distribution puts its driver. */
const driverElsewhere = (base: Suspect): Suspect => ({
  ...base,
  cause: "library-not-on-path",
  message:
    "or the driver's libcuda.so.1 lies where this program's loader does not look: a Python of Nix or conda has a loader's list of its own",
  next: ["ldconfig -p | grep libcuda.so.1; find / -name libcuda.so.1 2>/dev/null"],
  fixes: [fix("let the loader look where the driver is", "export LD_LIBRARY_PATH=/usr/lib/x86_64-linux-gnu:$LD_LIBRARY_PATH")],
});

const withoutLibraries = (base: Suspect): Suspect => ({
  ...base,
  cause: "library-missing",
  name: "libcudart.so",
  library: "cudart",
  message: "or jaxlib is for CUDA, and does not find CUDA's libraries",
  next: ["TF_CPP_MIN_LOG_LEVEL=0 python -c 'import jax; jax.devices()'"],
  fixes: [],
});

/** "No GPU/TPU found" is JAX's own line, and on Linux its wheel without CUDA is what pip installs unasked. */
export function jaxWithoutCuda(facts: Facts, base: Suspect): Suspect {
  return {
    ...base,
    cause: "wrong-wheel-cpu-only",
    name: "jaxlib",
    message: "the jaxlib that is installed has no CUDA: `pip install jax` brings none",
    next: ["pip list | grep -i jax", "nvidia-smi"],
    fixes: facts.on("windows")
      ? [fix("JAX has no build with CUDA for Windows: use it under WSL 2")]
      : [fix("install JAX with CUDA", `pip install -U "jax[cuda12]"`)],
  };
}
