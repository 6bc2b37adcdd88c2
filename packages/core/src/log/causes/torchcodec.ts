import { madeForTorch, torchMeantBy } from "../../knowledge/built-for-torch.ts";
import { isWithin } from "../../lib/pep440.ts";
import { nameOf } from "../../lib/path.ts";
import { weights, type Problem, type Suspect } from "../cause.ts";
import type { Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix } from "../fixes.ts";

/** torchcodec tries one library for each FFmpeg that it knows, and prints why each failed: that FFmpeg is not there, most often. */
export default function torchcodec(facts: Facts, context: Context): Problem[] {
  const lost = facts.notices("torchcodec-lost");
  if (lost.length === 0) return [];
  const other = otherRelease(lost, context);
  if (other) return [{ weight: weights.said, suspects: [other] }];
  // Where the loader says what is missing, and it is no part of FFmpeg, that is the fault; of FFmpeg one release is enough.
  const missed = facts.all("not-found").filter(({ name }) => !/^libav|^libsw/.test(nameOf(name)));
  if (0 < missed.length || facts.has("undefined-symbol") || facts.has("damaged")) return [];
  return [
    { weight: weights.refused, symptom: "torchcodec finds no FFmpeg that it can use", suspects: withoutFfmpeg(lost, facts, context) },
  ];
}

function otherRelease(lost: Fact<"notice">[], { packages, framework }: Context): Suspect | undefined {
  const [codec] = packages(/^torchcodec$/);
  const { version: torch, facts: told } = framework("torch");
  const meant = codec && torchMeantBy("torchcodec", codec.version);
  if (!codec || torch === undefined || meant === undefined || isWithin(torch.replace(/\+.*/, ""), meant) !== false) return undefined;
  const fitting = madeForTorch("torchcodec", torch);
  return {
    cause: "package-conflict",
    name: "torchcodec",
    required: `torch ${meant}`,
    found: `torch ${torch}`,
    certainty: "likely",
    message: `torchcodec ${codec.version} was made for torch ${meant}, and torch ${torch} is here`,
    evidence: [...lost.slice(0, 1), codec, ...told.slice(0, 1)],
    next: ["pip list | grep -i torch"],
    fixes: [
      fitting === undefined
        ? fix("install the torchcodec that was made for this torch")
        : fix("install the torchcodec that was made for this torch", `pip install "torchcodec==${fitting}"`),
    ],
  };
}

function withoutFfmpeg(lost: Fact<"notice">[], facts: Facts, { conda }: Context): Suspect[] {
  const windows = facts.on("windows") || lost.some(({ subject }) => subject?.endsWith(".dll"));
  const parts = facts.all("not-found");
  const base = {
    name: parts[0] === undefined ? (windows ? "avutil-*.dll" : "libavutil.so") : nameOf(parts[0].name),
    required: "FFmpeg 4 to 8 as shared libraries",
    evidence: [...lost.slice(0, 2), ...parts.slice(0, 3)],
    next: [windows ? "where ffmpeg; where avutil-*.dll" : "ffmpeg -version; ldconfig -p | grep libavutil", "pip list | grep -i torch"],
  };
  const install = fix(
    windows
      ? "install the *full-shared* build of FFmpeg, whose `bin` folder holds `avcodec-*.dll`; a plain `ffmpeg.exe` is not enough"
      : "install FFmpeg with its shared libraries",
    windows || conda ? 'conda install -c conda-forge "ffmpeg<8"' : "sudo apt-get install ffmpeg",
  );
  const missing: Suspect = {
    ...base,
    cause: "library-missing",
    certainty: parts.length === 0 ? "possible" : "likely",
    message: "no FFmpeg of a release that torchcodec knows is installed as shared libraries",
    fixes: [install],
  };
  const path: Suspect = {
    ...base,
    cause: "library-not-on-path",
    certainty: "possible",
    message: windows
      ? "FFmpeg's DLLs are not where Python looks: since 3.8 it looks beside the module, in its own folders, and where `os.add_dll_directory` says"
      : "or FFmpeg is installed, and its folder is not searched",
    fixes: [
      windows
        ? fix("before `import torchcodec`, call `os.add_dll_directory` with FFmpeg's `bin` folder")
        : fix("let the loader look in FFmpeg's folder; in a conda environment, start that environment's own Python"),
    ],
  };
  const conflict: Suspect = {
    ...base,
    cause: "package-conflict",
    name: "torchcodec",
    certainty: "possible",
    message: "or torchcodec was made for another torch, or for the CPU while torch has CUDA",
    fixes: [fix("install torch and torchcodec of one release, from one index")],
  };
  return windows ? [path, { ...missing, message: `or ${missing.message}` }, conflict] : [missing, path, conflict];
}
