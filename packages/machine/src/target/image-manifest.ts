// Which images a file holds, and of the one that is meant: its configuration and the names of its layers.
import type { Unknown } from "@culprit/core/model/snapshot";
import type { Store } from "./image-store.ts";
import { Refusal, shown } from "./tar.ts";

export interface ChosenImage {
  config: { environment: string[]; workingDir: string; user: string; labels: { [name: string]: string } };
  /** Its tag, where it has one. */
  tag?: string;
  /** From the lowest up. */
  layers: string[];
  unknown: Unknown[];
}

/** One image for one platform. */
interface Candidate {
  names: string[];
  /** For example `linux/amd64`; "" when nothing says so. */
  platform: string;
  digest?: string;
  config: string;
  layers: { name: string; media: string; isElsewhere: boolean }[];
}

type Json = { [key: string]: unknown };

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);
const objects = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);
const texts = (value: unknown): string[] => (Array.isArray(value) ? value.filter((each) => typeof each === "string") : []);
const text = (value: unknown): string => (typeof value === "string" ? value : "");

export function chooseImage(store: Store, name: string | undefined, architecture: string): ChosenImage {
  const candidates = store.has("index.json") ? fromIndex(store) : store.has("manifest.json") ? fromDocker(store) : undefined;
  if (!candidates)
    throw new Refusal(
      store.has("repositories")
        ? "it was written by a Docker before 1.10"
        : "it has neither an index.json nor a manifest.json: it is no image",
    );
  if (candidates.length === 0) throw new Refusal("its index names no image");
  const { chosen, unknown } = choose(candidates, name, architecture);
  for (const { name: layer, media, isElsewhere } of chosen.layers) {
    if (media.includes("+encrypted")) throw new Refusal(`its layer \`${shown(layer)}\` is encrypted`);
    if (store.has(layer)) continue;
    throw new Refusal(
      isElsewhere
        ? `its layer \`${shown(layer)}\` is a foreign one, whose content is kept elsewhere`
        : `it names the layer \`${shown(layer)}\`, which is not in it`,
    );
  }
  const config = documentIn(store, chosen.config);
  const system = text(config["os"]);
  if (system !== "" && system !== "linux") throw new Refusal(`it is an image for ${shown(system)}, not for Linux`);
  const start = isObject(config["config"]) ? config["config"] : {};
  const labels = isObject(start["Labels"]) ? Object.entries(start["Labels"]).map(([label, value]) => [label, text(value)]) : [];
  const tag = chosen.names[0];
  return {
    config: {
      environment: texts(start["Env"]),
      workingDir: text(start["WorkingDir"]),
      user: text(start["User"]),
      labels: Object.fromEntries(labels),
    },
    ...(tag === undefined ? {} : { tag }),
    layers: chosen.layers.map((layer) => layer.name),
    unknown,
  };
}

function choose(candidates: Candidate[], name: string | undefined, architecture: string): { chosen: Candidate; unknown: Unknown[] } {
  const meant =
    name === undefined
      ? candidates
      : candidates.filter(
          ({ names, platform, digest = "" }) =>
            platform === name ||
            digest === name ||
            (12 <= name.length && digest.startsWith(`sha256:${name}`)) ||
            names.some((each) => isCalled(each, name)),
        );
  const listed = (list: string[]) => [...new Set(list)].map((each) => `\`${shown(each)}\``).join(", ");
  const called = (list: Candidate[]) =>
    listed(list.flatMap(({ names, digest, platform }) => (0 < names.length ? names : [digest ?? platform])));
  if (meant.length === 0) throw new Refusal(`it holds no image \`${shown(name!)}\`, only ${called(candidates)}`);
  // The same image may be there several times, or once for each platform.
  const images = [...new Map(meant.map((each) => [[each.config, ...each.layers.map((layer) => layer.name)].join(" "), each])).values()];
  const isOneForEach =
    new Set(images.map(({ platform }) => platform)).size === images.length && new Set(images.map(({ names }) => names[0])).size === 1;
  if (1 < images.length && !isOneForEach)
    throw new Refusal(`it holds several images: ${called(images)}; \`#NAME\` behind the file chooses one`);
  const platforms = [`linux/${architecture}`, "linux/amd64"];
  const chosen =
    platforms.flatMap((wanted) => meant.filter(({ platform }) => platform === wanted || platform.startsWith(`${wanted}/`)))[0] ?? meant[0]!;
  const others = meant.filter(({ platform }) => platform !== chosen.platform);
  return {
    chosen,
    unknown:
      others.length === 0
        ? []
        : [
            {
              subject: "the image's platform",
              reason: `it is made for ${listed(meant.map(({ platform }) => platform))}; ${chosen.platform} was examined, and \`#PLATFORM\` behind the file chooses another`,
            },
          ],
  };
}

/** Docker leaves its own registry and `library/` out, and `latest`. */
function isCalled(full: string, name: string): boolean {
  const short = full.replace(/^docker\.io\/(library\/)?/, "");
  return [full, short, short.replace(/:latest$/, "")].includes(name) || full.endsWith(`:${name}`);
}

/** What `docker save` writes beside, and up to 24 instead of, an OCI index. */
function fromDocker(store: Store): Candidate[] {
  return objects(parse(store, "manifest.json")).map((each) => ({
    names: texts(each["RepoTags"]),
    platform: "",
    config: text(each["Config"]),
    layers: texts(each["Layers"]).map((name) => ({ name, media: "", isElsewhere: false })),
  }));
}

function fromIndex(store: Store): Candidate[] {
  const found: Candidate[] = [];
  const seen = new Set<string>();
  const visit = (descriptor: Json, names: string[], depth: number): void => {
    const digest = text(descriptor["digest"]);
    const annotations = isObject(descriptor["annotations"]) ? descriptor["annotations"] : {};
    // Beside images there may be what is known about them.
    if (text(annotations["vnd.docker.reference.type"]) === "attestation-manifest") return;
    const platform = platformOf(descriptor["platform"]);
    if (platform === "unknown/unknown") return;
    const given = [text(annotations["io.containerd.image.name"]), text(annotations["org.opencontainers.image.ref.name"])].find(Boolean);
    const called = given === undefined ? names : [given];
    if (8 < depth) throw new Refusal("its indexes go round in a circle");
    const known = found.find((each) => each.digest === digest);
    if (known) {
      known.names.push(...called.filter((each) => !known.names.includes(each)));
      return;
    }
    if (seen.has(digest)) return;
    const manifest = documentIn(store, blobOf(digest));
    if (Array.isArray(manifest["manifests"])) {
      seen.add(digest);
      if (1000 < manifest["manifests"].length) throw new Refusal("an index in it names more than 1000 images");
      for (const each of objects(manifest["manifests"])) visit(each, called, depth + 1);
      return;
    }
    const config = isObject(manifest["config"]) ? manifest["config"] : undefined;
    if (!config || !Array.isArray(manifest["layers"])) throw new Refusal(`\`${shown(digest)}\` in it is no manifest of an image`);
    found.push({
      names: [...called],
      platform: platform !== "" ? platform : platformOf(safely(() => documentIn(store, blobOf(text(config["digest"]))))),
      digest,
      config: blobOf(text(config["digest"])),
      layers: objects(manifest["layers"]).map((layer) => ({
        name: blobOf(text(layer["digest"])),
        media: text(layer["mediaType"]),
        isElsewhere: /foreign|nondistributable/.test(text(layer["mediaType"])) || 0 < texts(layer["urls"]).length,
      })),
    });
  };
  const index = documentIn(store, "index.json");
  const top = objects(index["manifests"]);
  if (1000 < top.length) throw new Refusal("its index names more than 1000 images");
  for (const each of top) visit(each, [], 0);
  return found;
}

function safely<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

function platformOf(value: unknown): string {
  if (!isObject(value)) return "";
  const [os, architecture, variant] = [text(value["os"]), text(value["architecture"]), text(value["variant"])];
  if (os === "" && architecture === "") return "";
  // Every arm64 is v8.
  return `${os}/${architecture}${variant === "" || (architecture === "arm64" && variant === "v8") ? "" : `/${variant}`}`;
}

function blobOf(digest: string): string {
  const [, algorithm, sum] = /^(sha256|sha512):([0-9a-f]{64,128})$/.exec(digest) ?? [];
  if (algorithm === undefined) throw new Refusal(`\`${shown(digest)}\` in it is no digest`);
  return `blobs/${algorithm}/${sum}`;
}

function documentIn(store: Store, name: string): Json {
  const value = parse(store, name);
  if (!isObject(value)) throw new Refusal(`\`${shown(name)}\` in it is no JSON object`);
  return value;
}

function parse(store: Store, name: string): unknown {
  const bytes = store.document(name);
  if (bytes === undefined) throw new Refusal(`it names \`${shown(name)}\`, which is not in it`);
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    throw new Refusal(`\`${shown(name)}\` in it is no JSON`);
  }
}
