import { weights } from "../cause.ts";
import { containerOption, fix, gpuAccess } from "../fixes.ts";
import { ownMatter } from "../meaning.ts";
import { notice, type Signature } from "../signature.ts";

const video = containerOption(
  "in a container: ask for the driver's part for video, too",
  "-e NVIDIA_DRIVER_CAPABILITIES=compute,video,utility",
);

/** NVENC and NVDEC: nvEncodeAPI.h's codes, the Video Codec SDK's NvEncoder.cpp, FFmpeg's nvenc.c and cuviddec.c. */
export default [
  {
    ...notice(
      "nvenc-no-device",
      [
        "nv_enc_err_unsupported_device",
        "nv_enc_err_no_encode_device",
        "unsupported device (2)",
        "no encode device (1)",
        "no capable devices found",
        "no nvenc capable devices found",
        "doesn't support required nvenc features",
        "hparamsetup",
        "nvencopenencodesessionex",
      ],
      /NV_ENC_ERR_(?:UNSUPPORTED_DEVICE|NO_ENCODE_DEVICE)|OpenEncodeSessionEx failed: (?:unsupported device|no encode device)|_nvenc @ \w{4,20}\] No capable devices found|No NVENC capable devices found|doesn't support required NVENC features|nvEncOpenEncodeSessionEx[^\n]{0,80}returned error [12]\b/,
      "[h264_nvenc @ 0x5581] OpenEncodeSessionEx failed: unsupported device (2): (no details)",
      "[hevc_nvenc @ 0x5581] No capable devices found",
    ),
    means: {
      weight: weights.said,
      name: "NVENC",
      required: "a GPU with an encoder for this format",
      next: ["nvidia-smi -L", "nvidia-smi -q | grep -i encoder"],
      symptom: "NVENC finds no GPU that encodes this",
      may: [
        {
          cause: "not-a-mismatch",
          message:
            "this GPU has no encoder (A100, H100, GT 1030 and others have none), none for this format, or only a part of the GPU was given (MIG, vGPU)",
          fixes: [
            fix(
              "encode on another GPU, in another format, or on the CPU (`-c:v libx264`); NVIDIA's video support matrix lists what each GPU encodes",
            ),
          ],
        },
        { cause: "arch-unsupported", message: "or the program asks for what only newer GPUs encode" },
        {
          cause: "driver-not-exposed",
          message: "or the container sees other GPUs than the host: one without an encoder, or none",
          fixes: (_facts, context) => [gpuAccess(context, "start it with"), video],
        },
      ],
    },
  },
  {
    ...notice(
      "nvenc-sessions",
      [
        "openencodesessionex failed: out of memory",
        "incompatible client key",
        "nv_enc_err_out_of_memory",
        "nv_enc_err_incompatible_client_key",
      ],
      /OpenEncodeSessionEx failed: (?:out of memory|incompatible client key)|NV_ENC_ERR_(?:OUT_OF_MEMORY|INCOMPATIBLE_CLIENT_KEY)/,
      "[h264_nvenc @ 0x5581] OpenEncodeSessionEx failed: out of memory (10): (no details)",
    ),
    means: ownMatter(
      "NVENC",
      "no further encoding session is allowed: drivers of GeForce cards allow a few at once (3, 5 or 8, by release), or the GPU's memory is full",
      "end other encoders on the GPU, encode fewer streams at once, or install a newer driver, which allows more",
    ),
  },
  {
    ...notice(
      "nvenc-api-old",
      ["does not support this nvencodeapi version", "nv_enc_err_invalid_version", "openencodesessionex failed: invalid version"],
      /does not support this NvEncodeAPI version|NV_ENC_ERR_INVALID_VERSION|OpenEncodeSessionEx failed: invalid version/,
      "Current Driver Version does not support this NvEncodeAPI version, please upgrade driver",
    ),
    means: {
      weight: weights.said,
      name: "libnvidia-encode.so.1",
      required: "a driver with the NVENC that the program was built for",
      about: (_facts, { driver }) => (driver ? { found: `driver ${driver.version}` } : {}),
      next: ["nvidia-smi"],
      may: [
        {
          cause: "driver-too-old",
          certainty: "likely",
          message: "the program was built for a newer NVENC than the driver has",
          fixes: [fix("install a newer NVIDIA driver"), fix("or build the program with older headers of the Video Codec SDK")],
        },
      ],
    },
  },
  {
    ...notice(
      "nvenc-stub",
      ["nvencodeapigetmaxsupportedversion", "nvencodeapicreateinstance", "nvenc library file is not found", "loadnvencapi"],
      /NvEncodeAPI(?:GetMaxSupportedVersion|CreateInstance)\([^\n]{0,40}\) returned error|NVENC library file is not found/,
      "LoadNvEncApi : NvEncodeAPIGetMaxSupportedVersion(&version) returned error -315456918 at NvEncoder.cpp:86",
    ),
    means: {
      weight: weights.said,
      name: "libnvidia-encode.so.1",
      required: "the driver's own libnvidia-encode",
      next: ["ldconfig -p | grep -i 'nvidia-encode\\|nvcuvid'", "nvidia-smi"],
      symptom: "the library of NVENC does not answer, or is not there",
      may: [
        {
          cause: "driver-not-exposed",
          message: "the container was not given the driver's part for video",
          fixes: [video, fix("on a machine: install the whole driver, with libnvidia-encode")],
        },
        {
          cause: "stub-library",
          message: "or the Video Codec SDK's stub, which is for the linker only, answers in its place",
          fixes: [fix("take the folder of the SDK's stubs out of LD_LIBRARY_PATH and out of the image")],
        },
        { cause: "driver-too-old", message: "or the driver is older than the SDK" },
        { cause: "library-missing", message: "or it is not installed: drivers for servers come without it" },
      ],
    },
  },
  {
    // Driver 550 got a further library, which the container toolkit before 1.14.5 does not hand in (libnvidia-container issue 241).
    ...notice(
      "nvenc-bitstream",
      "failed locking bitstream buffer",
      /Failed locking bitstream buffer: (?<subject>[\w ]{4,40}) \(\d{1,2}\)/,
      "[h264_nvenc @ 0x5581] Failed locking bitstream buffer: invalid param (8):",
    ),
    means: {
      weight: weights.failed,
      name: "nvidia-container-toolkit",
      required: "container toolkit 1.14.5 or newer for drivers from 550 on",
      about: (_facts, { driver }) => (driver ? { found: `driver ${driver.version}` } : {}),
      symptom: "NVENC starts, and fails at the first picture",
      next: ["nvidia-container-cli --version; nvidia-smi", "ldconfig -p | grep nvidia-gpucomp"],
      may: [
        {
          cause: "upstream-bug",
          message:
            "the container toolkit is older than the driver, and leaves out a library (libnvidia-gpucomp) that drivers from 550 on need",
          when: (facts) => facts.on("container") || 0 < facts.all("driver").length,
          fixes: [
            fix(
              "bring the container toolkit to 1.14.5 or newer, and start the container anew",
              "sudo apt-get install --only-upgrade nvidia-container-toolkit libnvidia-container1",
            ),
          ],
        },
        { cause: "driver-not-exposed", message: "or the container was given only a part of the driver", fixes: [video] },
        { cause: "not-a-mismatch", message: "or the encoder was given settings or pictures that it does not take" },
      ],
    },
  },
] satisfies Signature[];
