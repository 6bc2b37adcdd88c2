// Sums of bytes that go by: the browser's own wants all of them at once.
import { sha256, sha512 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";

export function createHash(algorithm: string) {
  const hash = (algorithm === "sha512" ? sha512 : sha256).create();
  const made = {
    update(bytes: Uint8Array) {
      hash.update(bytes);
      return made;
    },
    digest: (_as: "hex") => bytesToHex(hash.digest()),
  };
  return made;
}
