import { notice, type Signature } from "../signature.ts";

/** pacman (src/pacman/util.c, src/pacman/sync.c). */
export default [
  notice(
    "pacman-breaks",
    "breaks dependency",
    /:: (?:installing (?<subject>(?:lib32-|opencl-)?(?:nvidia|cuda|cudnn|nccl|tensorrt)[\w.+-]{0,60}) \((?<found>[\w.:+-]{1,40})\)|removing (?:lib32-|opencl-)?(?:nvidia|cuda|cudnn)[\w.+-]{0,60}) breaks dependency '(?<required>[^'\n]{2,80})' required by/,
    ":: installing nvidia-utils (565.77-1) breaks dependency 'nvidia-utils=560.35.03' required by nvidia-dkms",
  ),
] satisfies Signature[];
