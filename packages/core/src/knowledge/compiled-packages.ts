import type { CompiledPackage } from "../model/knowledge.ts";
import { compiledPackages } from "./texts/compiled-packages.generated.ts";

/** What is compiled where it is installed: by its name on PyPI, or by the address of its repository. */
export function compiledPackage(by: { name: string } | { url: string }): CompiledPackage | undefined {
  const { packages } = compiledPackages();
  if ("name" in by) return packages.find((each) => each.name === by.name && !each.onlyFromRepository);
  const repository = /github\.com[/:]([\w.-]+\/[\w.-]+?)(?:\.git)?\/?(?:[@#].*)?$/i.exec(by.url)?.[1]?.toLowerCase();
  return packages.find((each) => each.repository?.toLowerCase() === repository);
}

/** Where a row comes from, as text. */
export const compiledSources = ({ source }: CompiledPackage): string[] =>
  [source].flat().map((key) => compiledPackages().sources[key] ?? key);
