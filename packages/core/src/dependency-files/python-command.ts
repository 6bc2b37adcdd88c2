// Which Python the commands of a script make the present one.
import type { DeclaredStep } from "../model/dependency-file.ts";
import type { Setting } from "./setting.ts";
import type { Word } from "./shell.ts";

const chosen = (version: string, word: Word, setting: Setting): DeclaredStep => ({
  kind: "python",
  specifier: `==${version}.*`,
  place: setting.place(word),
});

/** One comes that nobody can name: from here on, none is known. */
export const someOther = (word: Word, setting: Setting): DeclaredStep => ({ kind: "python", specifier: "", place: setting.place(word) });

/** `3.11`, `python3.11`, `/usr/bin/python3.11`, `cpython@3.11.4`; undefined for all others. */
const versionIn = (text: string): string | undefined => /^(?:.*\/)?(?:c?python)?[@=-]*(3\.\d+)(?:\.\d+)?$/.exec(text)?.[1];

/** Whoever calls pip by the name of a Python means that Python. */
export function pythonOfName(program: Word, setting: Setting): DeclaredStep[] {
  const version = /^(?:.*\/)?(?:python|pip)(3\.\d+)$/.exec(program.text)?.[1];
  return version === undefined ? [] : [chosen(version, program, setting)];
}

/** `--python 3.11` and `-p 3.11` of uv and virtualenv. */
export function pythonOption(words: Word[], setting: Setting): DeclaredStep[] {
  const at = words.findIndex(({ text }) => /^(?:-p|--python)(?:=|$)/.test(text));
  if (at < 0) return [];
  const word = words[at]!;
  const value = word.text.includes("=") ? { ...word, text: word.text.slice(word.text.indexOf("=") + 1) } : words[at + 1];
  return value ? [named(value, setting)] : [];
}

/** A word that can only be the name of a Python. */
function named(word: Word, setting: Setting): DeclaredStep {
  const version = word.isKnown ? versionIn(word.text) : undefined;
  return version === undefined ? someOther(word, setting) : chosen(version, word, setting);
}

/** Programs that choose or bring a Python, and nothing else; undefined for all others. */
export function readPythonChoice(name: string, first: Word, rest: Word[], setting: Setting): DeclaredStep[] | undefined {
  switch (name) {
    case "update-alternatives":
    case "ln": {
      const target = rest.filter(({ text }) => /(?:^|\/)python[\d.]*$|\/python\$/.test(text));
      const isForAll = target.some(({ text }) => /(?:^|\/)python3?$/.test(text));
      const to = target.find(({ text, isKnown }) => !isKnown || versionIn(text) !== undefined);
      return isForAll && to ? [named(to, setting)] : undefined;
    }
    case "virtualenv":
      return pythonOption(rest, setting);
    case "pyenv": {
      const version = /^(?:install|global|local)$/.test(rest[0]?.text ?? "") ? rest.find(({ text }) => /^3\.|^\$/.test(text)) : undefined;
      return version ? [named(version, setting)] : [];
    }
    case "wget":
    case "curl":
    case "bash":
    case "sh": {
      const installer = rest.find(({ text }) => /miniconda|anaconda3?-|miniforge|mambaforge|micromamba|pyenv/i.test(text));
      if (!installer) return undefined;
      // Miniconda's installers are named by their Python: `Miniconda3-py38_4.10.3-Linux-x86_64.sh`.
      const [, major, minor] = /miniconda3-py(3)(\d+)_/i.exec(installer.text) ?? [];
      return [minor === undefined ? someOther(first, setting) : chosen(`${major}.${minor}`, installer, setting)];
    }
    default:
      return undefined;
  }
}
