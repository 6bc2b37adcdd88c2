import type { Inventory } from "@culprit/core";
import { counted, list as many, object, string, type Tool } from "../tool.ts";

/** Of a dependency file: what would be there. */
interface Predicted {
  schema?: string;
  [name: string]: unknown;
}

export const list: Tool<Inventory | Predicted> = {
  name: "list",
  title: "All of a GPU stack that is there",
  description:
    "Every driver, GPU, CUDA toolkit, Python environment and copy of a GPU library on a machine (or a root folder, image, snapshot), with versions and owners; for each framework what it was compiled for, what it would load, and whether anything stops it. Of a dependency file: what would be installed.",
  command: "list",
  words: [
    { name: "framework", help: "only these: torch, tensorflow, jax …", multiple: true },
    { name: "target", help: "what to look at: a root folder, a snapshot file, pid:N, image:FILE, a dependency file; absent: this machine" },
  ],
  options: ["python", "root", "env", "unset", "module", "driver", "gpu", "colab", "python-version"],
  data: object({
    "driver?": string(),
    "gpus?": many(string()),
    "toolkits?": many(string()),
    "environments?": many(string()),
    "frameworks?": many(
      object({
        framework: string(),
        version: string(),
        environment: string(),
        verdict: { type: "string", enum: ["works", "stops"] },
        compiledFor: many(string()),
        wouldLoad: many(string()),
        failures: many(string()),
        details: string("the address of all that is known about it"),
      }),
    ),
    "copies?": many(string(), "copies of GPU libraries"),
    "installs?": string("of a dependency file: the address of what would be installed"),
  }),
  brief: (answer, { at }) => {
    if (!isInventory(answer)) return { summary: "what the file would install is at the address in `installs`", data: { installs: at("") } };
    const { driver, gpus, toolkits, environments, frameworks, copies } = answer;
    const stops = frameworks.filter(({ verdict }) => verdict === "stops").length;
    return {
      summary: `${counted(gpus.length, "GPU")}, ${counted(toolkits.length, "toolkit")}, ${counted(environments.length, "Python environment")}, ${counted(copies.length, "library copy").replace("copys", "copies")}, ${counted(frameworks.length, "framework")}${stops === 0 ? "" : `, ${stops} of them stopped by something`}`,
      data: {
        driver: driver.kernel ?? (driver.noModule ? "no kernel module" : "not seen"),
        gpus: gpus.map(({ name, architecture }) => `${name}${architecture ? ` (${architecture})` : ""}`),
        toolkits: toolkits.map(({ path, version }) => `${path}${version ? ` (CUDA ${version})` : ""}`),
        environments: environments.map(
          ({ prefix, kind, version, packages }) => `${prefix} (${kind}, Python ${version ?? "?"}, ${counted(packages.length, "package")})`,
        ),
        frameworks: frameworks.map((each, index) => ({
          framework: each.framework,
          version: each.version,
          environment: each.environment,
          verdict: each.verdict,
          compiledFor: Object.entries(each.compiledFor).map(([library, { version }]) => `${library} ${version}`),
          wouldLoad: Object.entries(each.wouldLoad).flatMap(([library, files]) =>
            files.map(({ file, version }) => `${library} ${version ?? "?"}: ${file}`),
          ),
          failures: each.failures.map(({ message }) => message),
          details: at(`/frameworks/${index}`),
        })),
        copies: copies.map(
          ({ library, version, file, owner }) => `${library} ${version ?? "?"}: ${file}${owner ? ` (${owner.kind} ${owner.name})` : ""}`,
        ),
      },
    };
  },
};

const isInventory = (answer: Inventory | Predicted): answer is Inventory => answer.schema === "culprit/list@1" && "copies" in answer;
