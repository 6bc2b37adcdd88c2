import { notice, type Signature } from "../signature.ts";

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
    /numpy\.dtype size changed, may indicate binary incompatibility\. Expected (?<required>\d{2,3}) from C header, got (?<found>\d{2,3}) from PyObject/,
    "ValueError: numpy.dtype size changed, may indicate binary incompatibility. Expected 96 from C header, got 88 from PyObject",
  ),
] satisfies Signature[];
