import type { Fact } from "../fact.ts";
import { numpyWithout } from "../../knowledge/published.ts";
import { weights } from "../cause.ts";
import { fix } from "../fixes.ts";
import { notice, type Signature } from "../signature.ts";

/** The first NumPy without it. */
const lostAt = ({ subject = "" }: Fact<"notice">) => numpyWithout(subject);

/** numpy/__init__.py, __getattr__, about a name that it once had; what it never had is a mistake of the program. */
const lost = (literal: string, pattern: RegExp, example: string): Signature => ({
  ...notice("numpy-removed", literal, pattern, example),
  facts: ({ subject = "" }) => (numpyWithout(subject) === undefined ? undefined : { kind: "notice", id: "numpy-removed", subject }),
});

/** NumPy about modules that were compiled for another major of it (numpy/_core/_multiarray_umath.py, npy_import_array). */
export default [
  notice(
    "numpy-two",
    "compiled using numpy 1",
    /A module that was compiled using NumPy 1\.x cannot be run in {1,8}NumPy (?<found>\d{1,2}\.[\dx]{1,3}(?:\.\d{1,3})?)/,
    "A module that was compiled using NumPy 1.x cannot be run in NumPy 2.2.6 as it may crash.",
  ),
  notice("numpy-two", "_array_api not found", /AttributeError: _ARRAY_API not found/, "AttributeError: _ARRAY_API not found"),
  notice("numpy-unavailable", "numpy is not available", /RuntimeError: Numpy is not available/i, "RuntimeError: Numpy is not available"),
  notice(
    "numpy-older",
    "numpy.dtype size changed",
    /numpy\.dtype size changed, may indicate binary incompatibility\b(?:\. Expected (?<required>\d{2,3}) from C header, got (?<found>\d{2,3}) from PyObject)?/,
    "ValueError: numpy.dtype size changed, may indicate binary incompatibility. Expected 96 from C header, got 88 from PyObject",
  ),
  {
    ...lost(
      "module 'numpy' has no attribute",
      /module 'numpy' has no attribute '(?<subject>\w{2,40})'/,
      "AttributeError: module 'numpy' has no attribute 'row_stack'",
    ),
    means: {
      weight: weights.failed,
      name: "numpy",
      next: ["pip show numpy"],
      about: (_facts, _context, [fact]) => ({ required: `NumPy below ${lostAt(fact!)}`, found: `NumPy ${lostAt(fact!)} or newer` }),
      may: [
        {
          cause: "package-conflict",
          certainty: "likely",
          message: (_facts, _context, [fact]) => `a package uses \`numpy.${fact!.subject}\`, which NumPy ${lostAt(fact!)} no longer has`,
          fixes: (_facts, _context, [fact]) => [
            fix("keep the older NumPy beside it", `pip install "numpy<${lostAt(fact!)}"`),
            fix("or take a newer release of the package that the traceback names last, where there is one"),
          ],
        },
      ],
    },
  },
  lost(
    "was removed in the numpy 2.0 release",
    /`np\.(?<subject>\w{2,40})` was removed in the NumPy 2\.0 release/,
    "AttributeError: `np.float_` was removed in the NumPy 2.0 release. Use `np.float64` instead.",
  ),
] satisfies Signature[];
