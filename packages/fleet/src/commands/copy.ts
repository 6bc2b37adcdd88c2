// All that a fleet knows as one file, to move it to another database or to keep it: lines of JSON, packed.
import { createReadStream, createWriteStream, existsSync, renameSync, rmSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { reasonOf } from "@culprit/core/lib/reason";
import { print } from "../print.ts";
import { migrate } from "../store/migrations.ts";
import { exportLines, importLines } from "../store/copy.ts";
import { UsageError, type Command, type Input } from "../usage.ts";
import { dataFolder, openStore, storeOptions } from "./serve.ts";

const fileOf = ({ words }: Input, verb: string): string => {
  const [file, other] = words;
  if (file === undefined || other !== undefined) throw new UsageError(`name the file to ${verb}, such as fleet.jsonl.gz`);
  return file;
};

export const exportCommand: Command = {
  name: "export",
  usage: "culprit-fleet export FILE [--data DIR]",
  summary: "write all that is known to a file; the server of an embedded database must be stopped",
  options: storeOptions,
  examples: [{ line: "culprit-fleet export fleet.jsonl.gz", asks: "a copy to keep" }],
  run: async (input) => {
    const file = fileOf(input, "write");
    const store = await openStore(dataFolder(input));
    await migrate(store);
    let lines = 0;
    // All of one moment, also while servers write; and a file that is there is replaced by a whole one only.
    const unfinished = `${file}.${process.pid}.part`;
    try {
      await store.tx(async (sql) => {
        await sql.rows("set transaction isolation level repeatable read, read only");
        const counted = async function* () {
          for await (const line of exportLines(sql)) {
            lines += 1;
            yield `${line}\n`;
          }
        };
        await pipeline(counted(), createGzip(), createWriteStream(unfinished, { mode: 0o600, flags: "wx" }));
      });
      renameSync(unfinished, file);
    } finally {
      rmSync(unfinished, { force: true });
      await store.end();
    }
    print(`${file} has ${lines.toLocaleString("en")} lines; tokens are in it as digests only.\n`);
    return 0;
  },
};

/** The longest that is written is a text of 64 MB, in base64. */
const longestLine = 128 << 20;

/** What breaks on the way ends the import, and nothing of it stays. */
async function* linesIn(file: string): AsyncGenerator<string> {
  const unpacked = createGunzip().setEncoding("utf8");
  // Its failure comes out of what it is piped into.
  pipeline(createReadStream(file), unpacked).catch(() => {});
  let rest = "";
  try {
    for await (const piece of unpacked as AsyncIterable<string>) {
      const lines = piece.split("\n");
      lines[0] = rest + lines[0]!;
      rest = lines.pop()!;
      if (longestLine < rest.length)
        throw new UsageError(`\`${file}\` has a line that is longer than any that \`culprit-fleet export\` writes`);
      yield* lines;
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`\`${file}\` is damaged, or no file that \`culprit-fleet export\` wrote: ${reasonOf(error)}`);
  }
  if (rest !== "") throw new UsageError(`\`${file}\` ends within a line`);
}

export const importCommand: Command = {
  name: "import",
  usage: "culprit-fleet import FILE [--data DIR]",
  summary: "read such a file into an empty database",
  options: storeOptions,
  examples: [{ line: "DATABASE_URL=postgres://fleet@db/fleet culprit-fleet import fleet.jsonl.gz", asks: "from a laptop to a server" }],
  run: async (input) => {
    const file = fileOf(input, "read");
    if (!existsSync(file)) throw new UsageError(`\`${file}\` is not there`);
    const store = await openStore(dataFolder(input));
    await migrate(store);
    const amount = await importLines(store, linesIn(file)).finally(async () => store.end());
    print(`${amount.toLocaleString("en")} lines were read.\n`);
    return 0;
  },
};
