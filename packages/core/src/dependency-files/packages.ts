// Requirements in the notations that pip and its relatives take.
import { lightlyAsked } from "../knowledge/light-packages.ts";
import { publishedPackage } from "../knowledge/published.ts";
import { isUnrelated } from "../knowledge/unrelated.ts";
import { longestRequirement, normalName, parseRequirement, tooLong, type Misread } from "../lib/pep508.ts";
import type { DeclaredPackage, Install, RefusedRequirement } from "../model/dependency-file.ts";
import type { Place } from "../model/finding.ts";

/** One requirement of a line or a command: a name with versions, an address, a wheel, a folder. `problem` ends a sentence. */
export function readPackage(text: string, place: Place): DeclaredPackage | Misread | undefined {
  const word = text.trim();
  if (word === "") return undefined;
  if (longestRequirement < word.length) return tooLong;
  // A marker may stand behind an address.
  const [, link = word, marker] = /^(\S+\.whl(?:[?#]\S*?)?)\s*;\s*(\S[^]*)$/.exec(word) ?? [];
  const wheel = wheelNamed(link.replace(/[?#].*$/, ""));
  if (wheel && !/\s@\s/.test(link)) return { ...wheel, url: link, ...(marker === undefined ? {} : { marker }), text: word, place };
  const [, address] = /^[A-Za-z0-9._-]+(?:\[[^\]]*\])?\s*@\s*(\S+)/.exec(word) ?? [];
  if (address === undefined && (/^(?:[a-z][a-z0-9]*\+)?[a-z][a-z0-9]*:\/\//i.test(word) || isPath(word))) {
    const egg = /[#&]egg=([A-Za-z0-9._-]+)/.exec(word)?.[1];
    return egg === undefined ? undefined : { name: normalName(egg), extras: [], specifier: "", url: word, text: word, place };
  }
  const read = parseRequirement(word);
  if ("problem" in read) return read;
  const named = read.url === undefined ? undefined : wheelNamed(read.url.replace(/[?#].*$/, ""));
  return {
    ...read,
    ...(named ? { specifier: named.specifier, ...(named.python === undefined ? {} : { python: named.python }) } : {}),
    text: word,
    place,
  };
}

/**
 * What pip certainly refuses: a version without its clause behind the name of a package that is known. Other lines that cannot be read may
 * be no requirements at all.
 */
export function refusedRequirement(text: string, place: Place): RefusedRequirement | undefined {
  const [, name, version] = /^([A-Za-z0-9][\w.-]*)(?:\[[\w,.-]*\])?(?:\s*=\s*|\s+)v?(\d+(?:\.\d+)+(?:\.\*)?)$/.exec(text.trim()) ?? [];
  if (name === undefined || version === undefined) return undefined;
  const own = normalName(name);
  const isKnown = publishedPackage(own) !== undefined || isUnrelated(own) || lightlyAsked(own) !== undefined;
  return isKnown ? { name: own, version, text: text.trim(), place } : undefined;
}

const isPath = (word: string) =>
  /^(?:\.{1,2}(?:[/[]|$)|\/|~|file:|[A-Za-z]:\\)/.test(word) ||
  /^[\w./-]+\/(?:[\w.-]*)?(?:\[[\w,.-]*\])?$/.test(word) ||
  /\.(?:zip|tar\.gz|tgz|tar\.bz2)$/.test(word);

/** What the name of a wheel says (PEP 427): `torch-2.0.1%2Bcu118-cp310-cp310-linux_x86_64.whl`. */
function wheelNamed(path: string): Pick<DeclaredPackage, "name" | "extras" | "specifier" | "python"> | undefined {
  if (!path.endsWith(".whl")) return undefined;
  const file = path.slice(path.lastIndexOf("/") + 1, -4).replace(/%2b/gi, "+");
  const parts = file.split("-");
  if (parts.length < 5 || !/^\d/.test(parts[1]!)) return undefined;
  const tag = /^cp(\d)(\d+)$/.exec(parts.at(-3)!);
  const isAbi3 = parts.at(-2) === "abi3";
  return {
    name: normalName(parts[0]!),
    extras: [],
    specifier: `==${parts[1]}`,
    ...(tag && !isAbi3 ? { python: `${tag[1]}.${tag[2]}` } : {}),
  };
}

/** The parts of an installation that most have nothing in. */
export const bareInstall = (): Pick<Install, "constraints" | "includes" | "indexes" | "links"> => ({
  constraints: [],
  includes: [],
  indexes: [],
  links: [],
});
