import { memo, memoBy } from "../lib/memo.ts";
import { comparePythonVersions, parsePythonVersion } from "../lib/pep440.ts";
import type { TorchRelease } from "../model/knowledge.ts";
import { releaseFiles as files } from "./releases.generated.ts";
import { torch } from "./texts/torch.generated.ts";

/** Releases of each framework that has a file in knowledge/frameworks/. */
type FrameworkReleases = { [Id in keyof typeof files]: ReturnType<(typeof files)[Id]>["releases"][number] };

const minorOf = (version: string) => parsePythonVersion(version)?.release.slice(0, 2).join(".");

/**
 * What is known of a release. A local label (`2.4.1+cu121`) names the variant; without one, and without `variant`, the default
 * counts. Where this very release is not listed, the nearest of the same minor stands for it, and `exact` is false.
 */
export function frameworkRelease<Id extends keyof FrameworkReleases>(
  framework: Id,
  version: string,
  variant?: string,
): KnownRelease<Id> | undefined {
  return knownRelease(framework, version, variant) as KnownRelease<Id> | undefined;
}

interface KnownRelease<Id extends keyof FrameworkReleases> {
  release: FrameworkReleases[Id];
  exact: boolean;
}

// The models of frameworks ask for their own release many times.
const knownRelease = memoBy(
  2000,
  (framework: keyof FrameworkReleases, version: string, variant?: string) => `${framework} ${version} ${variant ?? ""}`,
  (framework, version, variant) => findRelease(framework, version, variant),
);

function findRelease<Id extends keyof FrameworkReleases>(framework: Id, version: string, variant?: string): KnownRelease<Id> | undefined {
  const parsed = parsePythonVersion(version);
  if (!parsed) return undefined;
  const label = variant ?? (typeof parsed.local?.[0] === "string" && /^cu\d+$/.test(parsed.local[0]) ? parsed.local[0] : undefined);
  const all = files[framework]().releases as FrameworkReleases[Id][];
  const isFitting = (release: FrameworkReleases[Id]) =>
    !("variant" in release) || (label === undefined ? release.default !== false : release.variant === label);
  const bare = version.replace(/\+.*/, "");
  const minor = all.filter((release) => isFitting(release) && minorOf(release.version) === minorOf(bare));
  const exact = minor.find((release) => comparePythonVersions(release.version, bare) === 0);
  if (exact) return { release: exact, exact: true };
  const release = minor.findLast((each) => comparePythonVersions(each.version, bare) < 0) ?? minor[0];
  return release && { release, exact: false };
}

/** The newest release that is known of a framework, and the day on which that was seen; undefined where none is kept. */
export const newestKnown = memo(100, (framework: string): { version: string; day: string } | undefined => {
  const read: (() => { releases: { version: string; checked: string }[] }) | undefined = files[framework as keyof FrameworkReleases];
  if (!read) return undefined;
  const { releases } = read();
  const newest = releases.reduce((best, each) => (comparePythonVersions(best.version, each.version) < 0 ? each : best));
  return { version: newest.version, day: newest.checked };
});

/** Every known build of torch, oldest release first. */
export const torchBuilds = (): TorchRelease[] => torch().releases;
