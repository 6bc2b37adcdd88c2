import { torchMeantBy } from "../../knowledge/built-for-torch.ts";
import type { Failure } from "../../model/loads.ts";
import type { View } from "../../resolve/view.ts";
import { extensionIn, namesIn } from "../../survey/python.ts";
import { defineFramework, type FrameworkCopy } from "../framework.ts";
import { checkOperators, importDynamo, withoutCuda } from "../operators.ts";
import { neededVersions } from "../pins.ts";
import type { PythonProcess } from "../python-process.ts";
import names from "./names.ts";

// One library for each major of FFmpeg, tried from the newest down with torch.ops.load_library, which is ctypes. FFmpeg comes from the system, and
// builds for CUDA need NPP or NVRTC besides; whatever is missing, the message speaks of FFmpeg. Read in 0.0.3, 0.1.1, 0.2.1, 0.9.1 and 0.17.0.
export default defineFramework({
  ...names,
  upon: ["torch"],
  compiledFor(view, copy) {
    const file = ladder(view, copy)[0]?.[0];
    return file === undefined ? {} : neededVersions(view, file);
  },
  cpuOnly: (view, copy) => withoutCuda(view, copy),
  steps: {
    import(process, copy) {
      // Images need no FFmpeg: where there is a library for them, it must load, and the others may be missing until a video is opened.
      const images = own(process.view, copy, "libtorchcodec_image");
      if (images !== undefined) {
        for (const file of [images, own(process.view, copy, "libtorchcodec_pybind_ops")]) {
          const opened = file === undefined ? undefined : process.ctypes(file);
          if (opened && "failure" in opened) process.stop(opened.failure);
        }
      }
      const failure = openCore(process, copy);
      if (!failure) return importDynamo(process);
      if (images === undefined) process.stop(failure);
      process.process.missed.push(failure);
    },
    device(process, copy) {
      const failure = openCore(process, copy);
      if (failure) process.stop(failure);
      const files = new Set(ladder(process.view, copy).flat());
      const last = process.process.objects.findLast(({ path }) => files.has(path));
      const torch = torchMeantBy("torchcodec", copy.package.version);
      checkOperators(process, last, {
        framework: "torchcodec",
        operator: "torchcodec_ns::get_next_frame",
        builtFor: torch?.startsWith("==") ? torch.slice(2, -2) : undefined,
        backend: "CPU",
      });
    },
  },
});

const own = (view: View, { package: { folder }, environment }: FrameworkCopy, name: string) =>
  extensionIn(view, environment, `${folder}/torchcodec`, name);

/** What is loaded for each major of FFmpeg, newest first: one library up to 0.2, then several, of which each needs the first. */
function ladder(view: View, copy: FrameworkCopy): string[][] {
  const folder = `${copy.package.folder}/torchcodec`;
  const majors = (namesIn(view, folder) ?? []).flatMap((name) => /^libtorchcodec(?:_core|_decoder)?(\d+)\.so$/.exec(name)?.[1] ?? []);
  const sorted = [...new Set(majors)].map(Number).sort((a, b) => b - a);
  return sorted.map((major) =>
    ["libtorchcodec", "libtorchcodec_core", "libtorchcodec_decoder", "libtorchcodec_custom_ops", "libtorchcodec_pybind_ops"].flatMap(
      (stem) => own(view, copy, `${stem}${major}`) ?? [],
    ),
  );
}

/** The failure to tell: of the FFmpeg that is there, what else is missing; where there is none, that of the newest. */
function openCore(process: PythonProcess, copy: FrameworkCopy): Failure | undefined {
  const failures: Failure[] = [];
  for (const files of ladder(process.view, copy)) {
    let failed: Failure | undefined;
    for (const file of files) {
      const opened = process.ctypes(file);
      if ("pending" in opened) return undefined;
      if ("failure" in opened) failed = opened.failure;
      if (failed) break;
    }
    if (!failed) {
      process.process.missed.push(...failures);
      return undefined;
    }
    failures.push(failed);
  }
  const telling = failures.find(({ reason, name }) => reason !== "not-found" || !isFfmpeg(name)) ?? failures[0];
  return telling && { ...telling, requestedBy: "torchcodec", message: "Could not load libtorchcodec.", underlying: telling };
}

const isFfmpeg = (name: string) => /^lib(av(util|codec|format|device|filter)|sw(scale|resample))\.so/.test(name);
