import { notice, type Signature } from "../signature.ts";

/** FFmpeg: libavcodec/nvenc.c, and nv-codec-headers' dynlink_loader.h ("Cannot load …" is understood with the loader's words). */
export default [
  notice(
    "nvenc-api",
    "driver does not support the required nvenc api version",
    /Driver does not support the required nvenc API version\. Required: (?<required>\d{1,2}\.\d{1,2}) Found: (?<found>\d{1,2}\.\d{1,2})/,
    "[h264_nvenc @ 0x5581] Driver does not support the required nvenc API version. Required: 13.0 Found: 12.1",
  ),
  notice(
    "nvenc-driver",
    "driver for nvenc is",
    /The minimum required Nvidia driver for nvenc is (?<required>\d{3}\.\d{1,3}(?:\.\d{1,3})?) or newer/,
    "[h264_nvenc @ 0x5581] The minimum required Nvidia driver for nvenc is 570.0 or newer",
  ),
] satisfies Signature[];
