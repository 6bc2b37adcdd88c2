import { folderOf, nameOf } from "../../lib/path.ts";
import { defineFix } from "../fix.ts";
import { quoted } from "../startup.ts";

/** Tells ldconfig of a folder outside of Python environments: a toolkit that was unpacked and never announced. */
export default defineFix({
  id: "ldconfig-entry",
  title: "Let ldconfig know a folder",
  proposes({ inventory, environments }, { cause, subject }) {
    if (cause !== "library-not-on-path") return [];
    const paths = inventory.copies.filter(({ stub }) => !stub).flatMap(({ file, names }) => [...names, file]);
    const at = paths.find((path) => nameOf(path) === subject);
    // What belongs to one environment must not be found by all programs.
    if (at === undefined || environments.some(({ prefix, kind }) => kind !== "system" && at.startsWith(`${prefix}/`))) return [];
    if (/\/(site|dist)-packages\//.test(at)) return [];
    return [
      {
        title: `let every program find ${folderOf(at)}`,
        reach: "machine",
        safety: "display-only",
        commands: [`echo ${quoted(folderOf(at))} | sudo tee /etc/ld.so.conf.d/culprit.conf`, "sudo ldconfig"],
        steps: [],
        warning: "all libraries of that folder are found by all programs",
        changes: [],
      },
    ];
  },
});
