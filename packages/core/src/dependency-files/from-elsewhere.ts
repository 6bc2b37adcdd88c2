// Packages of tables (Poetry, Pipenv, pixi, uv) that come from no index: repositories, addresses, folders beside the file.
import { normalName } from "../lib/pep508.ts";
import type { Place } from "../model/finding.ts";
import type { DeclaredPackage } from "../model/dependency-file.ts";
import { fields, word } from "./finding-lines.ts";
import { readPackage } from "./packages.ts";

/** Where `{ git = … }`, `{ path = … }`, `{ url = … }` or `{ file = … }` leads; undefined where an index is asked. */
export function addressIn(entry: unknown): string | undefined {
  const given = fields(entry) ?? {};
  const folder = word(given["subdirectory"]);
  const git = word(given["git"]);
  if (git !== undefined) return `${git.startsWith("git+") ? git : `git+${git}`}${folder === undefined ? "" : `#subdirectory=${folder}`}`;
  const address = word(given["url"]) ?? word(given["file"]);
  if (address !== undefined) return address;
  const path = word(given["path"]);
  if (path === undefined) return undefined;
  return /\.(?:whl|zip|tar\.gz|tgz|tar\.bz2)$/.test(path) ? path : `file:${path}`;
}

/** A package of such a table. */
export function fromElsewhere(name: string, address: string, place: Place, extras: string[] = []): DeclaredPackage | undefined {
  if (!address.startsWith("file:") || address.startsWith("file://")) {
    const wheel = address.replace(/[?#].*$/, "").endsWith(".whl") ? readPackage(address, place) : undefined;
    if (wheel && !("problem" in wheel)) return { ...wheel, name: normalName(name) };
    const found = readPackage(`${name} @ ${address}`, place);
    if (found && !("problem" in found)) return found;
  }
  const asked = extras.length === 0 || !address.startsWith("file:") ? address : `${address}[${extras.join(",")}]`;
  return { name: normalName(name), extras: [], specifier: "", url: asked, text: `${name} @ ${address}`, place };
}
