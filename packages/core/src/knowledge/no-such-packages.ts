import { once } from "../lib/memo.ts";
import type { NoSuchPackage } from "../model/knowledge.ts";
import { sourcesOf } from "./certainty.ts";
import { noSuchPackages } from "./texts/no-such-packages.generated.ts";

const byName = once(() => new Map(noSuchPackages().names.map((each) => [each.name, each])));

/** What is known of a name that PyPI does not have; undefined for all others. The name is pip's: small letters, with hyphens. */
export const noSuchPackage = (name: string): NoSuchPackage | undefined => byName().get(name);

export const noSuchPackageSources = (row: NoSuchPackage): string[] => sourcesOf(noSuchPackages(), row, "name");
