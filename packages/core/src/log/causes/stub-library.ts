import { weights, type Problem, type Suspect } from "../cause.ts";
import { type Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix, gpuAccess } from "../fixes.ts";
import { coded } from "../what-runs.ts";

/** The toolkit's stubs in the place of the driver's libraries, and a libcuda that was not opened. */
export default function stubLibrary(facts: Facts, context: Context): Problem[] {
  const measured = facts.notices("nvml-stub");
  const loaded = coded(facts, 34);
  return [
    ...(0 < measured.length
      ? [
          {
            weight: weights.said,
            suspects: [
              { ...stub(measured, context), name: "libnvidia-ml.so.1", library: "nvml", required: "the driver's libnvidia-ml.so.1" },
            ],
          },
        ]
      : []),
    ...(0 < loaded.length ? [{ weight: weights.said, suspects: [stub(loaded, context)] }] : []),
    ...withoutLibcuda(facts, context),
  ];
}

const name = "libcuda.so.1";

const library = "libcuda";

function stub(errors: Fact[], context: Context): Suspect {
  const folder = context.searched.find(({ folder: each }) => /\/stubs\/?$/.test(each));
  return {
    cause: "stub-library",
    name,
    library,
    required: "the driver's libcuda.so.1",
    found: folder ? `${folder.folder}/libcuda.so` : "the toolkit's stub",
    certainty: "certain",
    message: "the stub of libcuda, which is made for the linker, was loaded instead of the driver's library",
    evidence: [...errors, ...(folder ? [folder.fact] : [])],
    next: ["culprit why libcuda.so.1", "echo $LD_LIBRARY_PATH"],
    fixes: [
      // There the driver's own comes from outside: without it the stub is all that the image has.
      ...(context.inContainer ? [gpuAccess(context)] : []),
      fix(
        `${context.inContainer ? "and " : ""}take ${folder ? `\`${folder.folder}\`` : "every folder that ends in `/stubs`"} out of LD_LIBRARY_PATH and of the program's RPATH`,
      ),
    ],
  };
}

// cuInit failed without a code of CUDA's: libcuda was not opened, or is the stub that people link under its name.
function withoutLibcuda(facts: Facts, context: Context): Problem[] {
  const evidence = facts.notices("cuinit-without-libcuda");
  if (evidence.length === 0) return [];
  const linked = facts
    .all("file")
    .find(({ path, target }) => /libcuda\.so/.test(path) && /\/stubs\/libcuda\.so/.test(`${path} ${target ?? ""}`));
  const stubbed = linked !== undefined || context.searched.some(({ folder }) => /\/stubs\/?$/.test(folder));
  const base = {
    name,
    library,
    required: "the driver's libcuda.so.1 within the process",
    evidence: [...evidence, ...(linked ? [linked] : [])],
    next: ["nvidia-smi", "culprit why libcuda.so.1"],
  };
  const stubs: Suspect = { ...stub(base.evidence, context), certainty: stubbed ? "likely" : "possible" };
  const exposed: Suspect = {
    ...base,
    cause: "driver-not-exposed",
    found: "none",
    certainty: stubbed ? "possible" : "likely",
    message: "the program could not open the driver's library: the container was started without GPU access, or no driver is installed",
    fixes: [gpuAccess(context)],
  };
  const path: Suspect = {
    ...base,
    cause: "library-not-on-path",
    certainty: "possible",
    message: "or it lies where the loader does not look",
    fixes: [],
  };
  return [{ weight: weights.refused + 1, suspects: stubbed ? [stubs, exposed, path] : [exposed, path, stubs] }];
}
