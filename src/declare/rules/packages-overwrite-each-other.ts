import { packagesInPlaceOf } from "../../knowledge/packages.ts";
import type { Installed } from "../install.ts";
import { defineDeclaredRule } from "../rule.ts";
import { frameworkOf, fullName, writtenAt } from "../words.ts";

/** Builds of one framework under several names; whichever pip unpacks last is there. */
const variants = [
  ["onnxruntime", "onnxruntime-gpu"],
  ["tensorflow", "tensorflow-cpu", "tensorflow-gpu"],
  ["cupy", "cupy-cuda11x", "cupy-cuda12x", "cupy-cuda13x"],
];

export default defineDeclaredRule({
  id: "packages-overwrite-each-other",
  finds: ({ installation: { packages } }) => {
    const asked = [...packages.values()].filter(({ manager, asked: declared, step }) => manager === "pip" && declared && 0 < step);
    return asked.flatMap((one, index) =>
      asked.slice(index + 1).flatMap((other) => {
        if (!areRivals(one, other)) return [];
        const framework = frameworkOf(one.name);
        const losesGpu = [one, other].some(({ name }) => /^(onnxruntime|tensorflow-cpu)$/.test(name));
        const [first, second] = [one, other].sort((a, b) => (a.name < b.name ? -1 : 1)) as [Installed, Installed];
        const affected = framework === undefined ? [] : [{ framework, activity: "device" }];
        return [
          {
            subject: `${first.name} and ${second.name}`,
            place: other.place,
            cause: "package-conflict" as const,
            severity: losesGpu ? ("error" as const) : ("warning" as const),
            certainty: "likely" as const,
            message: `${fullName(first)} and ${fullName(second)} fill the same folder: only what is unpacked last is there`,
            because: [
              `${writtenAt(first)}, ${writtenAt(second)}`,
              ...(losesGpu
                ? [
                    `if ${[one, other].find(({ name }) => /^(onnxruntime|tensorflow-cpu)$/.test(name))!.name} comes last, the GPU is silently not used`,
                  ]
                : []),
            ],
            advice: [
              `ask for one of them only; where both are installed already: pip uninstall -y ${first.name} ${second.name}, then install the one`,
            ],
            ...(losesGpu ? { breaks: affected } : { endangers: affected }),
          },
        ];
      }),
    );
  },
});

function areRivals(one: Installed, other: Installed): boolean {
  if (one.name === other.name) return false;
  const group = variants.find((names) => names.includes(one.name));
  if (group?.includes(other.name)) {
    // tensorflow and tensorflow-gpu of one release are the same files.
    const isTwin = [one.name, other.name].sort().join() === "tensorflow,tensorflow-gpu";
    return !isTwin || (one.version !== undefined && other.version !== undefined && one.version !== other.version);
  }
  return one.name.startsWith("nvidia-") && packagesInPlaceOf(one.name).includes(other.name);
}
