import { comparePythonVersions, isWithin } from "../lib/pep440.ts";
import { publishedPackage } from "./published.ts";
import type { BuiltApart, CompiledPackage } from "../model/knowledge.ts";
import { compiledPackages } from "./texts/compiled-packages.generated.ts";

/** What is compiled where it is installed: by its name on PyPI, or by the address of its repository. */
export function compiledPackage(by: { name: string } | { url: string }): CompiledPackage | undefined {
  const { packages } = compiledPackages();
  if ("name" in by) return packages.find((each) => each.name === by.name && !each.onlyFromRepository);
  const [, repository] =
    /github\.com[/:]([\w.-]+\/[\w.-]+?)(?:\.git)?(?:\/(?:archive|tarball|zipball)\/.*|\/?(?:[@#].*)?)$/i
      .exec(by.url)
      ?.map((each) => each.toLowerCase()) ?? [];
  if (repository === undefined) return undefined;
  return packages.find((each) => each.repository?.toLowerCase() === repository);
}

/** Where a row comes from, as text. */
export const compiledSources = ({ source }: CompiledPackage): string[] =>
  [source].flat().map((key) => compiledPackages().sources[key] ?? key);

/** How a package is built apart from what is installed; undefined where pip builds it in the middle of that. */
export function builtApart({ name, apart = [] }: CompiledPackage, specifier = ""): BuiltApart | undefined {
  // What a repository has is taken for the newest.
  const version = publishedPackage(name)?.releases.findLast(
    (release) => specifier !== "" && isWithin(release.version, specifier) === true,
  )?.version;
  return apart.findLast(({ since }) => version === undefined || comparePythonVersions(since, version) <= 0);
}
