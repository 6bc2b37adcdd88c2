// What the readers of packages/machine ask of Node's `fs`, answered from files that were dropped onto the page. In a worker a part of a
// file can be read while everybody waits, so nothing is ever held as a whole.
/** What a worker has, and a page has not. */
declare class FileReaderSync {
  readAsArrayBuffer(file: Blob): ArrayBuffer;
}

const files = new Map<string, Blob>();
const handles: Blob[] = [];

export function placeFile(name: string, file: Blob): void {
  files.set(name, file);
}

function found(name: string): Blob {
  const file = files.get(name);
  if (!file) throw Object.assign(new Error(`there is no file ${name}`), { code: "ENOENT" });
  return file;
}

const statOf = ({ size }: Blob) => ({ size, isFile: () => true, isDirectory: () => false });

/** Heads of small files lie close together: a block serves many reads. */
const blockSize = 1 << 18;
const mostBlocks = 16;
const blocks = new Map<string, Uint8Array>();

function blockAt(handle: number, number: number): Uint8Array {
  const key = `${handle}/${number}`;
  const known = blocks.get(key);
  if (known) return known;
  const block = bytesOf(handles[handle]!, number * blockSize, blockSize);
  if (mostBlocks <= blocks.size) blocks.delete(blocks.keys().next().value!);
  blocks.set(key, block);
  return block;
}

export const bytesOf = (file: Blob, offset: number, length: number): Uint8Array =>
  new Uint8Array(new FileReaderSync().readAsArrayBuffer(file.slice(offset, offset + length)));

function readSync(handle: number, into: Uint8Array, at: number, length: number, position: number): number {
  const { size } = handles[handle]!;
  const wanted = Math.max(0, Math.min(length, size - position));
  if (blockSize <= wanted) {
    into.set(bytesOf(handles[handle]!, position, wanted), at);
    return wanted;
  }
  let done = 0;
  while (done < wanted) {
    const place = position + done;
    const number = Math.floor(place / blockSize);
    const from = place - number * blockSize;
    const part = blockAt(handle, number).subarray(from, from + wanted - done);
    into.set(part, at + done);
    done += part.length;
  }
  return wanted;
}

const pieceSize = 1 << 20;

function* createReadStream(name: string, { start = 0, end = Infinity } = {}): Generator<Uint8Array, void> {
  const file = found(name);
  const stop = Math.min(file.size, end + 1);
  for (let at = start; at < stop; at += pieceSize) yield bytesOf(file, at, Math.min(pieceSize, stop - at));
}

export default {
  createReadStream,
  constants: { O_RDONLY: 0, O_NONBLOCK: 0 },
  existsSync: (name: string) => files.has(name),
  statSync: (name: string) => statOf(found(name)),
  realpathSync: (name: string) => name,
  openSync: (name: string) => handles.push(found(name)) - 1,
  fstatSync: (handle: number) => statOf(handles[handle]!),
  readSync,
  closeSync: () => undefined,
};
