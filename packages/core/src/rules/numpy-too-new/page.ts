import { describeRule } from "../rule.ts";

export default describeRule({
  id: "numpy-too-new",
  title: "A framework that was built for NumPy 1 gets NumPy 2",
  cause: "package-conflict",
  severity: "warning",
  page: {
    what: "A release of torch, TensorFlow, jaxlib or ONNX Runtime that was built for NumPy 1 is, or would be, installed with NumPy 2.",
    why: "The requirements of these releases were written before NumPy 2 and let it in, so pip takes the newest. The binary interface changed: TensorFlow ends when it is imported, torch says “Numpy is not available” at the first array.",
    how: "The first release of each that was built for NumPy 2 is known; the NumPy that pip would take is the newest that every requirement lets in and that has a wheel for the Python, where that is known. Of what is installed, both versions are read; builds of conda, of a distribution or of one's own may have been made for NumPy 2, and are not judged.",
    fix: "Add `numpy<2`, or take a newer release of the framework.",
    observed: "By the table that NumPy's own project keeps; not watched for every release.",
  },
});
