import { expect, test } from "vitest";
import { encode, holdsWord } from "../../packages/core/src/lib/text.ts";

test.each([
  ["\0numpy.core._multiarray_umath\0", true],
  ["numpy.core._multiarray_umath", true],
  ["xnumpy.core._multiarray_umath", false],
  ["numpy.core._multiarray_umath_2", false],
  ["numpy.core._multi numpy.core._multiarray_umath.", true],
  ["numpynumpy.core._multiarray_umath é numpy.core._multiarray_umath", true],
  ["é\u{1f600}numpy.core._multiarray_umathé", true],
  ["numpy.core", false],
  ["", false],
])("%j holds the name: %s", (text, holds) => expect(holdsWord(encode(text), "numpy.core._multiarray_umath")).toBe(holds));
