import { apply } from "./tools/apply.ts";
import { check } from "./tools/check.ts";
import { diff } from "./tools/diff.ts";
import { explain } from "./tools/explain.ts";
import { fix } from "./tools/fix.ts";
import { list } from "./tools/list.ts";
import { loads } from "./tools/loads.ts";
import { solve } from "./tools/solve.ts";
import { trace } from "./tools/trace.ts";
import { undo } from "./tools/undo.ts";
import { why } from "./tools/why.ts";
import type { Tool } from "./tool.ts";

/** Every tool, in the order in which an agent needs them. */
export const tools: Tool[] = [explain, check, why, loads, list, fix, apply, undo, solve, trace, diff];
