// In which folder a command of a script is run, and what was cloned before it.
import { joinedPath } from "./lines.ts";
import type { Setting } from "./setting.ts";
import type { Word } from "./shell.ts";

/** The setting of each command, one after the other; what is cloned stays for all that comes. */
export function followed(setting: Setting): (words: Word[]) => Setting {
  let folder = setting.isLost ? undefined : (setting.folder ?? "");
  const left: (string | undefined)[] = [];
  const clones = setting.clones ?? new Map<string, string>();
  const wheels: NonNullable<Setting["wheels"]> = setting.wheels ?? new Map();
  return (words) => {
    const [first, second] = words;
    const name = first?.text;
    if (name === "cd" || name === "pushd") {
      if (name === "pushd") left.push(folder);
      const isKnown = second?.isKnown === true && !/^[-~]/.test(second.text);
      const from: string | undefined = second?.text.startsWith("/") ? "" : folder;
      folder = isKnown && from !== undefined ? joinedPath(from, second.text) : undefined;
    } else if (name === "popd") folder = left.pop();
    const cloned = clonedBy(words);
    if (cloned && (folder !== undefined || cloned.folder.startsWith("/")))
      clones.set(joinedPath(setting.base ?? "", joinedPath(folder ?? "", cloned.folder)), cloned.url);
    return { ...setting, clones, wheels, folder: folder ?? "", isLost: folder === undefined };
  };
}

/** Options of `git clone` that have a value after them. */
const valued = /^(?:-[bocju]|--(?:branch|depth|origin|config|jobs|reference|filter|template|upload-pack|shallow-since|server-option))$/;

/** `git clone [OPTIONS] URL [FOLDER]`, as an address that pip could be given. */
function clonedBy(words: Word[]): { folder: string; url: string } | undefined {
  const at = words.findIndex(({ text }) => text === "clone");
  if (at < 0 || words[0]?.text !== "git") return undefined;
  const given = words.filter(({ text }, index) => at < index && !text.startsWith("-") && !valued.test(words[index - 1]!.text));
  const [url, folder] = given;
  if (!url?.isKnown || (folder && !folder.isKnown)) return undefined;
  const [, own] = /([^/:]+?)(?:\.git)?\/*$/.exec(url.text) ?? [];
  const place = folder?.text ?? own;
  return place === undefined ? undefined : { folder: place, url: url.text.startsWith("git+") ? url.text : `git+${url.text}` };
}
