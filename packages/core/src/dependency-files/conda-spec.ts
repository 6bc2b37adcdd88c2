// Conda's notation of what is asked for: https://docs.conda.io/projects/conda/en/stable/user-guide/concepts/pkg-specs.html#package-match-specifications
import type { Place } from "../model/finding.ts";
import type { DeclaredPackage } from "../model/dependency-file.ts";
import { isWithin } from "../lib/pep440.ts";

/** Nobody writes a longer one. */
const longestSpec = 1000;

/** `pytorch::pytorch=2.1.*=*cuda11.8*` → name, clauses, channel and build; what PEP 440 has no words for is left out. */
export function readCondaSpec(text: string, place: Place): DeclaredPackage | undefined {
  const word = text.trim();
  if (longestSpec < word.length) return undefined;
  const [, prefix, name, rest = ""] = /^(?:([\w./:-]*)::)?([A-Za-z0-9_][\w.-]*)\s*([^]*)$/.exec(word) ?? [];
  if (name === undefined || /:\/\//.test(word)) return undefined;
  // `[version='2.1.*', build='cuda*', channel=conda-forge]` says the same in another place.
  const bracket = rest.endsWith("]") ? rest.indexOf("[", rest.lastIndexOf("]", rest.length - 2) + 1) : -1;
  const inside = bracket < 0 ? "" : rest.slice(bracket + 1, -1);
  const given = (key: string) =>
    new RegExp(`(?:^|[,\\s])${key}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^,\\s]*))`)
      .exec(inside)
      ?.slice(1)
      .find((each) => each !== undefined);
  const bare = (bracket < 0 ? rest : rest.slice(0, bracket)).trim();
  const build = given("build") ?? buildOf(bare);
  const channel = channelName(given("channel") ?? prefix ?? "");
  return {
    name: name.toLowerCase(),
    extras: [],
    specifier: clausesOf(bare === "" ? (given("version") ?? "") : bare),
    ...(channel === undefined ? {} : { channel }),
    ...(build === undefined ? {} : { build }),
    text: word,
    place,
  };
}

/** The channel of a package's address: `https://conda.anaconda.org/conda-forge/linux-64/…`. */
export function channelOf(url: string): string | undefined {
  return channelName(/^(.*)\/[^/]+\/[^/]+\.(?:conda|tar\.bz2)(?:#.*)?$/.exec(url)?.[1] ?? "");
}

/** A channel by its name, also where it is given by its address or with a system: `nvidia/label/cuda-11.8.0`. */
export function channelName(text: string): string | undefined {
  const plain = text
    .replace(/^\w+:\/\/(?:conda\.anaconda\.org|repo\.anaconda\.com)\//, "")
    .replace(/\/(?:linux-64|noarch|linux-aarch64|osx-64|osx-arm64|win-64)\/?$/, "")
    .replace(/^pkgs\/(?:main|r|free|msys2)$/, "defaults")
    .replace(/^(?:main|anaconda)$/, "defaults")
    .replace(/\/$/, "");
  return plain === "" ? undefined : plain;
}

/** `=2.1=*cuda*` and `2.1 *cuda*` end with a build. */
function buildOf(rest: string): string | undefined {
  return (/^(?:[<>!~]=?|==|=(?!=))\s*[^=\s]+=(\S+)$/.exec(rest) ?? /^[\d*][\w.*+!]*(?:\s+|=)(\S+)$/.exec(rest))?.[1];
}

function clausesOf(rest: string): string {
  if (rest === "" || rest.includes("|")) return "";
  // `=2.1=build`: one equals sign means any version that begins so.
  const [, sign, version, build] = /^(={1,2})\s*([\w.*+!]+)(?:=(\S+))?$/.exec(rest) ?? /^()([\d][\w.*+!]*)(?:\s+(\S+))?$/.exec(rest) ?? [];
  if (version !== undefined) {
    const bare = version.replace(/\.?\*$/, "");
    if (bare === "") return "";
    const isExact = sign === "==" || (build !== undefined && !version.includes("*")) || (sign === "" && !version.includes("*"));
    return readable(isExact ? `==${bare}` : `==${bare}.*`);
  }
  const clauses = rest.split(",").map((clause) =>
    clause
      .replace(/\s+/g, "")
      // `>=2.7=cuda12*` ends with a build, too.
      .replace(/^([<>!~]=?[^=]+)=.*$/, "$1")
      .replace(/^=(?!=)(.*?)(?:\.?\*)?$/, "==$1.*")
      .replace(/^([\d.]+)\.?\*$/, "==$1.*"),
  );
  return readable(clauses.join(","));
}

const readable = (specifier: string) => (isWithin("1.0", specifier) === undefined ? "" : specifier);
