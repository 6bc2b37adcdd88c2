import fs from "node:fs";
import path from "node:path";
import process from "node:process";
import { reasonOf } from "./reason.ts";
import { UsageError } from "./usage.ts";

/** Says no before the work is done where a file could not be written anyway. */
export function refuseUnwritable(output: string, what: string): void {
  const refuse = (reason: string) => {
    throw new UsageError(`${what} cannot be written to \`${output}\`: ${reason}`);
  };
  const found = at(output);
  if (output === "") refuse("the name is empty");
  if (found?.isDirectory() || output.endsWith("/")) refuse("it is a folder");
  // A file that takes the place of a device would break more than a report can be worth.
  if (found && !found.isFile()) refuse("it is not a file");
  if (!at(path.dirname(output))?.isDirectory()) refuse(`there is no folder \`${path.dirname(output)}\``);
}

function at(file: string): fs.Stats | undefined {
  try {
    return fs.statSync(file);
  } catch {
    return undefined;
  }
}

/** Beside the place and then renamed: an interrupted run leaves no half-written file. Packed where the name ends in .gz. */
export async function writeWhole(output: string, pieces: Iterable<string | Uint8Array>, what: string): Promise<void> {
  refuseUnwritable(output, what);
  // A link keeps leading to the file.
  const place = fs.existsSync(output) ? fs.realpathSync(output) : output;
  const temporary = `${place}.${process.pid}.part`;
  try {
    const { pipeline } = await import("node:stream/promises");
    const { Readable } = await import("node:stream");
    const steps = output.endsWith(".gz") ? [(await import("node:zlib")).createGzip()] : [];
    await pipeline([Readable.from(pieces), ...steps, fs.createWriteStream(temporary)]);
    fs.renameSync(temporary, place);
  } catch (error) {
    // In a folder that may not be written to there is nothing to remove, and looking for it fails as well.
    if (fs.existsSync(temporary)) fs.rmSync(temporary);
    throw new UsageError(`${what} cannot be written to \`${output}\`: ${reasonOf(error)}`, { cause: error });
  }
}
