import type { VariableSource } from "../model/inventory.ts";
import type { View } from "../resolve/view.ts";
import { folderOf } from "../lib/path.ts";
import {
  homeStartupFiles,
  homeStartupFolders,
  linesOfDocuments,
  startupFolders,
  systemStartupFiles,
  variablesSetBy,
} from "../lib/shell-lines.ts";
import { sourcedBy } from "../lib/shell-words.ts";
import { namesIn, textAt } from "./python.ts";

/**
 * Where variables that decide loading are set: shell start-up files and what they read in, profile.d, conda's activation scripts and the
 * variables that it keeps, direnv's file of this folder. Evidence only, never applied. In the order in which shells come to them.
 */
export function readVariableSources(view: View, environments: string[]): VariableSource[] {
  const home = view.snapshot.environment["HOME"];
  const folders = [...startupFolders, ...environments.map((prefix) => `${prefix}/etc/conda/activate.d`)];
  const inFolders = (list: string[]) =>
    list.flatMap((folder) =>
      (namesIn(view, folder) ?? []).filter((name) => /\.(sh|csh|conf|zsh)$/.test(name)).map((name) => `${folder}/${name}`),
    );
  const files = [
    ...systemStartupFiles,
    ...inFolders(folders),
    ...(home ? homeStartupFiles.map((name) => `${home}/${name}`) : []),
    ...inFolders(home ? homeStartupFolders.map((name) => `${home}/${name}`) : []),
    ...environments.flatMap((prefix) => [`${prefix}/conda-meta/state`, `${prefix}/bin/activate`]),
    ...direnvFile(view),
  ];
  const configured = ["/etc/ld.so.conf", ...(namesIn(view, "/etc/ld.so.conf.d") ?? []).map((name) => `/etc/ld.so.conf.d/${name}`)];
  const folderLines = configured.flatMap((file) =>
    (textAt(view, file) ?? "")
      .split("\n")
      .flatMap((text, index) =>
        /^\s*\/.*(cuda|nvidia|cudnn)/i.test(text) ? [{ name: "ld.so.conf", file, line: index + 1, text: text.trim() }] : [],
      ),
  );
  const seen = new Set<string>();
  return [...folderLines, ...files.flatMap((file) => settingsIn(view, file, seen, 0))];
}

/** Files that read in each other would otherwise be followed for ever. */
const deepest = 5;

/** `seen`: one name for every real file, the first: systemd's package links /usr/lib/environment.d/99-environment.conf to /etc/environment. */
function settingsIn(view: View, file: string, seen: Set<string>, depth: number): VariableSource[] {
  const at = view.lookup(file);
  const real = "found" in at ? at.found : file;
  if (seen.has(real) || deepest < depth) return [];
  seen.add(real);
  const home = view.snapshot.environment["HOME"];
  const lines = (textAt(view, file) ?? "").split("\n");
  const isText = linesOfDocuments(lines);
  return lines.flatMap((text, index) =>
    isText[index]
      ? []
      : [
          ...variablesSetBy(text).map(({ name }) => ({ name, file, line: index + 1, text: text.trim() })),
          ...sourcedBy(text, home).flatMap((other) => settingsIn(view, other, seen, depth + 1)),
        ],
  );
}

/** direnv takes the one that is nearest above the folder in which one is. */
function direnvFile(view: View): string[] {
  if (view.snapshot.target.kind !== "machine") return [];
  for (let folder = view.snapshot.cwd; folder !== "" && folder !== "/"; folder = folderOf(folder)) {
    const at = view.lookup(`${folder}/.envrc`);
    if ("found" in at) return [`${folder}/.envrc`];
  }
  return [];
}
