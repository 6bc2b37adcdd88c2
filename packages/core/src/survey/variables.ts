import type { VariableSource } from "../model/inventory.ts";
import type { View } from "../resolve/view.ts";
import { homeStartupFiles, startupFolders, systemStartupFiles, variableSetBy } from "../lib/shell-lines.ts";
import { namesIn, textAt } from "./python.ts";

/** Where variables that decide loading are set: shell start-up files, profile.d, conda's activation scripts. Evidence only, never applied. */
export function readVariableSources(view: View, environments: string[]): VariableSource[] {
  const home = view.snapshot.environment["HOME"];
  const folders = [...startupFolders, ...environments.map((prefix) => `${prefix}/etc/conda/activate.d`)];
  const files = [
    ...systemStartupFiles,
    ...folders.flatMap((folder) =>
      (namesIn(view, folder) ?? []).filter((name) => /\.(sh|csh|conf|zsh)$/.test(name)).map((name) => `${folder}/${name}`),
    ),
    ...(home ? homeStartupFiles.map((name) => `${home}/${name}`) : []),
    ...environments.map((prefix) => `${prefix}/bin/activate`),
  ];
  const configured = ["/etc/ld.so.conf", ...(namesIn(view, "/etc/ld.so.conf.d") ?? []).map((name) => `/etc/ld.so.conf.d/${name}`)];
  const folderLines = configured.flatMap((file) =>
    (textAt(view, file) ?? "")
      .split("\n")
      .flatMap((text, index) =>
        /^\s*\/.*(cuda|nvidia|cudnn)/i.test(text) ? [{ name: "ld.so.conf", file, line: index + 1, text: text.trim() }] : [],
      ),
  );
  return [
    ...folderLines,
    ...eachOnce(view, files).flatMap((file) =>
      (textAt(view, file) ?? "").split("\n").flatMap((text, index) => {
        const name = variableSetBy(text)?.name;
        return name === undefined ? [] : [{ name, file, line: index + 1, text: text.trim() }];
      }),
    ),
  ];
}

/** One name for every real file, the first: systemd's package links /usr/lib/environment.d/99-environment.conf to /etc/environment. */
function eachOnce(view: View, files: string[]): string[] {
  const seen = new Set<string>();
  return files.filter((file) => {
    const at = view.lookup(file);
    const real = "found" in at ? at.found : file;
    return !seen.has(real) && seen.add(real);
  });
}
