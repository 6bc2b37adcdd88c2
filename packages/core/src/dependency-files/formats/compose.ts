// https://docs.docker.com/reference/compose-file/
import type { Place } from "../../model/finding.ts";
import type { Alternative, Declaration, Include } from "../../model/dependency-file.ts";
import type { Conditions } from "../conditions.ts";
import { containerSteps, type Container, type Expand, type Tell } from "../container.ts";
import { endsWith, defineFormat } from "../format.ts";
import { folderOf, joinedPath } from "../lines.ts";
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
  read: readCompose,
  example: { file: "docker-compose.yml", text: "services:\n  train:\n    image: python:3.11\n    command: pip install torch==2.4.1\n" },
});

/** A compose file while it is read. */
interface Reading {
  file: string;
  places: Places;
  tell: Tell;
}

/** Every service is a container of its own. */
function readCompose(whole: string, file: string, conditions: Conditions): Declaration {
  const text = whole.replace(/^\ufeff/, "");
  const declaration: Declaration = { format: "compose", file, steps: [], unknown: [] };
  const tell: Tell = ({ line, column }, reason) =>
    declaration.unknown.push({ subject: `${file}:${line}${column === undefined ? "" : `:${column}`}`, reason });
  const reading: Reading = { file, places: placesIn(text, file), tell };
  const [root] = readYamlNodes(text);
  const alternatives: Alternative[] = [];
  for (const missing of ["include", "extends"]) tellElsewhere(reading, root, missing);
  const services = entry(root, "services");
  if (services?.kind === "map")
    for (const [name, written] of services.entries) {
      if (written.kind !== "map" || isTemplate(name, services)) continue;
      const service = extended(reading, services, written, [name]);
      alternatives.push({
        name: `service ${name}`,
        steps: containerSteps(containerOf(reading, service), reading.places, { tell, conditions, expand: interpolated }),
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

/** A service with what it takes from another one of the file: https://docs.docker.com/reference/compose-file/services/#extends */
function extended(reading: Reading, services: YamlMap, service: YamlMap, above: string[]): YamlMap {
  if (!entry(service, "extends")) return service;
  const wanted = extendedBy(service);
  const base = wanted && wanted.file === undefined ? services.entries.get(wanted.service) : undefined;
  if (base?.kind !== "map" || above.includes(wanted!.service) || mostExtended < above.length) {
    tellElsewhere(reading, service, "extends");
    return service;
  }
  return joined(extended(reading, services, base, [...above, wanted!.service]), service);
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
function dockerfileOf({ places, tell }: Reading, service: YamlNode): Include | undefined {
  const build = entry(service, "build");
  if (!build) return undefined;
  const given = textOf(build) ?? textOf(entry(build, "context"));
  const named = textOf(entry(build, "dockerfile"));
  const place = places.at((named ?? given ?? build).start, (named ?? given)?.text.length);
  const inline = textOf(entry(build, "dockerfile_inline"));
  const [context, name] = [interpolated(given?.text ?? "."), interpolated(named?.text ?? "Dockerfile")];
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
      const known = value === undefined ? undefined : interpolated(value);
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

/** `${NAME:-value}` has a value unless the machine says otherwise; of others the file does not say which. */
const interpolated: Expand = (text) => {
  let isKnown = true;
  const put = text.replace(
    /\$(?:\$|\{([A-Za-z_]\w*)(?:(:?[-+?])([^{}]*))?\}|([A-Za-z_]\w*))/g,
    (whole, braced?: string, sign?: string, other?: string) => {
      if (whole === "$$") return "$";
      if (braced !== undefined && sign?.endsWith("-")) return other ?? "";
      isKnown = false;
      return whole;
    },
  );
  return { text: put, isKnown };
};
