// What is built from its source: a repository, or an archive by its address.
import { compiledPackage } from "../knowledge/compiled-packages.ts";
import { normalName } from "../lib/pep508.ts";
import type { CompiledPackage } from "../model/knowledge.ts";

const withoutBehind = (url: string): string => url.replace(/[?#].*$/, "");

const archive = /\.(?:zip|tar\.gz|tgz|tar\.bz2|tar\.xz)$/i;

/** Whether pip fetches a source here, which has no name of its own: a repository, an archive. A wheel is none. */
export function isSource(text: string): boolean {
  const address = withoutBehind(text.trim());
  if (/\.whl$/i.test(address)) return false;
  return /^(?:git|hg|svn|bzr)\+|^https?:\/\//i.test(address) || /\.git(?:@[^/]*)?$/.test(address) || archive.test(address);
}

/** The names that an address hints at: of the archive without its version, of the repository, of the folder in it. */
export function sourceNames(url: string): string[] {
  const folder = /[#&]subdirectory=([^&\s]+)/.exec(url)?.[1]?.split("/").at(-1);
  const address = withoutBehind(url).replace(/\/+$/, "");
  const hosted = /\/([\w.-]{1,100})\/(?:-\/)?(?:archive|tarball|zipball)\//.exec(address)?.[1];
  const last = address.slice(address.lastIndexOf("/") + 1).replace(/@.*$/, "");
  const own = hosted ?? last.replace(archive, "").replace(/[-_]v?\d[\w.+]*$/, "");
  return [own.replace(/\.git$/, ""), ...(folder === undefined ? [] : [folder])].flatMap((each) => {
    const name = normalName(each.replace(/[^A-Za-z0-9._-]+/g, "-")).replace(/^-+|-+$/g, "");
    return name === "" ? [] : [name];
  });
}

/** What of the packages that are compiled comes from an address: by its repository, or by the name of a source distribution. */
export function compiledFrom(url: string): CompiledPackage | undefined {
  const address = withoutBehind(url);
  if (/\.whl$/i.test(address)) return undefined;
  const [name] = archive.test(address) && !/\/(?:archive|tarball|zipball)\//.test(address) ? sourceNames(url) : [];
  return compiledPackage({ url }) ?? (name === undefined ? undefined : compiledPackage({ name }));
}
