import { needsNumpyOne } from "../../knowledge/published.ts";
import { installedFact } from "../../dependency-files/facts.ts";
import type { Installed } from "../../dependency-files/install.ts";
import type { Declaration } from "../../model/dependency-file.ts";
import type { Place } from "../../model/finding.ts";
import { dependencyFileSide } from "../rule.ts";
import page from "./page.ts";
import { frameworkOf, fullName, writtenAt } from "../../dependency-files/words.ts";

export default dependencyFileSide(page, {
  finds: ({ declaration, installation: { packages }, baseName }) => {
    const numpy = packages.get("numpy");
    if (numpy?.version === undefined || !/^[2-9]/.test(numpy.version) || numpy.step === 0) return [];
    return [...packages.values()].flatMap((installed) => {
      if (installed.version === undefined || !isBinary(installed, baseName) || installed.step > numpy.step) return [];
      const first = needsNumpyOne(installed.name, installed.version);
      if (!first) return [];
      return [
        {
          severity: "warning" as const,
          subject: `numpy for ${installed.name}`,
          place: (numpy.asked || installed.step === 0 ? numpy : installed).place,
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
            numpy.asked ? `ask for numpy<2 in the place of ${numpy.asked.text}` : heldBack(declaration, installed.place),
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

/** A build that pip brought, or the framework that an image is made for. */
const isBinary = ({ build, manager, name }: Installed, baseName: string | undefined): boolean =>
  manager === "image" ? baseName === undefined && frameworkOf(name) === name : manager === "pip" && build !== undefined;

/** In a list it is one more line; in a script, one more word of the command. */
function heldBack({ file, format, steps }: Declaration, place: Place): string {
  if (format === "requirements" || (place.file !== file && place.file.endsWith(".txt"))) return "add a line: numpy<2";
  const command = steps.find(
    (step) => step.kind === "install" && step.manager === "pip" && step.packages.some((each) => each.place === place) && !step.by,
  );
  const isScript = [
    "dockerfile",
    "notebook",
    "shell-script",
    "sbatch",
    "pbs",
    "lsf",
    "makefile",
    "workflow",
    "apptainer",
    "devcontainer",
  ].includes(format);
  return command && isScript ? `add "numpy<2" to the command at line ${place.line}` : "ask for numpy<2 beside it";
}
