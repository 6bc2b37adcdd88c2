import type { KnowledgeFile, Sourced, SourceKeys } from "../model/knowledge.ts";

/** Whether these fields were read somewhere, and are neither remembered nor worked out. */
export function isCertain(fact: Sourced, ...fields: string[]): boolean {
  const doubtful = new Set([...(fact.memory ?? []), ...(fact.inferred ?? [])]);
  return (
    !fields.some((field) => doubtful.has(field)) && (fact.source !== "memory" || fields.every((field) => fact.from?.[field] !== undefined))
  );
}

/** Where a field of a fact comes from, as text; a wheel is named by its file. */
export function sourcesOf(file: KnowledgeFile, fact: Sourced & { wheels?: { wheel: string }[] }, field: string): string[] {
  const keys: SourceKeys = fact.memory?.includes(field) ? "memory" : (fact.from?.[field] ?? fact.source);
  return [keys].flat().flatMap((key) => (key === "wheel" ? (fact.wheels ?? []).map(({ wheel }) => wheel) : [file.sources[key] ?? key]));
}
