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
    why: "The front usually comes from the framework's wheel, along an RPATH that nothing can override. But the front itself has a RUNPATH, which is searched after LD_LIBRARY_PATH: a system cuDNN in a folder of that variable takes the place of single parts. Recurrent layers need parts of one release, and torch compares versions before them; engines of another release may not load at all; convolutions run, and their results rest on a mixture that nobody tests.",
    how: "We replay the loader for every part that the activity opens, under the names that cuDNN tries (full version, major.minor, major), and compare the versions that the files hold.",
    fix: "Take the folder out of LD_LIBRARY_PATH where it is set, or for one command with `env -u LD_LIBRARY_PATH`. Wheels bring the cuDNN that they need; they need no variable.",
    observed:
      "On an H200 with torch 2.11 and jax 0.11, cuDNN 9.19.0 on parts of 9.14.0: every kind of convolution, batch norm and attention runs; LSTM, GRU and `torch.backends.cudnn.version()` are refused by torch (“cuDNN version incompatibility”), and in both recurrent layers end with CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH where graph, ops and adv are not of one release. A foreign libcudnn_engines_runtime_compiled alone ends torch with CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED and jax with a segmentation fault.",
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
      // What runs on the mixture does so at its own risk; that it is merely loaded endangers nothing yet.
      const computing = run.activities.filter((activity) => activity === "convolution" || activity === "rnn");
      const used = 0 < computing.length ? computing : unique(mixture.strangers.map(({ activity }) => activity));
      const endangers = run.programs.flatMap(({ id }) =>
        used
          .filter((activity) => !run.stops.some((stop) => stop.program === id && stop.activity === activity))
          .map((activity) => ({ framework: id, activity })),
      );
      return endangers.length === 0 ? [] : [{ ...draftOf(stack, mixture), severity: "warning" as const, endangers }];
    }),
});

interface Mixture {
  front: Load;
  strangers: Load[];
}

/** Two majors in one process do not mix: each opens parts by names of its own. */
function mixtureOf({ loads: { loads } }: Run): Mixture | undefined {
  const parts = loads.filter(({ library, version }) => library === "cudnn" && version !== undefined);
  for (const front of parts.filter(({ file, name }) => [name, file].some((path) => nameOf(path).startsWith("libcudnn.so")))) {
    const isOfMajor = ({ version }: Load) => version!.split(".")[0] === front.version!.split(".")[0];
    const strangers = parts.filter((part) => isOfMajor(part) && part.version !== front.version);
    if (0 < strangers.length) return { front, strangers };
  }
  return undefined;
}

function draftOf(stack: Stack, { front, strangers }: Mixture): Draft {
  const [first] = strangers as [Load];
  const owner = copyAt(stack, front.file)?.owner;
  const isSteered = ({ via }: Load) => via === "ld-library-path" || via === "preload";
  // A variable brings the parts, or the library before them.
  const steered = strangers.some(isSteered) ? strangers.filter(isSteered) : [front].filter(isSteered);
  const isFront = steered[0] === front;
  const versions = unique(strangers.map(({ version }) => version!)).join(" and ");
  return {
    subject: front.file,
    short: `cuDNN ${front.version} with parts of ${versions}`,
    message: `cuDNN ${front.version}${owner ? ` of ${ownerWords(owner)}` : ""} would run on parts of cuDNN ${versions}, such as ${first.file}`,
    because: [
      isFront
        ? `${nameOf(front.file)} comes before all else: ${ruleWords(front)}`
        : `${nameOf(front.file)} opens ${nameOf(first.name)} by name, and ${ruleWords(first)}`,
      ...(["LD_LIBRARY_PATH", "LD_PRELOAD"] as const).flatMap((name) =>
        steered.some(({ via }) => (via === "preload") === (name === "LD_PRELOAD")) && stack.variables[name]
          ? [variableWords(stack, name)]
          : [],
      ),
    ],
    evidence: [front, ...strangers].map((load) => {
      const file = fileWords(stack, load.file, load);
      return nameOf(load.name) === nameOf(load.file) ? file : `${nameOf(load.name)} → ${file}`;
    }),
    advice:
      0 < steered.length
        ? unsetAdvice(stack, isFront ? [front] : strangers)
        : [
            (owner?.kind === "pip" && reinstallAdvice(stack, front.file)) ||
              `install one release of cuDNN: let ${front.file} and its parts come from one package`,
          ],
    facts: {
      loads: isFront
        ? [loadFact(front), ...strangers.map((load) => loadFact(load, "beside"))]
        : [...strangers.map((load) => loadFact(load)), loadFact(front, "beside")],
      ...(steered.length === 0 ? { packages: reinstalling(stack, front.file) } : {}),
    },
  };
}
