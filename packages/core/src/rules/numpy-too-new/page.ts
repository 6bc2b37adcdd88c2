import { describeRule } from "../rule.ts";

export default describeRule({
  id: "numpy-too-new",
  title: "A framework that was built for NumPy 1 gets NumPy 2",
  cause: "package-conflict",
  severity: "error",
  page: {
    what: "A release of torch, TensorFlow, jaxlib or ONNX Runtime that was built for NumPy 1 is, or would be, installed with NumPy 2.",
    why: "The requirements of these releases were written before NumPy 2 and let it in, so pip takes the newest. The binary interface changed: TensorFlow, and ONNX Runtime since 1.17, end when they are imported, which is an error; torch says “Numpy is not available” at the first array, and that is a warning. Of a file that will be installed it is a warning.",
    how: "The first release of each that was built for NumPy 2 is known; the NumPy that pip would take is the newest that every requirement lets in and that has a wheel for the Python, where that is known. Of what is installed, both versions are read; builds of conda, of a distribution or of one's own may have been made for NumPy 2, and are not judged.",
    fix: "Add `numpy<2`, or take a newer release of the framework.",
    observed:
      "TensorFlow 2.12 to 2.17 and ONNX Runtime 1.16 to 1.19, imported beside NumPy 2.2; otherwise by the table that NumPy's own project keeps.",
  },
});
