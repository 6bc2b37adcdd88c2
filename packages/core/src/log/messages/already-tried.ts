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
  notice(
    // The driver's own switch, which no message of a profiler names.
    "counters-opened",
    "nvreg_restrictprofilingtoadminusers",
    /NVreg_RestrictProfilingToAdminUsers["']?=["']?0/,
    'options nvidia "NVreg_RestrictProfilingToAdminUsers=0"',
  ),
  notice(
    "driver-updated",
    "driver",
    /\b(?:installed|have|updated|using|got|with|reinstalled)(?: (?:to|all|my|the|both|it|nvidia|gpu|graphics|card)){0,4} (?:latest|newest|most recent|up[- ]to[- ]date)(?: [\w/]{2,12}){0,3} drivers?\b|\bdrivers? (?:is|are)(?: all)? (?:up[- ]to[- ]date|the latest|latest)\b|\bupdat(?:ed|ing) (?:my |the )?(?:nvidia |gpu |graphics )?drivers?\b/i,
    "I installed the latest drivers, no change",
    "updating the NVIDIA driver did not help",
  ),
  notice(
    "works-unprofiled",
    ["w/o ", "without the profil", "without profil", "without n", "without the n"],
    /\bwithout (?:the )?(?:profil(?:er|ing)|ncu|nsys|nsight|nvprof|nv-nsight-cu-cli)\b[^\n]{0,60}\b(?:works?|runs?|fine|passes|ok|succeeds)\b|\b(?:works?|runs?|fine|passes|succeeds)\b[^\n]{0,40}\b(?:without|w\/o) (?:the )?(?:profil(?:er|ing)|ncu|nsys|nsight|nvprof|nv-nsight-cu-cli|iprof|trac(?:er|ing)|thapi|tau|vtune)\b/i,
    "The application runs fine w/o iprof.",
    "Running it without ncu works fine",
  ),
  notice("of-zluda", "zluda", /\bzluda\b/i, "ComfyUI-Zluda on a 7900 XTX"),
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
    ["--gpus", "--runtime", "--nv", "nvidia.com/gpu", "runtime: nvidia"],
    /\b(?:docker|nerdctl|podman)\b[^\n]{0,300} (?:--gpus[= ]["']?(?:all|\d|device)|--runtime[= ]nvidia\b|--device[= ]nvidia\.com\/gpu)|\b(?:singularity|apptainer) [^\n]{1,200} --nv\b|\b(?:singularity|apptainer) \w{3,8} --nv\b|\brunOptions {0,2}= {0,2}["'][^"'\n]{0,80}--nv\b|\b(?:with|even with|added|adding|using|used?|pass(?:ed|ing)?) (?:and without )?(?:the )?(?:(?:flag|option|argument) )?[`'"]?(?:--nv\b|--gpus\b)|^\s{0,24}(?:nvidia\.com\/gpu: ["']?\d|runtime: nvidia)/,
    "docker run --rm --gpus all nvidia/cuda:12.4.0-base-ubuntu22.04 nvidia-smi",
    "singularity exec --nv tools.sif python train.py",
    "singularity.runOptions = '--nv'",
    "it fails with and without --nv option",
    "I also used the flag `--gpus all` just in case",
    "              nvidia.com/gpu: 1",
  ),
  {
    // A line that somebody typed, and no advice of a program: it begins with pip, behind a prompt at most.
    literals: ["download.pytorch.org/whl/"],
    pattern:
      /^\s{0,8}(?:[$>#!%] ?|RUN |\d{1,2}[.)] ?|\([\w.-]{1,30}\) ?(?:[\w@:~\\/.-]{0,60}[$#>] ?)?)?(?:sudo )?(?:python3? -m )?(?:uv )?[!%]?pip3? install [^\n]{0,200}download\.pytorch\.org\/whl\/(?:nightly\/)?(?<subject>cu\d{2,3})\b/,
    examples: ["pip3 install --pre torch torchvision --index-url https://download.pytorch.org/whl/nightly/cu128"],
    facts: ({ subject }) => ({ kind: "notice", id: "torch-installed-from", subject: subject! }),
  },
  notice(
    // The very command, and no `--gpus` in it.
    "docker-run-bare",
    ["docker run", "podman run"],
    /\b(?:docker|podman|nerdctl) run (?![^\n]{0,300}(?:--gpus|--runtime|--device|--privileged|rocm))(?=-|[\w.-]{2,40}[/:])/,
    "docker run -it pytorch/pytorch:2.4.0-cuda12.1-cudnn9-runtime bash",
  ),
  notice(
    "docker-run-bare",
    ["singularity ", "apptainer "],
    /\b(?:singularity|apptainer) (?:run|shell|exec) (?![^\n]{0,300}--(?:nv|nvccli|rocm)\b)(?=-|[\w./:-]{3,200}(?:\.sif\b|\.simg\b)|(?:docker|library|oras):)/,
    "singularity exec train.sif python train.py",
  ),
] satisfies Signature[];
