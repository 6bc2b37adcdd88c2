import { weights, type Problem } from "../cause.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix } from "../fixes.ts";

/** CUDA on a Mac: none is made for it since 10.2, and its GPUs are Apple's or AMD's. */
export default function apple(facts: Facts): Problem[] {
  if (!facts.on("macos") || facts.has("driver") || facts.has("driver-cuda")) return [];
  const container = facts.all("container").filter(({ what }) => what === "no-runtime" || what === "no-library");
  const unseen = facts.all("available").filter(({ by, value }) => by === "torch" && !value);
  const evidence: Fact[] = [
    ...unseen,
    ...facts.notices(
      "cuda-home-unset",
      "no-cuda-toolset",
      "nvcc-missing",
      "cmake-no-nvcc",
      "header-missing",
      "no-driver",
      "torch-without-cuda",
      "bnb-without-gpu",
      "bnb-no-library",
      "own-part-lost",
      "xformers-without-cuda",
    ),
    // A build for CUDA by its label, which no index has for a Mac.
    ...facts.notices("pip-no-version").filter(({ subject }) => /\+cu\d/.test(subject ?? "")),
    ...facts.all("not-found").filter(({ name }) => /^lib(?:cuda|nvidia)/.test(name)),
    ...container,
  ];
  // Code that was compiled for another PyTorch fails on a Mac as anywhere.
  if (evidence.length === 0 || facts.has("undefined-symbol")) return [];
  // PyTorch for Macs says of itself that it has no CUDA: its own step speaks first.
  const ofTorch = evidence.every((fact) => fact.kind === "available" || (fact.kind === "notice" && fact.id === "torch-without-cuda"));
  if (ofTorch && 0 < facts.notices("torch-without-cuda").length) return [];
  return [
    {
      weight: ofTorch ? weights.failed : weights.said + 1,
      suspects: [
        {
          cause: "wrong-vendor",
          name: "the Mac's GPU",
          required: "an NVIDIA GPU, on Linux or Windows",
          found: "a Mac",
          certainty: "likely",
          message:
            "the program wants CUDA, and there is none for Macs: their GPUs are not NVIDIA's, and a container on one has no GPU at all",
          evidence: evidence.slice(0, 3),
          next: [],
          fixes: [
            fix("use what the project has for Macs: its build for Metal or the CPU; with PyTorch the device `mps` in the place of `cuda`"),
            fix("or run it on a machine with an NVIDIA GPU"),
          ],
        },
      ],
    },
  ];
}
