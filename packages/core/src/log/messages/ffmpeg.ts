import { fix } from "../fixes.ts";
import { weights } from "../cause.ts";
import { notice, type Signature } from "../signature.ts";

/** FFmpeg: libavcodec/nvenc.c, and nv-codec-headers' dynlink_loader.h ("Cannot load …" is understood with the loader's words). */
export default [
  {
    ...notice(
      "nvenc-api",
      "driver does not support the required nvenc api version",
      /Driver does not support the required nvenc API version\. Required: (?<required>\d{1,2}\.\d{1,2}) Found: (?<found>\d{1,2}\.\d{1,2})/,
      "[h264_nvenc @ 0x5581] Driver does not support the required nvenc API version. Required: 13.0 Found: 12.1",
    ),
    means: {
      // The driver's interface for video has releases of its own, in step with those of the driver.
      weight: weights.said,
      name: "libnvidia-encode.so.1",
      next: ["nvidia-smi"],
      about: (facts, { driver }, [api]) => {
        const [least] = facts.notices("nvenc-driver");
        return {
          required: `NVENC ${api!.required}${least ? ` (driver ${least.required} or newer)` : ""}`,
          found: `NVENC ${api!.found}${driver ? ` (driver ${driver.version})` : ""}`,
          evidence: [api!, ...(least ? [least] : [])],
        };
      },
      may: [
        {
          cause: "driver-too-old",
          certainty: "certain",
          message: (_facts, _context, [api]) => `the program was built for NVENC ${api!.required}, and the driver has ${api!.found}`,
          fixes: (facts) => {
            const [least] = facts.notices("nvenc-driver");
            return [
              fix(`install ${least ? `driver ${least.required} or newer` : "a newer NVIDIA driver"}`),
              fix("or take a build of the program with older headers of NVENC"),
            ];
          },
        },
      ],
    },
  },
  notice(
    "nvenc-driver",
    "driver for nvenc is",
    /The minimum required Nvidia driver for nvenc is (?<required>\d{3}\.\d{1,3}(?:\.\d{1,3})?) or newer/,
    "[h264_nvenc @ 0x5581] The minimum required Nvidia driver for nvenc is 570.0 or newer",
  ),
] satisfies Signature[];
