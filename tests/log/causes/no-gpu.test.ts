import { expect, test } from "vitest";
import step from "../../../packages/core/src/log/causes/no-gpu.ts";
import { explainLog } from "../../../packages/core/src/culprit.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "driver-not-exposed > driver-too-old > not-a-mismatch > wrong-wheel-cpu-only",
    "Error: only 0 Devices available, 1 requested.  Exiting.",
  ],
  [
    "driver-not-exposed > driver-too-old > not-a-mismatch > wrong-wheel-cpu-only",
    "renderer: no CUDA devices found\n$ docker run --gpus all app",
  ],
  ["not-a-mismatch > driver-too-old > wrong-wheel-cpu-only", "Driver Version: 535.104.05\nrenderer: no CUDA devices found"],
  ["driver-not-exposed > wrong-vendor > arch-unsupported", "HIP error: no ROCm-capable device is detected"],
  ["wrong-wheel-cpu-only", "llama_cpp_python 0.2.64: I still cannot use the GPU"],
  ["wrong-wheel-cpu-only > driver-not-exposed > driver-too-old > not-a-mismatch", "why is it not using my GPU"],
  ["library-missing > wrong-vendor > driver-not-exposed > arch-unsupported", "GPU: AMD 7900XTX\nserver: no GPU detected"],
]);

test("what says more is left to speak: the code of an error, a library that is missing", async () => {
  for (const deeper of ["CUDA error: no CUDA-capable device is detected", "OSError: libcuda.so.1: cannot open shared object file"]) {
    const { diagnoses } = await explainLog([new TextEncoder().encode(`${deeper}\nrenderer: no CUDA devices found`)]);
    expect(diagnoses.map(({ message }) => message)).not.toContain("or the program was built without CUDA");
  }
});
