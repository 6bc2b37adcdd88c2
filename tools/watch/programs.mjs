// The programs that are watched: those of activities/, as far as a driver for tests carries them.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** What needs no kernel. */
export const watchedActivities = ["import", "device"];

// NVIDIA's runtime takes no driver but NVIDIA's, and torch asks it first of all. What it asks there is passed over, so that what torch
// does after it is seen as well.
const passing = {
  torch: `import torch
def pass_over(call):
    def passed():
        try:
            call()
        except RuntimeError as error:
            print("passed over:", error)
    return passed
torch._C._cuda_init = pass_over(torch._C._cuda_init)
torch._C._cuda_getDeviceCount = lambda: 1
`,
};

/** One process that imports all, then does the activity with each; errors of one do not keep the next from its turn. */
export function programOf(frameworks, activity) {
  const imports = frameworks.map(({ modules: [name] }) => `import ${name}\n`).join("");
  if (activity === "import") return imports;
  const acts = frameworks.map(({ id }) => {
    const text = readFileSync(fileURLToPath(new URL(`../../activities/${id}/${activity}.py`, import.meta.url)), "utf8");
    return `${passing[id] ?? ""}try:\n${text.replace(/^/gm, "    ").trimEnd()}\nexcept Exception as error:\n    print("${id}:", type(error).__name__, error)\n`;
  });
  return `${imports}${acts.join("")}`;
}

/** A model of one node that copies its input: what a session of ONNX Runtime is made of. */
export const onnxModel = Buffer.from("CAg6NwoQCgF4EgF5IghJZGVudGl0eRIBZ1oPCgF4EgoKCAgBEgQKAggBYg8KAXkSCgoICAESBAoCCAFCAhAN", "base64");
