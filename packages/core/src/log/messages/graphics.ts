import { weights } from "../cause.ts";
import { fix } from "../fixes.ts";
import { notice, type Signature } from "../signature.ts";

/** OpenGL beside CUDA: Mesa's libGL, glxinfo. */
export default [
  {
    ...notice(
      "no-gl-driver",
      ["libgl error", "llvmpipe", "mesa-loader: failed"],
      /libGL error: (?:unable to load driver|failed to load driver|failed to create dri screen|MESA-LOADER)|MESA-LOADER: failed to open|(?:Device|renderer(?: string)?): ?llvmpipe/i,
      "libGL error: unable to load driver: swrast_dri.so",
      "OpenGL renderer string: llvmpipe (LLVM 13.0.0, 256 bits)",
    ),
    means: {
      weight: weights.refused,
      name: "OpenGL",
      required: "a driver for OpenGL where the program runs",
      found: "Mesa without one for this GPU",
      unless: (facts) => facts.has("undefined-symbol") || 0 < facts.notices("symbol-version-missing").length,
      next: ["glxinfo -B", "echo $NVIDIA_DRIVER_CAPABILITIES"],
      may: [
        {
          cause: "not-a-mismatch",
          certainty: "likely",
          message: "it is a matter of OpenGL and no release of CUDA changes it: CUDA and OpenGL are parts of the driver that come apart",
          fixes: [
            fix(
              "in a container of NVIDIA's: ask for the graphics part too: `-e NVIDIA_DRIVER_CAPABILITIES=all`, with an image that has libglvnd",
            ),
            fix(
              "under WSL: bring Mesa up to date, whose D3D12 driver is the only one there; elsewhere install Mesa's drivers (`libgl1-mesa-dri`)",
            ),
          ],
        },
        { cause: "driver-not-exposed", message: "or only the part of the driver for computing reaches the container", fixes: [] },
        { cause: "library-missing", message: "or Mesa's own drivers are not installed", fixes: [] },
      ],
    },
  },
] satisfies Signature[];
