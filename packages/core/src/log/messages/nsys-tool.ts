import { weights } from "../cause.ts";
import { fix } from "../fixes.ts";
import { notice, type Signature } from "../signature.ts";

/** Nsight Systems about itself: what it recorded and cannot convert, sessions, and how it was packed. */
export default [
  {
    ...notice(
      "nsys-import-failed",
      ["importation failed", "import failed with unexpected exception", "wrong event order has been detected", "qdstrmimporter"],
      /Importer error status: Import\w{0,5} failed|Import Failed with unexpected exception|Wrong event order has been detected|QdstrmImporter\b[^\n]{0,80}\b(?:failed|error|crash)/i,
      "Importer error status: Importation failed.",
      "Wrong event order has been detected when adding events to the collection:",
    ),
    means: {
      weight: weights.failed,
      symptom: "nsys recorded, and could not convert what it recorded",
      name: "nsys",
      required: "an Nsight Systems that reads this recording",
      next: ["nsys --version; nvidia-smi"],
      may: [
        {
          cause: "upstream-bug",
          message: "a defect of this release of Nsight Systems: newer ones convert the same recording",
          fixes: [
            fix("install the newest Nsight Systems, which is apart from the CUDA toolkit and serves older drivers too, and profile again"),
            fix("or record less: `nsys profile --trace=cuda,nvtx --sample=none --cpuctxsw=none`"),
          ],
        },
        {
          cause: "cupti-too-old-for-driver",
          message: "or it is much older than the driver, whose records it does not understand",
          fixes: [],
        },
        {
          cause: "not-a-mismatch",
          message: "or the recording is not whole: the program was killed, or the disk ran full",
          next: ["df -h /tmp"],
          fixes: [],
        },
      ],
    },
  },
  {
    ...notice(
      "nsys-state",
      "request is not applicable in this",
      /request is not applicable in this (?:\w{2,12} ){0,2}\w{2,12}: (?<subject>\w{3,20})Request/i,
      "The request is not applicable in this state: StopRequest.",
    ),
    means: {
      symptom: "nsys was asked for what its session cannot do now",
      name: "nsys",
      next: ["nsys sessions list"],
      may: [
        {
          cause: "not-a-mismatch",
          certainty: "likely",
          message:
            "a session of nsys was started or stopped twice: the program's own call (cudaProfilerStop) ended it before `nsys stop` did; the report was written then",
          fixes: [
            fix("leave the stop to one of the two: `nsys launch` with calls in the program, or `nsys start` and `nsys stop` around it"),
          ],
        },
        {
          cause: "upstream-bug",
          message: "or the library that drives nsys for you does so: newer releases of it may not",
          fixes: [],
        },
      ],
    },
  },
  {
    ...notice(
      "nsight-placeholders",
      "nsight ",
      /Nsight (?:Systems|Compute) #[A-Z_]{3,30}#/,
      "Error: Nsight Systems #VERSION_RSPLIT# hasn't been installed with CUDA Toolkit #CUDA_MAJOR#.#CUDA_MINOR#",
    ),
    means: {
      weight: weights.failed,
      name: "nsys-ui",
      required: "a start script with its release filled in",
      found: "one with its placeholders",
      next: ["find / -path '*host-linux*' -name 'nsys-ui*' 2>/dev/null"],
      may: [
        {
          cause: "upstream-bug",
          certainty: "likely",
          message:
            "the package holds NVIDIA's template of a start script, and nobody filled in which release it starts: a defect of the package",
          fixes: [
            fix(
              "start the program itself, in the folder `host-linux-x64` of its installation, or install NVIDIA's own package of Nsight Systems",
            ),
          ],
        },
      ],
    },
  },
  notice(
    "nsight-here",
    ["nsys 20", "nsight systems 20", "nsys version 20", "nsight systems version 20", "nsight-systems-20"],
    /\b(?:nsys|nsight[ -]systems)(?: cli)?[ -](?:version )?(?<found>20(?:1[89]|2\d)\.\d)\b/i,
    "NVIDIA Nsight Systems version 2021.3.2.4-027534f",
    "nsys 2021.3 on an H100",
  ),
] satisfies Signature[];
