import { fix } from "../fixes.ts";
import { weights } from "../cause.ts";
import { notice, type Signature } from "../signature.ts";

/** The first driver with each NVENC, on Linux and on Windows (FFmpeg's libavcodec/nvenc.c; README of nv-codec-headers). */
const drivers: { [nvenc: string]: [linux: string, windows: string] } = {
  "9.0": ["418.30", "418.81"],
  "9.1": ["435.21", "436.15"],
  "10.0": ["445.87", "450.51"],
  "11.0": ["455.28", "456.71"],
  "11.1": ["470.57.02", "471.41"],
  "12.0": ["520.56.06", "522.25"],
  "12.1": ["530.41.03", "531.61"],
  "12.2": ["550.54.14", "551.76"],
  "13.0": ["570", "570"],
};

/** FFmpeg: libavcodec/nvenc.c, and nv-codec-headers' dynlink_loader.h ("Cannot load …" is understood with the loader's words). */
export default [
  {
    ...notice(
      "nvenc-api",
      "driver does not support the required nvenc api version",
      /Driver does not support the required nvenc API version\b(?:\. Required: (?<required>\d{1,2}\.\d{1,2}) Found: (?<found>\d{1,2}\.\d{1,2}))?/,
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
          required: `${api!.required === undefined ? "a newer NVENC" : `NVENC ${api!.required}`}${least ? ` (driver ${least.required} or newer)` : ""}`,
          found: `${api!.found === undefined ? "an older one" : `NVENC ${api!.found}`}${driver ? ` (driver ${driver.version})` : ""}`,
          evidence: [api!, ...(least ? [least] : [])],
        };
      },
      may: [
        {
          cause: "driver-too-old",
          certainty: "certain",
          message: (_facts, _context, [api]) =>
            api!.required === undefined
              ? "the program was built for a newer NVENC than the driver has"
              : `the program was built for NVENC ${api!.required}, and the driver has ${api!.found}`,
          fixes: (facts, _context, [api]) => {
            const [least] = facts.notices("nvenc-driver");
            const known = drivers[api!.required ?? ""]?.[facts.on("windows") ? 1 : 0];
            return [
              fix(
                `install ${least ? `driver ${least.required} or newer` : `a newer NVIDIA driver${known === undefined ? "" : ` (${known} or newer)`}`}`,
              ),
              fix("or take a build of the program with older headers of NVENC"),
            ];
          },
        },
      ],
    },
  },
  {
    ...notice(
      "ffmpeg-without-nvidia",
      ["unknown encoder '", "unknown decoder '", "unrecognized hwaccel", "no such filter: '", "encoder not found"],
      /Unknown (?:en|de)coder '(?<subject>\w{2,12}_(?:nvenc|cuvid))'|Unrecognized hwaccel: (?<found>cuda|nvdec|cuvid)|No such filter: '(?<required>(?:scale_|yadif_|overlay_|thumbnail_|hwupload_)(?:cuda|npp)|hwupload_cuda)'/,
      "Unknown encoder 'h264_nvenc'",
      "Unrecognized hwaccel: cuda.",
      "[AVFilterGraph @ 0x55] No such filter: 'scale_npp'",
    ),
    means: {
      weight: weights.refused,
      name: "ffmpeg",
      required: "an FFmpeg that was built with NVIDIA's codecs",
      found: "one without",
      next: ["ffmpeg -hide_banner -encoders | grep nvenc; ffmpeg -hide_banner -hwaccels", "which -a ffmpeg"],
      may: [
        {
          cause: "wrong-wheel-cpu-only",
          certainty: "likely",
          message: "this FFmpeg was built without the part for NVIDIA's GPUs that is asked for",
          fixes: [
            fix("take a build that has it (its `-encoders` and `-filters` list it), or build it with `--enable-nvenc --enable-cuda-llvm`"),
          ],
        },
        { cause: "library-shadowed", name: "ffmpeg", message: "or another ffmpeg, such as conda's, is found first on PATH", fixes: [] },
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
