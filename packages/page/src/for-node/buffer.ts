// Node's Buffer, as far as the readers of packages/machine use it: bytes that can be read as text.
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

export class Buffer extends Uint8Array {
  override toString(encoding = "utf8", start = 0, end = this.length): string {
    const part = this.subarray(start, end);
    if (encoding !== "latin1") return utf8.decode(part);
    let text = "";
    for (let at = 0; at < part.length; at += 4096) text += String.fromCharCode(...part.subarray(at, at + 4096));
    return text;
  }

  copy(target: Uint8Array, at = 0, start = 0, end = this.length): number {
    const part = this.subarray(start, end);
    target.set(part, at);
    return part.length;
  }

  static alloc(length: number): Buffer {
    return new Buffer(length);
  }

  static allocUnsafe(length: number): Buffer {
    return new Buffer(length);
  }

  static allocUnsafeSlow(length: number): Buffer {
    return new Buffer(length);
  }

  static override from(given: unknown, offset?: unknown, length?: unknown): Buffer {
    if (given instanceof ArrayBuffer) return new Buffer(given, offset as number, length as number);
    if (typeof given === "string" && offset === "base64") return Buffer.from(Array.from(atob(given), (letter) => letter.charCodeAt(0)));
    const bytes = typeof given === "string" ? new TextEncoder().encode(given) : new Uint8Array(given as ArrayLike<number>);
    return new Buffer(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  static concat(pieces: Uint8Array[]): Buffer {
    const whole = new Buffer(pieces.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const piece of pieces) {
      whole.set(piece, at);
      at += piece.length;
    }
    return whole;
  }

  static isBuffer(value: unknown): value is Buffer {
    return value instanceof Buffer;
  }
}
