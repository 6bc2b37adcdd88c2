import type { Toolkit } from "../model/knowledge.ts";
import { isCertain } from "./certainty.ts";
import { beginsWith, compareDotted } from "./dotted.ts";
import { cudaToolkits } from "./texts/cuda-toolkits.generated.ts";
import { architecture, toolkitOf, type ToolkitRange } from "./toolkits.ts";

/** What a file says about the CUPTI in it; more than one of these may be known. */
export interface CuptiMarks {
  /** `libcupti.so.11.2`: up to CUDA 11 the name has the minor. */
  soname?: string;
  /** The real file's name: `libcupti.so.2022.2.1`. */
  file?: string;
  /** What cuptiGetVersion returns. */
  api?: number;
  /** The version of the package that brought it: `12.4.127`. */
  packaged?: string;
}

/** The toolkits that a libcupti can be of, oldest and newest; the surest mark decides. */
export function cuptiToolkit({ soname, file, api, packaged }: CuptiMarks): ToolkitRange | undefined {
  return (
    byName(soname) ??
    among((toolkit) => file !== undefined && toolkit.cuptiFile === file, "cuptiFile") ??
    byName(file) ??
    (api === undefined ? undefined : toolkitOf({ cuptiApi: api })) ??
    among((toolkit) => packaged !== undefined && toolkit.cupti !== undefined && beginsWith(packaged, toolkit.cupti), "cupti") ??
    byRelease(packaged)
  );
}

// libcupti.so.11.2 and libcupti.so.10.2.75, but not libcupti.so.12, which is the name for all of CUDA 12.
function byName(name: string | undefined): ToolkitRange | undefined {
  const cuda = /^libcupti\.so\.(\d{1,2}\.\d+)(?:\.\d+)*$/.exec(name ?? "")?.[1];
  return cuda === undefined ? undefined : among((toolkit) => toolkit.cuda === cuda);
}

function byRelease(version: string | undefined): ToolkitRange | undefined {
  const cuda = /^(\d{1,2}\.\d+)\./.exec(version ?? "")?.[1];
  return cuda === undefined ? undefined : among((toolkit) => toolkit.cuda === cuda);
}

function among(isIt: (toolkit: Toolkit) => boolean, field?: string): ToolkitRange | undefined {
  const found = cudaToolkits().toolkits.filter(isIt);
  const [oldest, newest] = [found[0], found.at(-1)];
  return oldest && newest && { oldest, newest, certain: found.every((toolkit) => field === undefined || isCertain(toolkit, field)) };
}

export interface CuptiKnowsGpu {
  /** The first toolkit that knows this architecture. */
  first: string;
  knows: "itself" | "its family" | "nothing of it";
  certain: boolean;
}

/** Whether the CUPTI of a toolkit can know a GPU: it came with the first toolkit of its architecture, or at least of the same major. */
export function cuptiKnows({ newest, certain }: ToolkitRange, sm: string): CuptiKnowsGpu | undefined {
  const found = architecture(sm);
  if (!found) return undefined;
  const isThere = (first: string) => compareDotted(first, newest.cuda) <= 0;
  const family = cudaToolkits().architectures.filter((each) => majorOf(each.sm) === majorOf(sm));
  const knows = isThere(found.first) ? "itself" : family.some(({ first }) => isThere(first)) ? "its family" : "nothing of it";
  return { first: found.first, knows, certain: certain && isCertain(found, "first") };
}

/** 9 of sm_90a, 12 of sm_121. */
const majorOf = (sm: string) => /^sm_(\d+)\d[af]?$/.exec(sm)?.[1];
