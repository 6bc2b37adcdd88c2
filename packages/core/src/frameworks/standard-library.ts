import { nameOf } from "../lib/path.ts";
import { extensionIn } from "../survey/python.ts";
import type { PythonProcess } from "./python-process.ts";

/**
 * An interpreter that runs with another libpython than its own still has the modules of its own: `import ssl` is what programs meet first.
 * Only then is it tried; nothing is said of it where it works.
 */
export function tryStandardLibrary(python: PythonProcess): void {
  const { process, view, environment } = python;
  const isShadowed = process.loads.some(
    ({ name, via, unmapped }) => !unmapped && nameOf(name).startsWith("libpython3") && (via === "ld-library-path" || via === "preload"),
  );
  if (!isShadowed) return;
  const file = extensionIn(view, environment, `${environment.library}/lib-dynload`, "_ssl");
  const opened = file === undefined ? undefined : python.open(python.loadedLike("libpython3") ?? process.executable, file);
  if (opened && "failure" in opened) process.missed.push(opened.failure);
}
