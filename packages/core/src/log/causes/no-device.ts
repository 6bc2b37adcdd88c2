import { weights, type Problem, type Suspect } from "../cause.ts";
import { type Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix, gpuAccess } from "../fixes.ts";

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
  const restricted = facts.all("variable").find(({ name }) => name.endsWith("VISIBLE_DEVICES"));
  const lost = facts.all("not-found").some(({ name }) => name.startsWith("libcuda.so") || name === "nvcuda.dll");
  if (errors.length === 0 && (files.length === 0 || lost)) return [];
  const evidence: Fact[] = [...errors, ...files, ...hiding];
  const variable = hiding[0] ?? restricted;
  const hidden: Suspect = {
    cause: "not-a-mismatch",
    name: variable ? `${variable.name}=${variable.value}` : "CUDA_VISIBLE_DEVICES",
    required: "a GPU that the process may see",
    found: variable ? `${variable.name}=${variable.value}` : "no GPU visible to the process",
    certainty: variable ? "certain" : "likely",
    message: variable
      ? `${variable.name}=${variable.value} hides the GPUs from the process`
      : "the driver answers, and shows no GPU to this process: none was allotted, or CUDA_VISIBLE_DEVICES hides it",
    evidence,
    next: ["nvidia-smi -L", "echo $CUDA_VISIBLE_DEVICES; ls -l /dev/nvidia*"],
    fixes: [fix("show the process a GPU", "unset CUDA_VISIBLE_DEVICES")],
  };
  const exposed: Suspect = {
    ...hidden,
    cause: "driver-not-exposed",
    name: "libcuda.so.1",
    certainty: "possible",
    message: "or the container was started without GPU access",
    fixes: [gpuAccess(context)],
  };
  return [
    {
      weight: variable ? weights.refused : weights.failed,
      suspects: hiding[0]
        ? [hidden]
        : [
            hidden,
            exposed,
            ...(context.driver
              ? []
              : [
                  {
                    ...exposed,
                    cause: "kernel-module-missing" as const,
                    name: "nvidia kernel module",
                    message: "or the kernel module is not loaded",
                  },
                ]),
          ],
    },
  ];
}
