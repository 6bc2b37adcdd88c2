import { weights } from "../cause.ts";
import type { Fact } from "../fact.ts";
import { fix } from "../fixes.ts";
import { notice, type Signature } from "../signature.ts";

const isDll = (fact: Fact<"notice"> | undefined): boolean => /\.dll$/i.test(fact?.subject ?? "");

/** Intel's and LLVM's OpenMP, which end a process that has two of them (kmp_runtime.cpp). */
export default [
  {
    ...notice(
      "openmp-twice",
      "already initialized",
      /OMP: Error #15: Initializing (?<found>[\w.+-]{4,60}), but found (?<subject>[\w.+-]{4,60}) already initialized/,
      "OMP: Error #15: Initializing libiomp5md.dll, but found libiomp5md.dll already initialized.",
    ),
    means: {
      weight: weights.refused,
      about: (_facts, _context, [fact]) => ({
        name: fact!.subject!,
        required: "one OpenMP runtime in the process",
        found: fact!.found === fact!.subject ? `two copies of ${fact!.subject}` : `${fact!.subject} and ${fact!.found}`,
        evidence: [fact!],
        next: isDll(fact)
          ? ["pip list", "conda list"]
          : ["pip list | grep -i 'torch\\|mkl\\|openmp\\|numpy\\|scikit'", "conda list | grep -i 'openmp\\|mkl'"],
      }),
      may: [
        {
          cause: "two-copies",
          certainty: "likely",
          message: (_facts, _context, [fact]) =>
            `two OpenMP runtimes meet in one process: two packages (PyTorch, MKL, scikit-learn, another framework) each brought \`${fact!.subject}\``,
          fixes: (_facts, _context, [fact]) => [
            fix("let all of them come from one place, pip or conda, in a fresh environment: a mix of both is what mostly brings two"),
            fix(
              "to go on for now, at the risk of wrong results, as the message says",
              isDll(fact) ? "set KMP_DUPLICATE_LIB_OK=TRUE" : "export KMP_DUPLICATE_LIB_OK=TRUE",
            ),
          ],
        },
        { cause: "package-conflict", message: "so packages of two sources do not go together", fixes: [] },
      ],
    },
  },
] satisfies Signature[];
