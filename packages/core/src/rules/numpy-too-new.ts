import { needsNumpyOne } from "../knowledge/published.ts";
import { installedFact } from "../dependency-files/facts.ts";
import { defineDependencyFileRule } from "./rule.ts";
import { frameworkOf, fullName, writtenAt } from "../dependency-files/words.ts";

export default defineDependencyFileRule({
  id: "numpy-too-new",
  title: "A framework that was built for NumPy 1 gets NumPy 2",
  cause: "package-conflict",
  severity: "warning",
  notOn: { machines: "TODO" },
  page: {
    what: "A release of torch, TensorFlow, jaxlib or ONNX Runtime that was built for NumPy 1 would be installed with NumPy 2.",
    why: "The requirements of these releases were written before NumPy 2 and let it in, so pip takes the newest. The binary interface changed: TensorFlow ends when it is imported, torch says “Numpy is not available” at the first array.",
    how: "The first release of each that was built for NumPy 2 is known; the NumPy that pip would take is the newest that every requirement lets in and that has a wheel for the Python, where that is known.",
    fix: "Add `numpy<2`, or take a newer release of the framework.",
    observed: "By the table that NumPy's own project keeps; not watched for every release.",
  },
  finds: ({ installation: { packages } }) => {
    const numpy = packages.get("numpy");
    if (numpy?.version === undefined || !/^[2-9]/.test(numpy.version) || numpy.step === 0) return [];
    return [...packages.values()].flatMap((installed) => {
      if (installed.version === undefined || !installed.build || installed.manager !== "pip" || installed.step > numpy.step) return [];
      const first = needsNumpyOne(installed.name, installed.version);
      if (!first) return [];
      return [
        {
          subject: `numpy for ${installed.name}`,
          place: (numpy.asked ? numpy : installed).place,
          certainty: numpy.isAssumed ? ("likely" as const) : ("certain" as const),
          message: `${fullName(installed)} was built for NumPy 1, and numpy ${numpy.version} would be there`,
          because: [
            numpy.asked
              ? `${writtenAt(numpy)}${numpy.isAssumed ? " lets it in: it is the newest that every requirement does" : ""}`
              : "something asks for NumPy, and nothing keeps it below 2",
            writtenAt(installed),
            `${installed.name} ${first.first} is the first that was built for NumPy 2`,
          ],
          advice: ["add a line: numpy<2", `or ask for ${installed.name} ${first.first} or newer`],
          facts: { packages: [{ ...installedFact(numpy, "install"), wants: "<2" }, installedFact(installed, "asks")] },
          endangers: [{ framework: frameworkOf(installed.name) ?? installed.name, activity: "import" }],
          sources: [first.source],
        },
      ];
    });
  },
});
