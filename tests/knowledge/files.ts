import { readFileSync, readdirSync } from "node:fs";
import type { CudaToolkits, Cudnn, KnowledgeFile, Sourced, Torch } from "../../packages/core/src/model/knowledge.ts";

const read = <T>(name: string) => JSON.parse(readFileSync(`knowledge/${name}.json`, "utf8")) as T;

export const toolkits = read<CudaToolkits>("cuda-toolkits");
export const cudnn = read<Cudnn>("cudnn");
export const torch = read<Torch>("frameworks/torch");

/** Every file of knowledge but those of libraries, which have a shape and tests of their own. */
export const names = readdirSync("knowledge", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".json") && !name.startsWith("libraries/"))
  .map((name) => name.slice(0, -5))
  .sort();

export const file = (name: string) => read<KnowledgeFile & { [list: string]: (Sourced & { [field: string]: unknown })[] }>(name);
