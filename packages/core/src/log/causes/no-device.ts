import { weights, type Problem, type Suspect } from "../cause.ts";
import { type Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix, gpuAccess } from "../fixes.ts";
import { moduleMissing } from "../kernel-module.ts";

/** GPUs are counted from 0: who names the first one hides nothing that is there. */
const isBeyondFirst = ({ name, value }: Fact<"variable">): boolean =>
  name.endsWith("VISIBLE_DEVICES") && /^["']?[1-9]\d?(?:\D|$)/.test(value);

/** The program itself sets the variable, and no shell takes that back. */
const inProgram = /\benviron\b|\bsetenv\b|\bputenv\b/;
const shownByProgram =
  "take the line that sets the variable out of the program, or name a GPU there that the machine has: they are counted from 0, and `nvidia-smi -L` lists them";

/** Where a GPU comes from somebody who was not asked for one, no variable brings it. */
function shown(variable: Fact<"variable"> | undefined, facts: Facts, context: Context) {
  if (variable && inProgram.test(variable.at.text)) return fix(shownByProgram);
  const [part] = facts.notices("mig-part");
  if (part)
    return fix(
      "name the part (MIG) that the process is to use, as `nvidia-smi -L` lists it: a process sees one part alone",
      `export CUDA_VISIBLE_DEVICES=${part.subject}`,
    );
  if (!variable && context.containers === "kubernetes") return gpuAccess(context, "start the pod with");
  if (!variable && 0 < facts.notices("scheduler").length && !context.inContainer)
    return fix("ask the scheduler for a GPU; this shows whether it gives one:", "srun --gres=gpu:1 nvidia-smi");
  return fix("show the process a GPU", "unset CUDA_VISIBLE_DEVICES");
}

/** The driver answers, and shows no GPU. */
export default function noDevice(facts: Facts, context: Context): Problem[] {
  const errors = facts.all("cuda-error").filter(({ code }) => code === 100 || code === 101);
  const files = facts.notices("no-nvidia-device-file", "no-devices");
  const hiding = facts
    .all("variable")
    .filter(
      ({ name, value }) =>
        name.endsWith("VISIBLE_DEVICES") && (/^-1|^["']?["']?$|^NoDevFiles|^void|^none$|^\$/.test(value) || value === ""),
    );
  const restricted = facts.all("variable").find(isBeyondFirst);
  const lost = facts.all("not-found").some(({ name }) => name.startsWith("libcuda.so") || name === "nvcuda.dll");
  if (errors.length === 0 && (files.length === 0 || lost)) return [];
  const evidence: Fact[] = [...errors, ...files, ...hiding];
  const variable = hiding[0] ?? restricted;
  const hidden: Suspect = {
    cause: "not-a-mismatch",
    name: variable ? `${variable.name}=${variable.value}` : "CUDA_VISIBLE_DEVICES",
    required: "a GPU that the process may see",
    found: variable ? `${variable.name}=${variable.value}` : "no GPU visible to the process",
    certainty: hiding[0] ? "certain" : "likely",
    message: hiding[0]
      ? `${hiding[0].name}=${hiding[0].value} hides the GPUs from the process`
      : variable
        ? `${variable.name}=${variable.value} names a GPU that is not there, which hides all: they are counted from 0`
        : 0 < facts.notices("mig-part").length
          ? "the GPU is divided (MIG): a process sees one part alone, which must be named; a second one, or the whole GPU, is not there for it"
          : "the driver answers, and shows no GPU to this process: none was allotted, or CUDA_VISIBLE_DEVICES hides it",
    evidence,
    next: ["nvidia-smi -L", "echo $CUDA_VISIBLE_DEVICES; ls -l /dev/nvidia*"],
    fixes: [shown(variable, facts, context)],
  };
  const exposed: Suspect = {
    ...hidden,
    cause: "driver-not-exposed",
    name: "libcuda.so.1",
    certainty: "possible",
    message: "or the container was started without GPU access",
    fixes: [gpuAccess(context)],
  };
  if (variable) return [{ weight: weights.refused, suspects: [hidden, ...(hiding[0] ? [] : [exposed])] }];
  return [{ weight: weights.failed, suspects: withoutVariable(hidden, exposed, facts, context) }];
}

/** No variable hides it: where TensorFlow found no driver in the kernel either, nothing can answer. */
function withoutVariable(hidden: Suspect, exposed: Suspect, facts: Facts, context: Context): Suspect[] {
  const kernel = facts.notices("no-kernel-driver");
  if (0 < kernel.length && !context.driver && !context.inContainer)
    return [
      moduleMissing("likely", [...hidden.evidence, ...kernel], facts),
      { ...hidden, certainty: "possible", message: "or the GPUs are hidden from the process, or none was allotted" },
      exposed,
    ];
  const module: Suspect = {
    ...exposed,
    cause: "kernel-module-missing",
    name: "nvidia kernel module",
    message: "or the kernel module is not loaded",
  };
  // No device file in a container: none was given to it, and then no variable hides any.
  const files = facts.notices("no-nvidia-device-file");
  if (0 < files.length && context.inContainer)
    return [
      { ...exposed, certainty: "likely", message: "the container was started without GPU access: it has no device file of a GPU" },
      { ...hidden, certainty: "possible", message: `or ${hidden.message}` },
    ];
  return [hidden, exposed, ...(context.driver ? [] : [module])];
}
