import { weights, type Problem } from "../cause.ts";
import type { Facts } from "../fact.ts";
import { fix } from "../fixes.ts";

/** The system's own package managers, which keep the driver, CUDA and cuDNN of one origin and one release together. */
export default function systemPackages(facts: Facts): Problem[] {
  const unmet = facts.notices("apt-unmet", "pacman-breaks", "spack-conflict");
  const overwrite = facts.notices("dpkg-overwrite");
  const evidence = [...unmet, ...overwrite];
  if (evidence.length === 0) return [];
  // A line that names both sides says more than one that only says no.
  const told = unmet.find(({ required, found }) => required !== undefined && found !== undefined) ?? evidence[0]!;
  const both = told.id !== "dpkg-overwrite";
  return [
    {
      weight: weights.refused,
      suspects: [
        {
          cause: "package-conflict",
          name: told.subject ?? "packages",
          ...(both && told.required !== undefined ? { required: `${told.subject ?? ""} ${told.required}`.trim() } : {}),
          ...(told.found === undefined ? {} : { found: `${told.subject ?? ""} ${told.found}`.trim() }),
          certainty: "certain",
          message: both
            ? "packages of the driver or of CUDA from two sources or two releases exclude each other"
            : `two packages bring \`${told.required}\`: the driver or CUDA is installed from two sources`,
          evidence: evidence.slice(0, 5),
          ...(told.id === "apt-unmet" || told.id === "dpkg-overwrite"
            ? {
                next: ["apt list --installed 2>/dev/null | grep -i 'nvidia\\|cuda\\|cudnn'", `apt-cache policy ${told.subject ?? "cuda"}`],
                fixes: [
                  fix(
                    "keep one source for the driver and for CUDA: remove the packages of the other, then install again",
                    "sudo apt-get --fix-broken install",
                  ),
                ],
              }
            : { next: [], fixes: [fix("take packages of one release and one source for the driver and for CUDA, updated in one step")] }),
        },
      ],
    },
  ];
}
