import type { Fact } from "../fact.ts";
import { weights } from "../cause.ts";
import { fix } from "../fixes.ts";
import { notice, type Signature } from "../signature.ts";

const lastWith = ({ subject = "" }: Fact<"notice">) =>
  /^(?:float|int|bool|object|str|complex|long|unicode)$/.test(subject) ? "1.24" : "2.0";

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
    // numpy/__init__.py: the aliases of Python's own types went with 1.24, others with 2.0.
    ...notice(
      "numpy-removed",
      "module 'numpy' has no attribute",
      /module 'numpy' has no attribute '(?<subject>float|int|bool|object|str|complex|long|unicode|float_|complex_|unicode_|string_|Inf|Infinity|NaN|infty|product|cumproduct|sometrue|alltrue)'/,
      "AttributeError: module 'numpy' has no attribute 'float'.",
    ),
    means: {
      weight: weights.failed,
      name: "numpy",
      next: ["pip show numpy"],
      about: (_facts, _context, [fact]) => ({ required: `NumPy below ${lastWith(fact!)}`, found: `NumPy ${lastWith(fact!)} or newer` }),
      may: [
        {
          cause: "package-conflict",
          certainty: "likely",
          message: (_facts, _context, [fact]) => `a package uses \`numpy.${fact!.subject}\`, which NumPy ${lastWith(fact!)} no longer has`,
          fixes: (_facts, _context, [fact]) => [
            fix("take a newer release of the package that the traceback names last"),
            fix("or keep the older NumPy beside it", `pip install "numpy<${lastWith(fact!)}"`),
          ],
        },
      ],
    },
  },
] satisfies Signature[];
