import type { Context } from "./context.ts";
import type { Facts } from "./fact.ts";
import { buildLine, fix } from "./fixes.ts";
import { exactTorchLine, madeForLine, pairLine, torchAskedBy } from "./torch-lines.ts";

type Fix = ReturnType<typeof fix>;

/** Their wheels ask for one torch by its version: pip brings it along (knowledge/required.json). */
const bindsTorch = /^(?:vllm|vllm_flash_attn|tensorrt_llm)$/;

/** PyTorch Geometric's own, which lie beside PyPI by the release and build of PyTorch. */
const ofGeometric = /^(?:torch_(?:scatter|sparse|cluster|spline_conv)|pyg_lib)$/;

const named = (package_: string) => package_.replaceAll("_", "-");

/** What was compiled for another PyTorch, in the build for the one that is there: from where its makers keep it, or built on the spot. */
export function compiledAgain(package_: string | undefined, facts: Facts, context: Context): Fix[] {
  if (package_ === undefined) return [fix("install or build it again for the framework that is installed")];
  const torch = context.framework("torch").version;
  if (/^torch(?:vision|audio|text)?$/.test(package_)) return [companion(package_, torch, facts)];
  if (bindsTorch.test(package_)) return ofPinned(package_, torch, facts, context);
  if (ofGeometric.test(package_)) return [geometricFix(package_, torch)];
  if (/^mmcv(?:_full)?$/.test(package_)) return [ofOpenMMLab(context), built(package_)];
  const made = torch === undefined ? undefined : madeForLine(named(package_), torch, facts);
  if (made) return [fix(`install the \`${package_}\` that was made for PyTorch ${torch}`, made.line)];
  const wheels =
    package_ === "flash_attn" || package_ === "flash-attn"
      ? [
          fix(
            "or install the wheel of its releases page on GitHub whose name has this CUDA, PyTorch, Python and C++ ABI (`cu12torch2.6cxx11abiFALSE-cp312`); this prints the last:",
            'python -c "import sys, torch; print(torch.__version__, torch.compiled_with_cxx11_abi(), sys.version_info[:2])"',
          ),
        ]
      : [];
  return [built(package_), ...wheels];
}

const built = (package_: string): Fix => fix(`build \`${package_}\` again for the framework that is installed`, buildLine(package_));

// These are published as wheels alone, one for each release of PyTorch.
function companion(package_: string, torch: string | undefined, facts: Facts): Fix {
  const made = torch === undefined || package_ === "torch" ? undefined : madeForLine(package_, torch, facts);
  return made
    ? fix(`install the \`${package_}\` that was made for PyTorch ${torch}`, made.line)
    : fix(
        `install torch and \`${package_}\` in one step, so that they fit`,
        `pip install --force-reinstall ${[...new Set(["torch", package_])].join(" ")}`,
      );
}

function ofPinned(package_: string, torch: string | undefined, facts: Facts, { packages, framework }: Context): Fix[] {
  const version = packages(new RegExp(`^${package_.replace("_", "[-_]")}$`))[0]?.version ?? framework(package_).version;
  const asked = version === undefined ? undefined : torchAskedBy(named(package_), version);
  const again = fix(
    `install \`${package_}\` again, with the torch that it asks for`,
    `pip install --force-reinstall ${named(package_)}${version === undefined ? "" : `==${version}`}`,
  );
  if (asked === undefined || asked === torch?.replace(/\+.*/, "")) return [again];
  const [, label] = torch?.split("+") ?? [];
  const line = (label === undefined ? undefined : exactTorchLine(`${asked}+${label}`, facts)) ?? `pip install torch==${asked}`;
  return [fix(`${package_} ${version} was built for PyTorch ${asked}: install that one`, line), { ...again, fix: `or ${again.fix}` }];
}

/** What was built for another CUDA than the PyTorch that is there, in the build for that one; `torch` with its label where it is known. */
export function builtForCuda(package_: string, torch: string | undefined, cuda: string, facts: Facts, context: Context): Fix[] {
  if (ofGeometric.test(named(package_).replaceAll("-", "_"))) return [geometricFix(package_, torch)];
  if (!/^torch(?:vision|audio|text)$/.test(package_)) return compiledAgain(package_, facts, context);
  const made = torch === undefined ? undefined : madeForLine(package_, torch, facts);
  if (made) return [fix(`install the \`${package_}\` that was made for PyTorch ${torch}`, made.line)];
  const line = pairLine(package_, `cu${cuda.replace(".", "")}`);
  return line === undefined
    ? [companion(package_, undefined, facts)]
    : [fix(`install torch and \`${package_}\` in one step, from the one index for CUDA ${cuda}`, line)];
}

/** The index of PyTorch Geometric for a PyTorch; where the text does not name it, the line asks for it. */
function geometricFix(package_: string, torch: string | undefined): Fix {
  const labelled =
    torch !== undefined && /^\d+\.\d+\.\d+\+(?:cu\d+|cpu)$/.test(torch) ? torch : '$(python -c "import torch; print(torch.__version__)")';
  return fix(
    `install the \`${package_}\` that its makers built for this PyTorch (data.pyg.org has a page for each release and CUDA)`,
    `pip install --force-reinstall --no-deps --no-cache-dir ${named(package_)} -f https://data.pyg.org/whl/torch-${labelled}.html`,
  );
}

function ofOpenMMLab({ packages }: Context): Fix {
  const [one] = packages(/^mmcv(?:-full)?$/);
  const first = ["pip uninstall -y mmcv mmcv-full", "pip install -U openmim"];
  return one
    ? fix("let OpenMMLab's installer choose the build for this PyTorch and CUDA", ...first, `mim install ${one.name}==${one.version}`)
    : fix(
        "let OpenMMLab's installer choose the build for this PyTorch and CUDA: after these `mim install`, with the release of mmcv or mmcv-full that the project asks for",
        ...first,
      );
}
