// Tables of an SQLite file (https://www.sqlite.org/fileformat2.html), read page by page: whoever has the file hands over the pages that are
// asked for. Only what a profile's tables need: table b-trees with their overflow pages, text in UTF-8, no indexes, nothing written.
import { decode } from "../lib/text.ts";

/** Asks for one range of a file after the other, and is resumed with its bytes (fewer at the end of the file). */
export type Paging<T> = Generator<{ offset: number; length: number }, T, Uint8Array>;

export interface Table {
  root: number;
  columns: string[];
  /** Which column is the number of the row itself, and stands in no record; -1 where none is. */
  rowNumber: number;
}

export interface Database {
  /** How long a page is, what of it may be used, how many there are. */
  page: number;
  usable: number;
  pages: number;
  tables: Map<string, Table>;
}

// Fields may lie: no text that matters here is longer, and no real file has more tables.
const longestRow = 1 << 20;
const mostTables = 10_000;

/** What is wrong with a database. */
export class DatabaseError extends Error {}

/** The tables of a database. */
export function* openDatabase(size: number): Paging<Database> {
  const header = yield { offset: 0, length: 100 };
  if (header.length < 100) throw new DatabaseError("the file ends in its header");
  const view = new DataView(header.buffer, header.byteOffset, header.length);
  const stated = view.getUint16(16);
  const page = stated === 1 ? 65_536 : stated;
  const usable = page - header[20]!;
  if (page < 512 || (page & (page - 1)) !== 0 || usable < 480) throw new DatabaseError("its header is not one of SQLite");
  // 1 is UTF-8, what Nsight Systems writes; 0 stands in a database without a table.
  if (1 < view.getUint32(56)) throw new DatabaseError("its texts are in UTF-16, which culprit does not read");
  const database: Database = { page, usable, pages: Math.ceil(size / page), tables: new Map() };
  const schema: Table = { root: 1, columns: ["type", "name", "tbl_name", "rootpage", "sql"], rowNumber: -1 };
  yield* eachRow(database, schema, ["type", "name", "rootpage", "sql"], (row) => {
    if (row.text(0) !== "table" || mostTables <= database.tables.size) return;
    database.tables.set(row.text(1) ?? "", { root: row.number(2), ...columnsOf(row.text(3) ?? "") });
  });
  return database;
}

/** The names between the parentheses of `CREATE TABLE x (a INTEGER, b TEXT, …)`. */
function columnsOf(sql: string): Pick<Table, "columns" | "rowNumber"> {
  const plain = sql.replace(/--[^\n]*/g, "");
  const body = plain.slice(plain.indexOf("(") + 1, Math.max(0, plain.lastIndexOf(")")));
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at <= body.length; at += 1) {
    const letter = body[at];
    if (letter === "(") depth += 1;
    else if (letter === ")") depth -= 1;
    else if (letter === undefined || (letter === "," && depth === 0)) {
      parts.push(body.slice(from, at).trim());
      from = at + 1;
    }
  }
  const columns = parts.filter((part) => part !== "" && !/^(?:CONSTRAINT|PRIMARY|UNIQUE|CHECK|FOREIGN)\b/i.test(part));
  const rowNumber = columns.findIndex((part) => /\bINTEGER\b/i.test(part) && /\bPRIMARY\s+KEY\b/i.test(part));
  return { columns: columns.map((part) => (part.split(/\s/)[0] ?? "").replace(/["'`[\]]/g, "")), rowNumber };
}

/** The wanted columns of the row that is being visited; it is used again for the next one. */
export interface Row {
  /** NaN where there is none. */
  number(column: number): number;
  /** The halves of a number of 64 bits, which a double may not hold. */
  low(column: number): number;
  high(column: number): number;
  text(column: number): string | undefined;
}

/** Visits every row, and answers with how many there were. Columns that a table does not have are NaN and undefined. */
export function* eachRow(database: Database, table: Table, wanted: string[], visit: (row: Row) => void): Paging<number> {
  const record = new Record(table, wanted);
  const open = [table.root];
  let rows = 0;
  let budget = database.pages;
  for (let number = open.pop(); number !== undefined; number = open.pop()) {
    // Each page is in one tree, once: a file that says otherwise is damaged.
    if ((budget -= 1) < 0) throw new DatabaseError("its pages lead in a circle");
    const bytes = yield* pageAt(database, number);
    const start = number === 1 ? 100 : 0;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const kind = bytes[start];
    if (kind !== 5 && kind !== 13) throw new DatabaseError(`page ${number} is not one of a table`);
    const count = view.getUint16(start + 3);
    const first = start + (kind === 13 ? 8 : 12);
    if (bytes.length < first + 2 * count) throw new DatabaseError(`page ${number} has more cells than room`);
    if (kind === 5) {
      open.push(view.getUint32(start + 8));
      // The last one in is the first one out.
      for (let index = count - 1; 0 <= index; index -= 1) {
        const cell = view.getUint16(first + 2 * index);
        if (bytes.length < cell + 4) throw new DatabaseError(`page ${number} has a cell outside of it`);
        open.push(view.getUint32(cell));
      }
      continue;
    }
    for (let index = 0; index < count; index += 1) {
      const cell = view.getUint16(first + 2 * index);
      const length = record.variable(bytes, cell);
      const rowNumber = record.variable(bytes, record.after);
      const at = record.after;
      rows += 1;
      if (length <= database.usable - 35) record.set(bytes, at, at + length, rowNumber);
      else {
        const whole = yield* overflowing(database, bytes, at, length);
        record.set(whole, 0, whole.length, rowNumber);
      }
      visit(record);
    }
  }
  return rows;
}

function* pageAt({ page, pages }: Database, number: number): Paging<Uint8Array> {
  if (!(1 <= number && number <= pages)) throw new DatabaseError(`page ${number} is not in the file`);
  const bytes = yield { offset: (number - 1) * page, length: page };
  if (bytes.length < page) throw new DatabaseError(`the file ends in page ${number}`);
  return bytes;
}

/** A long row goes on in a chain of other pages: section 1.6 of the format. */
function* overflowing(database: Database, bytes: Uint8Array, at: number, stated: number): Paging<Uint8Array> {
  const { usable } = database;
  const least = Math.floor(((usable - 12) * 32) / 255) - 23;
  const rest = least + ((stated - least) % (usable - 4));
  const local = rest <= usable - 35 ? rest : least;
  const length = Math.min(stated, longestRow);
  const whole = new Uint8Array(length);
  const beginning = bytes.subarray(at, at + Math.min(local, length));
  whole.set(beginning);
  let next = at + local + 4 <= bytes.length ? new DataView(bytes.buffer, bytes.byteOffset + at + local, 4).getUint32(0) : 0;
  for (let done = beginning.length; done < length && 0 < next;) {
    const page = yield* pageAt(database, next);
    next = new DataView(page.buffer, page.byteOffset, 4).getUint32(0);
    const part = page.subarray(4, 4 + Math.min(usable - 4, length - done));
    whole.set(part, done);
    done += part.length;
  }
  return whole;
}

const sizes = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0];

/** A record: the kinds of its values, then the values. Only those that are wanted are looked at. */
class Record implements Row {
  /** The place behind the number that was read last. */
  after = 0;
  readonly #slots: number[];
  readonly #last: number;
  readonly #alias: number;
  readonly #kinds: Float64Array;
  readonly #places: Float64Array;
  #bytes: Uint8Array = new Uint8Array(0);
  #row = 0;

  constructor({ columns, rowNumber }: Table, wanted: string[]) {
    this.#slots = columns.map((name) => wanted.indexOf(name));
    this.#last = this.#slots.findLastIndex((slot) => 0 <= slot);
    this.#alias = rowNumber < 0 ? -1 : this.#slots[rowNumber]!;
    this.#kinds = new Float64Array(wanted.length);
    this.#places = new Float64Array(wanted.length);
  }

  /** A number of seven bits a byte, most significant first; the ninth byte has eight. */
  variable(bytes: Uint8Array, at: number): number {
    let value = 0;
    for (let index = 0; index < 8; index += 1) {
      const byte = bytes[at + index] ?? 0;
      value = value * 128 + (byte & 127);
      if (byte < 128) {
        this.after = at + index + 1;
        return value;
      }
    }
    this.after = at + 9;
    return value * 256 + (bytes[at + 8] ?? 0);
  }

  set(bytes: Uint8Array, start: number, end: number, rowNumber: number): void {
    this.#bytes = bytes;
    this.#row = rowNumber;
    this.#kinds.fill(0);
    const header = start + this.variable(bytes, start);
    let value = header;
    let at = this.after;
    for (let column = 0; column <= this.#last && at < header && at < end; column += 1) {
      const kind = this.variable(bytes, at);
      at = this.after;
      const slot = this.#slots[column]!;
      const size = kind < 12 ? (sizes[kind] ?? 0) : Math.floor((kind - 12) / 2);
      // What would lie behind the record is not there.
      if (0 <= slot && value + size <= bytes.length) {
        this.#kinds[slot] = kind;
        this.#places[slot] = value;
      }
      value += size;
    }
  }

  number(column: number): number {
    const kind = this.#kinds[column]!;
    if (kind === 0) return column === this.#alias ? this.#row : Number.NaN;
    if (kind === 8 || kind === 9) return kind - 8;
    if (kind === 7) return new DataView(this.#bytes.buffer, this.#bytes.byteOffset + this.#places[column]!, 8).getFloat64(0);
    if (7 < kind) return Number.NaN;
    const value = this.#unsigned(column, sizes[kind]!);
    return 0x7f < this.#bytes[this.#places[column]!]! ? value - 256 ** sizes[kind]! : value;
  }

  low(column: number): number {
    const length = sizes[this.#kinds[column]!] ?? 0;
    if (length <= 4) return this.number(column) >>> 0;
    const at = this.#places[column]! + length - 4;
    const bytes = this.#bytes;
    return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
  }

  high(column: number): number {
    const length = sizes[this.#kinds[column]!] ?? 0;
    return length <= 4 ? 0 : this.#unsigned(column, length - 4);
  }

  text(column: number): string | undefined {
    const kind = this.#kinds[column]!;
    if (kind < 13 || kind % 2 === 0) return undefined;
    return decode(this.#bytes, this.#places[column]!, this.#places[column]! + (kind - 13) / 2);
  }

  #unsigned(column: number, length: number): number {
    const at = this.#places[column]!;
    let value = 0;
    for (let index = 0; index < length; index += 1) value = value * 256 + this.#bytes[at + index]!;
    return value;
  }
}
