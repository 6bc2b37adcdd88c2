import { eachPart, type Fix, type Place } from "./place.ts";

/** What keeps the packages of a project: its own file says what is installed, and pip beside it is undone at the next step. */
export type Manager = "uv" | "uv pip" | "poetry" | "pixi";

const install = /^pip3? install (?<rest>.+)$/;
const uninstall = /^pip3? uninstall -y (?<rest>.+)$/;
const index = /\s*--(?:extra-)?index-url (?<url>\S+)/;
// What only pip itself does: a project has no line for it.
const ofPip = /\s-r\s|--no-binary|--find-links|\s-f\s|git\+|\.whl\b|\s-e\s/;

const nameOf = (word: string) => word.replace(/["']/g, "").replace(/[[=<>!~].*$/, "");

/** The packages of a line, and what pip was told besides. */
function asked(rest: string): { words: string[]; url?: string; newest: boolean; again: boolean } {
  const url = index.exec(rest)?.groups?.["url"];
  const words = rest.replace(index, "").split(/\s+(?=(?:[^"]*"[^"]*")*[^"]*$)/);
  return {
    words: words.filter((word) => word !== "" && !word.startsWith("-")),
    ...(url === undefined ? {} : { url }),
    newest: words.some((word) => word === "-U" || word === "--upgrade"),
    again: words.includes("--force-reinstall"),
  };
}

const sourceOf = (url: string) => `pytorch-${url.split("/").at(-1)}`;

const adding: { [manager in Exclude<Manager, "pixi" | "uv pip">]: (rest: string) => string[] } = {
  uv: (rest) => {
    const { words, url, newest, again } = asked(rest);
    const options = [
      ...(newest ? ["--upgrade"] : []),
      ...(again ? words.map((word) => `--reinstall-package ${nameOf(word)}`) : []),
      ...(url === undefined ? [] : [`--index ${sourceOf(url)}=${url}`]),
    ];
    return [["uv add", ...words, ...options].join(" ")];
  },
  poetry: (rest) => {
    const { words, url, newest, again } = asked(rest);
    // It keeps what is there in that release: only pip puts its files in place again.
    const anew = again && url === undefined ? [`poetry run pip install --force-reinstall --no-deps ${words.join(" ")}`] : [];
    const named = words
      .map((word) => (newest ? word.replace(/^(?<quote>"?)(?<name>[\w.-]+(?:\[[\w,-]+\])?)"?$/, "$<quote>$<name>@latest$<quote>") : word))
      .join(" ");
    return url === undefined
      ? [`poetry add ${named}`, ...anew]
      : [`poetry source add --priority=explicit ${sourceOf(url)} ${url}`, `poetry add --source ${sourceOf(url)} ${named}`];
  },
};

const cudaOfPixi = "pixi workspace system-requirements add cuda 12";

function lineOf(command: string, manager: Manager): string[] {
  if (manager === "pixi") {
    const spec = /^conda install (?:-c \S+ )*(?<rest>.+)$/.exec(command)?.groups?.["rest"];
    // Without the requirement pixi looks for no build that asks for CUDA.
    if (spec !== undefined) return [...(/cuda/.test(spec) ? [cudaOfPixi] : []), `pixi add ${spec}`];
    if (command.startsWith("conda remove ")) return [command.replace(/^conda remove/, "pixi remove")];
    return [command.replace(/^conda list/, "pixi list").replace(/^python3? -/, "pixi run python -")];
  }
  if (/^(?:sudo )?conda\b/.test(command)) return [command];
  const own = manager === "poetry" ? "poetry run " : "uv run ";
  const list = manager === "poetry" ? "poetry show" : "uv pip list";
  const said = command
    .replace(/^pip3? list\b/, list)
    .replace(/^pip3? show (?:-f )?/, manager === "poetry" ? "poetry show " : "uv pip show ");
  if (said !== command) return [said];
  if (manager === "uv pip")
    return [
      command
        .replace(/^pip3? (?=install|uninstall)/, "uv pip ")
        .replace(/^(uv pip uninstall) -y/, "$1")
        .replace("--force-reinstall", "--reinstall"),
    ];
  const rest = install.exec(command)?.groups?.["rest"];
  if (rest !== undefined) return ofPip.test(` ${rest}`) ? [`${own}pip ${command.replace(/^pip3? /, "")}`] : adding[manager](rest);
  return [command.replace(/(?:^|(?<=\$\())(?=python3? -[cm] )/, own)];
}

/** What is installed anew is not taken out first: the manager replaces it by itself. */
function withoutReplaced(one: Fix, manager: Manager): Fix {
  if (manager === "pixi" || manager === "uv pip") return one;
  const kept = new Set(one.commands.flatMap((command) => asked(install.exec(command)?.groups?.["rest"] ?? "").words.map(nameOf)));
  // Packages that are named together share a folder: what one takes out, the other must get back.
  const torn = new Set<string>();
  const commands = one.commands.flatMap((command) => {
    const rest = uninstall.exec(command)?.groups?.["rest"];
    if (rest === undefined) return [command];
    const names = rest.split(/\s+/);
    const gone = names.filter((name) => !kept.has(name));
    if (gone.length === 0) return [];
    for (const name of names) if (kept.has(name)) torn.add(name);
    return [`${manager} remove ${gone.join(" ")}`];
  });
  if (0 < torn.size)
    return {
      ...one,
      commands: commands.map((command) => {
        const rest = install.exec(command)?.groups?.["rest"];
        return rest !== undefined && !rest.includes("--force-reinstall") && asked(rest).words.some((word) => torn.has(nameOf(word)))
          ? `${command} --force-reinstall`
          : command;
      }),
    };
  return { ...one, commands };
}

/** An environment that a project's file describes (uv, poetry, pixi), and one that uv installs into. */
export function managed(manager: Manager): Place {
  const line = (command: string) =>
    command.includes("; ") ? eachPart(command, (part) => lineOf(part, manager)) : lineOf(command, manager);
  return {
    line,
    fix: (one) => {
      const kept = withoutReplaced(one, manager);
      return [{ ...kept, commands: kept.commands.flatMap(line) }];
    },
    first: () => [],
  };
}
