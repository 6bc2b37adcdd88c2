import { once } from "../lib/memo.ts";
import type { GlibcOnlyPackage } from "../model/knowledge.ts";
import { sourcesOf } from "./certainty.ts";
import { glibcOnly } from "./texts/glibc-only.generated.ts";

const byName = once(() => new Map(glibcOnly().packages.map((each) => [each.name, each])));

/** What is known of a package that PyPI has for glibc alone; undefined for all others. The name is pip's. */
export const glibcOnlyPackage = (name: string): GlibcOnlyPackage | undefined => byName().get(name);

export const glibcOnlySources = (row: GlibcOnlyPackage): string[] => sourcesOf(glibcOnly(), row, "name");
