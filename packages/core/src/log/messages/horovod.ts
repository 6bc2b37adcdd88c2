import { weights } from "../cause.ts";
import { fix } from "../fixes.ts";
import { notice, type Signature } from "../signature.ts";

/** horovod/common/util.py. */
export default [
  {
    ...notice(
      "horovod-other-framework",
      "horovodversionmismatcherror",
      /HorovodVersionMismatchError: Framework (?<subject>\w{3,20}) installed with version (?<found>\d[\w.+]{2,20}) but found version (?<required>\d[\w.+]{2,20})/,
      "horovod.common.exceptions.HorovodVersionMismatchError: Framework tensorflow installed with version 2.4.1 but found version 2.3.0.",
    ),
    means: {
      weight: weights.said,
      name: "horovod",
      about: (_facts, _context, [fact]) => ({
        required: `a Horovod built upon ${fact!.subject} ${fact!.required}`,
        found: `one that was built upon ${fact!.subject} ${fact!.found}`,
        evidence: [fact!],
        next: ["horovodrun --check-build"],
      }),
      may: [
        {
          cause: "stale-artefact",
          certainty: "likely",
          message: (_facts, _context, [fact]) =>
            `Horovod was compiled upon ${fact!.subject} ${fact!.found}, which was replaced by ${fact!.required} since`,
          fixes: [fix("build it again upon what is installed", "pip install --force-reinstall --no-cache-dir --no-deps horovod")],
        },
        { cause: "package-conflict", message: "or the framework was replaced unasked, by a package that wants another release", fixes: [] },
      ],
    },
  },
] satisfies Signature[];
