// What is kept of an image is packed while it is not looked at.
import { deflateSync, inflateSync } from "fflate";

export const deflateRawSync = (bytes: Uint8Array): Uint8Array => deflateSync(bytes, { level: 1 });
export const inflateRawSync = (bytes: Uint8Array): Uint8Array => inflateSync(bytes);
