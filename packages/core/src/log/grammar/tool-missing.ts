import type { Frame } from "../frame.ts";

const tools = "nvcc|ptxas|cicc|nvlink|fatbinary|cl\\.exe|hipcc|rocminfo|nvidia-smi|nsys|ncu|nvidia-container-runtime|nvidia-container-cli";

const said = [
  // Who cannot run a profiler on a cluster has it.
  `\\b(?:can(?:not|'t| not)|could(?: not|n't)|unable to|failed to|did(?: not|n't)) (?:find|locate|run|execute|start|spawn|launch)(?: [\\w-]{2,12}){0,3} ["'\`]?(?<tool>${tools})\\b(?! (?:or|and|profil\\w{0,4}|on|inside|under|with|as) )`,
  `(?<![\\w/.-])["'\`]?(?<tool>${tools})["'\`]?(?: [\\w-]{2,12}){0,3}?:? (?:(?:is|was|are|could|can|has)(?: not|n't)(?: be)?(?: been)?|not|command not|executable file not) (?:found|installed|available|recogni[sz]ed|located|on (?:the )?PATH|in (?:the )?PATH)`,
  `(?<![\\w/.-])["'\`]?(?<tool>${tools})["'\`]? was searched [^\\n]{0,120}(?:not be|not) found`,
  `\\b(?:[Uu]nable|[Cc]ould not|[Cc]annot|[Ff]ailed) (?:to )?(?:locate|find) (?:a )?working (?<tool>${tools})\\b`,
  `\\bno (?<tool>${tools}) (?:was |is |could be )?(?:found|in PATH|on PATH|installed)`,
].map((source) => new RegExp(source, "i"));

const weighed =
  /\b(?:if|when|unless|whether|in case|skipp?(?:ing|ed)?|optional)\b[^.!;]{0,90}$|\b(?:skipping|optional|using (?:node|the) default)\b/i;

/** A tool that something calls is not there: nvcc not found, failed to execute `nvcc`, cannot find compiler 'cl.exe'. */
export default {
  id: "tool-missing",
  literals: [
    "nvcc",
    "ptxas",
    "cicc",
    "nvlink",
    "fatbinary",
    "cl.exe",
    "hipcc",
    "rocminfo",
    "nvidia-smi",
    "nsys",
    "ncu",
    "nvidia-container",
  ],
  examples: [
    "build.rs: failed to execute `nvcc`",
    "ERROR: nvcc not found. Install the toolkit",
    "cannot find compiler 'cl.exe' in PATH",
    "`ptxas` was searched in TRITON_PTXAS_PATH, /usr/local/cuda/bin/ or PATH but a working version could not be found.",
    'exec: "nvidia-container-runtime": executable file not found in $PATH',
  ],
  read(text) {
    const match = said.map((pattern) => pattern.exec(text)).find((each) => each !== null);
    if (!match || weighed.test(text.slice(0, match.index)) || weighed.test(text.slice(match.index))) return [];
    const tool = match.groups!["tool"]!.toLowerCase();
    if (tool.startsWith("nvidia-container")) return [{ kind: "container", what: "no-runtime" }];
    return /^(?:nvcc|ptxas|cicc|nvlink|fatbinary)$/.test(tool)
      ? [{ kind: "notice", id: "nvcc-missing" }]
      : [{ kind: "notice", id: "tool-missing", subject: tool }];
  },
} satisfies Frame;
