import { weights, type Problem, type Suspect } from "../cause.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix } from "../fixes.ts";
import { coded } from "../what-runs.ts";

/** What the process took for the driver lacks a function. */
export default function driverLacksSymbol(facts: Facts): Problem[] {
  return symbolOfDriver(coded(facts, 500), facts);
}

const name = "libcuda.so.1";

const library = "libcuda";

// Seen with Docker Desktop, where the driver of Windows was newer than what hands it to containers.
const isFirst555 = (facts: Facts): boolean =>
  (facts.on("windows") || facts.on("wsl2")) &&
  facts.on("container") &&
  facts.all("driver").some(({ version }) => version.startsWith("555."));

const ofFirst555 = (base: Pick<Suspect, "name" | "library" | "evidence" | "next">): Suspect => ({
  ...base,
  cause: "upstream-bug",
  certainty: "likely",
  required: "a Docker Desktop that knows driver 555",
  found: "driver 555 with an older one",
  message: "the first drivers of release 555 for Windows give containers no CUDA under a Docker Desktop that is older than they are",
  fixes: [fix("bring Docker Desktop and WSL up to date, or go back to the driver of before", "wsl --update")],
});

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
        ...(isFirst555(facts) ? [ofFirst555(base)] : []),
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
