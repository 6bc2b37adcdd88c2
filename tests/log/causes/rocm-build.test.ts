import { expect, test } from "vitest";
import { explainLog } from "../../../packages/core/src/culprit.ts";
import step from "../../../packages/core/src/log/causes/rocm-build.ts";
import { holds } from "./holds.ts";

const closed = "driver-not-exposed > kernel-module-missing > arch-unsupported";

holds(step, [
  [closed, "RuntimeError: No HIP GPUs are available"],
  [closed, "Radeon RX 7900 XTX\n>>> torch.__version__\n'2.4.1+rocm6.1'\n>>> torch.cuda.is_available()\nFalse"],
  ["library-shadowed > driver-not-exposed", "In WSL2 with torch 2.5.1+rocm6.2: RuntimeError: No HIP GPUs are available"],
  [
    "wrong-wheel-cpu-only",
    "pip3 install torch --index-url https://download.pytorch.org/whl/rocm6.1\n>>> torch.__version__\n'2.4.1+cpu'\n>>> torch.cuda.is_available()\nFalse",
  ],
  [
    "driver-not-exposed > kernel-module-missing > arch-unsupported",
    "docker run -it rocm/pytorch:latest\ntorch.cuda.is_available() is always False on the MI210",
  ],
]);

const explain = async (text: string) => (await explainLog([new TextEncoder().encode(text)])).diagnoses;

test("a build for ROCm is never told that it is one for CUDA, nor to install NVIDIA's driver", async () => {
  const diagnoses = await explain("RX 6800, torch 2.3.0+rocm6.0\ntorch.cuda.is_available() returned False");
  expect(diagnoses.map(({ cause }) => cause)).not.toContain("wrong-vendor");
  expect(JSON.stringify(diagnoses)).not.toMatch(/NVIDIA driver|libcuda/);
});

test("a build for CUDA beside an AMD GPU, in what it prints of itself", async () => {
  const [first] = await explain(
    "my RX 6700 XT\n$ python -c 'import torch; print(torch.__version__, torch.version.hip, torch.cuda.is_available())'\n2.0.0+cu117 None False",
  );
  expect(first).toMatchObject({ cause: "wrong-vendor" });
});

test("the CPU's build is replaced from the index that was named", async () => {
  const [first] = await explain(
    "RX 6800\npip3 install torch --index-url https://download.pytorch.org/whl/rocm6.1\n>>> torch.__version__\n'2.4.1+cpu'\n>>> torch.cuda.is_available()\nFalse",
  );
  expect(first!.fixes.flatMap(({ commands }) => commands).join("\n")).toContain("https://download.pytorch.org/whl/rocm6.1");
});

test("where the device files may not be opened, that is the answer", async () => {
  const [first] = await explain(
    "torch 2.3.0+rocm6.0, RX 7900 XTX\n>>> torch.cuda.is_available()\nFalse\nUnable to open /dev/kfd read-write: Permission denied",
  );
  expect(first).toMatchObject({ cause: "driver-not-exposed", certainty: "likely" });
});
