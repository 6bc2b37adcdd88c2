// Scopes of JAX and TensorFlow, as they stand in the names of operators: `jit(step)/transpose(jvp(block))/up/dot_general`.
import type { TraceScope } from "../model/trace.ts";
import { addTo, createTree, placeIn, rowsOf } from "./scope-tree.ts";

interface NamedOperator {
  name: string;
  kernels: number;
  total: number;
}

/** By rows; none where names say no more than one scope for all. */
export function xlaScopes(operators: NamedOperator[], all: number): TraceScope[] {
  const tree = createTree();
  for (const { name, kernels, total } of operators) {
    const { scopes, isBackward } = scopesIn(name);
    let place = -1;
    for (const scope of scopes) place = placeIn(tree, place, scope);
    addTo(tree, place, kernels, total, isBackward);
  }
  const rows = rowsOf(tree, all);
  return rows.length < 2 ? [] : rows;
}

// What compilers put between the scopes of a program (jax/_src: loops, calls, checkpoints).
const structure =
  /^(?:main|eval_jaxpr|while|body|cond|scan|closed_call|core_call|custom_[jv]vp_call|remat\d?|checkpoint|rematted_computation|branch_\d+_fun|shmap_body|gradient_tape|while_body|while_cond)?$/;
const wrapped = /^(?:jit|pjit|jvp|transpose|vmap|remat|checkpoint|custom_jvp|custom_vjp|shard_map|pmap|xmap)\((.*)\)$/;

/** The scopes around an operator, outermost first, and whether it belongs to the backward pass. */
export function scopesIn(operator: string): { scopes: string[]; isBackward: boolean } {
  const parts = partsOf(operator.slice(0, 2000));
  // The last one is the operator itself.
  const around = parts.slice(0, -1);
  const isBackward = around.some((part) => part.startsWith("transpose(") || part === "gradient_tape");
  return { scopes: around.map(unwrapped).filter((part) => !structure.test(part)), isBackward };
}

function unwrapped(part: string): string {
  let text = part;
  for (let found = wrapped.exec(text); found; found = wrapped.exec(text)) text = found[1]!;
  return text;
}

/** Slashes within brackets are part of a name. */
function partsOf(name: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < name.length; at += 1) {
    const letter = name[at]!;
    if (letter === "(") depth += 1;
    else if (letter === ")") depth -= 1;
    else if (letter === "/" && depth <= 0) {
      parts.push(name.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, name.slice(from)];
}
