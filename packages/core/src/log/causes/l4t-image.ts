import { weights, type Problem, type Suspect } from "../cause.ts";
import type { Facts } from "../fact.ts";
import { fix } from "../fixes.ts";

/** An image for another release of Jetson Linux than the host's: up to JetPack 4 the host's own libraries are put into it, and do not fit. */
export default function l4tImage(facts: Facts): Problem[] {
  const image = facts.notices("l4t-image").at(-1);
  const host = facts.notices("l4t-host").toSorted((a, b) => b.found!.length - a.found!.length)[0];
  if (!image || !host || !isOther(image.required!, host.found!)) return [];
  const base: Omit<Suspect, "cause" | "message" | "certainty"> = {
    name: image.subject!,
    required: `an image for L4T ${host.found}`,
    found: `one for L4T ${image.required}`,
    evidence: [image, host],
    next: ["cat /etc/nv_tegra_release"],
    fixes: [
      fix(`take the image whose tag has the host's own release (r${host.found}), or bring the host's JetPack to L4T ${image.required}`),
    ],
  };
  return [
    {
      weight: weights.said,
      suspects: [
        {
          ...base,
          cause: "library-wrong-version",
          certainty: "likely",
          message: `the image is for L4T ${image.required}, and the host runs ${host.found}: CUDA's libraries and the driver of a Jetson belong to one release`,
        },
        {
          ...base,
          cause: "driver-too-old",
          certainty: "possible",
          message: "so the host's driver is older than the image's CUDA",
          fixes: [],
        },
        {
          ...base,
          cause: "driver-not-exposed",
          certainty: "possible",
          message: "and the host's libraries are not where the image looks for them",
          fixes: [],
        },
      ],
    },
  ];
}

// Of L4T 32 every release has libraries of its own; later ones bring CUDA within the image, and only their major must be the same.
function isOther(image: string, host: string): boolean {
  const [major, minor] = image.split(".");
  const [ofHost, minorOfHost] = host.split(".");
  return major !== ofHost || (major === "32" && minorOfHost !== undefined && minor !== minorOfHost);
}
