import { nameOf } from "../lib/path.ts";
import type { Load } from "../model/loads.ts";
import type { Draft } from "../model/finding.ts";
import { loadFact, reinstalling } from "../diagnose/facts.ts";
import { defineMachineRule } from "./rule.ts";
import type { Run, Stack } from "../diagnose/stack.ts";
import { copyAt, fileWords, ownerWords, reinstallAdvice, ruleWords, unique, unsetAdvice, variableWords } from "../diagnose/words.ts";

export default defineMachineRule({
  id: "cudnn-parts-from-two-releases",
  title: "Parts of one cuDNN come from two releases",
  cause: "mixed-cudnn-sublibraries",
  severity: "error",
  notOn: { "dependency-file": "which copy of a library is loaded is decided by the search paths of files that are not there yet" },
  page: {
    what: "cuDNN is a small front library, `libcudnn.so`, and parts that it opens by name while the program runs: `libcudnn_graph`, `libcudnn_ops`, the engines, the heuristic. The front comes from one release, and some parts from another.",
    why: "The front usually comes from the framework's wheel, along an RPATH that nothing can override. But the front itself has a RUNPATH, which is searched after LD_LIBRARY_PATH: a system cuDNN in a folder of that variable takes the place of single parts. torch and XLA compare versions and refuse an older one; engines of another release may not load at all; and where nothing complains, results rest on a mixture that nobody tests.",
    how: "We replay the loader for every part that the activity opens, under the names that cuDNN tries (full version, major.minor, major), and compare the versions that the files hold.",
    fix: "Take the folder out of LD_LIBRARY_PATH where it is set, or for one command with `env -u LD_LIBRARY_PATH`. Wheels bring the cuDNN that they need; they need no variable.",
    observed:
      "On an H200 with torch 2.11 and jax 0.11: cuDNN 9.19.0 on parts of 9.14.0 makes torch refuse (“cuDNN version incompatibility”), a foreign libcudnn_engines_runtime_compiled ends torch with CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED and jax with a segmentation fault; a foreign graph library alone lets jax run.",
  },
  blames(stack, { failure }, run) {
    const { refusal, underlying } = failure;
    const isOfCudnn = (refusal && "library" in refusal && refusal.library === "cudnn") || /libcudnn/.test(underlying?.requestedBy ?? "");
    const mixture = isOfCudnn ? mixtureOf(run) : undefined;
    return mixture && { ...draftOf(stack, mixture), specificity: 4 };
  },
  finds: (stack) =>
    stack.runs.flatMap((run) => {
      const mixture = mixtureOf(run);
      if (!mixture) return [];
      const endangers = run.programs
        .filter(({ id }) => !run.stops.some(({ program }) => program === id))
        .map(({ id }) => ({ framework: id, activity: mixture.activity }));
      return endangers.length === 0 ? [] : [{ ...draftOf(stack, mixture), severity: "warning" as const, endangers }];
    }),
});

interface Mixture {
  front: Load;
  strangers: Load[];
  activity: string;
}

function mixtureOf({ loads: { loads } }: Run): Mixture | undefined {
  const parts = loads.filter(({ library, version }) => library === "cudnn" && version !== undefined);
  const front = parts.find(({ file, name }) => [name, file].some((path) => nameOf(path).startsWith("libcudnn.so")));
  const strangers = parts.filter(({ version }) => front && version !== front.version);
  return front && strangers[0] && { front, strangers, activity: strangers[0].activity };
}

function draftOf(stack: Stack, { front, strangers }: Mixture): Draft {
  const [first] = strangers as [Load];
  const owner = copyAt(stack, front.file)?.owner;
  const steered = strangers.filter(({ via }) => via === "ld-library-path");
  const versions = unique(strangers.map(({ version }) => version!)).join(" and ");
  return {
    subject: front.file,
    message: `cuDNN ${front.version}${owner ? ` of ${ownerWords(owner)}` : ""} would run on parts of cuDNN ${versions}, such as ${first.file}`,
    because: [
      `${nameOf(front.file)} opens ${nameOf(first.name)} by name, and ${ruleWords(first)}`,
      ...(0 < steered.length ? [variableWords(stack, "LD_LIBRARY_PATH")] : []),
    ],
    evidence: [front, ...strangers].map((load) => {
      const file = fileWords(stack, load.file, load);
      return nameOf(load.name) === nameOf(load.file) ? file : `${nameOf(load.name)} → ${file}`;
    }),
    advice:
      0 < steered.length
        ? unsetAdvice(stack, strangers)
        : [
            (owner?.kind === "pip" && reinstallAdvice(owner)) ||
              `install one release of cuDNN: let ${front.file} and its parts come from one package`,
          ],
    facts: {
      loads: [...strangers.map((load) => loadFact(load)), loadFact(front, "beside")],
      ...(steered.length === 0 ? { packages: reinstalling(stack, front.file) } : {}),
    },
  };
}
