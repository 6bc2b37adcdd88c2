import { namesIn, packageNamed } from "../../survey/python.ts";
import { compareDotted } from "../../knowledge/dotted.ts";
import type { View } from "../../resolve/view.ts";
import { driverProblem } from "../driver.ts";
import { defineFramework, type CompiledFor, type FrameworkCopy } from "../framework.ts";
import { kernelsIn } from "../kernels.ts";
import { neededVersions } from "../pins.ts";
import type { PythonProcess } from "../python-process.ts";
import torch from "../torch/model.ts";
import names from "./names.ts";

// cextension.py: `import bitsandbytes` imports torch, asks whether there is a GPU, and loads the library for torch's CUDA by its path.
// What that needs is there already: torch brought it.
export default defineFramework({
  ...names,
  compiledFor,
  kernels(view, copy) {
    const name = chosen(view, copy);
    return name === undefined ? undefined : kernelsIn(view, `${folderOfPackage(copy)}/${name}`);
  },
  cpuOnly,
  steps: {
    import(process, copy) {
      const library = torchOf(copy);
      if (!library) return;
      torch.steps.import?.(process, library);
      // torch.cuda.is_available() brings in the driver, where nothing has yet; without one the library for processors is loaded.
      process.ladder(process.loadedLike("libcudart") ?? process.process.executable, ["libcuda.so.1"]);
      openOwn(process, copy, isStrict(copy));
      // Its kernels for Triton are defined at once.
      torch.steps.compile?.(process, library);
    },
    device(process, copy) {
      const library = torchOf(copy);
      if (library) torch.steps.device?.(process, library);
      openOwn(process, copy, true);
    },
  },
  after: {
    matmul: ["device"],
    convolution: ["device"],
    rnn: ["device"],
    compile: ["device"],
    profile: ["device"],
    "train-distributed": ["device"],
  },
});

/** Up to 0.42 `import bitsandbytes` raises; since then it only logs, and the first function that is called raises the message. */
const isStrict = ({ package: { version } }: FrameworkCopy) => compareDotted(version, "0.43") < 0;

function openOwn(process: PythonProcess, copy: FrameworkCopy, isFatal: boolean): void {
  const problem = driverProblem(process);
  const wanted = problem ? "libbitsandbytes_cpu.so" : chosen(process.view, copy);
  if (wanted === undefined) return;
  const opened = process.ctypes(`${folderOfPackage(copy)}/${wanted}`);
  if (!("failure" in opened) || !isFatal) return;
  process.process.failures.push({
    ...opened.failure,
    requestedBy: "bitsandbytes",
    ...(process.view.snapshot.environment[choice] && !problem ? { steeredBy: choice } : {}),
  });
}

/** The variable that chooses a file in any case. */
const choice = "BNB_CUDA_VERSION";

const folderOfPackage = ({ package: { folder } }: FrameworkCopy) => `${folder}/bitsandbytes`;

function torchOf({ environment }: FrameworkCopy): FrameworkCopy | undefined {
  const found = packageNamed(environment, "torch");
  return found && { package: found, environment };
}

const file = (number: string) => `libbitsandbytes_cuda${number}.so`;

/** `12.8` is `128` in a file's name; what has one digit after the major is all there is. */
const digits = (version: string) => version.split(".").slice(0, 2).join("");

/**
 * The file for torch's CUDA. Since 0.50 the nearest of the same major: the highest that is not newer, else the lowest that is. Before, only
 * that very one (and up to 0.43 another for GPUs without int8 units, which no file tells). BNB_CUDA_VERSION chooses in any case.
 */
function chosen(view: View, copy: FrameworkCopy): string | undefined {
  const library = torchOf(copy);
  const cuda = library && torch.compiledFor(view, library)["cuda"]?.version;
  const forced = view.snapshot.environment[choice];
  if (forced) return file(forced);
  if (cuda === undefined) return undefined;
  const names = namesIn(view, folderOfPackage(copy)) ?? [];
  if (names.includes(file(digits(cuda))) || compareDotted(copy.package.version, "0.50") < 0) return file(digits(cuda));
  const major = cuda.split(".")[0]!;
  const there = names
    .flatMap((name) => /^libbitsandbytes_cuda(\d+)\.so$/.exec(name)?.[1] ?? [])
    .filter((number) => number.startsWith(major))
    .map(Number)
    .sort((a, b) => a - b);
  const lower = there.findLast((number) => number < Number(digits(cuda)));
  return file(String(lower ?? there[0] ?? digits(cuda)));
}

function cpuOnly(view: View, copy: FrameworkCopy): string | undefined {
  const library = torchOf(copy);
  const because = library && torch.cpuOnly?.(view, library);
  if (because !== undefined) return `it takes torch's CUDA, and torch ${library!.package.version} has none: ${because}`;
  const names = namesIn(view, folderOfPackage(copy));
  // Releases for other GPUs have files of their own.
  if (!names || names.some((name) => /^libbitsandbytes_(cuda|rocm|hip|xpu|hpu)/.test(name))) return undefined;
  return names.some((name) => name.startsWith("libbitsandbytes_cpu"))
    ? `${folderOfPackage(copy)} has no libbitsandbytes_cuda*.so`
    : undefined;
}

function compiledFor(view: View, copy: FrameworkCopy): CompiledFor {
  const name = chosen(view, copy);
  const number = /cuda(\d+)(\d)\.so$/.exec(name ?? "");
  if (name === undefined || !number) return {};
  const path = `${folderOfPackage(copy)}/${name}`;
  return { ...neededVersions(view, path), cuda: { version: `${number[1]}.${number[2]}`, evidence: path } };
}
