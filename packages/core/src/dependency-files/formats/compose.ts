// https://docs.docker.com/reference/compose-file/
import type { Place } from "../../model/finding.ts";
import type { Alternative, Declaration, Include } from "../../model/dependency-file.ts";
import type { Conditions } from "../conditions.ts";
import { containerSteps, type Container, type Expand, type Tell } from "../container.ts";
import { endsWith, defineFormat } from "../format.ts";
import { folderOf, joinedPath } from "../lines.ts";
import { otherPlatform } from "../other-platform.ts";
import { entry, itemsOf, placesIn, readYamlNodes, textOf, type Places, type YamlMap, type YamlNode, type YamlText } from "../yaml-nodes.ts";

export default defineFormat({
  id: "compose",
  words: "docker-compose.yml",
  place: 17,
  signs: [
    { by: "name", is: ({ name }) => /^(?:docker-|podman-)?compose\.ya?ml$/.test(name) },
    { by: "part of the name", is: ({ name }) => /(?:^|[._-])compose(?:[._-].*)?\.ya?ml$/.test(name) },
    {
      by: "text and ending",
      after: ["workflow"],
      is: ({ name, text }) =>
        endsWith(".yml", ".yaml")(name) &&
        /^services\s*:\s*(?:#.*)?$/m.test(text) &&
        /^[ \t]+(?:image|build)\s*:/m.test(text) &&
        !/^apiVersion\s*:/m.test(text),
    },
  ],
  read: (text, file, conditions, _build, beside) => readCompose(text, file, conditions, beside),
  names: namedByCompose,
  example: { file: "docker-compose.yml", text: "services:\n  train:\n    image: python:3.11\n    command: pip install torch==2.4.1\n" },
});

/** A compose file while it is read. */
interface Reading {
  file: string;
  places: Places;
  tell: Tell;
  /** Texts of the files that it takes more from, by their paths. */
  beside: ReadonlyMap<string, string>;
  expand: Expand;
}

/** What `.env` says, which compose reads by itself, and the files behind `extends` and `include`. */
function namedByCompose(text: string, file: string): string[] {
  if (file.endsWith(environmentFile)) return [];
  const root = rootOf(text);
  const services = entry(root, "services");
  const extending = services?.kind === "map" ? [...services.entries.values()].flatMap((each) => extendedBy(each)?.file ?? []) : [];
  return [environmentFile, ...[...extending, ...includedBy(root)].filter((each) => /^[\w./ -]+\.ya?ml$/.test(each))].map((each) =>
    joinedPath(folderOf(file), each),
  );
}

const environmentFile = ".env";

/** What is no YAML is told where the file itself is read. */
function rootOf(text: string): YamlNode | undefined {
  try {
    return readYamlNodes(text.replace(/^\ufeff/, ""))[0];
  } catch {
    return undefined;
  }
}

/** `include: [other.yml, {path: third.yml}]`. */
const includedBy = (root: YamlNode | undefined): string[] =>
  itemsOf(entry(root, "include")).flatMap((each) => {
    const path = entry(each, "path");
    return [each, path, ...itemsOf(path)].flatMap((node) => textOf(node)?.text ?? []);
  });

/** Every service is a container of its own. */
function readCompose(whole: string, file: string, conditions: Conditions, beside: ReadonlyMap<string, string> = new Map()): Declaration {
  const text = whole.replace(/^\ufeff/, "");
  const declaration: Declaration = { format: "compose", file, steps: [], unknown: [] };
  const tell: Tell = ({ line, column }, reason) =>
    declaration.unknown.push({ subject: `${file}:${line}${column === undefined ? "" : `:${column}`}`, reason });
  const expand = expandWith(beside.get(joinedPath(folderOf(file), environmentFile)) ?? "");
  const reading: Reading = { file, places: placesIn(text, file), tell, beside, expand };
  const [root] = readYamlNodes(text);
  const alternatives: Alternative[] = [];
  const services = withIncluded(reading, root, entry(root, "services"));
  if (services?.kind === "map")
    for (const [name, written] of services.entries) {
      if (written.kind !== "map" || isTemplate(name, services)) continue;
      const service = extended(reading, services, written, [`:${name}`]);
      alternatives.push({
        name: `service ${name}`,
        steps: containerSteps(containerOf(reading, service), reading.places, { tell, conditions, expand }),
      });
    }
  // A database or a proxy comes after what installs something, or has a GPU.
  const isTelling = ({ steps }: Alternative) => steps.some(({ kind }) => kind === "install" || kind === "file" || kind === "gpu");
  const sorted = [...alternatives.filter(isTelling), ...alternatives.filter((each) => !isTelling(each))];
  return { ...declaration, steps: sorted[0]?.steps ?? [], alternatives: sorted };
}

/** A service that is there for others to extend, as its name says. */
const isTemplate = (name: string, services: YamlMap): boolean =>
  /(?:^|[-_])(?:base|common|template|defaults?)(?:[-_]|$)/.test(name) &&
  [...services.entries.values()].some((each) => extendedBy(each)?.service === name);

/** `extends: NAME`, or a map with the service and, where it is another one, the file. */
function extendedBy(service: YamlNode): { service: string; file?: string } | undefined {
  const given = entry(service, "extends");
  const name = textOf(given)?.text ?? textOf(entry(given, "service"))?.text;
  const file = textOf(entry(given, "file"))?.text;
  return name === undefined ? undefined : { service: name, ...(file === undefined ? {} : { file }) };
}

/** The services of the files that it includes, and its own: https://docs.docker.com/reference/compose-file/include/ */
function withIncluded(reading: Reading, root: YamlNode | undefined, own: YamlNode | undefined): YamlNode | undefined {
  const paths = includedBy(root);
  if (paths.length === 0 || root?.kind !== "map") {
    tellElsewhere(reading, root, "include");
    return own;
  }
  const start = root.keys.get("include")!;
  const others = paths.map((path) => servicesOf(reading, joinedPath(folderOf(reading.file), path), start));
  if (others.some((each) => each === undefined)) tellElsewhere(reading, root, "include");
  const all = [...others.flatMap((each) => each ?? []), ...(own?.kind === "map" ? [own] : [])];
  const [first, ...rest] = all;
  return (
    first &&
    rest.reduce(
      (sum, each) => ({ ...each, entries: new Map([...sum.entries, ...each.entries]), keys: new Map([...sum.keys, ...each.keys]) }),
      first,
    )
  );
}

/** The services of another file, as if they stood at `start`; undefined where it cannot be read. */
function servicesOf(reading: Reading, path: string, start: number): YamlMap | undefined {
  const text = reading.beside.get(path);
  const services = text === undefined ? undefined : entry(rootOf(text), "services");
  if (services?.kind !== "map") return undefined;
  const below = pathFrom(folderOf(reading.file), folderOf(path));
  const entries = [...services.entries].map(([name, service]) => [name, rebuilt(placedAt(service, start), below)] as const);
  return { kind: "map", start, entries: new Map(entries), keys: new Map(entries.map(([name]) => [name, start])) };
}

/** The way from one folder to another. */
function pathFrom(from: string, to: string): string {
  const [here, there] = [from, to].map((each) => each.split("/").filter((part) => part !== ""));
  const shared = here!.findIndex((part, index) => part !== there![index]);
  const common = shared < 0 ? here!.length : shared;
  return [...here!.slice(common).map(() => ".."), ...there!.slice(common)].join("/");
}

/** What stands in another file is told where this one names it. */
function placedAt(node: YamlNode, start: number): YamlNode {
  if (node.kind === "text") return { kind: "text", text: node.text, start, end: start };
  if (node.kind === "list") return { ...node, start, items: node.items.map((each) => placedAt(each, start)) };
  return {
    kind: "map",
    start,
    entries: new Map([...node.entries].map(([name, each]) => [name, placedAt(each, start)])),
    keys: new Map([...node.keys.keys()].map((name) => [name, start])),
  };
}

/** Paths are meant from the folder of the file that they stand in. */
function rebuilt(service: YamlNode, folder: string): YamlNode {
  const build = entry(service, "build");
  if (!build || folder === "" || service.kind !== "map") return service;
  const moved = (node: YamlText): YamlText => ({ ...node, text: /^[\w./-]*$/.test(node.text) ? joinedPath(folder, node.text) : node.text });
  if (build.kind === "text") return { ...service, entries: new Map([...service.entries, ["build", moved(build)]]) };
  if (build.kind !== "map") return service;
  const context = textOf(entry(build, "context")) ?? { kind: "text", text: ".", start: build.start, end: build.start };
  return {
    ...service,
    entries: new Map([...service.entries, ["build", { ...build, entries: new Map([...build.entries, ["context", moved(context)]]) }]]),
  };
}

/** A service with what it takes from another one, of this file or of another: https://docs.docker.com/reference/compose-file/services/#extends */
function extended(reading: Reading, services: YamlMap, service: YamlMap, above: string[]): YamlMap {
  if (!entry(service, "extends")) return service;
  const wanted = extendedBy(service);
  const from =
    wanted?.file === undefined
      ? services
      : servicesOf(reading, joinedPath(folderOf(reading.file), wanted.file), service.keys.get("extends")!);
  const base = wanted && from?.entries.get(wanted.service);
  const key = `${wanted?.file ?? ""}:${wanted?.service}`;
  if (base?.kind !== "map" || above.includes(key) || mostExtended < above.length) {
    tellElsewhere(reading, service, "extends");
    return service;
  }
  return joined(extended(reading, from!, base, [...above, key]), service);
}

/** Nobody extends what extends so often. */
const mostExtended = 20;

/** Maps are joined, lists follow each other, and what is one value is the nearer one's; of a command and its entry point, too. */
function joined(base: YamlMap, own: YamlMap): YamlMap {
  const entries = new Map([...base.entries].filter(([name]) => name !== "extends"));
  for (const [name, value] of own.entries) {
    const before = entries.get(name);
    const isWhole = name === "command" || name === "entrypoint";
    if (before?.kind === "map" && value.kind === "map") entries.set(name, joined(before, value));
    else if (before?.kind === "list" && value.kind === "list" && !isWhole)
      entries.set(name, { ...value, items: [...before.items, ...value.items] });
    else entries.set(name, value);
  }
  return { ...own, entries, keys: new Map([...base.keys, ...own.keys]) };
}

function tellElsewhere({ places, tell }: Reading, node: YamlNode | undefined, name: string): void {
  const other = entry(node, name);
  if (other && node?.kind === "map")
    tell(places.at(node.keys.get(name)!, name.length), `\`${name}\` takes more from elsewhere, which is not read`);
}

function containerOf(reading: Reading, service: YamlNode): Container {
  const { places } = reading;
  const image = textOf(entry(service, "image"));
  const dockerfile = dockerfileOf(reading, service);
  const platform = textOf(entry(service, "platform"));
  const other = otherPlatform(platform?.text, image?.text);
  if (other !== undefined) reading.tell(places.at((platform ?? image)!.start, (platform ?? image)!.text.length), other);
  const volumes = itemsOf(entry(service, "volumes")).flatMap((each) => {
    const [source, target] = textOf(each)?.text.split(":") ?? [textOf(entry(each, "source"))?.text, textOf(entry(each, "target"))?.text];
    return source === undefined || target === undefined || !/^\.|\//.test(source) ? [] : [{ source, target }];
  });
  const folder = textOf(entry(service, "working_dir"))?.text;
  return {
    ...(image ? { image } : {}),
    ...(dockerfile ? { dockerfile } : {}),
    environment: environmentOf(entry(service, "environment"), places),
    command: commandOf(service),
    gpus: gpusOf(service, places),
    candidates: (path) => {
      const inside = path.startsWith("/") || folder === undefined ? path : joinedPath(folder, path);
      const mounted = volumes.flatMap(({ source, target }) =>
        inside.startsWith(`${target.replace(/\/$/, "")}/`) ? joinedPath(source, inside.slice(target.replace(/\/$/, "").length + 1)) : [],
      );
      const context = dockerfile?.build ? joinedPath(folderOf(dockerfile.path), dockerfile.build.context) : "";
      const bare = path.replace(/^\/+/, "");
      return [
        ...new Set(
          [...mounted, bare, bare.slice(bare.lastIndexOf("/") + 1)].flatMap((each) => [
            each,
            ...(context === "" ? [] : [`${context}/${each}`]),
          ]),
        ),
      ];
    },
  };
}

/** `build: ./app`, or a map with context, dockerfile, target and args. */
function dockerfileOf({ places, tell, expand }: Reading, service: YamlNode): Include | undefined {
  const build = entry(service, "build");
  if (!build) return undefined;
  const given = textOf(build) ?? textOf(entry(build, "context"));
  const named = textOf(entry(build, "dockerfile"));
  const place = places.at((named ?? given ?? build).start, (named ?? given)?.text.length);
  const inline = textOf(entry(build, "dockerfile_inline"));
  const [context, name] = [expand(given?.text ?? "."), expand(named?.text ?? "Dockerfile")];
  if (inline) {
    tell(places.at(inline.start), "a Dockerfile within the file is not read");
    return undefined;
  }
  if (!context.isKnown || !name.isKnown || /^\w+:\/\/|^git@|\.git(?:#|$)/.test(context.text)) {
    tell(place, `what \`${given?.text ?? "."}\` builds is not known`);
    return undefined;
  }
  const path = joinedPath(context.text, name.text);
  const target = textOf(entry(build, "target"));
  const args = new Map(
    environmentOf(entry(build, "args"), places).flatMap(({ name: key, value }) => {
      const known = value === undefined ? undefined : expand(value);
      return known?.isKnown ? [[key, known.text] as [string, string]] : [];
    }),
  );
  const below = name.text.startsWith("/")
    ? 0
    : joinedPath("", name.text)
        .split("/")
        .filter((part) => part !== "..").length - 1;
  return {
    path,
    candidates: [path],
    role: "dockerfile",
    build: { args, ...(target ? { target: target.text } : {}), context: below <= 0 ? "." : Array<string>(below).fill("..").join("/") },
    place,
  };
}

/** A map, or a list of `NAME=value`. */
function environmentOf(node: YamlNode | undefined, places: Places): { name: string; value?: string; place: Place }[] {
  if (node?.kind === "map")
    return [...node.entries].map(([name, value]) => ({
      name,
      ...(value.kind === "text" && 0 <= value.start ? { value: value.text } : {}),
      place: places.at(node.keys.get(name)!, name.length),
    }));
  return itemsOf(node).flatMap((each) => {
    const pair = textOf(each);
    if (!pair) return [];
    const equals = pair.text.indexOf("=");
    const place = places.at(pair.start, pair.text.length);
    return equals < 0 ? [{ name: pair.text, place }] : [{ name: pair.text.slice(0, equals), value: pair.text.slice(equals + 1), place }];
  });
}

/** The entry point, then the command; a text is split by whoever runs it. */
function commandOf(service: YamlNode): YamlText[] | YamlText | undefined {
  const [begin, rest] = [entry(service, "entrypoint"), entry(service, "command")];
  const words = [...itemsOf(begin), ...itemsOf(rest)].flatMap((each) => textOf(each) ?? []);
  return 0 < words.length ? words : (textOf(rest) ?? textOf(begin));
}

function gpusOf(service: YamlNode, places: Places): Container["gpus"] {
  const deploy = entry(entry(entry(entry(service, "deploy"), "resources"), "reservations"), "devices");
  const reserved = itemsOf(deploy).filter((device) => {
    const capabilities = itemsOf(entry(device, "capabilities")).flatMap((each) => textOf(each)?.text ?? []);
    return capabilities.some((each) => /gpu|nvidia|compute/.test(each)) || /nvidia/.test(textOf(entry(device, "driver"))?.text ?? "");
  });
  const runtime = textOf(entry(service, "runtime"));
  const gpus = entry(service, "gpus");
  const handed = itemsOf(entry(service, "devices")).filter((each) => /nvidia/.test(textOf(each)?.text ?? ""));
  const nodes = [...reserved, ...(runtime?.text === "nvidia" ? [runtime] : []), ...(gpus ? [gpus] : []), ...handed];
  return nodes.slice(0, 1).map((node) => ({ place: places.at(node.start) }));
}

/** `${NAME:-value}` has a value unless the machine says otherwise; of others `.env` may say which. */
function expandWith(environment: string): Expand {
  const variables = variablesOf(environment);
  return (text) => {
    let isKnown = true;
    const put = text.replace(
      /\$(?:\$|\{([A-Za-z_]\w*)(?:(:?[-+?])([^{}]*))?\}|([A-Za-z_]\w*))/g,
      (whole, braced?: string, sign?: string, other?: string, bare?: string) => {
        if (whole === "$$") return "$";
        const said = variables.get(braced ?? bare ?? "");
        if (said !== undefined && !sign?.endsWith("+")) return said;
        if (braced !== undefined && sign?.endsWith("-")) return other ?? "";
        isKnown = false;
        return whole;
      },
    );
    return { text: put, isKnown };
  };
}

/** What `.env` sets, of that only what can be a name, a version or a path: secrets stand there, too. */
function variablesOf(environment: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const line of environment.split(/\r?\n/).slice(0, 2000)) {
    const [, name, quoted, plain] = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(?:["']([^"']*)["']|([^#\s]*))/.exec(line) ?? [];
    const value = quoted ?? plain ?? "";
    if (name === undefined || /token|key|secret|pass|credential|auth/i.test(name)) continue;
    if (/^[\w.:/@+-]{1,120}$/.test(value) && !/[\w-]{32,}/.test(value)) found.set(name, value);
  }
  return found;
}
