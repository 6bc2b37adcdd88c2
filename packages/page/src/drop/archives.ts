// Profiles in an archive: each is taken as if it had been dropped by itself.
import { isTraceName } from "../../../core/src/trace/choose.ts";
import { membersOf } from "../../../machine/src/target/members.ts";
import { Refusal } from "../../../machine/src/target/tar.ts";
import { placeFile } from "../for-node/fs.ts";

/** More than anybody looks at one by one. */
const mostMembers = 64;

export async function profilesWithin(name: string, file: Blob, told: (words: string) => void): Promise<{ name: string; file: Blob }[]> {
  placeFile(name, file);
  const files: { name: string; file: Blob }[] = [];
  for await (const member of (await membersOf(name, isTraceName)) ?? []) {
    if (files.length === mostMembers) throw new Refusal(`it is an archive of more than ${mostMembers} profiles: drop those of one run`);
    told(`unpacking ${member.name}`);
    files.push({ name: member.name, file: await blobOf(member.body()) });
  }
  if (files.length === 0) throw new Refusal("it is an archive without a profile in it");
  return files.sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** In parts: the browser keeps large ones on its disk. */
async function blobOf(pieces: AsyncIterable<Uint8Array>): Promise<Blob> {
  const parts: Blob[] = [];
  // Whoever unpacks may write over a piece that was handed out.
  for await (const piece of pieces) parts.push(new Blob([piece.slice()]));
  return new Blob(parts);
}
