import type { Cause } from "../model/cause.ts";
import type { Diagnosis } from "../model/explain.ts";
import type { Context } from "./context.ts";
import type { Facts } from "./fact.ts";
import { ofAmdAlone } from "./vendor.ts";

// The first group that the open causes lie in decides what to ask; each asks for something that tells them apart.
const groups: [causes: Cause[], ask: (first: Diagnosis, context: Context) => string][] = [
  [
    ["profiler-permission", "profiler-conflict", "profiler-platform-unsupported", "cupti-too-old-for-driver"],
    () => "Does the program run on the machine itself, in a container, in a virtual machine or under WSL, and as which user?",
  ],
  [["arch-unsupported"], () => "Which GPU is it? (`nvidia-smi --query-gpu=name,compute_cap --format=csv`)"],
  [
    ["driver-not-exposed", "kernel-module-missing", "kernel-module-mismatch", "stub-library", "forward-compat-misuse"],
    () => "What does `nvidia-smi` print in the same shell or container?",
  ],
  [["driver-too-old", "ptx-newer-than-driver"], () => "Which driver is it? (`nvidia-smi` shows it in its first line)"],
  [["library-missing", "library-not-on-path", "library-wrong-version", "library-shadowed", "mixed-cudnn-sublibraries"], whereIs],
  [
    ["wrong-wheel-cuda-version", "wrong-wheel-cpu-only", "package-conflict", "upstream-bug"],
    () => "Which packages are installed? (`pip list | grep -i 'torch\\|tensorflow\\|jax\\|nvidia\\|cuda'`)",
  ],
  [
    ["toolkit-too-old", "toolkit-vs-framework-at-build", "cuda-home-wrong"],
    () => "Which toolkits are installed, and which is first? (`nvcc --version; ls -d /usr/local/cuda-*`)",
  ],
];

// What is no file's name cannot be looked for.
function whereIs({ name = "" }: Diagnosis, { containers }: Context): string {
  const place = containers === undefined ? "on the machine" : "in the container";
  if (name.endsWith(".dll")) return `Is \`${name}\` anywhere ${place}? (\`where ${name}\`)`;
  if (name === "ptxas" || name === "nvcc")
    return `Is \`${name}\` anywhere ${place}? (\`which -a ${name}; ls /usr/local/cuda*/bin/${name}\`)`;
  if (!name.startsWith("lib")) return `Which copies of CUDA's libraries are ${place}? (\`culprit list\`)`;
  const pattern = name.includes(".so") ? `${name.split(".so")[0]}.so*` : name;
  return `Is \`${name}\` anywhere ${place}, and where? (\`find / -name '${pattern}' 2>/dev/null\`)`;
}

/** The one question whose answer would decide among what the text leaves open; undefined where it says enough. */
export function questionOf(diagnoses: Diagnosis[], facts: Facts, context: Context): string | undefined {
  const [first] = diagnoses;
  if (!first) return unanswered(facts, context);
  if (first.certainty !== "possible") return undefined;
  // Somebody asks about versions, and names nobody who has them.
  if (context.speaker === undefined && 0 < facts.notices("said-mismatch").length)
    return "Which framework is it, of which release, and what does it print? The message names both versions.";
  const open = new Set(diagnoses.filter(({ symptom }) => symptom === first.symptom).map(({ cause }) => cause));
  if (open.size < 2) return undefined;
  // Who says where his program runs is not asked about that.
  const placed = facts.on("wsl2") || facts.on("colab") || facts.on("kaggle") || facts.on("container");
  const group = groups.find(([causes]) => (!placed || !causes.includes("profiler-permission")) && causes.some((cause) => open.has(cause)));
  // About what the group speaks of, which need not be what comes first.
  const asked = group && diagnoses.find(({ cause }) => group[0].includes(cause));
  if (asked && ofAmdAlone(facts) && !facts.on("windows"))
    return amdQuestions.find(([causes]) => causes.includes(asked.cause))?.[1] ?? group[1](asked, context);
  return asked && group[1](asked, context);
}

const amdQuestions: [causes: Cause[], question: string][] = [
  [["arch-unsupported"], "Which GPU is it? (`rocminfo | grep gfx`)"],
  [
    ["driver-not-exposed", "kernel-module-missing"],
    "What do `rocminfo` and `ls -l /dev/kfd /dev/dri` print in the same shell or container?",
  ],
  [["upstream-bug"], "Which releases are they? (`pip list | grep -i 'torch\\|rocm\\|triton'; ls -d /opt/rocm*`)"],
];

function unanswered(facts: Facts, { driver, speaker }: Context): string | undefined {
  const ended = 0 < facts.notices("ended-with-error").length;
  const versions = facts.has("framework") || facts.has("package") || facts.has("toolkit");
  if (!ended && !versions && !driver && !facts.has("gpu")) return undefined;
  if (!ended) return "What does the program print when it fails? The last twenty lines say most.";
  if (!versions) return "Which packages are installed? (`pip list | grep -i 'torch\\|tensorflow\\|jax\\|nvidia\\|cuda'`)";
  if (!driver) return "What does `nvidia-smi` print in the same shell or container?";
  return speaker === undefined ? "Which program prints this, and in which release?" : undefined;
}
