import { libraryOf } from "../../knowledge/libraries.ts";
import { folderOf, nameOf } from "../../lib/path.ts";
import { weights, type Problem, type Suspect } from "../cause.ts";
import type { Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix, whyLine, withFolderOf, withoutSearchPath } from "../fixes.ts";
import { objectNamed } from "../objects.ts";

/** cuDNN 8 and 9 open their parts by bare name: one foreign folder is enough to mix two releases. */
export default function cudnnParts(facts: Facts, context: Context): Problem[] {
  const isPart = (path: string) => libraryOf(nameOf(path))?.id === "cudnn";
  const symbols = facts
    .all("undefined-symbol")
    .filter(
      ({ file, version, symbol }) => isPart(file) && (version === undefined ? /^cudnn|_ZN5cudnn|cask_cudnn/.test(symbol) : isPart(version)),
    );
  const refused = facts.notices("cudnn-part-refused");
  const mismatch = facts
    .all("cudnn-status")
    .filter(({ status }) => /SUBLIBRARY_VERSION_MISMATCH|SUBLIBRARY_LOADING_FAILED|^CUDNN_STATUS_VERSION_MISMATCH/.test(status));
  const opened = facts.all("opened").filter((fact) => fact.path !== undefined && isPart(fact.path));
  const folders = new Map<string, Fact<"opened">[]>();
  for (const fact of opened) folders.set(folderOf(fact.path!), [...(folders.get(folderOf(fact.path!)) ?? []), fact]);
  const sorted = [...folders].sort((a, b) => a[1].length - b[1].length);
  const odd = 1 < sorted.length ? sorted[0]![1][0] : undefined;
  const segfault = facts.notices("segfault")[0];
  const cudaFolders = context.searched.filter(({ folder }) => /cuda|cudnn/i.test(folder));
  // The shim names only the symbol when a part is absent.
  const lostSymbol = facts.notices("cudnn-symbol").filter(() => !facts.has("not-found") && !facts.has("undefined-symbol"));
  if (0 < lostSymbol.length && mismatch.length === 0) return [absentPart(lostSymbol)];
  const first = symbols[0] ?? refused[0] ?? mismatch[0];
  const silent = !first && segfault !== undefined && (odd !== undefined || 0 < cudaFolders.length);
  if (!first && !odd && !silent) return [];
  const culprit = odd?.path ?? symbols[0]?.file ?? refused[0]?.subject;
  const name = culprit === undefined ? mainName(facts) : nameOf(culprit);
  const folder = culprit?.includes("/") ? folderOf(culprit) : undefined;
  const pinned = context.packages(/^nvidia-cudnn-cu\d{2}$/)[0];
  const evidence = [first, odd, segfault, pinned, cudaFolders[0]?.fact].filter((fact) => fact !== undefined);
  const required = pinned
    ? `${pinned.version} throughout`
    : symbols[0]?.version === undefined
      ? "all parts of cuDNN from one release"
      : `${symbols[0].version} of the same release`;
  const mixed: Suspect = {
    cause: "mixed-cudnn-sublibraries",
    name,
    library: "cudnn",
    required,
    ...(culprit === undefined ? {} : { found: culprit.includes("/") ? culprit : `${culprit} of another release` }),
    certainty: silent ? "possible" : odd || 0 < symbols.length ? "certain" : "likely",
    message:
      folder === undefined
        ? "parts of cuDNN from two releases meet in one process"
        : `\`${name}\` comes from \`${folder}\`, other parts of cuDNN come from elsewhere and are of another release`,
    because: [
      "cuDNN opens its parts by bare name when they are first used, so a folder that is searched earlier can give a part of another release",
    ],
    evidence,
    next: [
      whyLine(name, context, "convolution"),
      "run it again with LD_DEBUG=libs set: the lines `calling init` name every part that is loaded",
    ],
    fixes: [
      withoutSearchPath(),
      ...(folder === undefined ? [] : [fix(`take \`${folder}\` out of the search, or bring its cuDNN to the release of the other parts`)]),
      ...(folder !== undefined && /^\/(?:usr\/)?lib\//.test(folder)
        ? [fix("remove the system's cuDNN where nothing else needs it", "sudo apt-get remove 'libcudnn*'")]
        : []),
    ],
  };
  const suspects: Suspect[] = [mixed];
  if (silent)
    suspects.push({
      ...mixed,
      cause: "library-shadowed",
      message: "a library in a folder of LD_LIBRARY_PATH may stand before the program's own copy",
      because: ["a crash without a message is what remains when two releases meet that do not check each other"],
    });
  else if (mismatch.length === 0 || symbols.length === 0)
    suspects.push({
      ...mixed,
      cause: "library-shadowed",
      certainty: "possible",
      message: "another copy of cuDNN is searched before the right one",
      because: [],
    });
  // A part that was not found at all is no part of another release; where the text names it, that step speaks first.
  const onlyLost =
    symbols.length === 0 &&
    refused.length === 0 &&
    !odd &&
    0 < mismatch.length &&
    mismatch.every(({ status }) => /LOADING_FAILED/.test(status));
  const named = onlyLost && facts.all("not-found").some((fact) => objectNamed(fact.name)?.library === "cudnn");
  if (onlyLost && !named)
    for (const [cause, message] of [
      ["library-not-on-path", "or a part lies where the loader does not look"],
      ["library-missing", "or a part of cuDNN is not installed"],
      ["library-wrong-version", "or a part needs another release of a library beside it (cuBLASLt, NVRTC) than the one that is found"],
    ] as const)
      suspects.push({ ...mixed, cause, certainty: "possible", message, because: [] });
  return [{ weight: silent ? weights.hint : named ? weights.refused - 1 : weights.said + 2, suspects }];
}

function mainName(facts: Facts): string {
  const version = facts.all("package").find(({ name }) => /cudnn/.test(name))?.version;
  return `libcudnn.so${version === undefined ? ".9" : `.${version.split(".")[0]}`}`;
}

function absentPart(evidence: Fact<"notice">[]): Problem {
  const symbol = evidence[0]!.subject ?? "";
  const part = /Convolution/.test(symbol)
    ? "libcudnn_cnn"
    : /Tensor|Activation|Pool|Softmax/.test(symbol)
      ? "libcudnn_ops"
      : "libcudnn_graph";
  const base = {
    name: `${part}.so.9`,
    library: "cudnn",
    required: `the part of cuDNN that has ${symbol}`,
    evidence,
    next: [`culprit why ${part}.so.9`, "find / -name 'libcudnn*.so.9*' 2>/dev/null"],
  };
  return {
    weight: weights.refused,
    suspects: [
      {
        ...base,
        cause: "library-missing",
        certainty: "likely",
        message: `cuDNN does not find \`${symbol}\`: one of its parts is missing`,
        fixes: [fix("install cuDNN again as a whole", "pip install --force-reinstall nvidia-cudnn-cu12")],
      },
      {
        ...base,
        cause: "library-not-on-path",
        certainty: "possible",
        message: "or its parts lie where the loader does not look",
        fixes: [withFolderOf(`${part}.so.9`)],
      },
      {
        ...base,
        cause: "mixed-cudnn-sublibraries",
        certainty: "possible",
        message: "or a part of another release was found",
        fixes: [withoutSearchPath()],
      },
    ],
  };
}
