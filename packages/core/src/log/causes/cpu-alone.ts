import { weights, type Problem } from "../cause.ts";
import { type Context } from "../context.ts";
import type { Facts } from "../fact.ts";
import { fix } from "../fixes.ts";
import { cpuOnly } from "../meaning.ts";

/** ONNX Runtime or JAX shows that it can only use the CPU, where a GPU is spoken of. */
export default function cpuAlone(facts: Facts, context: Context): Problem[] {
  const wanted = facts.has("gpu") || facts.has("driver") || facts.has("driver-cuda") || 0 < facts.notices("gpu-said").length;
  const alone = (by: string) => facts.all("available").filter((fact) => fact.by === by && !fact.value);
  const problems: Problem[] = [];
  const ort = alone("onnxruntime");
  const packages = context.packages(/^onnxruntime(?:-gpu)?$/);
  const told = facts.notices("ort-both");
  const both = new Set(packages.map(({ name }) => name.toLowerCase())).size === 2 || 0 < told.length;
  if (0 < ort.length && (wanted || both || packages.some(({ name }) => name.endsWith("-gpu")))) {
    const how = fix("keep only the GPU package", "pip uninstall -y onnxruntime onnxruntime-gpu", "pip install onnxruntime-gpu");
    const cpu = cpuOnly("onnxruntime", "a build without CUDA", [...ort, ...packages, ...told], "likely", [how]);
    problems.push({
      weight: weights.concluded,
      suspects: both
        ? [
            {
              ...cpu,
              cause: "package-conflict",
              found:
                packages.length < 2
                  ? "onnxruntime and onnxruntime-gpu"
                  : packages.map(({ name, version }) => `${name} ${version}`).join(" and "),
              message: "onnxruntime and onnxruntime-gpu are both installed, write into one folder, and the one for the CPU stayed",
            },
            { ...cpu, certainty: "possible" },
          ]
        : [cpu],
    });
  }
  const jax = alone("jax");
  if (
    0 < jax.length &&
    wanted &&
    context.packages(/^jax-cuda\d{2}-plugin$/).length === 0 &&
    !/\+cuda/.test(context.framework("jax").version ?? "")
  )
    problems.push({
      weight: weights.hint,
      suspects: [
        cpuOnly("jax", "a build without CUDA", [...jax, ...context.framework("jax").facts.slice(0, 1)], "possible", [
          fix("install JAX with CUDA", `pip install -U "jax[cuda12]"`),
        ]),
      ],
    });
  return problems;
}
