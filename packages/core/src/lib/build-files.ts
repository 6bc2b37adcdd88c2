// What CMake, Ninja and compilers write down of a build, as far as it says which headers and libraries were taken. Texts only.

/** One command that links. Paths are as they are written there. */
export interface LinkCommand {
  output: string;
  objects: string[];
  /** Static libraries of it. */
  archives: string[];
  /** Shared libraries by path, or as `-lNAME` and `-l:FILE`, in order. */
  libraries: string[];
  /** `-L`. */
  folders: string[];
}

/** Objects that are compiled with the same folders of headers. */
export interface CompileCommands {
  /** What relative paths start from; absent: the folder of the build. */
  directory?: string;
  objects: string[];
  includes: string[];
}

/** The words of a command, as sh takes them; enough of sh for what build tools write. */
export function commandWords(command: string): string[] {
  const words: string[] = [];
  for (const [word] of command.matchAll(/(?:[^\s"'\\]|\\[^]|"(?:[^"\\]|\\[^])*"|'[^']*')+/g))
    words.push(
      word.replace(
        /\\([^])|"((?:[^"\\]|\\[^])*)"|'([^']*)'/g,
        (_all, plain, double, single) => plain ?? single ?? double.replace(/\\([^])/g, "$1"),
      ),
    );
  return words;
}

/** The value of an option that stands behind it or beside it. */
function valuesOf(words: string[], name: string): string[] {
  return words.flatMap((word, index) => {
    if (word === name) return words[index + 1] ?? [];
    return word.startsWith(name) ? word.slice(name.length).replace(/^=/, "") : [];
  });
}

/** Folders of headers in the order in which a compiler searches them. */
export const includeFolders = (words: string[]): string[] =>
  [...valuesOf(words, "-I"), ...valuesOf(words, "-isystem"), ...valuesOf(words, "-idirafter")].filter((folder) => folder !== "");

/** Files of further words: `@objects.rsp`, and as nvcc has it `--options-file includes_CUDA.rsp`. */
export const wordFiles = (words: string[]): string[] => [
  ...words.flatMap((word) => (/^@./.test(word) ? word.slice(1) : [])),
  ...valuesOf(words, "--options-file"),
];

const isShared = (word: string) => /\.so(?:\.[\d.]+)?$/.test(word) && !word.startsWith("-");

/** A command that makes a program or a library; undefined for any other. */
export function readLink(words: string[]): LinkCommand | undefined {
  const isArchiver = /(?:^|[/-])ar$/.test(words[0] ?? "");
  const output = isArchiver ? words.find((word) => word.endsWith(".a")) : valuesOf(words, "-o")[0];
  if (output === undefined) return undefined;
  const given = words.filter((word) => word !== output && !word.startsWith("-"));
  return {
    output,
    objects: given.filter((word) => /\.(?:o|obj)$/.test(word)),
    archives: given.filter((word) => word.endsWith(".a")),
    libraries: words.filter((word) => word !== output && (isShared(word) || /^-l./.test(word))),
    folders: valuesOf(words, "-L").filter((folder) => folder !== ""),
  };
}

/** `link.txt` of a target: one command on a line, of which one links. */
export const linkIn = (text: string): LinkCommand | undefined =>
  text
    .split("\n")
    .map((line) => readLink(commandWords(line)))
    .find((link) => link !== undefined);

/** Words of a command that are kept, as sh reads them back; what stands behind an option that takes a value is kept with it. */
function keeping(text: string, options: RegExp, isKept: (word: string) => boolean = () => false): string {
  const words = commandWords(text);
  return words
    .filter((word, index) => options.test(word) || isKept(word) || isOpen.test(words[index - 1] ?? ""))
    .map((word) => (/[\s"'\\]/.test(word) ? `'${word.replaceAll("'", "")}'` : word))
    .join(" ");
}

const isOpen = /^(?:-[IoL]|-isystem|-idirafter|--options-file)$/;

/** Of `link.txt`: no definitions, which may hold anything. */
export const distilledLink = (text: string): string =>
  text
    .split("\n")
    .map((line) => {
      const kept = keeping(line, /^-[lLo]|^@|^--options-file/, (word) => isShared(word) || /\.(?:o|obj|a)$/.test(word));
      return /^\S*\bar\s/.test(line) ? `ar ${kept}` : kept === "" ? "" : `ld ${kept}`;
    })
    .join("\n");

/** Of `flags.make`, and of a file of further words: those that name folders, objects and libraries. */
export const distilledFlags = (text: string): string =>
  keeping(
    text.replaceAll("\n", " "),
    /^(?:-[IlL]|-isystem|-idirafter|--options-file)/,
    (word) => isShared(word) || /\.(?:o|obj|a)$/.test(word),
  );

/** `compile_commands.json`: one line of JSON for each list of folders. */
export function distilledCommands(text: string): string {
  let entries: unknown;
  try {
    entries = JSON.parse(text);
  } catch {
    return "";
  }
  const groups = new Map<string, CompileCommands>();
  for (const entry of Array.isArray(entries) ? (entries as unknown[]) : []) {
    if (typeof entry !== "object" || entry === null) continue;
    const { directory, command, arguments: given, output } = entry as { [name: string]: unknown };
    const words = Array.isArray(given)
      ? given.filter((word) => typeof word === "string")
      : commandWords(typeof command === "string" ? command : "");
    const includes = includeFolders(words);
    const object = typeof output === "string" ? output : valuesOf(words, "-o")[0];
    const from = typeof directory === "string" ? directory : "";
    const key = JSON.stringify([from, includes]);
    const group = groups.get(key) ?? { directory: from, objects: [], includes };
    if (object !== undefined) group.objects.push(object);
    groups.set(key, group);
  }
  return [...groups.values()].map((group) => JSON.stringify(group)).join("\n");
}

export const compilesIn = (distilled: string): CompileCommands[] =>
  distilled.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as CompileCommands]));

const ninjaStep = /^build (.+?): (\w+?)_(?:COMPILER|[A-Z_]*LINKER)__/;
const ninjaVariable = /^ {2}(INCLUDES|LINK_LIBRARIES|LINK_PATH) = /;

/** Of `build.ninja`: what is compiled and linked, with the folders and libraries for it. */
export const distilledNinja = (text: string): string =>
  text
    .split("\n")
    .filter((line) => ninjaStep.test(line) || ninjaVariable.test(line))
    .join("\n");

const unescaped = (text: string) => text.replace(/\$([ :$])/g, "$1");

export function readNinja(text: string): { links: LinkCommand[]; compiles: CompileCommands[] } {
  const links: LinkCommand[] = [];
  const compiles: CompileCommands[] = [];
  let step: { output: string; inputs: string[]; isLink: boolean } | undefined;
  let words: string[] = [];
  const close = () => {
    if (!step) return;
    const { output, inputs, isLink } = step;
    if (isLink) links.push(readLink(["", "-o", output, ...inputs, ...words])!);
    else compiles.push({ objects: [output], includes: includeFolders(words) });
  };
  for (const line of text.split("\n")) {
    if (line.startsWith("build ")) {
      close();
      words = [];
      const colon = /(?<!\$): /.exec(line)?.index ?? line.length;
      const behind = line
        .slice(colon + 2)
        .split(/ \|\|? /)[0]!
        .split(/(?<!\$) /);
      step = {
        output: unescaped(
          line
            .slice(6, colon)
            .split(/ \| /)[0]!
            .split(/(?<!\$) /)[0]!,
        ),
        inputs: behind.slice(1).map(unescaped),
        isLink: /LINKER__/.test(behind[0] ?? ""),
      };
    } else if (ninjaVariable.test(line)) words.push(...commandWords(unescaped(line.slice(line.indexOf("=") + 1))));
  }
  close();
  return { links, compiles };
}

/** Files that a compiler read, of the file that it writes about them: `x.o: x.cpp \` and so on. */
export const dependenciesIn = (text: string): string[] =>
  text
    .replace(/\\\n/g, " ")
    .split(/(?<!\\)\s+/)
    .map((word) => word.replace(/\\(.)/g, "$1"))
    .filter((word) => word !== "" && !word.endsWith(":"));
