import { frameworkNames } from "../model/framework-names.generated.ts";
import type { Suspect } from "./cause.ts";
import type { Context } from "./context.ts";
import type { Fact, Facts } from "./fact.ts";
import { buildLine, fix } from "./fixes.ts";
import { torchBuildLine, torchForGpu } from "./torch-lines.ts";

type Fixes = NonNullable<Suspect["fixes"]>;

/** A build with code for the GPU, as whoever lacks it is installed: PyTorch from its index, an extension or llama.cpp built again. */
export function fixesForGpu(
  { sm, makers, by, old, extension }: { sm: string | undefined; makers: string | undefined; by: string; old: boolean; extension: boolean },
  evidence: Fact[],
  facts: Facts,
  context: Context,
): Fixes {
  if (0 < facts.notices("of-ggml").length) return ofGgml(sm, facts);
  if (by === "Paddle" || context.speaker === "paddle") return ofPaddle(sm);
  const torch = by === "PyTorch" || (by === "the program" && isOfTorch(evidence, context));
  const build = torch && sm !== undefined ? torchForGpu(sm, facts) : undefined;
  const isBuiltOnTorch = by === "the program" && (context.speaker ?? "torch") === "torch";
  const again =
    by === "xFormers"
      ? [fix("or go without it: PyTorch 2 has an attention of its own", "pip uninstall -y xformers")]
      : isBuiltOnTorch
        ? [buildFix(sm, facts, extension)]
        : [];
  if (old) return ofOld(build, evidence);
  if (extension) return again;
  if (torch && sm === undefined) return ofUnknownGpu(facts);
  const install = `install a build that has code for this GPU${makers === undefined ? "" : ` (built with ${makers})`}`;
  return [build ? fix(`${install}: PyTorch for CUDA ${build.cuda}`, torchBuildLine(build)) : fix(install), ...again];
}

// A part that the program can do without.
function withoutKernel(evidence: Fact[]): Fixes[number] | undefined {
  const said = evidence.map(({ at }) => at.text).join("\n");
  if (/FlashAttention/.test(said))
    return fix(
      'let the program use PyTorch\'s own attention, which runs on older GPUs: `attn_implementation="sdpa"` in Transformers; what takes flash-attn wherever it is installed goes without it',
      "pip uninstall -y flash-attn",
    );
  return /[Bb]float16/.test(said)
    ? fix("let the program use half precision: `dtype=float16` (vLLM: `--dtype half`) in the place of bfloat16")
    : undefined;
}

function ofOld(build: Parameters<typeof torchBuildLine>[0] | undefined, evidence: Fact[]): Fixes {
  const instead = withoutKernel(evidence);
  if (instead) return [instead];
  if (!build) return [fix("use an older release that still supports this GPU, another GPU, or the CPU")];
  return [fix("install the newest PyTorch that still has code for this GPU", torchBuildLine(build)), fix("or use another GPU, or the CPU")];
}

// PyTorch's own words around CUDA's.
const isOfTorch = (evidence: Fact[], { speaker, framework }: Context): boolean =>
  speaker === "torch" ||
  framework("torch").version !== undefined ||
  (speaker === undefined && evidence.some(({ at }) => /RuntimeError: CUDA error: |AcceleratorError: /.test(at.text)));

// Which GPU it is, the text does not say: the two that are met.
function ofUnknownGpu(facts: Facts): Fixes {
  const [newest, oldest] = [torchForGpu("sm_120", facts), torchForGpu("sm_61", facts)];
  return [
    ...(newest ? [fix(`for a GPU of the RTX 50 series: install PyTorch for CUDA ${newest.cuda} or newer`, torchBuildLine(newest))] : []),
    ...(oldest
      ? [fix(`for one before the RTX 20 series: PyTorch for CUDA ${oldest.cuda}, the last with code for it`, torchBuildLine(oldest))]
      : []),
    fix("where an extension fails and not PyTorch itself: build the extension again on this machine"),
  ];
}

/** Paddle's own index has a folder for each CUDA; what each holds code for is what its builds say at their start. */
function ofPaddle(sm: string | undefined): Fixes {
  const number = Number(/\d{2,3}/.exec(sm ?? "")?.[0] ?? 0);
  const line = (variant: string) => [
    "pip uninstall -y paddlepaddle-gpu",
    `pip install paddlepaddle-gpu -i https://www.paddlepaddle.org.cn/packages/stable/${variant}/`,
  ];
  const newest = fix("for a GPU of the RTX 50 series: install Paddle for CUDA 12.9", ...line("cu129"));
  if (number === 0) return [newest, fix("for an older one: Paddle for CUDA 12.6, which has code from Pascal to Hopper", ...line("cu126"))];
  if (100 <= number) return [{ ...newest, fix: "install Paddle 3.2 or newer for CUDA 12.9, which has code for this GPU" }];
  if (61 <= number) return [fix("install Paddle for CUDA 12.6, which has code for this GPU", ...line("cu126"))];
  return number === 60
    ? [fix("install Paddle for CUDA 11.8, which has code for this GPU", ...line("cu118"))]
    : [
        fix(
          "Paddle's wheels hold no code for a GPU as old as this one: use the CPU, or build Paddle from source",
          "pip install paddlepaddle",
        ),
      ];
}

function ofGgml(sm: string | undefined, facts: Facts): Fixes {
  const architecture = sm === undefined ? "native" : sm.replace(/^sm_/, "");
  const python = facts.all("traceback").some(({ package: name }) => name === "llama_cpp");
  const options = `-DGGML_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=${architecture}`;
  return [
    python
      ? fix(
          "build it again for this GPU, with the CUDA toolkit of this machine",
          `CMAKE_ARGS="${options}" pip install --force-reinstall --no-cache-dir --no-binary llama-cpp-python llama-cpp-python`,
        )
      : fix(
          "build llama.cpp again for this GPU, in its source folder, or take a newer release of the program that holds it",
          `cmake -B build ${options}`,
          "cmake --build build --config Release",
        ),
  ];
}

function buildFix(sm: string | undefined, facts: Facts, extension: boolean): Fixes[number] {
  const or = extension ? "" : "or ";
  if (sm === undefined) return fix(`${or}build it for this architecture`);
  const list = `TORCH_CUDA_ARCH_LIST=${sm.replace(/^sm_(\d{1,2})(\d)[af]?$/, "$1.$2")}`;
  const package_ = facts
    .all("traceback")
    .map(({ package: name }) => name)
    .findLast((name) => !frameworkNames.some(({ modules, companions = [] }) => [...modules, ...companions].includes(name)));
  return package_ === undefined
    ? fix(`${or === "" ? "" : "or, where it is an extension of PyTorch, "}build it again with ${list} set`)
    : fix(`${or}build it for this architecture`, `${list} ${buildLine(package_)}`);
}
