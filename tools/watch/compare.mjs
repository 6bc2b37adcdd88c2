// What a process really opened beside what was predicted for it.
import { basename } from "node:path";

/**
 * The objects that a process opened, from the log of audit.c. Those that a dlopen brought and could not complete (one of its dependencies is
 * missing) were never mapped together, and do not count; those that were closed later do.
 */
export function openedIn(log) {
  const opened = new Set();
  let coming = [];
  for (const line of log.split("\n")) {
    const path = line.slice(2);
    if (line.startsWith("+")) coming.push(path);
    else if (line.startsWith("-")) coming = coming.filter((each) => each !== path);
    else if (line.startsWith("=")) {
      for (const each of coming) if (each !== "") opened.add(each);
      coming = [];
    }
  }
  return opened;
}

/** Two files answer one request when they are copies of one library: libcupti.so.13 and libcupti.so.2025.3.1. */
const request = (file) => basename(file).replace(/\.so.*$/, "");
/** Parts of a package that Python imports; which of them a framework comes to is its own affair, and only those that are predicted are compared. */
const isModule = (file) => /\.(cpython-|abi3\.)[^/]*so$|\/_[^/]*\.so$/.test(file);

/**
 * `loads` as if everything had been watched, so that what is only possible is so by itself. A prediction is wrong where it is certain and the
 * file was not opened, or where another copy answered; a GPU library that was opened without a prediction is missed.
 */
export function compare(opened, loads, isGpuFile) {
  const predicted = loads.filter(({ unmapped }) => !unmapped);
  const files = [...opened].filter((file) => isGpuFile(file) && !isModule(file));
  const has = new Set(predicted.map(({ file }) => file));
  const answered = new Set(files.map(request));
  const wrong = predicted.filter(({ file, certainty }) => !opened.has(file) && (certainty === "certain" || answered.has(request(file))));
  return {
    files: files.sort(),
    certain: files.filter((file) => predicted.some((load) => load.file === file && load.certainty === "certain")).length,
    missed: files.filter((file) => !has.has(file)),
    wrong: [...new Set(wrong.map(({ file }) => file))].sort(),
  };
}
