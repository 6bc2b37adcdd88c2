import { needsNumpyOne } from "../../knowledge/published.ts";
import { installedFact } from "../../dependency-files/facts.ts";
import { dependencyFileSide } from "../rule.ts";
import page from "./page.ts";
import { frameworkOf, fullName, writtenAt } from "../../dependency-files/words.ts";

export default dependencyFileSide(page, {
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
          short: `${installed.name} was built for NumPy 1, and NumPy ${numpy.version} would be there`,
          message: `${fullName(installed)} was built for NumPy 1, and numpy ${numpy.version} would be there`,
          because: [
            numpy.asked
              ? `${writtenAt(numpy)}${numpy.isAssumed ? " lets it in: it is the newest that every requirement does" : ""}`
              : "something asks for NumPy, and nothing keeps it below 2",
            writtenAt(installed),
            `${installed.name} ${first.first} is the first that was built for NumPy 2`,
          ],
          // Beside a line that says otherwise, another one is refused.
          advice: [
            numpy.asked ? `ask for numpy<2 in the place of ${numpy.asked.text}` : "add a line: numpy<2",
            `or ask for ${installed.name} ${first.first} or newer`,
          ],
          facts: { packages: [{ ...installedFact(numpy, "install"), wants: "<2" }, installedFact(installed, "asks")] },
          endangers: [{ framework: frameworkOf(installed.name) ?? installed.name, activity: "import" }],
          sources: [first.source],
        },
      ];
    });
  },
});
