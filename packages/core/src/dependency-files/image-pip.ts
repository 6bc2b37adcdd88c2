// Whether the pip of an image is there, and installs what it is told to: followed command by command from a distribution's own image.
import type { PipRefusal } from "../model/dependency-file.ts";
import type { BaseImage } from "./images.ts";
import { isAssignment, type Variables, type Word } from "./shell.ts";

/** What is known of an image so far. */
export interface ImagePip {
  /** apt's Python says that it is apt's alone. */
  isManaged: boolean;
  apt: Set<string>;
  /** Something was done that may have brought a pip, or changed what it does: nothing is said any more. */
  isOpen: boolean;
}

export const pipOf = ({ bare }: BaseImage): ImagePip | undefined => bare && { isManaged: bare.isManaged, apt: new Set(), isOpen: false };

/** For a stage that begins with another one. */
export const copyOf = (pip: ImagePip | undefined): ImagePip | undefined => pip && { ...pip, apt: new Set(pip.apt) };

/** Commands that have nothing to do with a Python. */
const harmless =
  /^(?:rm|mkdir|echo|printf|cd|pwd|ls|cat|touch|chmod|chown|useradd|groupadd|adduser|addgroup|usermod|locale-gen|update-locale|ldconfig|export|set|true|apt-mark|apt-key|dpkg-reconfigure|nvcc|nvidia-smi|git|unzip|which|ulimit|mv|cp|sleep|date|uname|test|\[)$/;

/** apt's packages of a Python without pip. */
const withoutPip = /^python3?(?:\.\d+)?(?:-(?:dev|minimal|venv|distutils))?$/;

/** Whether lines of shell do what they say, one after the other: what fails may be made up for elsewhere. */
export const isPlainRun = (text: string): boolean =>
  !/\||\bif\b|\bcase\b|\bfor\b|\bwhile\b|<<|EXTERNALLY-MANAGED|pip\.conf|break-system/.test(text);

/** What one command changes, and why it ends there where it is one of pip. */
export function afterCommand(pip: ImagePip, words: Word[], variables: Variables): PipRefusal | undefined {
  const begin = words.findIndex(({ text }) => !isAssignment(text) && text !== "env" && text !== "sudo" && text !== "-E");
  const [program, ...rest] = begin < 0 ? [] : words.slice(begin);
  if (!program || pip.isOpen) return undefined;
  const texts = rest.map(({ text }) => text);
  const own = pipWords(program.text, texts);
  if (own) {
    const refusal = refusalOf(pip, own, variables, words.slice(0, begin));
    // What another command of pip did is not followed.
    if (!own.includes("install")) pip.isOpen = true;
    return refusal;
  }
  if (/^(?:apt|apt-get|aptitude)$/.test(program.text)) addApt(pip, rest);
  else if (!harmless.test(program.text) || texts.some((text) => /pip|python|conda/i.test(text))) pip.isOpen = true;
  return undefined;
}

/** The words behind `pip` of the system's own pip: by its name alone, so that nobody else's is meant. */
function pipWords(program: string, words: string[]): string[] | undefined {
  if (/^(?:\/usr\/bin\/)?pip3?$/.test(program)) return words;
  return /^(?:\/usr\/bin\/)?python3?$/.test(program) && words[0] === "-m" && words[1] === "pip" ? words.slice(2) : undefined;
}

function addApt(pip: ImagePip, words: Word[]): void {
  if (!words.some(({ text }) => text === "install")) return;
  for (const { text, isKnown } of words) {
    if (!isKnown) pip.isOpen = true;
    else if (!text.startsWith("-") && text !== "install") pip.apt.add(text.replace(/[=/:].*$/, ""));
  }
}

function refusalOf({ isManaged, apt }: ImagePip, words: string[], variables: Variables, before: Word[]): PipRefusal | undefined {
  const pythons = [...apt].filter((name) => /py|pip|conda|^uv$/.test(name));
  if (pythons.every((name) => withoutPip.test(name))) return "absent";
  if (!isManaged || !words.includes("install") || !apt.has("python3-pip")) return undefined;
  // Others bring a Python of their own.
  if (pythons.some((name) => !/^python3(?:-[a-z0-9.-]+)?$|^python-is-python3$|^libpython3-dev$/.test(name))) return undefined;
  if (words.some((word) => /^(?:--break-system-packages|--target|-t|--prefix|--root|--python|--dry-run|--user)(?:=|$)/.test(word)))
    return undefined;
  const isAllowed = variables.get("PIP_BREAK_SYSTEM_PACKAGES") !== undefined || before.some(({ text }) => text.startsWith("PIP_"));
  return isAllowed ? undefined : "managed";
}
