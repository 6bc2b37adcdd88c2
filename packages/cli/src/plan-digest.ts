import { createHash } from "node:crypto";
import type { Plan } from "@culprit/core";

/** Names a plan: what it changes, below which root, and what that was proven to do. Whatever differs, another plan has another name. */
export const digestOf = (root: string, { chosen, proof }: Plan): string =>
  `sha256:${createHash("sha256").update(JSON.stringify({ root, chosen, proof })).digest("hex")}`;
