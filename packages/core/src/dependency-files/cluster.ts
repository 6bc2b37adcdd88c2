// What scripts for a cluster say: modules that are loaded, and Slurm's requests.
import { solvedFrameworks } from "../model/frameworks.ts";
import { gpuNamed } from "../knowledge/gpus.ts";
import type { Place } from "../model/finding.ts";
import type { Declaration, DeclaredStep } from "../model/dependency-file.ts";
import { placeAt, splitLines } from "./lines.ts";
import type { Setting } from "./setting.ts";
import type { Word } from "./shell.ts";

/** Modules that bring nothing of CUDA's. */
const without =
  /^(?:gcc|gcccore|gnu\d*|intel.*|oneapi|llvm|clang|openmpi|mpich|mvapich2?|impi|cmake|make|ninja|git|git-lfs|slurm|ana?conda\d?|miniconda\d?|mamba|mambaforge|miniforge\d?|conda|pip|uv|python|ffmpeg|java|hdf5|rust|go|nodejs|apptainer|singularity|singularityce|squashfs|stdenv|zlib|tmux|vim|htop|openblas|boost|eigen|libffi|sqlite|openssl|pigz|wget|curl|tar|arch|spack|craype.*|prgenv.*)$/;

/** `module load cuda/11.8 cudnn`, `module add`, `ml cuda`. */
export function readModules(program: string, words: Word[], setting: Setting): DeclaredStep[] {
  const given = words.filter(({ text }) => !text.startsWith("-"));
  const isVerb = /^(?:load|add|try-load|swap|switch|purge|unload|rm|del|use|unuse|list|avail|spider|save|restore|reset|show|init\w*)$/;
  const verb = isVerb.test(given[0]?.text ?? "") ? given.shift()!.text : program === "ml" ? "load" : "";
  if (/^(?:unload|rm|del|restore|reset)$/.test(verb)) return given.slice(0, 1).map((word) => unseen(word, setting));
  if (!/^(?:load|add|try-load|swap|switch)$/.test(verb)) return [];
  // Of `swap a b`, b is there afterwards.
  return (verb.startsWith("sw") ? given.slice(-1) : given).flatMap((word) => readModule(word, setting));
}

const unseen = (word: Word, setting: Setting): Extract<DeclaredStep, { kind: "unseen" }> => ({
  kind: "unseen",
  what: `the module ${word.text}`,
  place: setting.place(word),
});

function readModule(word: Word, setting: Setting): DeclaredStep[] {
  const place = setting.place(word);
  const parts = word.text.toLowerCase().split("/");
  const at = parts.findIndex((part) => /^(?:cuda(?:-?toolkit)?|cudnn)$/.test(part));
  // `cuda12.1/toolkit/12.1.1` and `cuda-12.1` have their release in the name.
  const joined = /^(cuda|cudnn)-?(\d+\.\d[\d.]*)$/.exec(parts[0]!);
  const name = joined?.[1] ?? parts[at];
  if (name !== undefined) {
    const version =
      joined?.[2] ??
      parts
        .slice(at + 1)
        .find((part) => /^v?\d/.test(part))
        ?.replace(/^v/, "");
    if (word.isKnown && version !== undefined) return [{ kind: "module", name, version, place }];
    return [{ ...unseen(word, setting), open: `which release the module \`${word.text}\` is depends on the cluster` }];
  }
  const python = /^python3?$/.test(parts[0]!) ? /^3\.\d+/.exec(parts[1] ?? "")?.[0] : undefined;
  if (python !== undefined) return [{ kind: "python", specifier: `==${python}.*`, place }];
  if (without.test(parts[0]!)) return [];
  const called = word.text.toLowerCase();
  if (/nvhpc|rapids/.test(called) || solvedFrameworks.some(({ modules }) => modules.some((name) => called.includes(name))))
    setting.tell(place, `what the module \`${word.text}\` brings is not known here`);
  return [unseen(word, setting)];
}

/** Options of srun that stand alone. */
const bare =
  /^(?:--(?:pty|exclusive|overlap|unbuffered|label|verbose|quiet|no-kill|oversubscribe|preserve-env|test-only|container-writable|container-remap-root|no-container-\S+|container-mount-home)|-[luvQkOsXE])$/;

/** `srun --ntasks=1 pip install …`; a container that it starts is what the rest runs in. */
export function readSrun(
  first: Word,
  words: Word[],
  setting: Setting,
  readCommand: (words: Word[], setting: Setting) => DeclaredStep[],
): DeclaredStep[] {
  const steps: DeclaredStep[] = [];
  let at = 0;
  for (; at < words.length; at += 1) {
    const word = words[at]!;
    if (!word.text.startsWith("-")) break;
    const [, option, joined] = /^(--[\w-]+)(?:=([^]*))?$/.exec(word.text) ?? [];
    const isJoined = joined !== undefined || /^-\w./.test(word.text) || bare.test(word.text);
    const value = isJoined ? joined : words[(at += 1)]?.text;
    if (option === "--container-image" && value !== undefined && !/\.(?:sqsh|sif)$|\$/.test(value))
      steps.push({ kind: "image", name: value.replace(/^docker:\/\//, "").replace("#", "/"), place: setting.place(word) });
  }
  const rest = words.slice(at);
  return [...steps, ...(rest.length === 0 ? [{ kind: "program" as const, place: setting.place(first) }] : readCommand(rest, setting))];
}

/** The GPUs that one option of sbatch asks for: `--gres=gpu:a100:4`, `--gpus-per-node=h100:8`, `-C a100`. */
export function requestedGpus(option: string, value: string, place: Place): DeclaredStep[] {
  const isKnown = (name: string) => /[a-z]/i.test(name) && gpuNamed(name) !== undefined;
  if (/^(?:--constraint|-C)$/.test(option)) return isKnown(value) ? [{ kind: "gpu", product: value, place }] : [];
  const isGres = option === "--gres";
  if (!isGres && !/^(?:--gpus(?:-per-(?:node|task|socket))?|-G)$/.test(option)) return [];
  return value.split(",").flatMap((each): DeclaredStep[] => {
    const parts = each.split(":");
    if (isGres && parts.shift() !== "gpu") return [];
    if (parts.every((part) => part === "0")) return [];
    const product = parts.find(isKnown);
    return [{ kind: "gpu", ...(product === undefined ? {} : { product }), place }];
  });
}

/** A script with requests in its comments: `#PBS -l …`, `#BSUB -gpu …`. They stand before what it does. */
export function withRequests(
  script: Declaration,
  text: string,
  sign: string,
  gpusIn: (options: string, place: Place) => DeclaredStep[],
): Declaration {
  const gpus = splitLines(text).flatMap((line, index): DeclaredStep[] => {
    if (!line.startsWith(sign)) return [];
    // What stands behind a number sign is a comment.
    const options = line.slice(sign.length).split(/[ \t]#/)[0]!;
    return gpusIn(options, placeAt(script.file, index + 1, sign.length + 1, options.trimEnd().length));
  });
  const alternatives = script.alternatives?.map((each) => ({ ...each, steps: [...gpus, ...each.steps] }));
  return { ...script, steps: [...gpus, ...script.steps], ...(alternatives ? { alternatives } : {}) };
}

/** GPUs that are asked for by number and, where it is said, by a name that is known. */
export const gpuRequest = (count: string, product: string | undefined, place: Place): DeclaredStep[] => {
  if (count === "0") return [];
  return [
    { kind: "gpu", ...(product !== undefined && /[a-z]/i.test(product) && gpuNamed(product) !== undefined ? { product } : {}), place },
  ];
};
