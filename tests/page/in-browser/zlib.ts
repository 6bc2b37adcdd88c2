// In the place of node:zlib, within a browser.
import { gunzipSync as unpack } from "fflate";

/** As Node's, its text is that of the bytes. */
export const gunzipSync = (bytes: Uint8Array): Uint8Array =>
  Object.defineProperty(unpack(bytes), "toString", {
    value(this: Uint8Array) {
      return new TextDecoder().decode(this);
    },
  });

export default { gunzipSync };
