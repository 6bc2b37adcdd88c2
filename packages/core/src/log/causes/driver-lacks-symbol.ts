import { weights, type Problem } from "../cause.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix } from "../fixes.ts";
import { coded } from "../what-runs.ts";

/** What the process took for the driver lacks a function. */
export default function driverLacksSymbol(facts: Facts): Problem[] {
  return symbolOfDriver(coded(facts, 500), facts);
}

const name = "libcuda.so.1";

const library = "libcuda";

// Error 500: what the process took for the driver lacks a function that the runtime asked for by name.
function symbolOfDriver(evidence: Fact[], facts: Facts): Problem[] {
  if (evidence.length === 0) return [];
  const base = { name, library, evidence, next: ["nvidia-smi", "culprit why libcuda.so.1"] };
  const desktop = facts.on("windows") || facts.on("wsl2");
  return [
    {
      weight: weights.hint,
      symptom: "the driver lacks a function that the CUDA runtime asks for (error 500)",
      suspects: [
        {
          ...base,
          cause: "driver-too-old",
          certainty: "possible",
          message: "the driver is older than the runtime, or the container was given only a part of it",
          fixes: [
            desktop
              ? fix(
                  "bring the driver in Windows, WSL and Docker Desktop up to date; error 500 came with drivers that were newer than the container toolkit in Docker Desktop",
                )
              : fix("install a newer NVIDIA driver, and bring the container toolkit up to date"),
          ],
        },
        {
          ...base,
          cause: "upstream-bug",
          certainty: "possible",
          message: "or driver and container toolkit are of releases that do not know each other (seen with Docker Desktop and driver 555)",
          fixes: [],
        },
        {
          ...base,
          cause: "library-wrong-version",
          certainty: "possible",
          message: "or another libcuda than the driver's own is loaded",
          fixes: [],
        },
        {
          ...base,
          cause: "kernel-module-mismatch",
          certainty: "possible",
          message: "or the driver was updated and the machine not restarted",
          fixes: [],
        },
      ],
    },
  ];
}
