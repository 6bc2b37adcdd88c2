// https://docs.docker.com/reference/dockerfile/
import { wordsAlone } from "../heredocs.ts";
import { tooMuchJson } from "../../lib/json-size.ts";
import { nearNames } from "../../lib/near.ts";
import { withoutLastSlashes } from "../../lib/path.ts";
import type { Declaration, DeclaredStep, ImageBuild, Install } from "../../model/dependency-file.ts";
import { readCommand, readShell } from "../commands.ts";
import type { Conditions } from "../conditions.ts";
import { wordsOf } from "../flow.ts";
import { otherPlatform } from "../other-platform.ts";
import { copyOf, isPlainRun, pipOf, type ImagePip } from "../image-pip.ts";
import { readImage } from "../images.ts";
import { folderOf, joinedPath, placeAt, splitLines } from "../lines.ts";
import type { Setting } from "../setting.ts";
import { variablesOver, type Word } from "../shell.ts";
import { defineFormat, endsWith, isShared } from "../format.ts";

export default defineFormat({
  id: "dockerfile",
  words: "a Dockerfile",
  place: 13,
  signs: [
    {
      by: "part of the name",
      after: ["pyproject"],
      is: ({ name }) =>
        /(^|[./_-])(dockerfile|containerfile)([./_-]|$)/.test(name) && !endsWith(".dockerignore", ".md", ".rst", ".sh", ".py")(name),
    },
    {
      by: "text",
      is: ({ name, head }) =>
        !isShared(name) && /^[ \t]*FROM[ \t]+\S+/im.test(head) && /^[ \t]*(RUN|COPY|ENV|CMD|ENTRYPOINT|WORKDIR)\s/im.test(head),
    },
  ],
  read: readDockerfile,
  example: { file: "Dockerfile", text: "FROM python:3.11\nRUN pip install torch==2.4.1\n" },
});

interface Instruction {
  name: string;
  /** What stands after the name, with its line ends; comments between lines are gone. */
  text: string;
  line: number;
  column: number;
  /** Lines that a heredoc holds, and where they begin. */
  heredocs: { text: string; line: number }[];
  /** The word that would end its heredoc, where nothing does. */
  unclosed?: string;
}

const instructionNames = new Set(
  "FROM RUN CMD LABEL MAINTAINER EXPOSE ENV ADD COPY ENTRYPOINT VOLUME USER WORKDIR ARG ONBUILD STOPSIGNAL HEALTHCHECK SHELL".split(" "),
);

type Refused = Extract<DeclaredStep, { kind: "refused" }>;

/** What docker says of a word that begins no instruction, with the one that is nearest to it. */
function refusedBy(name: string, place: Refused["place"]): Refused {
  const meant = nearNames(name, instructionNames)[0];
  return {
    kind: "refused",
    what: `\`${name}\` is no instruction of a Dockerfile`,
    ...(meant === undefined ? {} : { instead: meant }),
    place,
  };
}

/** A file from which a template or a frontend of its own makes another one is not what docker reads. */
function withRefused(refused: Refused[], text: string, { unknown, file }: Declaration): Refused[] {
  const isMade = /\{\{|\{%|<%|@@\w+@@/.test(text) || /\.(?:in|j2|jinja2?|tmpl|tpl|template|erb|m4)$/i.test(file);
  const frontend = /^#\s*syntax\s*=\s*(\S+)/im.exec(text)?.[1];
  if (!isMade && (frontend === undefined || /^(?:docker\.io\/)?docker\/dockerfile(?::1(?:\.\d+)*(?:-labs)?)?$/.test(frontend)))
    return refused;
  for (const { what, place } of refused)
    unknown.push({
      subject: `${file}:${place.line}`,
      reason: `${what}: docker refuses the file, unless something else makes another one of it`,
    });
  return [];
}

/** What a COPY brings from the folder that is built. */
interface Copy {
  sources: string[];
  target: string;
  /** The WORKDIR of that moment. */
  folder: string;
}

interface ReadStage {
  name: string;
  steps: DeclaredStep[];
  variables: Map<string, string>;
  copies: Copy[];
  /** Stages that it takes something from; true: their Python packages. */
  from: Map<ReadStage, boolean>;
  /** Folders of virtual environments. */
  environments: string[];
  /** Folders of repositories that were cloned. */
  clones: Map<string, string>;
  /** What the wheels in a folder were made for. */
  wheels: Map<string, Install>;
  unknown: Declaration["unknown"];
  pip: ImagePip | undefined;
}

/** The last stage counts, with the stages that it is built from. */
function readDockerfile(text: string, file: string, conditions: Conditions, build?: ImageBuild): Declaration {
  const declaration: Declaration = { format: "dockerfile", file, steps: [], unknown: [] };
  const global = new Map<string, string>(automatic);
  const stages: ReadStage[] = [];
  let stage: ReadStage | undefined;
  // Behind a heredoc that nothing ends stand its lines.
  let isLost = false;
  const refused: Refused[] = [];
  for (const instruction of instructionsOf(text)) {
    const { name, text: content, line, column } = instruction;
    isLost ||= instruction.unclosed !== undefined;
    const place = placeAt(file, line, column);
    // FROM knows only the arguments that stand before the first of them.
    const words = () => wordsOf(content, variablesOver(stage && name !== "FROM" ? stage.variables : global));
    if (name === "FROM") {
      const [image, as, alias] = words().filter(({ text: word }) => !word.startsWith("--"));
      if (!image) continue;
      const platform = otherPlatform(
        words()
          .find(({ text: word }) => word.startsWith("--platform="))
          ?.text.slice(11),
        image.text,
      );
      const parent = stages.find((each) => each.name === image.text.toLowerCase() && each.name !== "");
      stage = {
        name: as?.text.toLowerCase() === "as" && alias ? alias.text.toLowerCase() : "",
        steps: parent ? [...parent.steps] : [],
        variables: new Map(parent?.variables ?? []),
        copies: [...(parent?.copies ?? [])],
        from: new Map(parent?.from ?? []),
        environments: [...(parent?.environments ?? [])],
        clones: new Map(parent?.clones ?? []),
        wheels: new Map(parent?.wheels ?? []),
        unknown: [...(parent?.unknown ?? [])],
        pip: parent ? copyOf(parent.pip) : image.isKnown ? pipOf(readImage(image.text, place)) : undefined,
      };
      stages.push(stage);
      if (parent) continue;
      const at = placeAt(file, line + image.line - 1, image.line === 1 ? column + image.column - 1 : image.column, image.text.length);
      if (platform !== undefined) stage.unknown.push({ subject: `${file}:${line}`, reason: platform });
      if (image.isKnown) stage.steps.push({ kind: "image", name: image.text, place: at });
      else stage.unknown.push({ subject: `${file}:${line}`, reason: `which image \`${image.text}\` is depends on an argument` });
    } else if (name === "ARG")
      for (const { text: word, isKnown } of words()) {
        const equals = word.indexOf("=");
        const [key, usual] = equals < 0 ? [word, stage ? global.get(word) : undefined] : [word.slice(0, equals), word.slice(equals + 1)];
        const value = build?.args.get(key) ?? usual;
        if (value !== undefined && (isKnown || value !== usual)) (stage?.variables ?? global).set(key, value);
        else if (stage || !automatic.has(key)) (stage?.variables ?? global).delete(key);
      }
    else if (!instructionNames.has(name)) {
      if (!isLost) refused.push(refusedBy(name, placeAt(file, line, 1, name.length)));
    } else if (name === "SHELL" && stage?.pip) stage.pip.isOpen = true;
    else if (!stage && 0 < refused.length) continue;
    else if (!stage) {
      refused.push({
        kind: "refused",
        what: `nothing begins an image before this ${name}: there is no FROM above it`,
        place: placeAt(file, line, 1, name.length),
      });
    } else if (name === "ENV") {
      if (stage.pip && /PATH|PIP|PYTHON|VIRTUAL_ENV|CONDA/.test(content)) stage.pip.isOpen = true;
      for (const { key, value, isWhole } of pairsOf(words())) {
        if (value === undefined) stage.variables.delete(key);
        else stage.variables.set(key, value);
        if (key === "VIRTUAL_ENV" && value !== undefined) stage.environments.push(value);
        const keeps = content.includes(`$${key}`) || content.includes(`\${${key}`);
        stage.steps.push({
          kind: "variable",
          name: key,
          ...(value !== undefined && isWhole ? { value } : {}),
          isLate: false,
          ...(keeps ? { keeps } : {}),
          place,
        });
      }
    } else if (name === "WORKDIR") stage.variables.set("PWD", joinedPath(workFolder(stage), words()[0]?.text ?? "/"));
    else if (name === "COPY" || name === "ADD") readCopy(stage, words(), content, instruction);
    else if (name === "RUN") {
      for (const folder of environmentsMade(content)) stage.environments.push(inFolder(stage.variables.get("PWD") ?? "/", folder));
      for (const step of readRun(instruction, stage)) stage.steps.push(step);
    }
  }
  const refusing = withRefused(refused, text, declaration);
  const wanted = build?.target?.toLowerCase();
  const built = wanted === undefined ? stage : (stages.find((each) => each.name === wanted) ?? stages[Number(wanted)]);
  if (!built) {
    if (wanted !== undefined)
      declaration.unknown.push({ subject: file, reason: `it has no stage \`${build!.target}\`, which is to be built` });
    return { ...declaration, steps: refusing };
  }
  const used = stagesOf(built);
  return {
    ...declaration,
    steps: [...built.steps, ...refusing],
    ...(0 < used.size ? { stages: [...used].map(([{ steps }, givesPackages]) => ({ steps, givesPackages })) } : {}),
    unknown: [...new Set([...declaration.unknown, ...[built, ...used.keys()].flatMap(({ unknown }) => unknown)])],
  };

  function readCopy(to: ReadStage, words: Word[], content: string, { line, column }: Instruction): void {
    const from = /--from=(\S+)/.exec(content)?.[1]?.toLowerCase();
    const paths = words.map(({ text: word }) => word).filter((word) => !word.startsWith("--"));
    if (to.pip && (from !== undefined || !isOutsideOfPath(paths))) to.pip.isOpen = true;
    if (from === undefined) {
      to.copies.push({ sources: paths.slice(0, -1), target: paths.at(-1) ?? "", folder: workFolder(to) });
      if (paths.some((path) => /cuda|cudnn|\.so\b|libnv/i.test(path)))
        to.steps.push({ kind: "unseen", what: "copied libraries", place: placeAt(file, line, column) });
      return;
    }
    const source = stages.find((each) => each.name === from) ?? stages[Number(from)];
    // What is taken over once is there.
    const isTaken = source !== undefined && to.from.get(source) === true;
    const taken = source && source !== to && !isTaken ? packagesIn(source, paths.slice(0, -1), paths.at(-1) ?? "") : [];
    takeWheels(source, to, paths);
    if (source && source !== to) to.from.set(source, 0 < taken.length || to.from.get(source) === true);
    to.steps = [...to.steps, ...taken];
    const isWhole = paths.slice(0, -1).some((path) => /^\/(?:usr\/?)?(?:local\/?)?$/.test(path));
    const bringsCuda =
      isWhole && source?.steps.some((step) => step.kind === "unseen" || (step.kind === "image" && !step.name.startsWith("python:")));
    // From an image, or a folder of libraries: what that is cannot be seen here.
    if (bringsCuda || (taken.length === 0 && paths.some(isOfLibraries)))
      to.steps.push({ kind: "unseen", what: "copied libraries", place: placeAt(file, line, column) });
  }

  function readRun(
    { text: content, line, column, heredocs, unclosed }: Instruction,
    { variables, copies, unknown, clones, wheels, pip }: ReadStage,
  ): DeclaredStep[] {
    let steps: DeclaredStep[] = [];
    if (unclosed !== undefined)
      unknown.push({ subject: `${file}:${line}`, reason: `nothing ends what begins with <<${unclosed}: what follows cannot be read` });
    if (pip && (!isPlainRun(content) || 0 < heredocs.length)) pip.isOpen = true;
    const bound = boundFiles(content, workFolder({ variables }));
    // What a RUN sets is gone after it.
    const setting = (first: number, firstColumn: number): Setting => ({
      variables: variablesOver(variables),
      place: (word) =>
        placeAt(file, first + word.line - 1, word.line === 1 ? firstColumn + word.column - 1 : word.column, word.text.length),
      candidates: (path) => candidatesOf(path, copies, variables.get("PWD"), build?.context),
      project: (folder, names) => projectFiles(joinedPath(workFolder({ variables }), folder), names, [...copies, ...bound], build?.context),
      isOwnShell: true,
      base: workFolder({ variables }),
      ...(pip ? { imagePip: pip } : {}),
      clones,
      wheels,
      conditions,
      tell: (place, reason) => unknown.push({ subject: `${file}:${place.line}`, reason }),
    });
    const json = /^\s*\[/.test(content) ? stringsOf(content) : undefined;
    if (json) {
      const words = json.map((word): Word => ({ text: word, isKnown: !word.includes("$"), line: 1, column: 1 }));
      const isShell = /(^|\/)(ba|z|da)?sh$/.test(json[0] ?? "");
      return isShell ? readShell(json.at(-1)!, setting(line, column)) : readCommand(words, setting(line, column));
    }
    // Options of RUN itself are no part of the command.
    const options = /^(?:\s*(?:\\\r?\n\s*)?--(?:mount|network|security)=\S+)+/.exec(content)?.[0] ?? "";
    const command = blanked(options) + content.slice(options.length);
    const isScript = 0 < heredocs.length && /^\s*<<-?\s*["']?\w+["']?\s*$/.test(command.trim() === "" ? "" : command);
    if (!isScript) steps = readShell(command, setting(line, column));
    if (isScript || /^\s*(?:\/bin\/)?(?:ba)?sh\b[^\n]*<</.test(command))
      for (const heredoc of heredocs) steps = [...steps, ...readShell(heredoc.text, setting(heredoc.line, 1))];
    return steps;
  }
}

/** What Docker sets by itself; on x86_64, which is what is known here. */
const automatic: ReadonlyMap<string, string> = new Map([
  ["TARGETARCH", "amd64"],
  ["TARGETOS", "linux"],
  ["TARGETPLATFORM", "linux/amd64"],
  ["BUILDARCH", "amd64"],
  ["BUILDPLATFORM", "linux/amd64"],
]);

/** Stages that one takes from, and those that they take from; packages that go through several hands are given by all of them. */
function stagesOf(stage: ReadStage): Map<ReadStage, boolean> {
  const found = new Map<ReadStage, boolean>();
  const add = ({ from }: ReadStage, isGiven: boolean): void => {
    for (const [source, gives] of from) {
      const isNew = !found.has(source);
      found.set(source, found.get(source) === true || (isGiven && gives));
      if (isNew) add(source, isGiven && gives);
    }
  };
  add(stage, true);
  return found;
}

const ofPackages = /venv|site-packages|dist-packages|\.local|conda|python|^\/opt\/?$|^\/usr\/local\/?$|^\/install|^\/$|wheel/;

/** Folders of wheels that one stage makes for another. */
function takeWheels(source: ReadStage | undefined, to: ReadStage, paths: string[]): void {
  const target = joinedPath(workFolder(to), paths.at(-1) ?? ".");
  for (const path of paths.slice(0, -1)) {
    const from = joinedPath("/", path.replace(/\/\*(?:\.whl)?$/, ""));
    for (const [folder, made] of source?.wheels ?? [])
      if (folder === from || folder.startsWith(`${from}/`)) to.wheels.set(joinedPath(target, folder.slice(from.length + 1)), made);
  }
}

/** What is copied to a folder of its own brings no pip. */
const isOutsideOfPath = (paths: string[]): boolean =>
  !paths.some((path) => /\/(?:usr|bin|sbin|etc|root|opt)(?:\/|$)|^\/$|pip|python|conda|venv/.test(path) && !/requirements/.test(path));

/** Folders of programs bring no libraries. */
const isOfLibraries = (path: string): boolean =>
  /cuda|cudnn|lib|^\/usr|^\/opt/.test(path) && !/site-packages|dist-packages|\/bin(?:\/[\w.-]*)?$/.test(path);

/** The Python packages that are in folders of a stage; those of apt and conda's own libraries only where all of the system is taken. */
function packagesIn({ steps, environments }: ReadStage, folders: string[], target: string): DeclaredStep[] {
  const isIn = (path: string) => folders.some((folder) => `${path}/`.startsWith(folder.endsWith("/") ? folder : `${folder}/`));
  const isPython = [...folders, target].some((path) => ofPackages.test(path)) || environments.some(isIn);
  const isAll = folders.some((folder) => folder === "/" || folder === "/usr");
  return steps.flatMap((step): DeclaredStep[] => {
    if (step.kind === "aside") return isIn(step.folder) ? [{ ...step.install, isCopied: true }] : [];
    if (!isPython || (step.kind !== "install" && step.kind !== "python" && step.kind !== "uninstall")) return [];
    if (step.kind !== "install") return [step];
    return step.manager === "apt" && !isAll ? [] : [{ ...step, isCopied: true }];
  });
}

/** The folders of `python3 -m venv /opt/venv`, `virtualenv env`, `uv venv` (`.venv`). */
function environmentsMade(content: string): string[] {
  const made = [...content.matchAll(/(?:-m\s{1,4}venv|\bvirtualenv|\buv\s{1,4}venv)\b([^\n;&|]{0,200})/g)];
  return made.map(([, rest]) => rest!.split(/\s+/).findLast((word) => /^[\w./][\w./-]*$/.test(word) && !/^\d/.test(word)) ?? ".venv");
}

/** A path within the folder that is worked in. */
const inFolder = (folder: string, path: string): string =>
  path.startsWith("/") ? path : `${folder.replace(/\/$/, "")}/${path.replace(/^\.\//, "")}`;

const blanked = (text: string) => text.replace(/[^\r\n\\]/g, " ");

function stringsOf(text: string): string[] | undefined {
  if (tooMuchJson(text) !== undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text.replace(/\\\r?\n/g, " "));
    return Array.isArray(value) && value.every((each) => typeof each === "string") ? value : undefined;
  } catch {
    return undefined;
  }
}

/** `ENV A=1 B=2`, or the old form `ENV A 1 2`. */
function pairsOf(words: Word[]): Pair[] {
  const [first, ...rest] = words;
  if (!first) return [];
  if (!first.text.includes("="))
    return [
      pairOf(
        first.text,
        rest.map(({ text }) => text).join(" "),
        words.every((word) => word.isKnown),
      ),
    ];
  return words.flatMap(({ text, isKnown }) => {
    const equals = text.indexOf("=");
    return equals <= 0 ? [] : [pairOf(text.slice(0, equals), text.slice(equals + 1), isKnown)];
  });
}

interface Pair {
  key: string;
  value?: string;
  /** Nothing that matters was left out of the value. */
  isWhole: boolean;
}

// What is not known is left out: of an address, and of a path that ends with what was there before, the rest still tells enough.
function pairOf(key: string, value: string, isKnown: boolean): Pair {
  const known = isKnown ? value : value.replace(/:?\$\{?\w+(?::?[-+][^}]*)?\}?/g, "");
  return { key, ...(known.includes("$") ? {} : { value: known }), isWhole: isKnown || key.endsWith("PATH") };
}

const workFolder = ({ variables }: Pick<ReadStage, "variables">): string => variables.get("PWD") ?? "/";

/** `RUN --mount=type=bind,source=uv.lock,target=uv.lock`: what is there for this command only. */
function boundFiles(content: string, folder: string): Copy[] {
  return [...content.matchAll(/--mount=(\S*type=bind\S*)/g)].flatMap(([, options]) => {
    const given = new Map(options!.split(",").map((each) => each.split("=") as [string, string]));
    if (given.has("from")) return [];
    return [{ sources: [given.get("source") ?? given.get("src") ?? "."], target: given.get("target") ?? given.get("dst") ?? ".", folder }];
  });
}

/** Where files that lie in a folder of the image were copied from; none where they were not. */
function projectFiles(folder: string, names: readonly string[], copies: Copy[], context: string | undefined): string[] {
  const found = names.flatMap((name) =>
    copies.toReversed().flatMap(({ sources, target, folder: from }) => {
      const to = joinedPath(from, target);
      return sources.flatMap((source) => {
        const path = joinedPath("", source.replace(/^\/+/, ""));
        if (/[^/.]\.\w+$/.test(path) && !path.endsWith(name) && !/[*?]/.test(path)) return [];
        // One file, or some of a pattern.
        if (path.endsWith(name) || /[*?]/.test(path)) {
          const isHere = to === folder || to === joinedPath(folder, name);
          const isIt = path.slice(path.lastIndexOf("/") + 1) === name || patternOf(path).test(joinedPath(folderOf(path), name));
          return isHere && isIt ? [joinedPath(folderOf(path), name)] : [];
        }
        const isIn = folder === to || folder.startsWith(to === "/" ? "/" : `${to}/`);
        return isIn ? [joinedPath(path, `${folder.slice(to.length)}/${name}`.replace(/^\/+/, ""))] : [];
      });
    }),
  );
  const places = context === undefined ? ["", "..", "../.."] : [context];
  return [
    ...new Set(
      names.flatMap((name) =>
        places.flatMap((place) => found.filter((path) => path.endsWith(name)).map((path) => joinedPath(place, path))),
      ),
    ),
  ];
}

const patternOf = (path: string): RegExp =>
  new RegExp(
    `^${path
      .replace(/[.+^${}()|[\]\\]/g, "\\$&")
      .replace(/\*+/g, "[^/]*")
      .replace(/\?/g, "[^/]")}$`,
  );

/** Where a file that the image names lies beside the Dockerfile, or in a folder above, which is often the one that is built. */
function candidatesOf(path: string, copies: ReadStage["copies"], folder: string | undefined, context: string | undefined): string[] {
  const base = path.slice(path.lastIndexOf("/") + 1);
  const sources = copies.flatMap(({ sources: all }) =>
    all.flatMap((source) => {
      const last = source.slice(source.lastIndexOf("/") + 1);
      if (last === base) return [source];
      return /[*?]/.test(last) && patternOf(last).test(base) ? [joinedPath(folderOf(source), base)] : [];
    }),
  );
  const inside = folder !== undefined && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
  const relative = inside.replace(/^\.?\/+/, "");
  const near = [...sources, ...inCopied(joinedPath(folder ?? "/", path), copies), relative, base].map((each) =>
    each.replace(/^\.?\/+/, ""),
  );
  const inContext = context === undefined ? [] : near.map((each) => `${context}/${each}`);
  const above = (context === undefined ? ["..", "../..", "../../.."] : [".."]).flatMap((place) => near.map((each) => `${place}/${each}`));
  return [...new Set([...inContext, ...near, ...above])];
}

/** `COPY src/ /app/` makes `src/list.txt` of what the image knows as `/app/list.txt`, and `COPY cuda.txt /app/list.txt` `cuda.txt`. */
const inCopied = (path: string, copies: Copy[]): string[] =>
  copies.flatMap(({ sources, target, folder }) => {
    const at = withoutLastSlashes(joinedPath(folder, target));
    if (path === at && sources.length === 1) return sources;
    return path.startsWith(`${at}/`) ? sources.map((source) => joinedPath(withoutLastSlashes(source), path.slice(at.length + 1))) : [];
  });

/** What an instruction that ends at a line hands on as its input, and where each ends. */
function heredocsOf(
  content: string,
  lines: string[],
  index: number,
  ends: Map<string, number[]>,
): { text: string; line: number; end: number }[] {
  const found: { text: string; line: number; end: number }[] = [];
  for (const [, word] of content.matchAll(/<<-?\s*["']?([A-Za-z_]\w*)["']?/g)) {
    const begin = (found.at(-1)?.end ?? index) + 1;
    const waiting = ends.get(word!) ?? [];
    while (0 < waiting.length && waiting[0]! < begin) waiting.shift();
    const [end] = waiting;
    if (end === undefined) break;
    found.push({ text: lines.slice(begin, end).join("\n"), line: begin + 1, end });
  }
  return found;
}

/** The instructions of a Dockerfile, each with the lines that it goes over. */
export function instructionsOf(text: string): Instruction[] {
  const lines = splitLines(text);
  const escape = /^#\s*escape\s*=\s*(\S)/im.exec(lines.slice(0, 5).join("\n"))?.[1] === "`" ? "`" : "\\";
  const instructions: Instruction[] = [];
  const ends = wordsAlone(lines, /^\t*([A-Za-z_]\w*)\s*$/);
  for (let index = 0; index < lines.length; index += 1) {
    const raw = lines[index]!;
    const [whole, name] = /^\s*([A-Za-z]+)(?:\s+|$)/.exec(raw) ?? [];
    if (whole === undefined) continue;
    const line = index + 1;
    const parts: string[] = [];
    let current = raw.slice(whole.length);
    const goesOn = (part: string) => part.trimEnd().endsWith(escape);
    while (goesOn(current) && index + 1 < lines.length) {
      // A space after the sign does no harm.
      parts.push(`${current.trimEnd().slice(0, -1)}\\`);
      index += 1;
      current = lines[index]!;
      while ((/^\s*#/.test(current) || current.trim() === "") && index + 1 < lines.length) {
        parts.push("\\");
        index += 1;
        current = lines[index]!;
      }
      if (/^\s*#/.test(current)) current = "";
    }
    parts.push(goesOn(current) ? current.trimEnd().slice(0, -1) : current);
    const content = parts.join("\n");
    const heredocs = /^(run|copy|add)$/i.test(name!) ? heredocsOf(content, lines, index, ends) : [];
    const last = heredocs.at(-1);
    if (last) index = last.end;
    // Only one that is the whole of its line: other things have two such signs, too.
    const alone = heredocs.length === 0 ? /^\s*<<-?\s*["']?(\w+)["']?\s*$/.exec(content)?.[1] : undefined;
    instructions.push({
      name: name!.toUpperCase(),
      text: content,
      line,
      column: whole.length + 1,
      heredocs: heredocs.map(({ text: body, line: at }) => ({ text: body, line: at })),
      ...(alone === undefined ? {} : { unclosed: alone }),
    });
  }
  return instructions;
}
