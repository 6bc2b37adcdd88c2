import { pipAdvice } from "../diagnose/pip.ts";
import type { Stack } from "../diagnose/stack.ts";
import { defineMachineRule } from "./rule.ts";

/** Whether a toolkit among these has the compiler that the file lies beside. */
const isCopied = ({ inventory }: Stack, tried: string[]): boolean =>
  inventory.copies.some(({ library, file, names }) =>
    [file, ...names].some((each) => {
      const [, home] = /^(.*)\/nvvm\/lib64\//.exec(each) ?? [];
      const places = inventory.toolkits.find(({ path }) => path === home)?.names ?? [];
      return (
        library === "nvvm" &&
        home !== undefined &&
        [home, ...places].some((place) => tried.includes(`${place}/nvvm/libdevice/libdevice.10.bc`))
      );
    }),
  );

export default defineMachineRule({
  id: "libdevice-missing",
  title: "JAX would find no libdevice, which many of its operations need",
  cause: "library-missing",
  severity: "warning",
  absence: true,
  notOn: { "dependency-file": "what is lacking there is told as a package that is asked for and not installed" },
  page: {
    what: "XLA finds ptxas, but no `libdevice.10.bc`: what uses exp, tanh, sin, sqrt, powers or random numbers ends with “INTERNAL: libdevice not found at ./libdevice.10.bc”, and sums and matrix products work.",
    why: "Since 0.4.31 the wheels of JAX do not bring that file. For CUDA 12 it is in nvidia-cuda-nvcc-cu12 beside ptxas; for CUDA 13 in a wheel of its own, nvidia-nvvm, which `--no-deps` and hand-written lists leave out. In a toolkit it is below `nvvm`, which images are made smaller without.",
    how: "All folders that XLA looks into: those that CUDA_ROOT, CUDA_HOME (from 0.8 on) and XLA_FLAGS name, NVIDIA's wheels, /usr/local/cuda, /opt/cuda, the environment and the working folder. Silent where one of them could not be looked at; a note where a toolkit has libnvvm and not this file, which NVIDIA's packages bring together.",
    fix: "Install the wheel. A toolkit elsewhere is named with CUDA_ROOT: jax overrides XLA_FLAGS=--xla_gpu_cuda_data_dir where one of NVIDIA's wheels has the folder of the compiler.",
    observed:
      "jax 0.12.0 compiling for an H200 that was not there: of thirteen operations nine fail without the file and none with it; 0.5.3, 0.7.2 and 0.11.2 were asked for tanh alone, which fails without it. /usr/local/cuda and /opt/cuda are from the list that XLA prints. No program was run on a GPU.",
  },
  finds: (stack) =>
    stack.runs.flatMap((run) => {
      const miss = run.loads.missed.find(({ name }) => name === "libdevice.10.bc");
      const jax = run.programs.find(({ id }) => id === "jax");
      if (!miss || !jax || run.stops.some(({ program, activity }) => program === "jax" && activity === "compile")) return [];
      const wheel = miss.tried.some((path) => path.includes("/nvidia/cu13/")) ? "nvidia-nvvm" : "nvidia-cuda-nvcc-cu12";
      const { environment } = run;
      return [
        {
          subject: `libdevice.10.bc${environment === undefined ? "" : ` in ${environment.prefix}`}`,
          // NVIDIA's packages bring both or none: who has one without the other looks at a copy of a toolkit that is not whole.
          ...(isCopied(stack, miss.tried)
            ? { severity: "info" as const, certainty: "possible" as const }
            : { certainty: "likely" as const }),
          short: "libdevice.10.bc is not found",
          message: `jax ${jax.package?.version ?? ""} would find no libdevice.10.bc: what uses exp, tanh, sin, sqrt, powers or random numbers fails when it is compiled`,
          because: ["XLA takes these functions from that file; sums and matrix products do without"],
          evidence: [miss.message, ...miss.tried.slice(0, 3).map((path) => `not there: ${path}`)],
          advice: [pipAdvice(environment, "install the wheel that brings it", "install", wheel)],
          facts: {},
          endangers: [{ framework: "jax", activity: "compile" }],
        },
      ];
    }),
});
