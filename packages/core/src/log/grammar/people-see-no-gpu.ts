import type { Draft } from "../fact.ts";
import type { Frame } from "../frame.ts";
import { gpu, not, persons, sentencesOf, spokenOf, wished, type Sentence } from "../sentence.ts";

// "I can't run it on CUDA", "it won't start with the GPU".
const onCuda =
  /\b(?:run|runs|running|start|train|execute|infer|generate)(?: (?:it|this|them|the \w{3,12}|my \w{3,12}|anything))? (?:on|with|using) (?:the |my )?(?:CUDA|GPU)\b/i;
const see =
  /\b(?:see(?:s|ing|n)?|detect(?:s|ing|ed)?|find(?:s|ing)?|found|recogni[sz](?:e|es|ing|ed)|access(?:ing|es)?|visible|available|listed|shown|show(?:s|ing)?|pick(?:s|ing)? up|reach(?:es|ing)?|load(?:s|ing)?)\b/i;
// What a program or a test does without is nobody's complaint, unless he says that it is his.
const use = /\b(?:work(?:s|ing)?|us(?:e|es|ing|ed)|utili[sz](?:e|es|ing|ed))\b/i;
const cuda = /\bcuda\b/i;
const unavailable =
  /\bcuda\b[^\n]{0,20}\b(?:not|n['’]t|un)[ -]?(?:being )?(?:available|detected|recogni[sz]ed|working|visible)\b|\bno (?:cuda )?GPUs?\b/i;
const cpuAlone =
  /\b(?:only|just) (?:\w{3,8} )?(?:the )?CPU\b|\b(?:falls?|falling|fell) back to (?:the )?CPU\b|\b(?:runs?|running|us(?:es|ing)|trains?|training) (?:\w{2,8} ){0,2}(?:on (?:the )?)?CPU (?:only|instead|rather)\b|\b(?:always|still|stuck|keeps|everything|entirely|solely|exclusively|defaults to|ends up)\b(?: \w{2,10}){0,2} (?:on (?:the )?)?CPU\b|\bCPU\b[^\n.;]{0,60}\b(?:rather than|instead of|and not) (?:on )?(?:the |my )?(?:GPU|graphics card)\b|\b(?:runs?|running|trains?|training) (?:\w{2,8} )?on (?:the )?CPU,? (?:although|even though|despite|while)\b/i;
// "The GPU becomes unavailable after some time", "the container loses access to its GPU".
const lost =
  /\bGPUs?\b(?: \w{2,10}){0,2}? (?:becomes?|became|becoming|goes|went|gets?|suddenly|is suddenly) (?:suddenly )?(?:unavailable|inaccessible|lost|gone|missing|away)\b|\b(?:lose|loses|losing|lost)(?: access to)?(?: the| its| my| all| their)? GPUs?\b|\bGPUs?\b(?: \w{2,10}){0,2} (?:disappear|vanish)(?:s|ed|ing)?\b/i;
// "Adding visible gpu devices: 0" names the first one.
const noneLeft = /(?<!\bvisible )\b(?:nvidia\.com\/gpu|gpus?)\b[^\n]{0,12}\b(?:is|are|=|:|shows?) ?(?:0|zero|none|empty)\b/i;

// What is said of a GPU that is there: its memory, its work, its heat.
const elsewhere =
  /\b(?:processes|pids?)\b|\b(?:fully|full|completely|entirely|100 ?%|\d{1,2} ?%)(?: \w{2,10})? (?:utili[sz]ed|used|loaded|saturated|capacity)\b|\b(?:memory|VRAM|utili[sz]ation|util|out of|OOM|slow(?:er)?|temperature|fan|power|multiple|second|other|both|all|two|multi)[ -]?(?:GPUs?)?\b|\b(?:profil|trace|tensorboard|nsys|nsight|ncu|kernels?)/i;

// Programs that somebody gives a GPU to, and who names CUDA beside the CPU.
const forGpus =
  /\b(?:ollama|llama[-_. ]?cpp|stable diffusion|ComfyUI|whisper|tensorflow|tf-gpu|pytorch|jax|keras|xgboost|lightgbm|vllm|CUDA)\b/i;

// The GPU is what is not seen: few words stand between, and none of them is what is seen instead.
const between =
  "(?: (?:my|the|any|an?|our|its|this|nvidia|cuda|dedicated|discrete|host|local|either|is|are|was|being|be|get|gets|as|by|to|on|with|a|it)){0,3}";
const governing = (verbs: RegExp) => [
  new RegExp(`(?:${verbs.source})${between} (?:${gpu.source})`, "i"),
  new RegExp(`(?:${gpu.source})(?: [\\w.'’]{2,12}){0,3} (?:${verbs.source})`, "i"),
];

const sees = governing(see);
const uses = governing(use);

const told = ({ near, has }: Sentence, text: string): boolean => {
  const nearGpu = (verbs: RegExp[]) => verbs.some((pattern) => near(64, not, pattern));
  return (
    !has(wished) &&
    !has(elsewhere) &&
    (nearGpu(sees) ||
      (has(persons) && (nearGpu(uses) || near(40, not, onCuda))) ||
      has(unavailable) ||
      ((has(gpu) || has(forGpus) || (has(persons) && (gpu.test(text) || forGpus.test(text)))) && has(cpuAlone)) ||
      has(noneLeft) ||
      has(lost))
  );
};

/** Which framework sees none: it decides what there is to ask. */
function draftsOf(sentence: Sentence): Draft[] {
  const [id, ...others] = spokenOf(sentence);
  if (others.length === 0 && (id === "torch" || id === "tensorflow")) return [{ kind: "available", by: id, value: false }];
  return [{ kind: "notice", id: "no-gpu-seen", subject: "any" }, ...(id === undefined ? [] : [{ kind: "voice" as const, id }])];
}

/** Somebody says that his GPU is not seen or not used, in whatever order of words. */
export default {
  id: "people-see-no-gpu",
  vague: true,
  literals: ["gpu", "cuda", "card", "rtx", "gtx", "cpu"],
  examples: [
    "PyTorch not detecting my GPU inside docker container",
    "tensorflow 2.12 can't see my gpu on windows",
    "the docker container doesn't see the GPU even though nvidia-smi works on the host",
    "jax only sees cpu, not gpu",
    "CUDA not available in WSL2 ubuntu",
    "GPU becomes unavailable after some time in Docker container",
    "Running ollama in docker on WSL2 it always uses CPU",
    "I am unable to run it on CUDA, my card is supported",
  ],
  read: (text) =>
    sentencesOf(text).flatMap((sentence) =>
      told(sentence, text) && (sentence.has(gpu) || sentence.has(cuda) || sentence.has(forGpus) || sentence.has(cpuAlone))
        ? draftsOf(sentence)
        : [],
    ),
} satisfies Frame;
