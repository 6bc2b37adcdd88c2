// Writes container images, byte by byte: what real programs write, and what none should.
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";

/** One entry of a tar archive; a Buffer is put in as it is. */
export type Entry =
  | Buffer
  | {
      name: string;
      /** The type's character; without one, a file, or a folder where the name ends in a slash. */
      type?: string;
      content?: string | Uint8Array;
      to?: string;
      mode?: number;
      uid?: number;
      gid?: number;
      /** What the header says, where that is not the length of the content. */
      size?: number;
      /** Pax records to put before it. */
      pax?: { [key: string]: string };
    };

export const link = (name: string, to: string): Entry => ({ name, type: "2", to });
export const hardLink = (name: string, to: string): Entry => ({ name, type: "1", to });
export const file = (name: string, content: string | Uint8Array = ""): Entry => ({ name, content });

export function tar(...entries: Entry[]): Buffer {
  return Buffer.concat([...entries.map(entryBytes), Buffer.alloc(1024)]);
}

export function entryBytes(entry: Entry): Buffer {
  if (Buffer.isBuffer(entry)) return entry;
  const content = Buffer.from(entry.content ?? "");
  const records = Object.entries(entry.pax ?? {}).map(([key, value]) => paxRecord(key, value));
  const before = records.length === 0 ? [] : [entryBytes({ name: "pax", type: "x", content: Buffer.concat(records) })];
  const padding = Buffer.alloc((512 - (content.length % 512)) % 512);
  return Buffer.concat([...before, header(entry, entry.size ?? content.length), content, padding]);
}

function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest;
  while (length !== rest + String(length).length) length = rest + String(length).length;
  return Buffer.from(`${length} ${key}=${value}\n`);
}

function header(entry: Exclude<Entry, Buffer>, size: number): Buffer {
  const block = Buffer.alloc(512);
  const octal = (value: number, at: number, length: number) => block.write(value.toString(8).padStart(length - 1, "0"), at, "latin1");
  block.write(entry.name, 0, 100);
  octal(entry.mode ?? 0o644, 100, 8);
  octal(entry.uid ?? 0, 108, 8);
  octal(entry.gid ?? 0, 116, 8);
  if (0 <= size && size < 8 ** 11) octal(size, 124, 12);
  else {
    block.writeBigInt64BE(BigInt(size), 128);
    block[124] = size < 0 ? 0xff : 0x80;
    if (size < 0) block.fill(0xff, 125, 128);
  }
  octal(0, 136, 12);
  block.write(entry.type ?? (entry.name.endsWith("/") ? "5" : "0"), 156, "latin1");
  block.write(entry.to ?? "", 157, 100);
  block.write("ustar\x0000", 257, "latin1");
  return summed(block);
}

/** Writes the sum that a header must have. */
export function summed(block: Buffer): Buffer {
  block.fill(0x20, 148, 156);
  block.write(
    `${block
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, "0")}\0 `,
    148,
    "latin1",
  );
  return block;
}

/** A zstd frame of blocks that are stored as they are: https://datatracker.ietf.org/doc/html/rfc8878 */
export function zstd(bytes: Uint8Array): Buffer {
  const blocks: Buffer[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += 65536) {
    const piece = Buffer.from(bytes.subarray(at, at + 65536));
    const head = Buffer.alloc(3);
    head.writeUIntLE((bytes.length <= at + 65536 ? 1 : 0) | (piece.length << 3), 0, 3);
    blocks.push(head, piece);
  }
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38]), ...blocks]);
}

export const packings: { [name: string]: (bytes: Uint8Array) => Uint8Array } = {
  plain: (bytes) => bytes,
  gzip: (bytes) => gzipSync(bytes, { level: 1 }),
  zstd,
};

export const sha256 = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest("hex");

export interface ImagePlan {
  layers: Uint8Array[];
  /** What `docker inspect` shows as Config. */
  config?: object;
  os?: string;
  architecture?: string;
  names?: string[];
  platform?: object;
  media?: string;
  /** Names of layers in place of the right ones. */
  layerNames?: string[];
}

type Files = { [name: string]: Uint8Array | string };

const configOf = ({ config = {}, os = "linux", architecture = "amd64" }: ImagePlan) =>
  JSON.stringify({ os, architecture, config, rootfs: { type: "layers", diff_ids: [] } });

/** What `docker save` wrote up to Docker 24. */
export function dockerFiles(...images: ImagePlan[]): Files {
  const files: Files = {};
  const manifest = images.map((image) => {
    const config = configOf(image);
    files[`${sha256(config)}.json`] = config;
    const names = image.layers.map((layer) => `${sha256(layer)}/layer.tar`);
    image.layers.forEach((layer, index) => (files[names[index]!] = layer));
    return { Config: `${sha256(config)}.json`, RepoTags: image.names ?? null, Layers: image.layerNames ?? names };
  });
  files["manifest.json"] = JSON.stringify(manifest);
  return files;
}

const blob = (files: Files, content: Uint8Array | string) => {
  files[`blobs/sha256/${sha256(content)}`] = content;
  return { digest: `sha256:${sha256(content)}`, size: content.length };
};

export function manifestOf(files: Files, image: ImagePlan): { digest: string; size: number; platform?: object; annotations?: object } {
  const manifest = {
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    config: { mediaType: "application/vnd.oci.image.config.v1+json", ...blob(files, configOf(image)) },
    layers: image.layers.map((layer) => ({ mediaType: image.media ?? "application/vnd.oci.image.layer.v1.tar", ...blob(files, layer) })),
  };
  const name = image.names?.[0];
  return {
    ...blob(files, JSON.stringify(manifest)),
    ...(image.platform ? { platform: image.platform } : {}),
    ...(name === undefined ? {} : { annotations: { "org.opencontainers.image.ref.name": name } }),
  };
}

/** An OCI layout; `nested` puts the images behind one more index. */
export function ociFiles(images: ImagePlan[], nested = false): Files {
  const files: Files = { "oci-layout": `{"imageLayoutVersion":"1.0.0"}` };
  const manifests = images.map((image) => manifestOf(files, image));
  const inner = { schemaVersion: 2, mediaType: "application/vnd.oci.image.index.v1+json", manifests };
  files["index.json"] = JSON.stringify(nested ? { schemaVersion: 2, manifests: [blob(files, JSON.stringify(inner))] } : inner);
  return files;
}

export const archive = (files: Files) => tar(...Object.entries(files).map(([name, content]) => file(name, content)));

export function writeFolder(folder: string, files: Files): string {
  for (const [name, content] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(`${folder}/${name}`), { recursive: true });
    fs.writeFileSync(`${folder}/${name}`, content);
  }
  return folder;
}
