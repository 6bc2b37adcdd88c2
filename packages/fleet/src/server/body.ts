// What comes in from anybody: read no further than it may be long, packed or not.
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { readJson } from "@culprit/core/lib/read-json";
import type { Context } from "hono";
import { Refusal } from "../refusal.ts";
import type { Visit } from "./room.ts";

const unpack = promisify(gunzip);

/** What is longer, or may become so when it is unpacked, is worked on in turn. */
const large = 1 << 20;

/** The bytes of a request, unpacked; both lengths have a bound. */
export async function bytesIn(context: Context, limits: { sent: number; unpacked: number }): Promise<Buffer> {
  const announced = Number(context.req.header("content-length") ?? 0);
  if (limits.sent < announced) throw tooLong(limits.sent);
  const visit = (context as Context<{ Variables: { visit?: Visit } }>).get("visit");
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of (context.req.raw.body ?? []) as AsyncIterable<Uint8Array>) {
    length += piece.length;
    if (limits.sent < length) throw tooLong(limits.sent);
    visit?.take(piece.length);
    pieces.push(piece);
  }
  const encoding = context.req.header("content-encoding") ?? "identity";
  if (large < (encoding === "identity" ? length : limits.unpacked)) await visit?.sit();
  const bytes = Buffer.concat(pieces);
  if (encoding === "identity") return bytes;
  if (encoding !== "gzip") throw new Refusal(400, `\`content-encoding: ${encoding.slice(0, 20)}\` is not read here: gzip is`);
  try {
    return await unpack(bytes, { maxOutputLength: limits.unpacked });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE") throw tooLong(limits.unpacked);
    throw new Refusal(400, "the body is not gzip");
  }
}

const tooLong = (limit: number) =>
  new Refusal(413, `the body is longer than ${limit < 1 << 20 ? `${limit >> 10} KB` : `${limit >> 20} MB`}`);

export async function jsonIn(context: Context, limits: { sent: number; unpacked: number }): Promise<{ [key: string]: unknown }> {
  const text = (await bytesIn(context, limits)).toString("utf8");
  const read = readJson(text);
  if ("problem" in read) throw new Refusal(400, `the body cannot be read: ${read.problem}`);
  if (typeof read.value !== "object" || read.value === null || Array.isArray(read.value))
    throw new Refusal(400, "the body is not an object");
  // PostgreSQL has no text with that character.
  if (text.includes(String.raw`\u0000`)) throw new Refusal(400, "the body holds a character 0");
  return read.value as { [key: string]: unknown };
}

/** Lines that are not empty; they are counted before each becomes a text of its own. */
export function linesIn(bytes: Buffer, most: number): string[] {
  let amount = 0;
  for (let at = bytes.indexOf(10); 0 <= at; at = bytes.indexOf(10, at + 1))
    if (most < ++amount) throw new Refusal(413, `the body has more than ${most.toLocaleString("en")} lines`);
  if (bytes.includes(0)) throw new Refusal(400, "the body holds a character 0");
  return bytes
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "");
}

/** What a string of the outside may be. */
export function textIn(body: { [key: string]: unknown }, name: string, most = 200): string {
  const value = body[name];
  if (typeof value !== "string") throw new Refusal(400, `\`${name}\` is not a text`);
  if (most < value.length) throw new Refusal(400, `\`${name}\` is longer than ${most} characters`);
  return value;
}

export const isDigest = (value: unknown): value is string => typeof value === "string" && /^[0-9a-f]{64}$/.test(value);

export function digestIn(body: { [key: string]: unknown }, name: string): string {
  const value = body[name];
  if (!isDigest(value)) throw new Refusal(400, `\`${name}\` is not a SHA-256 of 64 hexadecimal digits`);
  return value;
}

/** Names are shown in terminals and pages: no character steers either. */
export function nameIn(value: string, what: string): string {
  if (value.length < 1 || 200 < value.length) throw new Refusal(400, `${what} has 1 to 200 characters`);
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(value)) throw new Refusal(400, `${what} has characters that nobody sees`);
  return value;
}
