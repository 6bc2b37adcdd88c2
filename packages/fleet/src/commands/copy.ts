// All that a fleet knows as one file, to move it to another database or to keep it: lines of JSON, packed.
import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
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
    await pipeline(
      (async function* () {
        for await (const line of exportLines(store)) {
          lines += 1;
          yield `${line}\n`;
        }
      })(),
      createGzip(),
      createWriteStream(file, { mode: 0o600 }),
    );
    await store.end();
    print(`${file} has ${lines.toLocaleString("en")} lines; tokens are in it as digests only.\n`);
    return 0;
  },
};

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
    const lines = createInterface({ input: createReadStream(file).pipe(createGunzip()), crlfDelay: Infinity });
    const amount = await importLines(store, lines);
    await store.end();
    print(`${amount.toLocaleString("en")} lines were read.\n`);
    return 0;
  },
};
