import { notice, type Signature } from "../signature.ts";

/** What somebody has done before he asked: advice to do it is none. */
export default [
  notice(
    "rebooted",
    ["reboot", "restart"],
    /\b(?:(?:tried|after|have|had|already|I|we|did|a) (?:\w{1,10} ){0,2}(?:reboot(?:ed|ing|s)?|restart(?:ed|ing)? (?:the |my |our )?(?:machine|computer|server|host|PC|system|laptop))|reboot(?:ing|s)?(?: \w{1,12}){0,3} (?:does|did|do)(?: not|n['\u2019]t) (?:help|work|change|fix|solve))\b/i,
    "Tried rebooting, still doesn't work",
    "I have already restarted the server",
    "a reboot did not help",
  ),
  {
    // A shell's prompt: who asks is root there, mostly in a container.
    ...notice(
      "as-root",
      "root@",
      /^\s{0,8}(?:\([\w.-]{1,40}\) )?root@[\w.-]{1,64}:[^\n]{0,120}#/,
      "root@5f3c1a2b9d10:/workspace# ncu ./app",
    ),
    single: true,
  },
  notice(
    // Of a command line, and not of advice: the image or a program stands behind it.
    "gpus-asked",
    ["--gpus", "--runtime", "--nv ", "nvidia.com/gpu", "runtime: nvidia"],
    /\b(?:docker|nerdctl|podman)\b[^\n]{0,300} (?:--gpus[= ]["']?(?:all|\d|device)|--runtime[= ]nvidia\b|--device[= ]nvidia\.com\/gpu)|\b(?:singularity|apptainer) [^\n]{1,200} --nv\b|\b(?:singularity|apptainer) \w{3,8} --nv\b|^\s{0,24}(?:nvidia\.com\/gpu: ["']?\d|runtime: nvidia)/,
    "docker run --rm --gpus all nvidia/cuda:12.4.0-base-ubuntu22.04 nvidia-smi",
    "singularity exec --nv tools.sif python train.py",
    "              nvidia.com/gpu: 1",
  ),
] satisfies Signature[];
