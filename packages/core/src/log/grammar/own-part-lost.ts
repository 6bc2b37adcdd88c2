import type { Frame } from "../frame.ts";

/** A package cannot load what was compiled of it, and says no more: Cannot load Graphbolt C++ library, failed to load the CUDA kernels. */
const said =
  /\b(?:can ?not|can't|could not|couldn't|unable to|failed to) (?:find|load|import|open|locate) (?:the |its |any )?(?<subject>(?:[A-Za-z][\w-]{1,20} ){0,2}?)(?:C\+\+|C\+\+\/CUDA|CUDA|GPU|compiled)(?: [a-z][\w-]{2,20}){0,2}? (?:library|extensions?|ops|operators|kernels?|module)\b/i;
const weighed = /\b(?:if|when|unless|whether|in case|may|might|skipp?(?:ing|ed)?|optional|fall(?:ing)? back)\b/i;

export default {
  id: "own-part-lost",
  vague: true,
  literals: ["c++", "cuda", "gpu", "compiled"],
  examples: [
    "FileNotFoundError: Cannot find DGL C++ graphbolt library at /v/dgl/graphbolt/libgraphbolt_pytorch_2.4.1.so",
    "ImportError: Cannot load Graphbolt C++ library",
    "RuntimeError: failed to load the CUDA kernels of the renderer: failed to load CUDA extension",
  ],
  read(text) {
    const match = said.exec(text);
    if (!match || weighed.test(text)) return [];
    const subject = match.groups!["subject"]!.trim();
    return [{ kind: "notice", id: "own-part-lost", ...(subject === "" ? {} : { subject }) }];
  },
} satisfies Frame;
