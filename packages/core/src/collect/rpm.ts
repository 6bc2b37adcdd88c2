// What rpm installed: its database is an SQLite file (https://www.sqlite.org/fileformat2.html) whose table `Name` leads from names to
// rows of `Packages`, each one header of a package (rpm's lib/header.c). Only the pages on the way are read.
import { Image, sideBySide, type Reading } from "../elf/image.ts";
import { decode } from "../lib/text.ts";

// Fields may lie: no real database has more pages of names, no name is longer, and no header larger.
const mostPages = 10_000;
const longestRow = 1 << 16;
const largestHeader = 16 << 20;

/** One paragraph a package: name, version, and the shared libraries among its files. undefined when this is no such database. */
export function* readRpmDatabase(size: number, concerns: (name: string) => boolean): Reading<string | undefined> {
  const database = yield* openDatabase(size);
  if (!database) return undefined;
  const roots = new Map<string, number>();
  // sqlite_schema: type, name, tbl_name, rootpage, sql.
  yield* eachRow(database, 1, function* (row) {
    const [type, name, , root] = valuesOf(yield* payloadOf(database, row, longestRow), 4);
    if (type === "table" && typeof name === "string" && typeof root === "number") roots.set(name, root);
  });
  const names = roots.get("Name");
  const packages = roots.get("Packages");
  if (names === undefined || packages === undefined) return undefined;
  const wanted = new Set<number>();
  yield* eachRow(database, names, function* (row) {
    const [name, number] = valuesOf(yield* payloadOf(database, row, longestRow), 2);
    if (typeof name === "string" && typeof number === "number" && concerns(name)) wanted.add(number);
  });
  const paragraphs = yield* sideBySide(
    [...wanted].map(function* (number): Reading<string[]> {
      const row = yield* rowNumbered(database, packages, number);
      const [, header] = row ? valuesOf(yield* payloadOf(database, row, largestHeader), 2) : [];
      return header instanceof Uint8Array ? [paragraphOf(header)] : [];
    }),
  );
  return paragraphs.flat().sort().join("\n\n");
}

interface Database {
  image: Image;
  page: number;
  /** What of a page may be used; the rest is reserved. */
  usable: number;
}

function* openDatabase(size: number): Reading<Database | undefined> {
  const image = new Image(size);
  image.littleEndian = false;
  yield* image.load([{ offset: 0, length: 100 }]);
  const start = image.bytes(0, 16);
  if (!start || decode(start) !== "SQLite format 3\0") return undefined;
  const stated = image.u16(16);
  const page = stated === 1 ? 65536 : stated;
  // 1 is UTF-8, the only encoding that rpm writes.
  return 512 <= page && image.u32(56) === 1 ? { image, page, usable: page - image.u8(20) } : undefined;
}

interface Row {
  number: number;
  /** Where its payload begins, and how long it is in all. */
  at: number;
  length: number;
}

interface Page {
  isLeaf: boolean;
  /** Offsets in the file. */
  cells: number[];
  /** An interior page's last child. */
  rightmost: number;
}

/** A page of a table's tree; undefined when it is none. */
function* pageAt({ image, page }: Database, number: number): Reading<Page | undefined> {
  const offset = (number - 1) * page;
  if (!(1 <= number && offset + page <= image.size)) return undefined;
  yield* image.load([{ offset, length: page }]);
  // The first page begins with the header of the whole file.
  const start = number === 1 ? 100 : 0;
  const kind = image.u8(offset + start);
  if (kind !== 5 && kind !== 13) return undefined;
  const isLeaf = kind === 13;
  const first = offset + start + (isLeaf ? 8 : 12);
  const count = Math.min(image.u16(offset + start + 3), page / 2);
  const cells = Array.from({ length: count }, (_, index) => offset + image.u16(first + index * 2));
  return { isLeaf, cells, rightmost: image.u32(offset + start + 8) };
}

function* eachRow(database: Database, root: number, act: (row: Row) => Reading<void>): Reading<void> {
  let budget = mostPages;
  for (let level = [root]; 0 < level.length;) {
    const numbers = level.slice(0, budget);
    budget -= numbers.length;
    const pages = yield* sideBySide(numbers.map((number) => pageAt(database, number)));
    level = [];
    for (const page of pages) {
      for (const cell of page?.cells ?? []) {
        if (page!.isLeaf) yield* act(rowAt(database, cell));
        else level.push(database.image.u32(cell));
      }
      if (page && !page.isLeaf) level.push(page.rightmost);
    }
  }
}

function* rowNumbered(database: Database, root: number, number: number): Reading<Row | undefined> {
  let next = root;
  for (let depth = 0; depth < 20; depth += 1) {
    const page = yield* pageAt(database, next);
    if (!page) return undefined;
    if (page.isLeaf) return page.cells.map((cell) => rowAt(database, cell)).find((row) => row.number === number);
    // Rows up to a cell's number are below its child.
    const child = page.cells.find((cell) => number <= variableNumber(database.image, cell + 4).value);
    next = child === undefined ? page.rightmost : database.image.u32(child);
  }
  return undefined;
}

function rowAt({ image }: Database, cell: number): Row {
  const length = variableNumber(image, cell);
  const number = variableNumber(image, length.end);
  return { number: number.value, length: length.value, at: number.end };
}

/** A long payload goes on in a chain of other pages: section 1.6 of the format. */
function* payloadOf({ image, page, usable }: Database, { at, length }: Row, longest: number): Reading<Uint8Array> {
  if (Math.min(longest, image.size) < length) return new Uint8Array(0);
  const most = usable - 35;
  if (length <= most) return image.bytes(at, length) ?? new Uint8Array(0);
  const least = Math.floor(((usable - 12) * 32) / 255) - 23;
  const rest = least + ((length - least) % (usable - 4));
  const local = rest <= most ? rest : least;
  // Put together only when all is there: many are read at once, and what they say of their length may be a lie.
  const parts = [image.bytes(at, local) ?? new Uint8Array(local)];
  let next = image.u32(at + local);
  for (let done = local; done < length && 0 < next && next * page <= image.size;) {
    const offset = (next - 1) * page;
    // Mostly they lie one behind the other: then one piece is all of them.
    if (!image.has(offset, usable)) yield* image.load([{ offset, length: Math.ceil((length - done) / (usable - 4)) * page }]);
    const part = image.bytes(offset + 4, Math.min(usable - 4, length - done));
    if (!part) break;
    parts.push(part);
    done += part.length;
    next = image.u32(offset);
  }
  const whole = new Uint8Array(length);
  let end = 0;
  for (const part of parts) {
    whole.set(part, end);
    end += part.length;
  }
  return whole;
}

/** Seven bits a byte, most significant first; the ninth byte has eight. Numbers beyond 2^53 do not occur here. */
function variableNumber(image: Image, at: number): { value: number; end: number } {
  let value = 0;
  for (let index = 0; index < 9; index += 1) {
    const byte = image.u8(at + index);
    if (index === 8) return { value: value * 256 + byte, end: at + 9 };
    value = value * 128 + (byte & 127);
    if (byte < 128) return { value, end: at + index + 1 };
  }
  return { value, end: at + 9 };
}

type Value = string | number | Uint8Array | undefined;

/** The first columns of a record: their kinds stand before the values. */
function valuesOf(payload: Uint8Array, columns: number): Value[] {
  const record = new Image(payload.length);
  const reading = record.load([{ offset: 0, length: payload.length }]);
  reading.next();
  reading.next([payload]);
  const values: Value[] = [];
  const header = variableNumber(record, 0);
  let at = header.value;
  for (let kindAt = header.end; values.length < columns && kindAt < header.value;) {
    const kind = variableNumber(record, kindAt);
    kindAt = kind.end;
    const size = 12 <= kind.value ? Math.floor((kind.value - 12) / 2) : ([0, 1, 2, 3, 4, 6, 8, 8, 0, 0][kind.value] ?? 0);
    const bytes = payload.subarray(at, at + size);
    at += size;
    if (12 <= kind.value) values.push(kind.value % 2 === 0 ? bytes : decode(bytes));
    else if (kind.value === 8 || kind.value === 9) values.push(kind.value - 8);
    else values.push(kind.value === 0 || kind.value === 7 ? undefined : bytes.reduce((number, byte) => number * 256 + byte, 0));
  }
  return values;
}

const tag = { name: 1000, version: 1001, release: 1002, epoch: 1003, folderNumbers: 1116, fileNames: 1117, folders: 1118 } as const;

/** A header: the number of its entries, the length of their data, the entries (tag, kind, offset, count), the data. */
function paragraphOf(header: Uint8Array): string {
  const view = new DataView(header.buffer, header.byteOffset, header.length);
  const count = 8 <= header.length ? Math.min(view.getUint32(0), (header.length - 8) / 16) : 0;
  const data = 8 + count * 16;
  const entries = new Map<number, { at: number; count: number }>();
  for (let index = 0; index < Math.floor(count); index += 1) {
    const at = 8 + index * 16;
    entries.set(view.getUint32(at), { at: data + view.getUint32(at + 8), count: view.getUint32(at + 12) });
  }
  const texts = (key: number): string[] => {
    const entry = entries.get(key);
    return entry === undefined ? [] : decode(header, Math.min(entry.at, header.length)).split("\0", entry.count);
  };
  const numbers = (key: number): number[] => {
    const entry = entries.get(key);
    const fit = entry === undefined ? 0 : Math.max(0, Math.min(entry.count, Math.floor((header.length - entry.at) / 4)));
    return Array.from({ length: fit }, (_, index) => view.getUint32(entry!.at + index * 4));
  };
  const folders = texts(tag.folders);
  const places = numbers(tag.folderNumbers);
  const files = texts(tag.fileNames).map((name, index) => `${folders[places[index] ?? -1] ?? ""}${name}`);
  const epoch = numbers(tag.epoch)[0];
  const version = `${epoch === undefined ? "" : `${epoch}:`}${texts(tag.version)[0] ?? ""}-${texts(tag.release)[0] ?? ""}`;
  return [`Package: ${texts(tag.name)[0] ?? ""}`, `Version: ${version}`, ...files.filter((file) => file.includes(".so"))].join("\n");
}
