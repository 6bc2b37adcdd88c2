import crypto from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { at, reachLong } from "@culprit/machine/apply/hold";
import { reasonOf } from "@culprit/core/lib/reason";
import { UsageError } from "./usage.ts";

/** Says no before the work is done where a file could not be written anyway. */
export function refuseUnwritable(output: string, what: string): void {
  const refuse = (reason: string) => {
    throw new UsageError(`${what} cannot be written to \`${output}\`: ${reason}`);
  };
  const found = statAt(output);
  if (output === "") refuse("the name is empty");
  if (found?.isDirectory() || output.endsWith("/")) refuse("it is a folder");
  // A file that takes the place of a device would break more than a report can be worth.
  if (found && !found.isFile()) refuse("it is not a file");
  if (!statAt(path.dirname(output))?.isDirectory()) refuse(`there is no folder \`${path.dirname(output)}\``);
}

function statAt(file: string): fs.Stats | undefined {
  try {
    return fs.statSync(file);
  } catch {
    return undefined;
  }
}

/**
 * Beside the place, under a name that nobody can guess, and then renamed: an interrupted run leaves no half-written file, and nothing that
 * somebody else put there is written to. Packed where the name ends in .gz.
 */
export async function writeWhole(
  output: string,
  pieces: Iterable<string | Uint8Array>,
  what: string,
  { mode = 0o666 }: { mode?: number } = {},
): Promise<void> {
  refuseUnwritable(output, what);
  const { pipeline } = await import("node:stream/promises");
  const { Readable } = await import("node:stream");
  const steps = output.endsWith(".gz") ? [(await import("node:zlib")).createGzip()] : [];
  try {
    // The folder is held until the file is whole; a link keeps leading to its file.
    await reachLong(path.resolve(output), async ({ folder, name }) => {
      const made = `.${name.slice(0, 100)}.${crypto.randomUUID()}.part`;
      const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = fs.constants;
      const fd = fs.openSync(at(folder, made), O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, mode);
      try {
        await pipeline([Readable.from(pieces), ...steps, fs.createWriteStream("", { fd })]);
        fs.renameSync(at(folder, made), at(folder, name));
      } catch (error) {
        fs.rmSync(at(folder, made), { force: true });
        throw error;
      }
    });
  } catch (error) {
    throw new UsageError(`${what} cannot be written to \`${output}\`: ${reasonOf(error)}`, { cause: error });
  }
}
