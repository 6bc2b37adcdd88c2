import { compareDotted } from "../../knowledge/dotted.ts";
import { weights, type Problem, type Suspect } from "../cause.ts";
import { majorOf, type Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix } from "../fixes.ts";
import { olderDriver } from "./driver-too-old.ts";

/** nvidia-smi, nvcc and a framework name three releases of CUDA, which need not be equal. */
export default function numbersThatDiffer(facts: Facts, context: Context): Problem[] {
  return [...smiAndNvcc(facts, context), ...nvccAndFramework(facts, context)];
}

function smiAndNvcc(facts: Facts, context: Context): Problem[] {
  const compiler =
    facts.all("toolkit").find(({ from }) => from === "nvcc") ??
    facts.all("toolkit").find(({ from }) => from === "runtime" || from === "package") ??
    context.toolkits[0];
  const ceiling = context.driverCuda;
  // Paddle names the driver's CUDA itself: nobody asked nvidia-smi.
  if (ceiling && /Driver API Version/.test(ceiling.at.text)) return paddleAndToolkit(facts, context);
  if (!compiler && ceiling) return [...smiAndWheel(facts, context, ceiling), ...smiAndBuild(context, ceiling)];
  if (!compiler || !ceiling || compiler.version === ceiling.version) return [];
  const evidence = [ceiling, compiler];
  if (compareDotted(majorOf(compiler.version), majorOf(ceiling.version)) > 0)
    return olderDriver({
      required: `a driver for CUDA ${compiler.version}`,
      found: `${context.driver?.version ?? "a driver"} (CUDA ${ceiling.version})`,
      message: `what nvcc ${compiler.version} builds does not run on a driver that ends with CUDA ${ceiling.version}`,
      evidence,
      fixes: [fix("install a newer NVIDIA driver")],
    });
  return needNotBeEqual({
    name: "nvidia-smi and nvcc",
    message: `nvidia-smi shows the newest CUDA that the driver runs (${ceiling.version})${compiler.from === "nvcc" ? ", nvcc the toolkit that is installed" : ", and the toolkit is of another release"} (${compiler.version}): they need not be equal`,
    evidence,
  });
}

// A Paddle that brings no CUDA of its own opens the libraries of the toolkit that it was built for.
function paddleAndToolkit(facts: Facts, { framework, toolkits }: Context): Problem[] {
  const { cuda, facts: own } = framework("paddle");
  const [here, ...others] = toolkits;
  if (cuda === undefined || !here || 0 < others.length || majorOf(cuda) === majorOf(here.version) || facts.has("version-pair")) return [];
  const base = {
    name: "paddlepaddle-gpu",
    required: `CUDA ${cuda}, for which this Paddle is built`,
    found: `CUDA ${here.version}`,
    evidence: [...own.slice(0, 1), here],
    next: ["python -c 'import paddle; paddle.utils.run_check()'", "pip list | grep -i paddle"],
  };
  return [
    {
      weight: weights.concluded,
      suspects: [
        {
          ...base,
          cause: "wrong-wheel-cuda-version",
          certainty: "likely",
          message: `this Paddle is built for CUDA ${cuda}, and the toolkit here is CUDA ${here.version}: it looks for libraries of the other`,
          fixes: [
            fix(
              `install Paddle's build for CUDA ${here.version}, from Paddle's own index: its installation page names the line for each CUDA`,
            ),
            fix(`or install CUDA ${cuda} with its cuDNN beside it, and put their folders first on PATH`),
          ],
        },
        {
          ...base,
          cause: "library-missing",
          certainty: "possible",
          message: `so the libraries of CUDA ${cuda} that it asks for are not there`,
          fixes: [],
        },
      ],
    },
  ];
}

// nvcc compiles programs; a framework that was built elsewhere brings or opens the libraries of its own CUDA.
function nvccAndFramework(facts: Facts, context: Context): Problem[] {
  const compiler = facts.all("toolkit").find(({ from }) => from === "nvcc");
  const id = (["tensorflow", "torch", "jax"] as const).find((each) => context.framework(each).cuda !== undefined);
  if (!compiler || id === undefined) return [];
  const { cuda, facts: known } = context.framework(id);
  // Of a minor nobody asks.
  if (cuda === undefined || majorOf(compiler.version) === majorOf(cuda)) return [];
  const who = { tensorflow: "TensorFlow", torch: "PyTorch", jax: "JAX" }[id];
  return needNotBeEqual(
    {
      name: `nvcc and ${who}`,
      message: `${who} was built for CUDA ${cuda} and loads libraries of that CUDA; nvcc ${compiler.version} is a compiler that it does not use: they need not be equal`,
      because: [
        `what counts is whether the libraries of CUDA ${cuda} and its cuDNN are found`,
        ...(id === "torch" ? ["nvcc matters where an extension of PyTorch is compiled here"] : []),
      ],
      evidence: [...known.filter((fact) => fact.cuda !== undefined).slice(0, 1), compiler],
      next: [`culprit loads ${id} --do device`],
    },
    weights.harmless + 2,
  );
}

// TensorFlow names the CUDA that it was built for; the driver runs that and every older one.
function smiAndBuild(context: Context, ceiling: Fact<"driver-cuda">): Problem[] {
  const { cuda, facts: known } = context.framework("tensorflow");
  if (cuda === undefined || cuda === ceiling.version || 0 < compareDotted(cuda, ceiling.version)) return [];
  return needNotBeEqual({
    name: "nvidia-smi and TensorFlow",
    message: `nvidia-smi shows the newest CUDA that the driver runs (${ceiling.version}), and TensorFlow was built for ${cuda}: the driver runs both`,
    because: [`what counts is whether the libraries of CUDA ${cuda}, its cuDNN and its CUPTI are found`],
    evidence: [ceiling, ...known.slice(0, 1)],
    next: ["culprit loads tensorflow --do profile"],
  });
}

// A PyTorch that works, beside another number in nvidia-smi.
function smiAndWheel(facts: Facts, context: Context, ceiling: Fact<"driver-cuda">): Problem[] {
  const works = facts.all("available").find(({ by, value }) => by === "torch" && value);
  const { cuda, facts: known } = context.framework("torch");
  if (!works || cuda === undefined || cuda === ceiling.version) return [];
  return needNotBeEqual({
    name: "nvidia-smi and PyTorch",
    message: `nvidia-smi shows the newest CUDA that the driver runs (${ceiling.version}), and PyTorch brings its own (${cuda}): they need not be equal`,
    evidence: [ceiling, works, ...known.slice(0, 1)],
  });
}

const needNotBeEqual = (told: Omit<Suspect, "cause" | "certainty" | "fixes">, weight = weights.harmless + 3): Problem[] => [
  { weight, suspects: [{ next: [], fixes: [], ...told, cause: "not-a-mismatch", certainty: "likely" }] },
];
